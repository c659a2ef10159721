#pragma once

#include "memtest/chain/nodes.hpp"
#include "memtest/chain/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace memtest {

/// How the lines of a page chain lie in memory.
enum class Layout {
    /// One in each page, a page and a line apart, so that they use all sets of the caches. Huge pages lie a base page
    /// more apart: should they be small ones underneath, the lines use all sets of the small pages' TLBs, too.
    spread,
    packed, ///< side by side, in few pages
};

/// The units in which a page chain is laid out.
struct PageUnits {
    std::size_t page_bytes = 4096;      ///< of the memory: what a spread line has to itself
    std::size_t base_page_bytes = 4096; ///< the smallest page that the memory may be made of, whatever was granted
    std::size_t line_bytes = 64;
};

/// A random single cycle through lines in one of two layouts. Chains of equally many lines fill the data caches alike,
/// and differ in the number of pages: the difference of their latencies is what address translation costs. The packed
/// walk stays inside a block of 16 base pages, which the smallest TLB holds, until it has met every line there. (Page
/// after page would be no clean control: that is prefetched.)
class PageChain {
public:
    /// @param memory at least bytes_for the most lines; must outlive this object; aligned for a page
    PageChain(Layout layout, std::span<std::byte> memory, const PageUnits& units);

    /// The memory that this many lines take.
    [[nodiscard]] static std::size_t bytes_for(Layout layout, std::size_t lines, const PageUnits& units);

    /// Makes the chain go through the first `lines` lines, in the order that the seed gives.
    void link(std::size_t lines, std::uint64_t seed);

    /// Whether the chain is a single cycle through all its lines. Costs one lap.
    [[nodiscard]] bool proven() const;

    /// Makes this many accesses and returns their number.
    std::size_t walk(std::size_t accesses) noexcept {
        walk_(memory_.data(), &cursor_, accesses);
        return accesses;
    }

    /// The address of the line on which the walk stands.
    [[nodiscard]] std::uintptr_t position() const noexcept { return cursor_; }

private:
    std::span<std::byte> memory_;
    Nodes nodes_;
    std::size_t block_nodes_;
    Walk walk_;
    std::size_t lines_ = 0;
    std::uintptr_t cursor_ = 0;
};

} // namespace memtest
