#pragma once

#include "memtest/measure/tail_sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// The unit of counts of samples: what a tick is worth for each access, and how fine that is.
struct TailScale {
    double ns_per_tick = 0;
    double resolution_ns = 0;

    /// In whole steps of the resolution, without digits beyond it; nothing for less than half a step.
    [[nodiscard]] std::optional<double> rounded_ns(std::uint64_t ticks) const;
};

/// @param group accesses in a sample
[[nodiscard]] TailScale tail_scale(const TickScale& scale, std::size_t group);

/// The ticks that this share (above 0, at most 100) of the samples does not exceed, by the nearest rank. Nothing where
/// fewer than ten samples lie beyond: they would not repeat.
[[nodiscard]] std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent);

[[nodiscard]] std::uint64_t samples_in(const TickCounts& counts);

/// Samples between two latencies.
struct TailBin {
    double from_ns = 0;
    double to_ns = 0;
    std::uint64_t samples = 0;
    double slower_percent = 0; ///< samples that took longer than all of these
};

/// The bins that hold samples, ascending: 16 to a doubling of the latency.
[[nodiscard]] std::vector<TailBin> tail_bins(const TickCounts& counts, const TailScale& scale);

} // namespace memtest
