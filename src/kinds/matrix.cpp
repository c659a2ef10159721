#include "memtest/kinds/matrix.hpp"

#include "memtest/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t most_ids = 1024; // more do not fit in an image

/// The ids on an axis, each with its place.
using Axis = std::map<int, std::size_t>;

/// Numbers the places in the order of the ids. @return their names, with the kind of each if several are here
std::vector<std::string> number(Axis& axis, const std::vector<CoreKind>& kinds) {
    std::vector<std::string> names;
    for (auto& [id, place] : axis) {
        place = names.size();
        names.push_back(fmt::format("{}", id));
        for (const CoreKind& kind : kinds) {
            if (std::ranges::count(kind.processors, id) > 0)
                names.back() += " " + kind.name;
        }
    }
    return names;
}

} // namespace

HeatMap heat_map_of(const Result& result, std::string title, std::string quantity, const std::vector<MatrixCell>& cells,
                    bool of_processors) {
    Axis rows;
    Axis columns;
    for (const MatrixCell& cell : cells) {
        rows.try_emplace(cell.row);
        columns.try_emplace(cell.column);
    }
    if (of_processors) { // even if each pair was measured in one direction
        rows.insert(columns.begin(), columns.end());
        columns = rows;
    }
    if (std::max(rows.size(), columns.size()) > most_ids)
        throw usage_error(
            fmt::format("{} has more than {} rows or columns; that many cannot be drawn", result.name, most_ids));
    if (std::ranges::none_of(cells, [](const MatrixCell& cell) { return cell.value.has_value(); }))
        throw usage_error(fmt::format("{} has no latency", result.name));
    const auto kinds =
        of_processors ? result.run.kinds_here.value_or(std::vector<CoreKind>{}) : std::vector<CoreKind>{};
    HeatMap map{.title = std::move(title),
                .subtitle = result.run.cpu_model.value_or(""),
                .quantity = std::move(quantity),
                .row_axis = std::string(result.kind->columns()[0].name),
                .column_axis = std::string(result.kind->columns()[1].name),
                .rows = number(rows, kinds),
                .columns = number(columns, {})};
    map.values.assign(rows.size(), std::vector<std::optional<double>>(columns.size()));
    for (const MatrixCell& cell : cells)
        map.values[rows[cell.row]][columns[cell.column]] = cell.value;
    return map;
}

} // namespace memtest
