#include "memtest/chain/proof.hpp"

namespace memtest {

bool is_single_cycle(const Nodes& nodes, std::size_t count) {
    std::size_t at = 0;
    for (std::size_t hop = 1; hop <= count; ++hop) {
        const std::uintptr_t bytes = nodes.next_bytes(at);
        if (bytes % nodes.pitch() != 0 || bytes / nodes.pitch() >= count)
            return false;
        at = bytes / nodes.pitch();
        if (at == 0)
            return hop == count; // back at the start: a lap of that many hops has met as many different nodes
    }
    return false; // ran into a cycle that node 0 is not part of
}

} // namespace memtest
