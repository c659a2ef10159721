#pragma once

#include <optional>
#include <span>

namespace memtest {

/// A step of load whose figures are known.
struct LoadPoint {
    double load_percent = 0; ///< of the peak; 0 without load
    double bytes_per_ns = 0; ///< that is GB/s
    double latency_ns = 0;
    bool awake = false; ///< without load, whether the load threads spin in registers; else they sleep
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree about the latency
};

/// What a curve of latency over bandwidth shows. Unknown values are std::nullopt.
struct LoadCurve {
    std::optional<double> idle_ns;                 ///< before the steps of load, with the load threads asleep
    std::optional<double> awake_ns = std::nullopt; ///< with them awake
    std::optional<double> idle_last_ns;            ///< after the steps, asleep again
    /// Whether awake differs from both asleep by a twentieth or more, and by more than its visits and theirs disagree.
    /// False if unknown.
    bool awake_differs = false;
    std::optional<LoadPoint> peak; ///< the highest bandwidth
    bool reaches_full_load = true; ///< the step of 100 % load is known, too
    /// Whether the bandwidth grows with the load over at least half of three steps or more, by at least a quarter of
    /// the growth of the load. If not, other work loads the memory, or the load threads did not run as asked.
    bool grows = true;
    /// The highest bandwidth with at most `knee_times` the unloaded latency; std::nullopt if every load exceeds that,
    /// or the bandwidth does not grow.
    std::optional<LoadPoint> knee;

    /// The latency without load: with the load threads awake, as under load. Older results have only that asleep.
    [[nodiscard]] std::optional<double> unloaded_ns() const { return awake_ns ? awake_ns : idle_ns; }
};

inline constexpr double knee_times = 1.2;

/// @param points in the order measured: idle asleep and awake, steps of load, idle
[[nodiscard]] LoadCurve read_load_curve(std::span<const LoadPoint> points);

} // namespace memtest
