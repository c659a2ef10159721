#pragma once

#include "memtest/show/curve_plot.hpp"

#include <optional>
#include <string>

namespace memtest {

/// The program that makes gnuplot draw it, as for a SizePlot.
[[nodiscard]] std::string image_program(const HeatMap& map, std::optional<Image> image);

/// The same for curves or a matrix.
[[nodiscard]] std::string image_program(const Plot& plot, std::optional<Image> image);

} // namespace memtest
