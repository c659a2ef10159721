#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/warm_up.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace memtest {

/// The memory and chains of every thread.
struct WalkPlan {
    ChainShape shape;
    std::optional<unsigned> warmup_laps = std::nullopt; ///< untimed, before timing; none: to the steady state
    Start laps_start = Start::linked;                   ///< of these laps
    PageKind pages = PageKind::system_default;
    std::size_t largest_bytes = 0;         ///< of the sizes
    std::size_t area_bytes = 0;            ///< mapped by each thread: the largest size, and room for its places
    std::size_t kept_from_bytes = no_size; ///< sizes from here on are linked once, each in its own word of every line
    std::vector<Counter> counters;         ///< read over the timed batches

    static constexpr std::size_t no_size = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool starts_cold() const { return warmup_laps == 0U; }
};

/// The smallest size that is linked once: there are as many of these as a line has words besides those of the chains
/// that grow. Only for the random order, in which linking takes most of the time of a visit to a large size. With
/// several orders, only sizes that one order is enough for are linked once, or a single size.
[[nodiscard]] std::size_t kept_from(const std::vector<std::size_t>& sizes, const ChainShape& shape);

/// The plan of a team of walkers.
struct TeamPlan : WalkPlan {
    std::vector<int> processors; ///< one thread on each
    bool pinned = true;          ///< bound to them; otherwise the system may move threads as it likes
    std::vector<int> nodes;      ///< of each thread's memory; empty: the one it runs on
    std::optional<MappedFile> memory_file = std::nullopt; ///< divided among the threads; none: their own memory
};

/// Where one thread runs, and where its memory comes from.
struct Placement {
    std::optional<int> processor = std::nullopt;   ///< bound to it; none: wherever the system lets it run
    std::optional<int> node = std::nullopt;        ///< none: the one that it runs on
    std::uint64_t number = 0;                      ///< of the thread: each has its own orders and places
    std::optional<MappedFile> file = std::nullopt; ///< that contains its memory; none: its own memory
};

/// The placement of the team's thread with this number.
[[nodiscard]] Placement placement_of(const TeamPlan& plan, std::size_t number);

/// Where a thread's chains of this size begin in one round, in bytes from the start of its area. Chains grow from size
/// to size, so many sizes share a place. Sizes that a cache may hold share one that moves all over the area from round
/// to round. Larger sizes share another, which moves within the space that the largest leaves. Both are drawn uniformly
/// among the pages that leave enough space. @param seed of the round
[[nodiscard]] std::size_t place_of(std::size_t bytes, const WalkPlan& plan, std::size_t page_bytes, std::uint64_t seed);

/// The chains that a thread has before a visit.
struct LinkedChains {
    /// Those that grow from size to size, anew in each round and at each place.
    struct Grown {
        unsigned round = 0;
        std::size_t place = 0;
        std::size_t bytes = 0; ///< of the largest size so far
    };

    std::optional<Grown> grown = std::nullopt;
    bool has_kept = false;      ///< chains of the visit's size that were linked once
    std::size_t kept_sizes = 0; ///< that were linked once
};

/// The chains of a visit.
struct LinkPlan {
    std::size_t place = 0; ///< where they begin, in bytes from the start of the area
    ChainShape shape{};    ///< of new ones: with their seed and word
    bool is_kept = false;  ///< linked once for all rounds; else they grow
    bool is_new = true;    ///< made for this visit
    bool flushes = true;   ///< a warm-up flushes their lines; else other sizes left hardly any in the caches
};

/// Decides how the chains of a visit are linked. @param thread its number
[[nodiscard]] LinkPlan plan_links(const WalkPlan& plan, std::uint64_t thread, std::size_t page_bytes, std::size_t bytes,
                                  unsigned round, const LinkedChains& linked);

/// The batches of a visit. All do the same work: in the random order any part of a lap is like any other; in a stride
/// order a batch is a lap or more or, if laps are long, made up of parts at random places of the lap.
struct BatchPlan {
    std::uint64_t shortest = 1;    ///< in accesses
    std::size_t part_accesses = 0; ///< of each part of a lap; 0: the walk goes on where it stopped

    bool operator==(const BatchPlan&) const = default;
};

/// Decides on the batches. @param lap in accesses @param ns_per_access roughly how long one takes
[[nodiscard]] BatchPlan plan_batches(const WalkPlan& plan, std::uint64_t lap, double ns_per_access,
                                     const TimingPlan& left, const ClockQuality& quality);

} // namespace memtest
