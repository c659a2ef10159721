#pragma once

#include "memtest/base/words.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/chain/walk.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace memtest {

/// The order in which a chain goes through its lines.
enum class Order {
    backward, ///< back by a stride
    forward,  ///< on by a stride
    random,   ///< one uniformly random cycle
};

template<>
inline constexpr std::array<Word<Order>, 3> word_table<Order>{
    {{Order::backward, "backward"}, {Order::forward, "forward"}, {Order::random, "random"}}};

/// A row of nodes in memory: node i lies `first + i * pitch` bytes after the base. Base, first and pitch keep every
/// node aligned for a word. Does not own the memory.
class Nodes {
public:
    Nodes(std::byte* base, std::size_t first_bytes, std::size_t pitch_bytes, Link link) noexcept
        : first_(base + first_bytes), pitch_(pitch_bytes),
          first_link_(link == Link::pointer ? reinterpret_cast<std::uintptr_t>(first_) : first_bytes) {}

    /// The word that leads to node i.
    [[nodiscard]] std::uintptr_t link_to(std::size_t i) const noexcept { return first_link_ + i * pitch_; }

    /// Makes node `to` follow node `from`.
    void set_next(std::size_t from, std::size_t to) const noexcept { word(from) = link_to(to); }

    /// Puts node `added` between node `after` and the node that followed it.
    void insert(std::size_t added, std::size_t after) const noexcept {
        word(added) = word(after);
        word(after) = link_to(added);
    }

    /// Makes node i lead out of the row.
    void set_link(std::size_t i, std::uintptr_t link) const noexcept { word(i) = link; }

    /// What node i holds, which may be anything.
    [[nodiscard]] std::uintptr_t link_of(std::size_t i) const noexcept { return word(i); }

    /// Prefetches node i for writing.
    void prefetch_for_writing(std::size_t i) const noexcept { __builtin_prefetch(first_ + i * pitch_, 1); }

    [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }

private:
    [[nodiscard]] std::uintptr_t& word(std::size_t i) const noexcept {
        return *reinterpret_cast<std::uintptr_t*>(first_ + i * pitch_);
    }

    std::byte* first_;
    std::size_t pitch_;
    std::uintptr_t first_link_;
};

/// Links nodes 0 .. count-1 into one cycle in which each hop advances by `stride` nodes. Nodes that are equal modulo
/// the stride form a pass. At its end a pass continues in the neighbouring one, so that a lap visits every node once.
/// This is the order of lmbench's lat_mem_rd; forward is the same cycle walked the other way.
/// @param order backward or forward
/// @param linked the number of nodes that earlier calls with this stride have linked; only changes are written
void link_stride_cycle(const Nodes& nodes, Order order, std::size_t stride, std::size_t linked, std::size_t count);

/// One uniformly random cycle through all nodes, grown node by node without any memory besides the nodes.
///
/// Node n is inserted after a node drawn uniformly from 0 .. n-1. By induction every one of the n! cycles through n+1
/// nodes is equally likely: each comes from exactly one cycle through n nodes and one draw. (This is the random
/// recursive construction of a cyclic permutation, the incremental form of Sattolo, "An algorithm to generate a random
/// cyclic permutation", Information Processing Letters 22, 1986.)
///
/// Confined to blocks, a walk visits all nodes of a block in random order before the next block, so that few pages are
/// in use at a time. The blocks come in random order, too. A walk leaves a block through its first node, the exit. A
/// new node that is drawn after the exit becomes the block's entry: it follows the exit of the previous block.
class RandomCycle {
public:
    static constexpr std::size_t unconfined = std::numeric_limits<std::size_t>::max();

    RandomCycle(const Nodes& nodes, std::uint64_t seed, std::size_t block_nodes = unconfined) noexcept
        : nodes_(nodes), random_(seed), block_nodes_(block_nodes) {}

    /// Links every node below `count` that is not linked yet. The cycle depends only on the seed and on count, not on
    /// the steps of growth.
    void grow_to(std::size_t count);

    /// Makes the walk continue elsewhere once it has visited all nodes, instead of at node 0. @pre there is a node
    void continue_at(std::uintptr_t link) const noexcept { nodes_.set_link(last_, link); }

private:
    [[nodiscard]] std::size_t draw_place_of(std::size_t added);

    Nodes nodes_;
    SplitMix64 random_;
    std::size_t block_nodes_;
    std::size_t linked_ = 0;
    std::size_t last_ = 0;            // the node before node 0
    std::size_t block_first_ = 0;     // the growing block's first node, which is its exit
    std::size_t behind_block_of_ = 0; // the exit that leads into the growing block
};

/// Whether a walk from node 0 visits all nodes 0 .. count-1 once and then continues at `end`, the link to node 0 for a
/// cycle. Walks one lap: every link before its end must lead to a node. @param most_hops of longer laps that are
/// walked; the rest is not known then
[[nodiscard]] bool is_single_lap(const Nodes& nodes, std::size_t count, std::uintptr_t end,
                                 std::size_t most_hops = std::numeric_limits<std::size_t>::max());

} // namespace memtest
