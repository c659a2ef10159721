#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// What one thread measured in one visit.
struct Measurement {
    Timing timing;
    std::uint64_t start_ns = 0;           ///< of the timed part, by the system's monotonic clock
    std::size_t place_bytes = 0;          ///< from the start of the thread's area to its chains
    bool is_held = true;                  ///< the caches hold the lines, as far as the warm-up shows
    Disturbances before;                  ///< at the start of the timed part
    Disturbances after;                   ///< at its end
    std::vector<CounterReading> counters; ///< over the timed batches, in the order requested
    std::optional<double> ghz_before;     ///< the core's clock right before the timed part, if known
    std::optional<double> ghz_after;      ///< and right after it
};

/// What one thread's visits to a size show so far.
struct VisitsSoFar {
    std::optional<double> latency_ns = std::nullopt; ///< std::nullopt if the clock was too coarse
    bool agree = false;                              ///< to the precision; false without one
};

[[nodiscard]] VisitsSoFar judge_visits(std::span<const Measurement> measurements, const TimingPlan& timing);

/// Joins one thread's visits to one size, one in each round, into a row. Visits at a clock more than 2 % off the median
/// do not count, unless they are at least half of all. The others count once each, however many batches they took. The
/// row's min is the lowest of their mins that repeats, its median and spread are the medians of theirs, its mean is the
/// mean of theirs. So the spread is that within a visit.
/// @param measurements at least one @param began_ns when the sweep began, by the clock of the measurements
[[nodiscard]] Row join_visits(int thread, std::size_t size_bytes, std::span<const Measurement> measurements,
                              const TimingPlan& timing, std::uint64_t began_ns);

} // namespace memtest
