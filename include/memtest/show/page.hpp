#pragma once

#include "memtest/kinds/report.hpp"
#include "memtest/result/plot_data.hpp"
#include "memtest/result/stored_file.hpp"
#include "memtest/result/text_table.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// In page_html.cpp.

/// The same in one file of HTML, light or dark as the reader's system is. It has no scripts and loads nothing.
/// @param page with plots that are HTML
[[nodiscard]] std::string report_html(const Page& page);

/// An SVG image as an element of an HTML page. @param drawn by gnuplot @param name that no other image of the page has:
/// it begins its ids @param title read out in place of the image @throws Error if it is not SVG
[[nodiscard]] std::string inline_svg(std::string_view drawn, std::string_view name, std::string_view title);

// In page_plots.cpp.

/// The names of the plots that a page may have: "sweep", "beside", and the parts that are drawn by themselves.
[[nodiscard]] std::vector<std::string> plots_of(const StoredFile& report);

/// A plot of the page; std::nullopt if it would show a single point or less. @throws Error (usage) if it cannot be
/// drawn
[[nodiscard]] std::optional<Plot> plot_of(const StoredFile& report, const PageExtras& extras, std::string_view name);

} // namespace memtest
