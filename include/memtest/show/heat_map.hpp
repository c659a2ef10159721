#pragma once

#include "memtest/show/curve_plot.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// A matrix shown in colours.
struct HeatMap {
    std::string title;
    std::string subtitle = {}; ///< may be empty
    std::string quantity;      ///< shown by the colours
    std::string row_axis;
    std::string column_axis;
    std::vector<std::string> rows;    ///< names, from the top
    std::vector<std::string> columns; ///< names, from the left

    /// One for each row and column. Known values are positive and finite; at least one is known.
    std::vector<std::vector<std::optional<double>>> values;

    std::vector<HeatMap> beside = {}; ///< drawn to its right; these have none
};

/// The program that makes gnuplot draw it, as for a SizePlot.
[[nodiscard]] std::string image_program(const HeatMap& map, std::optional<Image> image);

} // namespace memtest
