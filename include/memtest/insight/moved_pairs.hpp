#pragma once

#include "memtest/base/words.hpp"

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
};

/// How near two processors are, by their latency.
enum class Nearness { same_core, same_last_cache, farther };

template<>
inline constexpr std::array<Word<Nearness>, 3> word_table<Nearness>{
    {{Nearness::same_core, "same core"},
     {Nearness::same_last_cache, "same last-level cache"},
     {Nearness::farther, "farther"}}};

/// The moments at which pairs were as near as this.
struct TransferMode {
    Nearness nearness = Nearness::same_core;
    double percent = 0; ///< of all moments of all pairs
    double latency_ns = 0;
};

/// Pairs whose nearness changed, as it does if a hypervisor moves the processors.
struct MovedPairs {
    std::vector<std::pair<int, int>> changed; ///< reader and owner
    std::vector<TransferMode> modes;          ///< of all pairs, nearest first
};

/// The latencies of all moments fall into modes where the next larger one is at least half as large again. A pair
/// changed if it was in two modes, one of them at least twice as slow. std::nullopt if none did.
[[nodiscard]] std::optional<MovedPairs> moved_pairs(std::span<const PairMoments> pairs);

} // namespace memtest
