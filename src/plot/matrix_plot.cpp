#include "memtest/plot/matrix_plot.hpp"

#include "memtest/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memtest {
namespace {

constexpr std::size_t most_ids = 1024; // more than an image has places for

std::vector<std::string> names_of(const std::set<int>& ids) {
    std::vector<std::string> names;
    for (const int id : ids)
        names.push_back(fmt::format("{}", id));
    return names;
}

std::size_t place_of(const std::set<int>& ids, int id) {
    return static_cast<std::size_t>(std::distance(ids.begin(), ids.find(id)));
}

} // namespace

HeatMap plot_matrix(const StoredMatrix& matrix, std::string_view title) {
    std::set<int> rows;
    std::set<int> columns;
    for (const MatrixCell& cell : matrix.cells) {
        rows.insert(cell.row);
        columns.insert(cell.column);
    }
    const bool between_cores = matrix.kind.verb == cores_table.verb;
    if (between_cores) { // the same on both axes, even where each pair was measured one way
        rows.insert(columns.begin(), columns.end());
        columns = rows;
    }
    if (std::max(rows.size(), columns.size()) > most_ids)
        throw usage_error(
            fmt::format("{} has more than {} rows or columns; that many cannot be drawn", matrix.name, most_ids));
    if (std::ranges::none_of(matrix.cells, [](const MatrixCell& cell) { return cell.latency_ns.has_value(); }))
        throw usage_error(fmt::format("{} has no latency", matrix.name));

    HeatMap map{.title = between_cores ? "Hand-over of a line between cores" : "Latency from node to memory",
                .subtitle = matrix.run.cpu_model.value_or(""),
                .quantity = "latency (ns)",
                .row_axis = std::string(matrix.kind.columns[0].name),
                .column_axis = std::string(matrix.kind.columns[1].name),
                .rows = names_of(rows),
                .columns = names_of(columns),
                .values = {}};
    if (!title.empty())
        map.title = title;
    map.values.assign(rows.size(), std::vector<std::optional<double>>(columns.size()));
    for (const MatrixCell& cell : matrix.cells)
        map.values[place_of(rows, cell.row)][place_of(columns, cell.column)] = cell.latency_ns;
    return map;
}

} // namespace memtest
