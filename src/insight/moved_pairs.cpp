#include "memtest/insight/moved_pairs.hpp"

#include <algorithm>

namespace memtest {

std::vector<std::pair<int, int>> moved_pairs(std::span<const PairMoments> pairs) {
    constexpr double least_move = 2;
    std::vector<std::pair<int, int>> moved;
    for (const PairMoments& pair : pairs) {
        std::vector<double> ns = pair.latencies_ns;
        std::ranges::sort(ns);
        if (ns.size() >= 4 && ns[ns.size() - 2] >= least_move * ns[1]) // one moment may be disturbed
            moved.emplace_back(pair.reader, pair.owner);
    }
    return moved;
}

} // namespace memtest
