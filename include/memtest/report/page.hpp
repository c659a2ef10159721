#pragma once

#include "memtest/report/report_parts.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memtest {

/// The sentences that the page opens with: what someone would post of the machine. None where nothing is known.
[[nodiscard]] std::vector<std::string> report_summary(const ReportResults& results);

/// The page for people, in Markdown that reads well as text.
[[nodiscard]] std::string report_page(const ReportResults& results);

/// The same for a terminal, in lines of at most this many columns; the summary comes last.
[[nodiscard]] std::string report_text(const ReportResults& results, std::size_t columns);

} // namespace memtest
