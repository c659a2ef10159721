#pragma once

#include "memtest/insight/tail_bin.hpp"
#include "memtest/measure/tail_sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// The bins that hold samples, ascending: 16 to a doubling of the latency.
[[nodiscard]] std::vector<TailBin> tail_bins(const TickCounts& counts, const TailScale& scale);

/// Slow accesses that come back again and again.
struct Recurrence {
    double period_ns = 0;
    double chance = 0;    ///< that slow accesses at random moments look like that
    double slower_ns = 0; ///< than the median, by which a slow sample is in the middle
};

/// Looks for a period from 1 to 16 us in the moments of slow accesses, by Rayleigh's test: at the right period they
/// have a phase in common. The moments of all accesses are no more even, so their mean phase is taken off. Phases are
/// compared within a stretch alone, as the clocks of processor and memory drift apart; stretches add up their powers.
/// What raises the power at most periods, as slow accesses in bursts do, counts as noise. The first and the second half
/// of the stretches must each show the period.
/// Source: J. D. Scargle, Astrophysical Journal 263, 1982, for the power and its chance.
/// @param median_ticks of all samples, with the readings @return nothing where chance explains it, or fewer than 16
/// stretches are as long as ten of the longest periods
[[nodiscard]] std::optional<Recurrence> find_recurrence(std::span<const Stretch> stretches, double ns_per_tick,
                                                        double median_ticks);

} // namespace memtest
