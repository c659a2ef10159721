#pragma once

#include "memtest/base/words.hpp"
#include "memtest/result/plot_data.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The kinds of image that gnuplot draws, named by the file's extension.
enum class Image { png, svg, pdf };

template<>
inline constexpr std::array<Word<Image>, 3> word_table<Image>{
    {{Image::png, "png"}, {Image::svg, "svg"}, {Image::pdf, "pdf"}}};

/// The size of a plot in text, in characters.
struct TextArea {
    std::size_t columns = 80;
    std::size_t lines = 32;
};

/// A text as a string of the gnuplot language: escaped, and shortened to `most` characters.
[[nodiscard]] std::string gnuplot_string(std::string_view text, std::size_t most);

/// The command that sets a title of the lines that are not empty, each shortened to `most` characters.
[[nodiscard]] std::string title_command(std::vector<std::string> lines, std::size_t most);

/// The lines that set gnuplot's defaults and choose the kind of image, as in image_program, and its size in pixels.
[[nodiscard]] std::string terminal_line(std::optional<Image> image, int width, int height);

/// The program that makes gnuplot draw an image on its standard output. Without a kind of image gnuplot uses its own
/// default: a window, the terminal that GNUTERM names, or PNG.
[[nodiscard]] std::string image_program(const SizePlot& plot, std::optional<Image> image);

/// The same for a matrix, in heat_map.cpp.
[[nodiscard]] std::string image_program(const HeatMap& map, std::optional<Image> image);

/// The same for either.
[[nodiscard]] std::string image_program(const Plot& plot, std::optional<Image> image);

/// The program that makes gnuplot print a plot in characters, without its legend.
[[nodiscard]] std::string text_program(const SizePlot& plot, const TextArea& area);

/// The legend below a plot in characters, as gnuplot's words would overlap: the letter of each curve, and what is known
/// about each level. No line is longer than `columns`.
[[nodiscard]] std::vector<std::string> text_legend(const SizePlot& plot, std::size_t columns);

} // namespace memtest
