#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/team.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] Options options_of_nodes(const CommandLine& line);

/// From a processor of one node to the memory of another or the same.
struct NodePair {
    int processors_of = 0;
    int memory_of = 0;
    RunPlan plan;  ///< a sweep of one size
    TeamPlan load; ///< for --bandwidth: a load thread on each processor
};

/// What is measured on this machine.
struct NodesPlan {
    std::vector<NodePair> pairs;                  ///< in the order of the rows
    std::size_t bytes = 0;                        ///< of the memory that is walked
    std::optional<Notice> warning = std::nullopt; ///< set if that is too little
    TeamPlan all;                                 ///< the processors and nodes of all pairs, for the description
};

/// The default size is larger than all caches, or what fits on every node.
[[nodiscard]] NodesPlan plan_nodes(const Options& options, const Machine& machine);

/// @param facts about memory from each node @throws Error (usage) if there are several nodes, and the kernel does not
/// report which one memory is on
void check_placement(std::span<const ThreadFacts> facts);

} // namespace memtest
