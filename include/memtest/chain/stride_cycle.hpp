#pragma once

#include "memtest/chain/nodes.hpp"
#include "memtest/chain/order.hpp"

#include <cstddef>

namespace memtest {

/// Links nodes 0 .. count-1 into one cycle in which a hop goes `stride` nodes on. Nodes that are equal modulo the
/// stride form a pass. At its end a pass continues in the neighbouring one, so that a lap visits every node once. This
/// is the order of lmbench's lat_mem_rd; forward is the same cycle walked the other way.
/// @param order backward or forward
/// @param linked the number of nodes that earlier calls with this stride have linked; only changes are written
void link_stride_cycle(const Nodes& nodes, Order order, std::size_t stride, std::size_t linked, std::size_t count);

} // namespace memtest
