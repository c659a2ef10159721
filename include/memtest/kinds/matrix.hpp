#pragma once

#include "memtest/machine/kinds.hpp"
#include "memtest/result/kind.hpp"
#include "memtest/result/plot_data.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

// What kinds share whose rows are cells of a matrix.

/// The column of the latency.
template<auto latency_ns>
[[nodiscard]] auto cell_field() {
    return column_of<latency_ns>("Latency (ns)", "latency_ns", "time of an access", {.lowest = 0.001});
}

struct MatrixCell {
    int row = 0;
    int column = 0;
    std::optional<double> value = std::nullopt; ///< positive if known
};

/// The map with these cells. @param file for messages @param is_square every id is on both axes
/// @param kinds of cores, named beside the ids of rows; empty for one
/// @throws Error (usage) if no value is known, or an image cannot show so many rows or columns
[[nodiscard]] HeatMap heat_map_of(HeatMap map, const std::vector<MatrixCell>& cells, const std::string& file,
                                  bool is_square, const std::vector<CoreKind>& kinds);

} // namespace memtest
