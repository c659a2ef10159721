#include "memtest/report/sweep_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/load_report.hpp"
#include "memtest/report/matrix_file.hpp"
#include "memtest/report/sweep_readers.hpp"
#include "memtest/report/table_file.hpp"
#include "memtest/report/tlb_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <istream>
#include <string_view>

namespace memtest {
namespace {

// More than 4096 processors at 1000 sizes have. Without limits, input that does not end would take all memory.
constexpr std::size_t most_rows = 4'100'000;
constexpr std::size_t most_warnings = 1000;

} // namespace

StoredRow& add_row(StoredSweep& sweep) {
    if (sweep.rows.size() == most_rows)
        throw usage_error(fmt::format("{}: holds more than {} rows, which no sweep does", sweep.name, most_rows));
    return sweep.rows.emplace_back();
}

void add_warning(StoredSweep& sweep, std::string_view sentence) {
    if (sweep.remarks.size() < most_warnings)
        sweep.remarks.emplace_back(sentence);
}

std::vector<int> StoredSweep::threads() const {
    std::vector<int> result;
    for (const StoredRow& row : rows)
        result.push_back(row.thread);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

StoredSweep read_sweep(std::istream& in, const std::string& name) {
    StoredSweep sweep;
    sweep.name = name;
    skip_byte_order_mark(in, name);
    const int first = in.peek();
    if (first == '{' || first == '[')
        read_json(in, sweep);
    else
        read_csv(in, sweep);
    if (sweep.rows.empty())
        throw usage_error(fmt::format("{}: holds no {}rows", name, sweep.cut ? "whole " : ""));
    return sweep;
}

StoredSweep read_sweep_file(const std::string& path) {
    InputFile file(path);
    return read_sweep_file(file);
}

StoredSweep read_sweep_file(InputFile& file) {
    constexpr std::array others{tlb_table, cores_table, nodes_table, load_table, load_table_with_stats};
    if (const TableKind* other = table_kind_of(file, others))
        throw usage_error(
            fmt::format("{}: holds what 'memtest {}' measured, and a sweep is needed here", file.name(), other->verb));
    return read_sweep(file.stream(), file.name());
}

} // namespace memtest
