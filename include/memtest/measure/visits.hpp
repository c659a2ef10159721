#pragma once

#include "memtest/measure/probe.hpp"
#include "memtest/measure/row.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace memtest {

/// Whether one thread's visits to a size agree to the precision asked for (is_settled); never without one.
[[nodiscard]] bool visits_agree(std::span<const Measurement> measurements, const TimingPlan& timing);

/// Joins what one thread measured at one size in each round into a row. Visits at another clock than most, by over 2 %,
/// do not count, unless no clock is that of most. Each other visit counts once, however many batches it took: the row's
/// min is that of the visits' mins, its median and its spread are the medians of theirs, its mean is the mean of their
/// means. So the spread is that within a visit.
/// @param measurements at least one @param began_ns when the sweep began, by the clock of the measurements
[[nodiscard]] Row join_visits(int thread, std::size_t size_bytes, std::span<const Measurement> measurements,
                              const TimingPlan& timing, std::uint64_t began_ns);

} // namespace memtest
