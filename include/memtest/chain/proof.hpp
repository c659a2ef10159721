#pragma once

#include "memtest/chain/nodes.hpp"

#include <cstddef>

namespace memtest {

/// Whether the chain is a single cycle through all nodes 0 .. count-1. Walks one lap: every link must lead to a node,
/// and the walk must meet node 0 again after exactly `count` hops.
[[nodiscard]] bool is_single_cycle(const Nodes& nodes, std::size_t count);

} // namespace memtest
