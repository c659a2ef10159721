#include "memtest/chain/page_chain.hpp"

namespace memtest {
namespace {

constexpr std::size_t block_pages = 16;

} // namespace

ChainShape page_chain_shape(Layout layout, const PageUnits& units, std::uint64_t seed) {
    if (layout == Layout::packed)
        return {.order = Order::random,
                .line_bytes = units.line_bytes,
                .tlb_locality_bytes = block_pages * units.base_page_bytes,
                .seed = seed};
    const std::size_t apart = units.page_bytes > units.base_page_bytes ? units.base_page_bytes : 0;
    return {.order = Order::random, .line_bytes = units.page_bytes + apart + units.line_bytes, .seed = seed};
}

std::size_t page_chain_bytes(Layout layout, std::size_t nodes, const PageUnits& units) {
    return nodes * page_chain_shape(layout, units).line_bytes;
}

} // namespace memtest
