#pragma once

#include "memtest/base/code.hpp"
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

/// The latency of a level, and the sizes that it comes from.
struct LevelLatency {
    double latency_ns = 0;
    double from_bytes = 0;
    double to_bytes = 0;
    double from_ns = 0; ///< the latency of the first of these sizes
    double to_ns = 0;   ///< and of the last
    Confidence latency_confidence = Confidence::low;

    /// Whether one latency of its sizes says too little.
    [[nodiscard]] bool varies() const {
        constexpr double apart = 1.25;
        return to_ns > apart * from_ns;
    }

    /// Whether its sizes are far from having one latency.
    [[nodiscard]] bool rises() const {
        constexpr double far = 1.5;
        return to_ns > far * from_ns;
    }
};

/// One cache as the curve shows it. A thread may get less than its nominal size.
struct Level : LevelLatency {
    int number = 0;                            ///< N of "LN": the system's if it reports the cache, else the next
    std::optional<double> capacity_low_bytes;  ///< the largest size of the sweep that it surely holds; none if unknown
    std::optional<double> capacity_high_bytes; ///< the smallest that it surely does not; none if the sweep ends before
    std::optional<double> capacity_bytes;      ///< the best single figure; none if the whole range is equally likely
    CacheEdge edge;                            ///< where it ends
    Confidence capacity_confidence = Confidence::low;
    std::optional<double> contested_to_bytes = std::nullopt; ///< the largest contested size next to its capacity
    std::optional<std::uint64_t> reported_bytes = std::nullopt;
};

struct Hierarchy {
    std::vector<Level> caches;
    std::optional<LevelLatency> memory;
    std::vector<Code> remarks;              ///< on why it is incomplete, or to be read with care
    std::vector<ReportedCache> unseen = {}; ///< within the sizes of the curve, but without a level on it
    /// The first size at which the prefetcher follows the stride: nothing is known from there on.
    std::optional<double> prefetched_from_bytes = std::nullopt;
};

} // namespace memtest
