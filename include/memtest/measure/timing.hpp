#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/statistics.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace memtest {

inline constexpr std::uint64_t any_number_of_accesses = std::numeric_limits<std::uint64_t>::max();

/// How one size is timed, over several visits or in one.
struct TimingPlan {
    std::uint64_t accesses = 10'000'000; ///< with a precision the most that are made, without one exactly those
    unsigned batches = 32;               ///< that the accesses are split into without a precision, at most
    unsigned visits = 1;                 ///< among which both are shared, at most
    Estimate estimate = Estimate::min;
    std::optional<double> precision_percent = std::nullopt; ///< go on until visits agree on the estimate to this

    bool operator==(const TimingPlan&) const = default;
};

/// What timing one visit gave.
struct Timing {
    /// ns per access of every batch, in the order in which they were made; without those no longer than reading the
    /// clock takes: those tell nothing
    std::vector<double> batch_ns;
    std::uint64_t accesses = 0; ///< made in all batches together
    bool coarse = false;        ///< all accesses together are short against the clock's resolution
};

/// Walks on by so many accesses and returns how many it made, which may be a few more.
using WalkBy = std::function<std::size_t(std::size_t accesses)>;

/// The fewest accesses that take 1000 times the clock's resolution, so that a batch of them is right to 0.2 %. With a
/// precision also no fewer than 16384, and no shorter than 0.1 ms.
/// @param ns_per_access about how long one takes
[[nodiscard]] std::uint64_t shortest_batch(const TimingPlan& plan, double ns_per_access, const ClockQuality& quality);

/// The next visit's even share of what is left for it and those after it. It is larger, and visits are fewer, where a
/// share would be no batch long enough for the clock, or without any batch.
/// @param shortest_batch in accesses
[[nodiscard]] TimingPlan share_of_visit(const TimingPlan& left, std::uint64_t shortest_batch);

/// Times the batches of a visit, each between two readings of the clock whose cost is taken off. Without a precision
/// makes all of the plan's accesses; with one at least 5 ms and three batches of them, as far as the plan has so many.
/// @param shortest_batch in accesses @param interrupted ends the timing early when it becomes true
[[nodiscard]] Timing time_batches(const TimingPlan& plan, std::uint64_t shortest_batch, const WalkBy& walk,
                                  Clock& clock, const ClockQuality& quality, const std::atomic<bool>& interrupted);

/// Walks so many accesses in portions, between which an interruption is noticed. @return how many were made
std::uint64_t walk_in_portions(std::uint64_t accesses, const WalkBy& walk, const std::atomic<bool>& interrupted);

/// The time that the default warm-up lap may take: enough for a lap through most caches, and little beside a visit.
inline constexpr unsigned warmup_bound_ms = 2;

/// Walks so many laps, or without a number one of at most that time. @param lap in accesses
void warm_up(std::optional<unsigned> laps, std::uint64_t lap, const WalkBy& walk, Clock& clock,
             const std::atomic<bool>& interrupted);

/// About how long an access takes, from a walk just long enough for the clock to tell.
[[nodiscard]] double pilot_ns_per_access(const WalkBy& walk, Clock& clock, const ClockQuality& quality);

/// No processor loads from its first cache in less: for batches that are to start without a pilot.
inline constexpr double shortest_access_ns = 0.4;

} // namespace memtest
