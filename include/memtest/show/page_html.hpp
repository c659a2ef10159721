#pragma once

#include "memtest/show/page.hpp"

#include <string>

namespace memtest {

/// The same page as report_page() in one file of HTML, light or dark as the reader's system is. It has no scripts and
/// loads nothing. @param page with plots that are HTML
[[nodiscard]] std::string report_html(const Page& page);

} // namespace memtest
