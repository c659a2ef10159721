#pragma once

#include "memtest/chain/nodes.hpp"
#include "memtest/chain/random.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace memtest {

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

} // namespace memtest
