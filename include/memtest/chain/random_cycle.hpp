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
/// Confined to blocks, a walk visits every node of a block in random order, then the next block, the blocks in random
/// order, so that few pages are in use at a time. Each block is left through its first node: a new node that is drawn
/// behind that exit becomes the block's entry, behind the exit of the block before.
class RandomCycle {
public:
    static constexpr std::size_t unconfined = std::numeric_limits<std::size_t>::max();

    RandomCycle(const Nodes& nodes, std::uint64_t seed, std::size_t block_nodes = unconfined) noexcept
        : nodes_(nodes), random_(seed), block_nodes_(block_nodes) {}

    /// Links every node below `count` that is not linked yet. The cycle depends on the seed and on count alone, not on
    /// the steps by which it was grown.
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
