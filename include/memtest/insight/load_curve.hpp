#pragma once

#include <optional>
#include <span>

namespace memtest {

/// A step of load whose figures are known.
struct LoadPoint {
    double load_percent = 0; ///< of the peak; 0 where nothing loads
    double bytes_per_ns = 0; ///< that is GB/s
    double latency_ns = 0;
};

/// The reading of a curve of latency over bandwidth. What is not known is nothing.
struct LoadCurve {
    std::optional<double> idle_ns;      ///< before the steps of load
    std::optional<double> idle_last_ns; ///< after them
    std::optional<LoadPoint> peak;      ///< the highest bandwidth
    /// Whether the bandwidth grows with the load over at least half of three steps or more, by at least a quarter of
    /// what the load does. Where it does not, other work loads the memory, or the loaders did not run as asked.
    bool grows = true;
    /// The highest bandwidth with at most `knee_times` the idle latency; nothing where every load exceeds that, or the
    /// bandwidth does not grow.
    std::optional<LoadPoint> knee;
};

inline constexpr double knee_times = 1.2;

/// @param points in the order of measuring: idle, steps of load, idle
[[nodiscard]] LoadCurve read_load_curve(std::span<const LoadPoint> points);

} // namespace memtest
