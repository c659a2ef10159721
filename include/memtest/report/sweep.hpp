#pragma once

#include "memtest/base/units.hpp"
#include "memtest/insight/curve.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/report/result.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What the probe measures: a row for each size and thread.
extern const Kind sweep_kind;

/// The size of the memory that is walked, for every kind that has it.
inline constexpr Column size_column{.name = "Mem size (MiB)",
                                    .member = "size_mib",
                                    .digits = decimals(5),
                                    .lowest = 0.00001,
                                    .highest = 8796093022207.0, // in bytes less than 2^63, however they are rounded
                                    .needed = true,
                                    .unit_bytes = mib};

/// The columns of a sweep, by their place.
namespace sweep_column {
enum Place : std::size_t {
    thread,
    size_mib,
    latency_ns,
    cycles,
    min_ns,
    median_ns,
    mean_ns,
    spread_percent,
    visits_percent,
    visits,
    batches,
    notes,
    size_bytes, ///< in JSON alone; see size_of
};
} // namespace sweep_column

/// The columns of counters, which come last in CSV.
[[nodiscard]] std::vector<Column> counter_columns(const std::vector<Counter>& counters);

/// A row with the counters asked for and, in JSON, every visit.
[[nodiscard]] ResultRow sweep_row(const Row& row, const std::vector<Counter>& counters);

/// The sentences that open the CSV, without `#`.
[[nodiscard]] std::vector<std::string> sweep_headline(const RunDescription& run);

[[nodiscard]] inline int thread_of(const ResultRow& row) {
    return static_cast<int>(row.number(sweep_column::thread).value_or(0));
}

/// The size that was measured, in CSV restored from MiB with five decimals.
[[nodiscard]] double size_of(const ResultRow& row);

/// Whether something other than the memory disturbed the row's latency.
[[nodiscard]] bool is_disturbed(const ResultRow& row);

/// The core's clock while a size was measured.
struct SizeClock {
    double size_bytes = 0;
    double ghz = 0;
};

/// The rows of one thread as a curve. Those without a latency are left out.
struct ThreadCurve {
    int thread = 0;
    std::vector<CurvePoint> points;
    std::vector<SizeClock> clocks; ///< from the rows' cycles, else from the description, if any
};

/// The curves of all threads that have rows, by their numbers.
[[nodiscard]] std::vector<ThreadCurve> curves_of(const Result& sweep);

/// The figures for comparisons. Rows without a latency are left out.
[[nodiscard]] std::vector<SizeFigure> figures_of(const Result& sweep);

} // namespace memtest
