#pragma once

#include "memtest/chain/nodes.hpp"
#include "memtest/chain/order.hpp"

#include <cstddef>

namespace memtest {

/// Links nodes 0 .. count-1 into one cycle in which a hop goes `stride` nodes on. Nodes that are equal modulo the
/// stride form a pass; a pass that runs off its end continues in the neighbouring one, so that a lap visits every node
/// once. This is the order of lmbench's lat_mem_rd; forward is the same cycle walked the other way.
/// @param order backward or forward
/// @param linked how many of the nodes an earlier call with the same stride has linked; only what changes is written.
void link_stride_cycle(const Nodes& nodes, Order order, std::size_t stride, std::size_t linked, std::size_t count);

} // namespace memtest
