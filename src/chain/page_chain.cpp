#include "memtest/chain/page_chain.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/cycle.hpp"

namespace memtest {
namespace {

constexpr std::size_t block_pages = 16;

std::size_t pitch_of(Layout layout, const PageUnits& units) {
    if (layout == Layout::packed)
        return units.line_bytes;
    return units.page_bytes + (units.page_bytes > units.base_page_bytes ? units.base_page_bytes : 0) + units.line_bytes;
}

} // namespace

PageChain::PageChain(Layout layout, std::span<std::byte> memory, const PageUnits& units)
    : memory_(memory), nodes_(memory.data(), 0, pitch_of(layout, units), Link::pointer),
      block_nodes_(layout == Layout::spread ? RandomCycle::unconfined
                                            : block_pages * units.base_page_bytes / units.line_bytes),
      walk_(walk_function(Link::pointer, 1)) {}

std::size_t PageChain::bytes_for(Layout layout, std::size_t lines, const PageUnits& units) {
    return lines * pitch_of(layout, units);
}

void PageChain::link(std::size_t lines, std::uint64_t seed) {
    require(lines > 0 && lines <= memory_.size() / nodes_.pitch(), "a page chain has lines and lies in its memory");
    RandomCycle(nodes_, seed, block_nodes_).grow_to(lines);
    lines_ = lines;
    cursor_ = nodes_.link_to(0);
}

bool PageChain::proven() const {
    return is_single_cycle(nodes_, lines_);
}

} // namespace memtest
