#include "memtest/report/load_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/table_file.hpp"

#include <fmt/format.h>

#include <array>

namespace memtest {
namespace {

std::optional<LoadPoint> point_of(const StoredTable& table, const StoredTable::Row& row) {
    if (row.fields[1].empty() || row.fields[2].empty())
        return std::nullopt;
    return LoadPoint{.load_percent = number_in(table, row, 0, 0),
                     .bytes_per_ns = number_in(table, row, 1, 0),
                     .latency_ns = number_in(table, row, 2, 0.001)};
}

} // namespace

std::optional<StoredLoad> read_load(InputFile& file) {
    const auto table = read_table(file, std::array{load_table, load_table_with_stats});
    if (!table)
        return std::nullopt;
    StoredLoad stored{static_cast<const StoredRun&>(*table)};
    for (const StoredTable::Row& row : table->rows) {
        if (const auto point = point_of(*table, row))
            stored.points.push_back(*point);
    }
    if (stored.points.empty())
        throw usage_error(fmt::format("{}: holds no row with a latency", stored.name));
    return stored;
}

} // namespace memtest
