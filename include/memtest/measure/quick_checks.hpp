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

/// Times per access to fresh random cycles, each begun with all lines flushed, so that every access misses the caches.
struct ChainTimes {
    double foreseen_ns = 0;   ///< where the processor may foresee the next line
    double unforeseen_ns = 0; ///< where it cannot

    bool operator==(const ChainTimes&) const = default;
};

/// The fourth to sixth lap of a cycle, and the first, which nothing foresees. Temporal prefetchers learn the order
/// (because of them multichase has -L, a new order in each lap). Takes the min over laps, of the slowest cycle for the
/// later ones: chance makes one faster, not all. std::nullopt if lines cannot be flushed, or if interrupted.
[[nodiscard]] std::optional<ChainTimes> time_laps(const FreshCycle& cycle, Clock& clock,
                                                  const std::atomic<bool>& interrupted);

/// First laps of cycles linked by pointer, and by index, the min over a few. Content-directed prefetchers follow
/// addresses in the data (Cooksey, Jourdan, Grunwald, "A stateless, content-directed data prefetching mechanism",
/// ASPLOS 2002; found in Apple's cores by Vicarte et al., "Augury", IEEE S&P 2022). std::nullopt like time_laps.
[[nodiscard]] std::optional<ChainTimes> time_links(const FreshCycle& cycle, Clock& clock,
                                                   const std::atomic<bool>& interrupted);

/// Whether the processor foresees the next line: an access is a fifth faster.
[[nodiscard]] bool are_foreseen(const ChainTimes& times);

/// The times of the last of three moments, if those of each are foreseen: a disturbance can make it look true at one.
/// Measures no longer than they are. @param wait until the next moment
[[nodiscard]] std::optional<ChainTimes>
foreseen_at_three_moments(const std::function<std::optional<ChainTimes>()>& measure, const std::function<void()>& wait);

/// How a processor foresees a random chain. std::nullopt if it does not, or was not shown to.
struct ForeseenChains {
    std::optional<ChainTimes> learned = std::nullopt;  ///< it learns laps
    std::optional<ChainTimes> followed = std::nullopt; ///< it follows addresses in the data
};

/// Finds that out on this machine, with the lines, pages and first processor of the plan. Takes some tens of
/// milliseconds where nothing is foreseen. Unknown without memory for it.
[[nodiscard]] ForeseenChains quick_foreseen_chains(const TeamPlan& plan, const SystemFiles& files,
                                                   const std::atomic<bool>& interrupted);

/// The shape with as many orders or with the link that the processor does not foresee. @pre the random order
[[nodiscard]] ChainShape unforeseen(ChainShape shape, const ForeseenChains& foreseen);

} // namespace memtest
