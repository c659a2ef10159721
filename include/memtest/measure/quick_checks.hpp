#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace memtest {

/// The plan of the check: a sample of the lines of the plan's largest size, in random order.
[[nodiscard]] TeamPlan random_check_plan(const TeamPlan& plan);

/// Roughly the latency of the plan's largest size in random order, in ns: a quick measurement on fresh memory, to
/// compare the end of a stride sweep with. Links only a sample of the lines, spread over all of the memory. Nothing
/// when interrupted. @throws Error like Team
[[nodiscard]] std::optional<double> quick_random_latency_ns(const TeamPlan& plan, const SystemFiles& files,
                                                            const std::atomic<bool>& interrupted);

/// A random cycle that can be linked anew.
struct FreshCycle {
    std::uint64_t lap; ///< in accesses
    std::function<void(std::uint64_t seed)> link;
    WalkBy walk;
    std::function<bool()> flush; ///< false where the processor cannot
};

/// Laps of fresh random cycles, each begun with all lines flushed, so that every access misses the caches.
struct LapTimes {
    double first_ns = 0; ///< per access of a cycle's first lap, the smallest over a few cycles
    /// The smallest of a cycle's fourth to sixth lap, of the slowest of the cycles: chance makes one faster, not all.
    double later_ns = 0;
};

/// Nothing where lines cannot be flushed, or when interrupted.
[[nodiscard]] std::optional<LapTimes> time_laps(const FreshCycle& cycle, Clock& clock,
                                                const std::atomic<bool>& interrupted);

/// The same on this machine, with the lines, pages and first processor of the plan. Takes some tens of milliseconds.
/// @throws Error when the system refuses memory or processor
[[nodiscard]] std::optional<LapTimes> quick_lap_times(const TeamPlan& plan, const SystemFiles& files,
                                                      const std::atomic<bool>& interrupted);

/// Whether the processor learned the cycles: a later lap is a fifth faster than the first. Temporal prefetchers do that
/// (multichase has -L, a new order in each lap, for their sake).
[[nodiscard]] bool are_learned(const LapTimes& laps);

} // namespace memtest
