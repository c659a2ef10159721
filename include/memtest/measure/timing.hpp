#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/statistics.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// How long one size is timed, and in what portions.
struct TimingPlan {
    std::uint64_t accesses = 10'000'000; ///< with a precision the most that is made, without one exactly what is made
    unsigned batches = 32;               ///< that the accesses are split into, fewer where they would be too short
    Estimate estimate = Estimate::min;
    std::optional<double> precision_percent = std::nullopt; ///< stop as soon as the estimate is settled to this
};

/// What timing one size gave.
struct Timing {
    /// ns per access of every batch, in the order in which they were made; without those no longer than reading the
    /// clock takes, of which nothing is known
    std::vector<double> batch_ns;
    std::uint64_t accesses = 0; ///< made in all batches together
    bool hit_limit = false;     ///< all accesses were made before the estimate was settled
    bool coarse = false;        ///< all accesses together are short against the clock's resolution
};

/// Walks on by so many accesses and returns how many it made, which may be a few more.
using WalkBy = std::function<std::size_t(std::size_t accesses)>;

/// What counts over the timed batches alone, and stands still while it is asked whether their estimate is settled.
struct Counting {
    std::function<void()> start = [] {};
    std::function<void()> stop = [] {};
};

/// Times batches, each between two readings of the clock whose cost is taken off, each at least 1000 times as long as
/// the clock's resolution. @param ns_per_access about how long an access takes, to choose the length of a batch
/// @param interrupted ends the timing early when it becomes true
/// @param counting goes on from one batch to the next: stopping it after each would disturb the caches
[[nodiscard]] Timing time_batches(const TimingPlan& plan, double ns_per_access, const WalkBy& walk, Clock& clock,
                                  const ClockQuality& quality, const std::atomic<bool>& interrupted,
                                  const Counting& counting = {});

/// Walks so many accesses in portions, between which an interruption is noticed. @return how many were made
std::uint64_t walk_in_portions(std::uint64_t accesses, const WalkBy& walk, const std::atomic<bool>& interrupted);

/// About how long an access takes, from a walk just long enough for the clock to tell.
[[nodiscard]] double pilot_ns_per_access(const WalkBy& walk, Clock& clock, const ClockQuality& quality);

/// No processor loads from its first cache in less: for batches that are to start without a pilot.
inline constexpr double shortest_access_ns = 0.4;

} // namespace memtest
