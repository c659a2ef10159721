#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/timing.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace memtest {

/// A stride that the prefetcher follows.
struct FollowedStride {
    std::size_t from_bytes = 0; ///< the first size at which the strided walk takes less than half of the random one
    std::size_t last_bytes = 0; ///< the largest size of both sweeps, with its latencies
    double strided_ns = 0;
    double random_ns = 0;
};

/// Compares the first threads of two sweeps at each size of the random one that was visited at two moments or more. A
/// disturbance only adds time, so the lower of two latencies counts. One disturbed size decides nothing: the next one
/// has to confirm it. std::nullopt if the stride is not followed.
/// @param strided @param random ascending
[[nodiscard]] std::optional<FollowedStride> followed_stride(std::span<const Row> strided, std::span<const Row> random);

/// A random cycle that can be linked anew.
struct FreshCycle {
    std::uint64_t lap; ///< in accesses
    std::function<void(std::uint64_t seed, Link link)> link;
    WalkBy walk;
    std::function<bool()> flush; ///< false if the processor cannot
};

/// Laps of fresh random cycles, each begun with all lines flushed, so that every access misses the caches.
struct LapTimes {
    double first_ns = 0; ///< per access of a cycle's first lap, the min over a few cycles
    /// The min of a cycle's fourth to sixth lap, for the slowest cycle: chance makes one faster, not all.
    double later_ns = 0;

    bool operator==(const LapTimes&) const = default;
};

/// std::nullopt if lines cannot be flushed, or if interrupted.
[[nodiscard]] std::optional<LapTimes> time_laps(const FreshCycle& cycle, Clock& clock,
                                                const std::atomic<bool>& interrupted);

/// Whether the processor learned the cycles: a later lap is a fifth faster than the first. Temporal prefetchers do that
/// (because of them multichase has -L, a new order in each lap).
[[nodiscard]] bool are_learned(const LapTimes& laps);

/// First laps of fresh random cycles with either link, begun like those of LapTimes: the min per access over a few.
struct LinkTimes {
    double pointer_ns = 0;
    double index_ns = 0;

    bool operator==(const LinkTimes&) const = default;
};

/// std::nullopt if lines cannot be flushed, or if interrupted.
[[nodiscard]] std::optional<LinkTimes> time_links(const FreshCycle& cycle, Clock& clock,
                                                  const std::atomic<bool>& interrupted);

/// Whether the processor follows addresses in the data that it fetches: pointers are a fifth faster than indices.
/// Content-directed prefetchers do that (Cooksey, Jourdan, Grunwald, "A stateless, content-directed data prefetching
/// mechanism", ASPLOS 2002; found in Apple's cores by Vicarte et al., "Augury", IEEE S&P 2022).
[[nodiscard]] bool are_followed(const LinkTimes& links);

/// How a processor foresees a random chain. std::nullopt if it does not, or was not shown to.
struct ForeseenChains {
    std::optional<LapTimes> learned = std::nullopt;
    std::optional<LinkTimes> followed = std::nullopt;
};

/// The times of one moment, on the real machine or fake.
struct ChainTimes {
    std::function<std::optional<LapTimes>()> laps;
    std::function<std::optional<LinkTimes>()> links;
};

/// What shows at three moments, with the times of the last: a disturbance can make it look true at one. Measures no
/// longer than it shows. @param wait until the next moment
[[nodiscard]] ForeseenChains foreseen_chains(const ChainTimes& times, const std::function<void()>& wait);

/// The same on this machine, with the lines, pages and first processor of the plan. Takes some tens of milliseconds
/// where nothing is foreseen. Unknown without memory for it.
[[nodiscard]] ForeseenChains quick_foreseen_chains(const TeamPlan& plan, const SystemFiles& files,
                                                   const std::atomic<bool>& interrupted);

/// The shape with as many orders or with the link that the processor does not foresee. @pre the random order
[[nodiscard]] ChainShape unforeseen(ChainShape shape, const ForeseenChains& foreseen);

} // namespace memtest
