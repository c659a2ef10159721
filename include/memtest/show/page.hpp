#pragma once

#include "memtest/kinds/report.hpp"
#include "memtest/result/stored_file.hpp"
#include "memtest/result/text_table.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace memtest {

/// What a page shows besides the results of its report.
struct PageExtras {
    std::string name{};                                      ///< of the machine, beside others
    std::vector<MachineInBrief> beside{};                    ///< other machines
    std::map<std::string, std::string, std::less<>> plots{}; ///< in the form of the page, by name: see plots_of
};

/// A part of the page under a heading; any of its members may be empty.
struct Section {
    std::string heading;
    std::string opening{}; ///< a paragraph
    TextTable table{};
    std::vector<std::string> sentences{}; ///< of a paragraph
    std::vector<std::string> points{};    ///< of a list
    std::string plot{};                   ///< in the form of the page
};

/// What the page says, in any form. Its text is as it was in the file, and has to be escaped.
struct Page {
    std::string title;
    std::vector<std::string> machine{}; ///< a few lines
    std::vector<std::string> summary{}; ///< sentences that someone would post; empty if nothing is known
    std::vector<Section> sections{};    ///< some of which may be empty but for their heading
};

[[nodiscard]] Page page_of(const StoredFile& report, const PageExtras& extras);

/// The page for people, in Markdown that reads well as text.
[[nodiscard]] std::string report_page(const Page& page);

/// The same for a terminal, in lines of at most this many columns; the summary comes last.
[[nodiscard]] std::string report_text(const Page& page, std::size_t columns);

} // namespace memtest
