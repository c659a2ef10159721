#pragma once

#include "memtest/base/words.hpp"
#include "memtest/machine/processors.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// Core-to-core latencies of two processors at several moments.
struct PairMoments {
    int reader = 0;
    int owner = 0;
    std::vector<double> latencies_ns{};
    Relation relation = Relation::same_package; ///< as the system reports it
};

/// How near two processors are, by their latency.
enum class Nearness { same_core, same_last_cache, near, farther };

template<>
inline constexpr std::array<Word<Nearness>, 4> word_table<Nearness>{
    {{Nearness::same_core, "same core"},
     {Nearness::same_last_cache, "same last-level cache"},
     {Nearness::near, "near"},
     {Nearness::farther, "farther"}}};

/// The moments at which pairs were as near as this.
struct TransferMode {
    Nearness nearness = Nearness::same_core;
    double percent = 0; ///< of all moments of all pairs
    double latency_ns = 0;
};

/// Pairs whose latency changed, as it does if a hypervisor moves the processors.
struct MovedPairs {
    std::vector<std::pair<int, int>> changed; ///< reader and owner
    std::vector<TransferMode> modes;          ///< of all pairs, nearest first
};

/// The latencies of all moments fall into clusters where the next larger one is at least half as large again. A pair
/// changed if it was in two of them at two moments each, in one at least twice as slow as in the other. The nearest
/// cluster between cores is that of a shared last-level cache only if the system reports one for pairs in it.
/// std::nullopt if no pair changed.
[[nodiscard]] std::optional<MovedPairs> moved_pairs(std::span<const PairMoments> pairs);

} // namespace memtest
