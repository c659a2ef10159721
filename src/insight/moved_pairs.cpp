#include "memtest/insight/moved_pairs.hpp"

#include "memtest/insight/core_groups.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <map>

namespace memtest {
namespace {

constexpr double least_move = 2.0; // other work makes a transfer less than twice as slow

// Two hardware threads share an L1 or L2, whose hits take 1 to 6 ns; the fastest transfers between cores take 17 ns.
constexpr double most_in_core_ns = 10;

/// Nearest first.
std::map<Nearness, std::vector<double>> modes_of(std::span<const PairMoments> pairs) {
    std::vector<double> all;
    for (const PairMoments& pair : pairs)
        all.insert(all.end(), pair.latencies_ns.begin(), pair.latencies_ns.end());
    std::ranges::sort(all);
    std::map<Nearness, std::vector<double>> modes;
    for (std::size_t from = 0; from < all.size();) {
        std::size_t to = from + 1;
        while (to < all.size() && all[to] < least_gap * all[to - 1])
            ++to;
        const bool is_next_to_core = !modes.contains(Nearness::same_last_cache) && all[from] < most_in_shared_cache_ns;
        const Nearness nearness = all[from] < most_in_core_ns ? Nearness::same_core
                                  : is_next_to_core           ? Nearness::same_last_cache
                                                              : Nearness::farther;
        std::vector<double>& mode = modes[nearness];
        for (; from < to; ++from)
            mode.push_back(all[from]);
    }
    return modes;
}

} // namespace

std::optional<MovedPairs> moved_pairs(std::span<const PairMoments> pairs) {
    const auto modes = modes_of(pairs);
    const auto mode_of = [&](double ns) {
        return std::ranges::find_if(modes, [&](const auto& mode) { return ns <= mode.second.back(); })->first;
    };
    MovedPairs moved;
    double moments = 0;
    for (const PairMoments& pair : pairs) {
        moments += static_cast<double>(pair.latencies_ns.size());
        if (pair.latencies_ns.empty())
            continue;
        const auto [nearest, farthest] = std::ranges::minmax(pair.latencies_ns);
        if (mode_of(nearest) != mode_of(farthest) && farthest >= least_move * nearest)
            moved.changed.emplace_back(pair.reader, pair.owner);
    }
    if (moved.changed.empty())
        return std::nullopt;
    for (const auto& [nearness, latencies] : modes)
        moved.modes.push_back({.nearness = nearness,
                               .percent = 100 * static_cast<double>(latencies.size()) / moments,
                               .latency_ns = median(latencies)});
    return moved;
}

} // namespace memtest
