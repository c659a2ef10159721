#pragma once

#include "memtest/measure/load_batch.hpp"
#include "memtest/measure/load_row.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// What a curve of latency over bandwidth shows. Unknown values are std::nullopt.
struct LoadCurve {
    std::optional<double> idle_ns;                 ///< before the steps of load, with the load threads asleep
    std::optional<double> awake_ns = std::nullopt; ///< with them awake
    std::optional<double> idle_last_ns;            ///< after the steps, asleep again
    /// Whether awake differs from both asleep by a twentieth or more, and by more than its visits and theirs disagree.
    /// False if unknown.
    bool awake_differs = false;
    std::optional<LoadRow> peak;   ///< the highest bandwidth; latency and bandwidth are known, as of the knee
    bool reaches_full_load = true; ///< the row of 100 % load is known, too; older results may lack it
    /// The highest bandwidth with at most `knee_times` the unloaded latency; std::nullopt if every load exceeds that.
    std::optional<LoadRow> knee;
    /// Whether a load exceeds that, if only by its median.
    bool exceeds_knee_times = false;
    /// The bandwidths between which it lies: the quartiles of the batches stay below that latency up to the lower one,
    /// and exceed it from the higher one on. std::nullopt where no point does so.
    std::optional<double> knee_low_bytes_per_ns = std::nullopt;
    std::optional<double> knee_high_bytes_per_ns = std::nullopt;
    /// Whether the latency at the peak, and from 95 % of its bandwidth on, differs from each without load in the same
    /// direction by more than three times the noise of both, which one moment does not show.
    bool peak_differs = false;
    double near_peak_low_ns = 0; ///< the min and max latency from 95 % of the peak's bandwidth on
    double near_peak_high_ns = 0;
    std::size_t under_load = 0; ///< rows
    std::size_t several = 0;    ///< of them, whose visits disagree by more than a fifth: the machine changed

    /// The latency without load: with the load threads awake, as under load. Older results have only that asleep.
    [[nodiscard]] std::optional<double> unloaded_ns() const { return awake_ns ? awake_ns : idle_ns; }
};

inline constexpr double knee_times = 1.2;

/// Whether few batches count, or all are of one visit: they agree whatever happens at other moments.
[[nodiscard]] bool is_of_one_moment(const LoadRow& row);

/// The bandwidths of so many points under load, ascending to the peak: two thirds of them evenly spaced, the others
/// within 20 % of the knee. All are evenly spaced while the knee is not known. In the unit of `known`.
/// @param idle_ns the latency without load, if it is known
[[nodiscard]] std::vector<double> wanted_loads(std::size_t points, std::span<const LoadPair> known,
                                               std::optional<double> idle_ns);

/// @param rows in their order: idle asleep and awake, under load, idle; without latency and bandwidth they do not count
[[nodiscard]] LoadCurve read_load_curve(std::span<const LoadRow> rows);

} // namespace memtest
