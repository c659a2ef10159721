#include "memtest/insight/latency_curve.hpp"

#include "memtest/insight/level_rules.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

// The standard deviation of the latency from run to run, estimated from one run, as a share of
// - the disagreement of its visits, which were made at different moments and places, as the next run is;
// - without visits, median/min - 1 of its batches, all of one moment.
// A larger share hides small rises, a smaller one gives false alarms; see tests/bench.
constexpr double noise_per_visit_disagreement = 0.5;
constexpr double noise_per_batch_dispersion = 0.3;
// Visits that agree by chance do not make a run accurate: L1 and L2 repeat to this at best.
constexpr double least_noise_of_visits = 0.003;
// The smallest of 32 normal batches lies 2.07 standard deviations below their median, their quartiles 1.35 apart.
constexpr double dispersion_per_spread = 1.53;

// Caches answer in cycles. Over 24 runs on a virtual machine whose clock moved by 2 to 9 % within a run, L1 and L2
// differed by half of that. The latency of memory does not follow the core clock.
constexpr double noise_per_clock_range = 0.5;

// For files without --stats: between the noise of L1 and that of memory; see tests/bench.
constexpr double noise_where_not_known = 0.02;
constexpr std::uint64_t batches_that_tell = 5; // fewer may agree by chance, and a single one always does

RowKey key_of(const Row& row) {
    return {row.thread, std::llround(static_cast<double>(row.size_bytes) / size_resolution_bytes)};
}

/// By how much the median of the batches exceeds their min, as a share; std::nullopt if unknown.
std::optional<double> dispersion_of(const Row& row) {
    if (row.min_ns && row.median_ns)
        return std::max(*row.median_ns / *row.min_ns - 1, 0.0);
    if (row.spread_percent)
        return *row.spread_percent / 100 * dispersion_per_spread;
    return std::nullopt;
}

/// What visits and batches suggest: all of moments near each other.
double scatter_of(const Row& row) {
    if (row.visits_percent)
        return std::max(least_noise_of_visits, noise_per_visit_disagreement * *row.visits_percent / 100);
    const auto dispersion = dispersion_of(row);
    const bool tells = dispersion && row.batches.value_or(batches_that_tell) >= batches_that_tell;
    const double told = noise_per_batch_dispersion * dispersion.value_or(0);
    return tells ? told : std::max(told, noise_where_not_known);
}

LogPoint point_of(const Row& row, double clock_range) {
    const double of_clock = *row.latency_ns < LevelRules().least_memory_ns ? noise_per_clock_range * clock_range : 0;
    return {static_cast<double>(row.size_bytes), std::log(*row.latency_ns), std::hypot(scatter_of(row), of_clock),
            row.low_ns && row.high_ns};
}

} // namespace

LatencyCurve curve_of(std::span<const Row> rows, double clock_range) {
    LatencyCurve curve;
    for (const Row& row : rows) {
        if (row.latency_ns)
            curve.emplace(key_of(row), point_of(row, clock_range));
    }
    return curve;
}

} // namespace memtest
