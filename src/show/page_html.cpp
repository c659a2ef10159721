#include "memtest/show/page.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace memtest {
namespace {

/// The policy denies scripts and all that would be loaded, whatever the file holds.
constexpr std::string_view html_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word;
  color: #1f2328; background: #fff; --rule: #d0d7de; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
ul { padding-left: 1.25rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; }
th, td { padding: 0.2rem 1.25rem 0.2rem 0; border-bottom: 1px solid var(--rule); text-align: left; white-space: nowrap; }
thead th { white-space: normal; vertical-align: bottom; }
tbody th { font-weight: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
/* gnuplot's titles would be tooltips */
svg { display: block; min-width: 40rem; max-width: 100%; height: auto; pointer-events: none; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #1a1a1a; --rule: #444; }
  svg { filter: invert(0.9) hue-rotate(180deg); }
}
</style>
)";

/// The element with what is in it; empty if nothing is.
std::string html_element(std::string_view name, std::string_view content) {
    return content.empty() ? "" : fmt::format("<{0}>{1}</{0}>\n", name, content);
}

std::string html_paragraph(const std::string& text) {
    return html_element("p", html_text(text));
}

std::string html_list(const std::vector<std::string>& points) {
    const std::string items =
        joined(points, "", [](const auto& point) { return html_element("li", html_text(point)); });
    return html_element("ul", items.empty() ? "" : "\n" + items);
}

std::string html_row(const std::vector<std::string>& cells, std::string_view right, bool is_header) {
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string_view name = is_header || i == 0 ? "th" : "td";
        row += fmt::format("<{}{}{}>{}</{}>", name,
                           is_header ? " scope=\"col\""
                           : i == 0  ? " scope=\"row\""
                                     : "",
                           i < right.size() && right[i] == 'r' ? " class=\"number\"" : "", html_text(cells[i]), name);
    }
    return html_element("tr", row);
}

/// What is wider than the screen scrolls by itself. @param name read out when the keyboard gets to it
std::string in_html_box(const std::string& content, std::string_view name) {
    return content.empty() ? ""
                           : fmt::format("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}"
                                         "</div>\n",
                                         html_text(name), content);
}

std::string html_table(const TextTable& table, std::string_view name) {
    std::string rows;
    for (std::size_t i = 1; i < table.rows.size(); ++i)
        rows += html_row(table.rows[i], table.right, false);
    return rows.empty() ? ""
                        : in_html_box(fmt::format("<table>\n<thead>\n{}</thead>\n<tbody>\n{}</tbody>\n</table>\n",
                                                  html_row(table.rows.front(), table.right, true), rows),
                                      name);
}

std::string html_section(const Section& section) {
    const std::string content = html_paragraph(section.opening) + html_table(section.table, section.heading) +
                                joined(section.sentences, "", html_paragraph) + html_list(section.points) +
                                in_html_box(section.plot, section.heading);
    return content.empty() ? ""
                           : html_element("section", "\n" + html_element("h2", html_text(section.heading)) + content);
}

} // namespace

std::string report_html(const Page& page) {
    std::string body = html_element("h1", html_text(page.title)) + html_list(page.machine);
    for (const std::string& sentence : page.summary)
        body += html_paragraph(sentence);
    for (const Section& section : page.sections)
        body += html_section(section);
    return fmt::format("{}{}</head>\n<body>\n{}</body>\n</html>\n", html_head,
                       html_element("title", html_text(page.title)), body);
}

std::string inline_svg(std::string_view drawn, std::string_view name, std::string_view title) {
    constexpr std::string_view opening = "<svg";
    constexpr std::string_view closing = "</svg>";
    constexpr std::array<std::string_view, 5> before_id{" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    const std::size_t begin = drawn.find(opening); // after the prolog
    const std::size_t end = drawn.rfind(closing);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        throw Error("gnuplot failed: it drew no SVG");
    std::string svg = fmt::format("{} role=\"img\" aria-label=\"{}\"", opening, html_text(title));
    bool is_in_tag = true;
    for (const char c : drawn.substr(begin + opening.size(), end + closing.size() - begin - opening.size())) {
        svg += c;
        is_in_tag = c == '<' || (is_in_tag && c != '>');
        if (is_in_tag && std::ranges::any_of(before_id, [&](std::string_view mark) { return svg.ends_with(mark); }))
            svg += fmt::format("{}-", name);
    }
    return svg + "\n";
}

} // namespace memtest
