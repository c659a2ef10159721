#pragma once

#include "memtest/measure/tail_sweep.hpp"

#include <optional>
#include <span>

namespace memtest {

/// Slow accesses that come back again and again.
struct Recurrence {
    double period_ns = 0;
    double chance = 0;    ///< that slow accesses at random moments look like that
    double slower_ns = 0; ///< than the median, by which a slow sample is in the middle
};

/// Looks for a period from 1 to 16 us in the moments of slow accesses, by Rayleigh's test: at the right period they
/// have a phase in common. The moments of all accesses are no more even, so their mean phase is taken off. Phases are
/// compared within a stretch alone, as the clocks of processor and memory drift apart; stretches add up their powers.
/// What raises the power at most periods, as slow accesses in bursts do, counts as noise.
/// Source: J. D. Scargle, Astrophysical Journal 263, 1982, for the power and its chance.
/// @param median_ticks of all samples, with the readings @return nothing where chance explains it, or fewer than 16
/// stretches are as long as ten of the longest periods
[[nodiscard]] std::optional<Recurrence> find_recurrence(std::span<const Stretch> stretches, double ns_per_tick,
                                                        double median_ticks);

} // namespace memtest
