#pragma once

#include "memtest/report/gnuplot.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// Values of a matrix, to be shown as colours.
struct HeatMap {
    std::string title;
    std::string subtitle = {};        ///< may be empty
    std::string quantity;             ///< what the colours show
    std::string row_axis;             ///< what the rows are
    std::string column_axis;          ///< and the columns
    std::vector<std::string> rows;    ///< what each is called, from the top
    std::vector<std::string> columns; ///< from the left

    /// By row, then by column, as many as are called; at least one is known, those are positive and finite.
    std::vector<std::vector<std::optional<double>>> values;
};

/// The program that makes gnuplot draw it, like that of a SizePlot.
[[nodiscard]] std::string image_program(const HeatMap& map, std::optional<Image> image);

} // namespace memtest
