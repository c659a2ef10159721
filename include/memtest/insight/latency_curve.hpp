#pragma once

#include "memtest/measure/row.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>

namespace memtest {

/// A thread and a size on it. Sizes are rounded as in files, so that they match between files.
using RowKey = std::pair<int, std::int64_t>;

struct LogPoint {
    double size_bytes = 0;
    double log_latency = 0; ///< natural logarithm, of ns
    double noise = 0;       ///< the standard deviation of the logarithm from run to run, by its own run
    bool contested = false;
};

/// A sweep as sorted points; their differences are ratios of latencies.
using LatencyCurve = std::map<RowKey, LogPoint>;

/// The rounding of stored sizes, to five decimals of a MiB.
inline constexpr double size_resolution_bytes = 1024.0 * 1024.0 / 1e5;

/// Makes a curve of rows in any order, without those that lack a latency.
/// @param clock_range the logarithm of the highest over the lowest core clock of the run
[[nodiscard]] LatencyCurve curve_of(std::span<const Row> rows, double clock_range = 0);

} // namespace memtest
