#pragma once

#include "memtest/show/page.hpp"

#include <string>
#include <string_view>

namespace memtest {

/// The same page as report_page() in one file of HTML, light or dark as the reader's system is. It has no scripts and
/// loads nothing. @param page with plots that are HTML
[[nodiscard]] std::string report_html(const Page& page);

/// An SVG image as an element of an HTML page. @param drawn by gnuplot @param name that no other image of the page has:
/// it begins its ids @param title read out in place of the image @throws Error if it is not SVG
[[nodiscard]] std::string inline_svg(std::string_view drawn, std::string_view name, std::string_view title);

} // namespace memtest
