#pragma once

#include "memtest/machine/processors.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// The core-to-core latency of two processors, and their relation as the system reports it.
struct CorePair {
    int reader = 0;
    int owner = 0;
    double latency_ns = 0;
    Relation relation = Relation::same_package;
    std::optional<double> low_ns = std::nullopt; ///< the min of its visits, if known
};

/// Latencies that differ by this factor are of different groups.
inline constexpr double least_gap = 1.5;

/// A choice: on most machines, though not on all, something is wrong beyond it. Of the medians that
/// https://github.com/nviennot/core-to-core-latency publishes, 98 ns is the slowest between cores of a chip with one L3
/// (SPARC T4). A plain load takes less than its compare-exchange.
inline constexpr double most_in_shared_cache_ns = 100;

/// Processors divided into groups by a gap between latencies: pairs below the gap are within a group.
struct CoreGroups {
    std::vector<std::vector<int>> groups;   ///< each ascending, ordered by their first
    std::pair<double, double> within_ns{};  ///< the min and max of the pairs within a group
    std::pair<double, double> between_ns{}; ///< and of those between two groups
};

/// The divisions that the pairs show, nearest processors first. A gap divides if the next larger latency is at least
/// half as large again. Latencies on one mesh or ring are spread, but have no such gap.
[[nodiscard]] std::vector<CoreGroups> group_cores(std::vector<CorePair> pairs);

/// A pair that contradicts what the system reports.
struct Contradiction {
    CorePair pair;
    std::size_t pairs = 1; ///< of this relation that contradict it; this is the worst
};

/// Pairs that contradict what the system reports, the worst of each relation: the pair takes the usual time of a
/// farther or nearer relation, if the two differ by half, or a time that no such pair takes: more than
/// 100 ns at every visit within a shared cache, or less than 60 ns between packages.
[[nodiscard]] std::vector<Contradiction> contradictions_of(std::span<const CorePair> pairs);

/// Core-to-core latencies of two processors at several moments.
struct PairMoments {
    int reader = 0;
    int owner = 0;
    std::vector<double> latencies_ns{};
};

/// The pairs, by reader and owner, whose latency changed as it does if a hypervisor moves the processors: two moments
/// took at least twice as long as two others, with a gap between. Other work makes a transfer less than twice as slow,
/// or leaves no gap.
[[nodiscard]] std::vector<std::pair<int, int>> moved_pairs(std::span<const PairMoments> pairs);

} // namespace memtest
