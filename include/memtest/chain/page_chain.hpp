#pragma once

#include "memtest/chain/chains.hpp"

#include <cstddef>
#include <cstdint>

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

/// The shape of a random chain in one of two layouts, whose nodes are one line each, and as far apart as `line_bytes`
/// of the shape. Two chains of equally many nodes fill the data caches alike and differ in the number of pages: the
/// difference of their latencies is the cost of address translation. The packed walk finishes a block of 16 base pages,
/// which the smallest TLB holds, before the next block. (A walk from page to page would be prefetched.)
[[nodiscard]] ChainShape page_chain_shape(Layout layout, const PageUnits& units, std::uint64_t seed = 1);

/// The memory that this many nodes take.
[[nodiscard]] std::size_t page_chain_bytes(Layout layout, std::size_t nodes, const PageUnits& units);

} // namespace memtest
