#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/never_interrupted.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/cycle.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/chain/walk.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// Whether this processor lets a program flush lines from all its caches at the pace of memory: x86-64 with CLFLUSHOPT
/// (Intel's manual, volume 2; CLFLUSH takes a memory latency for each line), aarch64 (DC CIVAC, which Linux allows
/// programs) and ppc64le (dcbf, Power ISA, book II).
[[nodiscard]] bool can_flush_lines() noexcept;

/// How the lines of an area are linked.
struct ChainShape {
    Order order = Order::backward;
    Link link = Link::pointer;
    std::size_t line_bytes = 64;
    std::size_t stride_bytes = 512;                               ///< not used by the random order
    std::optional<std::size_t> tlb_locality_bytes = std::nullopt; ///< confines the random order to blocks of this size
    unsigned parallel = 1;  ///< chains through disjoint nodes, walked side by side
    std::uint64_t seed = 1; ///< of the random order
    std::size_t word = 0;   ///< of each line that holds the link: chains that use other words may share the lines

    bool operator==(const ChainShape&) const = default;
};

/// The chains of one thread, side by side in the first part of a memory area. The random order deals the lines out to
/// them like cards, so that each can grow in place. A stride order gives each a contiguous share, so that the stride is
/// the requested one.
class Chains {
public:
    /// @param memory outlives this object and is aligned for a word; only grow_to writes to it
    Chains(std::span<std::byte> memory, const ChainShape& shape);

    /// Makes the first `bytes` of the memory the working set. Sizes never shrink. In the random order, links only new
    /// nodes.
    /// @param interrupted ends it early
    /// @return false if interrupted: the chains can then no longer be walked
    bool grow_to(std::size_t bytes, const std::atomic<bool>& interrupted = never_interrupted);

    /// Number of nodes in the working set, over all chains.
    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }

    /// Whether each chain is a single cycle and together they go through all nodes. Costs one lap.
    [[nodiscard]] bool proven() const;

    /// Makes this many accesses, divided evenly among the chains and rounded up to whole hops.
    /// @return the number of accesses made
    std::size_t walk(std::size_t accesses) noexcept {
        const auto hops = units_for<std::size_t>(accesses, shape_.parallel);
        walk_(memory_.data(), cursors_.data(), hops);
        return hops * shape_.parallel;
    }

    /// Walks on in groups of hops, each between two readings of the processor's counter. @pre one chain, of pointers
    void time_hops(std::size_t group, std::span<std::uint64_t> readings) {
        memtest::time_hops(cursors_.front(), group, readings);
    }

    /// Continues the walk of each chain at a random node, after its last hop.
    void jump(SplitMix64& random);

    /// Writes the nodes of the working set back and flushes them from all caches.
    /// @return false if the processor cannot: nothing happened
    bool flush() const noexcept;

    /// The link to the node that a chain's walk has reached.
    [[nodiscard]] std::uintptr_t position(unsigned chain) const { return cursors_.at(chain); }

private:
    struct Share {
        Nodes nodes;
        std::size_t count;
    };

    [[nodiscard]] Share share_of(unsigned chain, std::size_t nodes) const;
    void link(unsigned chain, const Share& share, std::size_t linked, std::size_t count);

    std::span<std::byte> memory_;
    ChainShape shape_;
    std::size_t portion_; // nodes to link between two checks for an interruption
    Walk walk_;
    std::size_t nodes_ = 0;
    std::vector<RandomCycle> random_cycles_; // one per chain, for the random order only
    std::array<std::uintptr_t, max_parallel> cursors_{};
};

/// The smallest working set in bytes in which every chain has a node (random order) or a whole stride to itself.
[[nodiscard]] std::size_t smallest_working_set(const ChainShape& shape);

} // namespace memtest
