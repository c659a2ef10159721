#pragma once

#include "memtest/chain/cycle.hpp"

#include <cstddef>
#include <vector>

namespace memtest {

/// The nodes on a walk that begins at one of them, by number.
inline std::vector<std::size_t> lap(const Nodes& nodes, std::size_t start, std::size_t count) {
    std::vector<std::size_t> visited;
    for (std::size_t at = start; visited.size() < count; at = (nodes.link_of(at) - nodes.link_to(0)) / nodes.pitch())
        visited.push_back(at);
    return visited;
}

} // namespace memtest
