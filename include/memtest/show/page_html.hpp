#pragma once

#include "memtest/kinds/report_parts.hpp"

#include <string>

namespace memtest {

/// The same page as report_page() in one file of HTML, light or dark as the reader's system is. It has no scripts and
/// loads nothing. @param results with plots that are HTML
[[nodiscard]] std::string report_html(const ReportResults& results);

} // namespace memtest
