#pragma once

#include "memtest/result/plot_data.hpp"
#include "memtest/show/gnuplot_language.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// The size of a plot in text, in characters.
struct TextArea {
    std::size_t columns = 80;
    std::size_t lines = 32;
};

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
