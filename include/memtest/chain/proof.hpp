#pragma once

#include "memtest/chain/nodes.hpp"

#include <cstddef>

namespace memtest {

/// Walks one lap from node 0 and tells whether the chain is a single cycle through all nodes 0 .. count-1: every link
/// leads to one of them, and node 0 is met again after exactly `count` hops.
[[nodiscard]] bool is_single_cycle(const Nodes& nodes, std::size_t count);

} // namespace memtest
