#pragma once

#include "memtest/machine/processors.hpp"

#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// What a hand-over between two processors takes, and how near the system says that they are.
struct CorePair {
    int reader = 0;
    int owner = 0;
    double latency_ns = 0;
    Relation relation = Relation::same_package;
};

/// Processors parted into groups by a gap between latencies: all pairs below it are within a group, and all pairs
/// within a group are below it.
struct CoreGroups {
    std::vector<std::vector<int>> groups;   ///< each ascending, by their first
    std::pair<double, double> within_ns{};  ///< the smallest and the largest of the pairs within a group
    std::pair<double, double> between_ns{}; ///< and of those between two
};

/// The partings that the pairs show, of the nearest processors first. A gap parts where the next larger latency is at
/// least half as large again: on one mesh or ring, latencies are spread, but not parted so.
[[nodiscard]] std::vector<CoreGroups> group_cores(std::vector<CorePair> pairs);

/// A pair that is not where the system says.
struct Contradiction {
    CorePair pair;
    std::size_t pairs = 1; ///< of the same relation that contradict it, too; this is the worst of them
};

/// Where hand-overs contradict the system: a pair takes what is usual for a farther relation or for a nearer one, where
/// the two differ by half, or what no such pair does anywhere. One for each relation that is contradicted.
[[nodiscard]] std::vector<Contradiction> contradictions_of(std::span<const CorePair> pairs);

} // namespace memtest
