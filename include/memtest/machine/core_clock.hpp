#pragma once

#include "memtest/machine/clock.hpp"

namespace memtest {

/// The frequency in GHz at which the calling thread's core is running now: a chain of dependent additions, which every
/// core does at one per cycle, timed several times, the fastest trial kept because an interruption only slows one down.
/// Takes about 0.2 ms, longer on a coarse clock. (The time-stamp counter would not do: it ticks at a rate of its own.)
[[nodiscard]] double measure_core_clock_ghz(Clock& clock, const ClockQuality& quality);

} // namespace memtest
