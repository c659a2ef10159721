#pragma once

#include "memtest/insight/tail_bin.hpp"
#include "memtest/measure/tail_sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The unit of sample counts: the time of a tick per access, and its resolution.
struct TailScale {
    double ns_per_tick = 0;
    double resolution_ns = 0;

    /// Rounded to whole steps of the resolution, without digits beyond it; std::nullopt for less than half a step.
    [[nodiscard]] std::optional<double> rounded_ns(std::uint64_t ticks) const;
};

/// @param group accesses in a sample
[[nodiscard]] TailScale tail_scale(const TickScale& scale, std::size_t group);

/// The ticks that this share (above 0, at most 100) of the samples does not exceed, by the nearest rank. std::nullopt
/// if fewer than ten samples lie beyond: they would not repeat.
[[nodiscard]] std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent);

/// The bins that hold samples, ascending: 16 per doubling of the latency.
[[nodiscard]] std::vector<TailBin> tail_bins(const TickCounts& counts, const TailScale& scale);

/// Slow accesses that recur at a fixed period.
struct Recurrence {
    double period_ns = 0;
    double chance = 0;    ///< the chance that slow accesses at random moments look like that
    double slower_ns = 0; ///< how much slower than the median a slow sample is, as a median
};

/// Searches the moments of slow accesses for a period from 1 to 16 us, by Rayleigh's test: at the right period their
/// phases agree. The moments of all accesses are not even either, so their mean phase is subtracted. Phases are
/// compared only within a stretch, as the clocks of processor and memory drift apart; the powers of stretches are
/// summed. Power that is raised at most periods, as by slow accesses in bursts, counts as noise. The first and the
/// second half of the stretches must each show the period.
/// Source: J. D. Scargle, Astrophysical Journal 263, 1982, for the power and its chance.
/// @param median_ticks of all samples, including the readings @return std::nullopt if chance explains it, or fewer than
/// 16 stretches are as long as ten of the longest periods
[[nodiscard]] std::optional<Recurrence> find_recurrence(std::span<const Stretch> stretches, double ns_per_tick,
                                                        double median_ticks);

} // namespace memtest
