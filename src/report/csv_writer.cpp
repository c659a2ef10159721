#include "memtest/report/csv_writer.hpp"

#include "memtest/machine/counters.hpp"
#include "memtest/report/columns.hpp"

#include <fmt/format.h>

namespace memtest {
namespace {

bool is_chosen(const Column& column, const Columns& chosen) {
    return column.group == ColumnGroup::always || (column.group == ColumnGroup::cycles && chosen.cycles) ||
           (column.group == ColumnGroup::stats && chosen.stats);
}

} // namespace

std::string csv_header(const Columns& chosen) {
    std::string line;
    for (const Column& column : columns()) {
        if (is_chosen(column, chosen))
            line += fmt::format("{}{}", line.empty() ? "" : ", ", column.name);
    }
    for (const Counter counter : chosen.counters)
        line += fmt::format(", {}", column_of(counter));
    return line + "\n";
}

std::string csv_line(const Row& row, const Columns& chosen) {
    std::string line;
    for (const Column& column : columns()) {
        if (is_chosen(column, chosen))
            line += fmt::format("{}{}", line.empty() ? "" : ", ", column.text(row));
    }
    // Significant digits rather than decimals, so that one page fault in ten million accesses does not become 0.
    for (const auto& count : row.counts_per_access)
        line += count ? fmt::format(", {:.6g}", *count) : ", ";
    return line + "\n";
}

} // namespace memtest
