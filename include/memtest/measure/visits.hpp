#pragma once

#include "memtest/measure/probe.hpp"
#include "memtest/measure/row.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace memtest {

/// Whether one thread's visits to a size agree to the precision asked for (is_settled); never without one.
[[nodiscard]] bool visits_agree(std::span<const Measurement> measurements, const TimingPlan& timing);

/// About how many visits in all one thread needs to a size; nothing where that is not known yet, or without a
/// precision.
[[nodiscard]] std::optional<double> visits_needed(std::span<const Measurement> measurements, const TimingPlan& timing);

/// Joins one thread's visits to one size, one in each round, into a row. Visits at a clock more than 2 % off the usual
/// do not count, unless they are half of all or more. The others count once each, however many batches they took. The
/// row's min is the lowest of their mins that repeats, its median and spread are the medians of theirs, its mean is the
/// mean of theirs. So the spread is that within a visit.
/// @param measurements at least one @param began_ns when the sweep began, by the clock of the measurements
[[nodiscard]] Row join_visits(int thread, std::size_t size_bytes, std::span<const Measurement> measurements,
                              const TimingPlan& timing, std::uint64_t began_ns);

} // namespace memtest
