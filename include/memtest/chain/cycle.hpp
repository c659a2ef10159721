#pragma once

#include "memtest/base/words.hpp"
#include "memtest/chain/nodes.hpp"
#include "memtest/chain/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace memtest {

/// In which order a chain goes through its lines.
enum class Order {
    backward, ///< back by a stride
    forward,  ///< on by a stride
    random,   ///< one uniformly random cycle
};

template<>
inline constexpr std::array<Word<Order>, 3> word_table<Order>{
    {{Order::backward, "backward"}, {Order::forward, "forward"}, {Order::random, "random"}}};

/// Links nodes 0 .. count-1 into one cycle in which a hop goes `stride` nodes on. Nodes that are equal modulo the
/// stride form a pass. At its end a pass continues in the neighbouring one, so that a lap visits every node once. This
/// is the order of lmbench's lat_mem_rd; forward is the same cycle walked the other way.
/// @param order backward or forward
/// @param linked the number of nodes that earlier calls with this stride have linked; only changes are written
void link_stride_cycle(const Nodes& nodes, Order order, std::size_t stride, std::size_t linked, std::size_t count);

/// One uniformly random cycle through all nodes, grown node by node without any memory beside the nodes.
///
/// Node n is inserted behind a node drawn uniformly from 0 .. n-1. By induction every one of the n! cycles through n+1
/// nodes is equally likely: each comes from exactly one cycle through n nodes and one draw. (This is the random
/// recursive construction of a cyclic permutation, the incremental form of Sattolo, "An algorithm to generate a random
/// cyclic permutation", Information Processing Letters 22, 1986.)
///
/// Confined to blocks, a walk visits all nodes of a block in random order before the next block, so that few pages are
/// in use at a time. The blocks come in random order, too. A walk leaves a block through its first node, the exit. A
/// new node that is drawn behind the exit becomes the block's entry: it goes behind the exit of the block before.
class RandomCycle {
public:
    static constexpr std::size_t unconfined = std::numeric_limits<std::size_t>::max();

    RandomCycle(const Nodes& nodes, std::uint64_t seed, std::size_t block_nodes = unconfined) noexcept
        : nodes_(nodes), random_(seed), block_nodes_(block_nodes) {}

    /// Links every node below `count` that is not linked yet. The cycle depends on the seed and on count only, not on
    /// the steps of growth.
    void grow_to(std::size_t count);

private:
    [[nodiscard]] std::size_t draw_place_of(std::size_t added);

    Nodes nodes_;
    SplitMix64 random_;
    std::size_t block_nodes_;
    std::size_t linked_ = 0;
    std::size_t block_first_ = 0;     // the growing block's first node, which is its exit
    std::size_t behind_block_of_ = 0; // the exit that leads into the growing block
};

/// Whether the chain is a single cycle through all nodes 0 .. count-1. Walks one lap: every link must lead to a node,
/// and the walk must meet node 0 again after exactly `count` hops.
[[nodiscard]] bool is_single_cycle(const Nodes& nodes, std::size_t count);

} // namespace memtest
