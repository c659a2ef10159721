#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/statistics.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

inline constexpr std::uint64_t any_number_of_accesses = std::numeric_limits<std::uint64_t>::max();

/// How one size is timed, over several visits or in one.
struct TimingPlan {
    std::uint64_t accesses = 10'000'000; ///< the max with a precision, the exact number without one
    unsigned batches = 32;               ///< that the accesses are split into without a precision, at most
    unsigned visits = 1;                 ///< among which both are shared, at most
    Estimate estimate = Estimate::min;
    std::optional<double> precision_percent = std::nullopt; ///< go on until visits agree on the estimate to this

    bool operator==(const TimingPlan&) const = default;
};

/// The timing of one visit.
struct Timing {
    /// ns per access of each batch, in the order of time, without batches no longer than a reading of the clock, which
    /// show nothing.
    std::vector<double> batch_ns;
    std::uint64_t accesses = 0; ///< made in all batches together
    bool coarse = false;        ///< all accesses together are short against the clock's resolution
};

/// Walks on by this many accesses, or a few more. Returns the number made.
using WalkBy = std::function<std::size_t(std::size_t accesses)>;

/// Walks on by this many accesses, checking for an interruption now and then. @return the accesses made
std::uint64_t walk_in_portions(std::uint64_t accesses, const WalkBy& walk, const std::atomic<bool>& interrupted);

/// The fewest accesses of a batch: those of 1000 times the clock's resolution, so that it is right to 0.2 %. With a
/// precision also those of 0.1 ms, and at least 16384 or those of 0.5 ms.
/// @param ns_per_access about how long one takes
[[nodiscard]] std::uint64_t shortest_batch(const TimingPlan& plan, double ns_per_access, const ClockQuality& quality);

/// The next visit's even share of the accesses and batches that are left. If an even share is too short for a batch or
/// has none, shares are larger and visits fewer. @param shortest_batch in accesses
[[nodiscard]] TimingPlan share_of_visit(const TimingPlan& left, std::uint64_t shortest_batch);

/// Times the batches of a visit, each between two readings of the clock, whose cost is subtracted. Without a precision
/// it makes all accesses of the plan. With one it stops after 5 ms and three batches, if the plan has as many, and in
/// any case after 15 ms and a batch.
/// @param shortest_batch in accesses @param interrupted ends the timing early
[[nodiscard]] Timing time_batches(const TimingPlan& plan, std::uint64_t shortest_batch, const WalkBy& walk,
                                  Clock& clock, const ClockQuality& quality, const std::atomic<bool>& interrupted);

/// Roughly the time of an access, from a walk just long enough for the clock. @throws Error if the clock stands still
[[nodiscard]] double pilot_ns_per_access(const WalkBy& walk, Clock& clock, const ClockQuality& quality);

/// The shortest time of an access, where none was measured: no processor loads from its first cache in less.
inline constexpr double shortest_access_ns = 0.4;

/// What the ticks of the processor's own counter are worth.
struct TickScale {
    double ns_per_tick = 0;
    bool is_settled = true;      ///< measured twice with the same result
    double resolution_ticks = 0; ///< the smallest step between distinct readings; 0 if not measured

    [[nodiscard]] double resolution_ns() const { return ns_per_tick * resolution_ticks; }
};

/// Measures it in some 40 ms, longer if the thread loses its processor.
/// @throws Error (usage) if there is no counter that programs can read
[[nodiscard]] TickScale measure_ticks(Clock& clock);

/// Measures the rate of a counter over 20 ms, again until two results in a row agree to 0.1 %; ten times at most.
/// @param read_ticks reads the counter @return without a resolution @throws Error (usage) if it stands still
[[nodiscard]] TickScale measure_tick_rate(Clock& clock, const std::function<std::uint64_t()>& read_ticks);

/// The step of a counter: the greatest common divisor of all differences between readings. A counter whose ticks a
/// hypervisor scales is off by a tick. @param differences of any lengths, at least one above zero
[[nodiscard]] double resolution_of(std::span<const std::uint64_t> differences);

} // namespace memtest
