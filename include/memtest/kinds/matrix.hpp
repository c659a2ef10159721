#pragma once

#include "memtest/machine/kinds.hpp"
#include "memtest/result/kind.hpp"
#include "memtest/result/plot_data.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

// What kinds share whose rows are cells of a matrix.

/// The column of an id. @param name @param member @param meaning as in Column
[[nodiscard]] constexpr Column id_column(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name,
            .member = member,
            .meaning = meaning,
            .type = Column::Type::count,
            .highest = 2147483647,
            .needed = true};
}

/// The column of the latency.
inline constexpr Column cell_column{
    .name = "Latency (ns)", .member = "latency_ns", .meaning = "time of an access", .lowest = 0.001};

/// A column of what the visits to a cell show.
[[nodiscard]] constexpr Column visits_column(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .group = ColumnGroup::stats};
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
