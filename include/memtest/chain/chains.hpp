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
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// Whether this processor lets a program flush lines from all its caches at the pace of memory: x86-64 with CLFLUSHOPT
/// (Intel's manual, volume 2; CLFLUSH takes a memory latency for each line), aarch64 (DC CIVAC, which Linux allows
/// programs) and ppc64le (dcbf, Power ISA, book II).
[[nodiscard]] bool can_flush_lines() noexcept;

/// Writes lines back and flushes them from all caches. @return false if the processor cannot: nothing happened
bool flush_lines(std::span<const std::byte* const> lines) noexcept;

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
    /// Random orders that successive laps follow, so that a lap repeats only after as many: each has its own word of
    /// every line, from `word` on. From most_reordered_lines on one order is enough. More than 1 for the random order
    /// only.
    unsigned orders = 1;

    bool operator==(const ChainShape&) const = default;
};

/// No known prefetcher remembers a lap of more lines than these, or of 256 MiB in lines of 64 bytes.
inline constexpr std::size_t most_reordered_lines = std::size_t{1} << 22U;

/// The number of orders that a line of this size has words for.
[[nodiscard]] constexpr unsigned most_orders(std::size_t line_bytes) {
    return static_cast<unsigned>(line_bytes / sizeof(std::uintptr_t));
}

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

    /// Whether each lap of each chain is a single one and together they go through all nodes. Costs a lap of each
    /// order, or the first hops of it.
    [[nodiscard]] bool proven(std::size_t most_hops = std::numeric_limits<std::size_t>::max()) const;

    /// Makes this many accesses, divided evenly among the chains and rounded up to whole hops.
    /// @return the number of accesses made
    std::size_t walk(std::size_t accesses) noexcept {
        const auto hops = units_for<std::size_t>(accesses, shape_.parallel);
        walk_(memory_.data(), cursors_.data(), hops);
        return hops * shape_.parallel;
    }

    /// Walks on in groups of hops, each between two readings of the processor's counter. @pre one chain
    void time_hops(std::size_t group, std::span<std::uint64_t> readings) {
        memtest::time_hops(shape_.link, memory_.data(), cursors_.front(), group, readings);
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

    [[nodiscard]] Share share_of(unsigned chain, std::size_t nodes, unsigned order = 0) const;
    [[nodiscard]] unsigned orders_of(std::size_t nodes) const noexcept {
        return nodes <= most_reordered_lines ? shape_.orders : 1;
    }
    /// The link that ends a lap: to the first node of the next order.
    [[nodiscard]] std::uintptr_t end_of_lap(unsigned chain, unsigned order, std::size_t nodes) const;
    void link(unsigned chain, unsigned order, const Share& share, std::size_t linked, std::size_t count);
    [[nodiscard]] RandomCycle& random_cycle(unsigned chain, unsigned order) {
        return random_cycles_[chain * shape_.orders + order];
    }

    std::span<std::byte> memory_;
    ChainShape shape_;
    std::size_t portion_; // nodes to link between two checks for an interruption
    Walk walk_;
    std::size_t nodes_ = 0;
    std::vector<RandomCycle> random_cycles_; // of each chain one for each order, for the random order only
    std::array<std::uintptr_t, max_parallel> cursors_{};
};

/// The smallest working set in bytes in which every chain has a node (random order) or a whole stride to itself.
[[nodiscard]] std::size_t smallest_working_set(const ChainShape& shape);

} // namespace memtest
