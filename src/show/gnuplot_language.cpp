#include "memtest/show/gnuplot_language.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

namespace memtest {

std::string gnuplot_string(std::string_view text, std::size_t most) {
    std::string quoted;
    for (const char c : shortened(escaped(text), most)) {
        // The first three are special in double quotes; @ starts a macro.
        quoted += std::string_view("\"\\`@").find(c) == std::string_view::npos
                      ? std::string(1, c)
                      : fmt::format("\\{:03o}", static_cast<unsigned>(c));
    }
    return fmt::format("\"{}\"", quoted);
}

std::string gnuplot_lines(const std::vector<std::string>& lines, std::size_t most) {
    return joined(lines, ".\"\\n\".", [&](const std::string& line) { return gnuplot_string(line, most); });
}

std::string title_command(std::vector<std::string> lines, std::size_t most) {
    std::erase(lines, "");
    return fmt::format("set title {} noenhanced font \",13\"\n", gnuplot_lines(lines, most));
}

std::string terminal_line(std::optional<Image> image, int width, int height) {
    const std::string defaults = "reset\n"; // a person's ~/.gnuplot is made for other plots
    if (image == Image::svg)
        return defaults +
               fmt::format("set terminal svg size {},{} font \"sans-serif,11\" fontscale 1.2 background \"white\"\n",
                           width, height);
    if (image == Image::pdf)
        return defaults +
               fmt::format("set terminal pdfcairo size {}/72.0,{}/72.0 font \"Sans,11\" fontscale 1 linewidth 2\n",
                           width, height);
    return defaults + fmt::format("{}set terminal pngcairo size {},{} font \"Sans,11\"\n",
                                  image ? "" : "if (GPVAL_TERM eq \"unknown\") ", width, height);
}

} // namespace memtest
