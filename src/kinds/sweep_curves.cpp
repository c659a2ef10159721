#include "memtest/kinds/sweep_curves.hpp"

#include "memtest/result/row_notes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace memtest {

std::vector<ThreadCurve> curves_of(std::span<const Row> rows, const RunDescription& run) {
    std::map<int, ThreadCurve> threads;
    for (const Row& row : rows) {
        ThreadCurve& curve = threads[row.thread];
        const auto size_bytes = static_cast<double>(row.size_bytes);
        if (row.latency_ns)
            curve.points.push_back({.size_bytes = size_bytes,
                                    .latency_ns = *row.latency_ns,
                                    .disturbed = any_disturbing(row.notes),
                                    .contested = contested_band_of(row)});
        if (row.latency_ns && row.latency_cycles)
            curve.clocks.push_back({.size_bytes = size_bytes, .ghz = *row.latency_cycles / *row.latency_ns});
    }
    std::vector<ThreadCurve> curves;
    for (auto& [thread, curve] : threads) {
        if (curve.clocks.empty() && run.core_clock_ghz)
            curve.clocks.push_back({.ghz = *run.core_clock_ghz});
        curves.push_back({thread, make_curve(std::move(curve.points)), std::move(curve.clocks)});
    }
    return curves;
}

std::vector<ThreadCurve> curves_of(const Result& sweep) {
    return curves_of(sweep.rows_of<Row>(), sweep.run);
}

std::optional<ClockRange> clock_range_of(std::span<const Row> rows) {
    std::optional<ClockRange> range;
    for (const Row& row : rows) {
        if (!row.latency_ns || !row.latency_cycles)
            continue;
        const double ghz = *row.latency_cycles / *row.latency_ns;
        range = range ? ClockRange{std::min(range->lowest_ghz, ghz), std::max(range->highest_ghz, ghz)}
                      : ClockRange{ghz, ghz};
    }
    return range;
}

LatencyCurve latency_curve_of(const Result& sweep) {
    const ClockRange clock = sweep.run.core_clock_range.value_or(ClockRange{});
    constexpr double most = 10; // no clock moves by more
    const bool is_known =
        clock.lowest_ghz > 0 && clock.highest_ghz > clock.lowest_ghz && clock.highest_ghz < most * clock.lowest_ghz;
    return curve_of(sweep.rows_of<Row>(), is_known ? std::log(clock.highest_ghz / clock.lowest_ghz) : 0);
}

} // namespace memtest
