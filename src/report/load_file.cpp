#include "memtest/report/load_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/table_file.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace memtest {
namespace {

std::optional<LoadPoint> point_of(const StoredTable::Row& row) {
    if (row.fields[1].empty() || row.fields[2].empty())
        return std::nullopt;
    return LoadPoint{.load_percent = number_in(load_table, row, 0, 0),
                     .bytes_per_ns = number_in(load_table, row, 1, 0),
                     .latency_ns = number_in(load_table, row, 2, 0.001)};
}

} // namespace

std::optional<StoredLoad> read_load(InputFile& file) {
    constexpr std::array<const TableKind*, 2> kinds{&load_table, &load_table_with_stats};
    const TableKind* kind = table_kind_of(file, kinds);
    auto table = kind == nullptr ? std::nullopt : read_table(file, *kind);
    if (!table)
        return std::nullopt;
    StoredLoad stored{.name = std::move(table->name),
                      .run = std::move(table->run),
                      .points = {},
                      .remarks = std::move(table->remarks)};
    for (const StoredTable::Row& row : table->rows) {
        if (const auto point = point_of(row))
            stored.points.push_back(*point);
    }
    if (stored.points.empty())
        throw usage_error(fmt::format("{}: holds no row with a latency", stored.name));
    return stored;
}

} // namespace memtest
