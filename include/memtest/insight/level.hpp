#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/cache_edge.hpp"
#include "memtest/machine/processors.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// How sure a claim about a level is. The README of the benchmarks has the rates on generated curves.
enum class Confidence {
    high, ///< the level has a plateau of its own and clear edges, and nothing disturbed what the claim rests on
    fair, ///< told apart clearly, but few sizes lie on it, or its surroundings are unclear
    low,  ///< only the foot of the next rise, or it may hide a level, be prefetched, or come from a disturbed sweep
};

template<>
inline constexpr std::array<Word<Confidence>, 3> word_table<Confidence>{
    {{Confidence::high, "high"}, {Confidence::fair, "fair"}, {Confidence::low, "low"}}};

/// Memory as the curve shows it.
struct Memory {
    double latency_ns = 0;
    double from_bytes = 0; ///< the sizes that the latency comes from
    double to_bytes = 0;
};

/// The same of a cache. A thread may get less than its nominal size.
struct Level : Memory {
    int number = 0;                            ///< N of "LN": the system's if it reports the cache, else the next
    std::optional<double> capacity_low_bytes;  ///< the largest size of the sweep that it surely holds; none if unknown
    std::optional<double> capacity_high_bytes; ///< the smallest that it surely does not; none if the sweep ends before
    std::optional<double> capacity_bytes;      ///< the best single figure; none if the whole range is equally likely
    CacheEdge edge;                            ///< where it ends
    Confidence capacity_confidence = Confidence::low;
    Confidence latency_confidence = Confidence::low;
    std::optional<double> contested_to_bytes = std::nullopt; ///< the largest contested size next to its capacity
    std::optional<std::uint64_t> reported_bytes = std::nullopt;
};

/// Why a hierarchy is incomplete, or to be read with care.
enum class Remark {
    too_few_points,     ///< too few sizes for any level
    no_edge,            ///< one latency throughout: the sweep stays inside one level, or was prefetched flat
    memory_not_reached, ///< the sweep ends inside a cache or too soon after the last one
    prefetched,         ///< the prefetcher follows the stride: what lies beyond is not the memory's latency
    hidden_level,       ///< a rise is longer than one cache causes, but shows too little to infer a level in it
    only_a_foot,        ///< a level has no plateau, only the foot of the rise after it
    disturbed,          ///< many sizes were
    page_colours,       ///< the first cache ends as a larger one does whose page colours fill by chance
    may_be_translation, ///< a level ends where a TLB does, and may be its shoulder
    not_reported,       ///< the system reports caches, but not all that the curve shows
};

template<>
inline constexpr std::array<Word<Remark>, 10> word_table<Remark>{{{Remark::too_few_points, "too_few_points"},
                                                                  {Remark::no_edge, "no_edge"},
                                                                  {Remark::memory_not_reached, "memory_not_reached"},
                                                                  {Remark::prefetched, "prefetched"},
                                                                  {Remark::hidden_level, "hidden_level"},
                                                                  {Remark::only_a_foot, "only_a_foot"},
                                                                  {Remark::disturbed, "disturbed"},
                                                                  {Remark::page_colours, "page_colours"},
                                                                  {Remark::may_be_translation, "may_be_translation"},
                                                                  {Remark::not_reported, "level_not_reported"}}};

struct Hierarchy {
    std::vector<Level> caches;
    std::optional<Memory> memory;
    std::vector<Remark> remarks;
    std::vector<ReportedCache> unseen = {}; ///< within the sizes of the curve, but without a level on it
    /// The first size at which the prefetcher follows the stride: nothing is known from there on.
    std::optional<double> prefetched_from_bytes = std::nullopt;
};

} // namespace memtest
