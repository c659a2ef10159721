#include "memtest/show/inline_svg.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <regex>

namespace memtest {

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
    static const std::regex titles_by_gnuplot("<title>(Gnuplot|gnuplot_plot_[0-9]+)</title>");
    return std::regex_replace(svg, titles_by_gnuplot, "") + "\n"; // browsers would show them over the image
}

} // namespace memtest
