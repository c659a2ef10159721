#pragma once

#include "memtest/machine/clock.hpp"

#include <cstdint>
#include <span>

namespace memtest {

/// What the ticks of the processor's own counter are worth.
struct TickScale {
    double ns_per_tick = 0;
    double resolution_ticks = 1; ///< the smallest step between distinct readings

    [[nodiscard]] double resolution_ns() const { return ns_per_tick * resolution_ticks; }
};

/// Measures it in some 20 ms. @throws Error (usage) where there is no counter that programs can read
[[nodiscard]] TickScale measure_ticks(Clock& clock);

/// The step of a counter: the largest of which all differences between readings are multiples. A counter whose ticks a
/// hypervisor scales is off by a tick. @param differences of any lengths, at least one above zero
[[nodiscard]] double resolution_of(std::span<const std::uint64_t> differences);

} // namespace memtest
