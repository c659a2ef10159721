#pragma once

#include "memtest/chain/nodes.hpp"
#include "memtest/chain/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace memtest {

/// How the lines of a page chain lie in memory.
enum class Layout {
    /// One in each page, a page and a line apart, so that they use all sets of the caches. Huge pages lie another base
    /// page apart: where small pages lie underneath, the lines use all sets of their TLBs, too.
    spread,
    packed, ///< side by side, in few pages
};

/// The units in which a page chain is laid out.
struct PageUnits {
    std::size_t page_bytes = 4096;      ///< of the memory; each spread line has one to itself
    std::size_t base_page_bytes = 4096; ///< the smallest that may lie underneath
    std::size_t line_bytes = 64;
};

/// A random single cycle through lines in one of two layouts. Two chains of equally many lines fill the data caches
/// alike and differ in the number of pages: the difference of their latencies is the cost of address translation. The
/// packed walk finishes a block of 16 base pages, which the smallest TLB holds, before the next block. (A walk from
/// page to page would be prefetched.)
class PageChain {
public:
    /// @param memory at least bytes_for the most lines; aligned for a page; must outlive this object
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

    /// The address of the line that the walk has reached.
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
