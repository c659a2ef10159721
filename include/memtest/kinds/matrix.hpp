#pragma once

#include "memtest/result/result.hpp"

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

/// The map with these cells of a result, whose first two columns are the axes. @param of_processors the ids are
/// processors: every one is on both axes, and rows have the kinds of cores, if there are several
/// @throws Error (usage) if no value is known, or an image cannot show so many rows or columns
[[nodiscard]] HeatMap heat_map_of(const Result& result, std::string title, std::string quantity,
                                  const std::vector<MatrixCell>& cells, bool of_processors);

} // namespace memtest
