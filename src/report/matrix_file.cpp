#include "memtest/report/matrix_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/report/table_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace memtest {
namespace {

/// @throws Error (usage) where the row is no cell
MatrixCell cell_of(const StoredTable::Row& row) {
    const auto from = parse_number<int>(row.fields.at(0));
    const auto to = parse_number<int>(row.fields.at(1));
    const std::string& latency = row.fields.at(2);
    const auto latency_ns = parse_number<double>(latency);
    const bool is_latency = latency.empty() || (latency_ns && *latency_ns > 0 && std::isfinite(*latency_ns));
    if (!from || !to || *from < 0 || *to < 0 || !is_latency)
        throw usage_error(fmt::format("{}: {} is no cell: two numbers from 0 on, and a latency above 0 or nothing",
                                      row.place, in_quotes(fmt::format("{}", fmt::join(row.fields, ", ")))));
    return {.row = *from, .column = *to, .latency_ns = latency_ns};
}

} // namespace

std::optional<StoredMatrix> read_matrix(InputFile& file) {
    const auto table = read_table(file, std::array{cores_table, nodes_table});
    if (!table)
        return std::nullopt;
    StoredMatrix matrix{static_cast<const StoredRun&>(*table), table->kind};
    for (const StoredTable::Row& row : table->rows)
        matrix.cells.push_back(cell_of(row));
    if (matrix.cells.empty())
        throw usage_error(fmt::format("{}: holds no {}rows", matrix.name, table->cut ? "whole " : ""));
    return matrix;
}

} // namespace memtest
