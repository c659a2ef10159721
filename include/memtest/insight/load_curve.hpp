#pragma once

#include <optional>
#include <span>

namespace memtest {

/// A step of load whose figures are known.
struct LoadPoint {
    double load_percent = 0; ///< of the peak; 0 where nothing loads
    double bytes_per_ns = 0; ///< that is GB/s
    double latency_ns = 0;
    bool awake = false; ///< nothing loads, but the load threads spin in registers; else they sleep then
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree on the latency
};

/// The reading of a curve of latency over bandwidth. What is not known is nothing.
struct LoadCurve {
    std::optional<double> idle_ns;                 ///< before the steps of load, with the load threads asleep
    std::optional<double> awake_ns = std::nullopt; ///< with them awake
    std::optional<double> idle_last_ns;            ///< after the steps, asleep again
    /// Whether awake differs from both asleep by a twentieth or more, and by more than its visits and theirs disagree.
    /// Not where that is not known.
    bool awake_differs = false;
    std::optional<LoadPoint> peak; ///< the highest bandwidth
    bool reaches_full_load = true; ///< the step of 100 % load is known, too
    /// Whether the bandwidth grows with the load over at least half of three steps or more, by at least a quarter of
    /// what the load does. Where it does not, other work loads the memory, or the load threads did not run as asked.
    bool grows = true;
    /// The highest bandwidth with at most `knee_times` the unloaded latency; nothing where every load exceeds that, or
    /// the bandwidth does not grow.
    std::optional<LoadPoint> knee;

    /// That without load: with the load threads awake, as under load. Older results have it asleep alone.
    [[nodiscard]] std::optional<double> unloaded_ns() const { return awake_ns ? awake_ns : idle_ns; }
};

inline constexpr double knee_times = 1.2;

/// @param points in the order of measuring: idle asleep and awake, steps of load, idle
[[nodiscard]] LoadCurve read_load_curve(std::span<const LoadPoint> points);

} // namespace memtest
