#include "memtest/insight/moved_pairs.hpp"

#include "memtest/insight/core_groups.hpp"

#include <algorithm>
#include <cstddef>

namespace memtest {
namespace {

/// @param ns ascending
bool has_two_modes(std::span<const double> ns) {
    constexpr std::size_t fewest_moments = 2; // of each: one may be disturbed
    constexpr double least_move = 2;
    for (std::size_t split = fewest_moments; split + fewest_moments <= ns.size(); ++split) {
        if (ns[split] >= least_gap * ns[split - 1])
            return ns[ns.size() - fewest_moments] >= least_move * ns[fewest_moments - 1];
    }
    return false;
}

} // namespace

std::vector<std::pair<int, int>> moved_pairs(std::span<const PairMoments> pairs) {
    std::vector<std::pair<int, int>> moved;
    for (const PairMoments& pair : pairs) {
        std::vector<double> ns = pair.latencies_ns;
        std::ranges::sort(ns);
        if (has_two_modes(ns))
            moved.emplace_back(pair.reader, pair.owner);
    }
    return moved;
}

} // namespace memtest
