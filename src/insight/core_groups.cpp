#include "memtest/insight/core_groups.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace memtest {
namespace {

// A choice like most_in_shared_cache_ns: 108 ns is the fastest between packages there (Ice Lake).
constexpr double least_between_packages_ns = 60;

/// For each processor, the smallest id of its group; groups join along any path of these pairs.
std::map<int, int> leaders_of(std::span<const CorePair> near, std::span<const CorePair> all) {
    std::map<int, int> leader;
    for (const CorePair& pair : all) {
        leader.emplace(pair.reader, pair.reader);
        leader.emplace(pair.owner, pair.owner);
    }
    for (const CorePair& pair : near) {
        const auto [to, from] = std::minmax({leader.at(pair.reader), leader.at(pair.owner)});
        if (to == from)
            continue;
        for (auto& [processor, of] : leader)
            of = of == from ? to : of;
    }
    return leader;
}

std::vector<std::vector<int>> groups_behind(const std::map<int, int>& leader) {
    std::map<int, std::vector<int>> groups;
    for (const auto& [processor, of] : leader)
        groups[of].push_back(processor);
    std::vector<std::vector<int>> sorted;
    for (auto& [first, group] : groups)
        sorted.push_back(std::move(group));
    return sorted;
}

/// The usual latency of each relation.
using Medians = std::map<Relation, double>;

Medians medians_of(std::span<const CorePair> pairs) {
    std::map<Relation, std::vector<double>> latencies;
    for (const CorePair& pair : pairs)
        latencies[pair.relation].push_back(pair.latency_ns);
    Medians medians;
    for (auto& [relation, values] : latencies)
        medians.emplace(relation, median(std::move(values)));
    return medians;
}

/// The factor by which a pair exceeds the range of its relation; up to 1 inside.
double excess_of(const CorePair& pair, const Medians& medians) {
    double excess = 0;
    if (pair.relation <= Relation::same_last_cache)
        excess = pair.low_ns.value_or(pair.latency_ns) / most_in_shared_cache_ns;
    if (pair.relation == Relation::different_packages)
        excess = least_between_packages_ns / pair.latency_ns;
    const double own = medians.at(pair.relation);
    for (const auto& [relation, other] : medians) {
        const double middle = std::sqrt(own * other);
        if (relation > pair.relation && std::max(own, other) >= least_gap * std::min(own, other))
            excess = std::max(excess, pair.latency_ns / middle);
        if (relation < pair.relation && own >= least_gap * other)
            excess = std::max(excess, middle / pair.latency_ns);
    }
    return excess;
}

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

std::vector<CoreGroups> group_cores(std::vector<CorePair> pairs) {
    std::ranges::sort(pairs, {}, &CorePair::latency_ns);
    std::vector<CoreGroups> partings;
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        const std::span near = std::span(pairs).first(i);
        const std::span far = std::span(pairs).subspan(i);
        if (far.front().latency_ns < least_gap * near.back().latency_ns)
            continue;
        const auto leader = leaders_of(near, pairs);
        if (std::ranges::any_of(far,
                                [&](const CorePair& pair) { return leader.at(pair.reader) == leader.at(pair.owner); }))
            continue;
        partings.push_back({.groups = groups_behind(leader),
                            .within_ns = {near.front().latency_ns, near.back().latency_ns},
                            .between_ns = {far.front().latency_ns, far.back().latency_ns}});
    }
    return partings;
}

std::vector<Contradiction> contradictions_of(std::span<const CorePair> pairs) {
    const Medians medians = medians_of(pairs);
    std::map<Relation, Contradiction> found;
    for (const CorePair& pair : pairs) {
        const double excess = excess_of(pair, medians);
        if (excess <= 1)
            continue;
        Contradiction& worst = found.try_emplace(pair.relation, Contradiction{.pair = pair, .pairs = 0}).first->second;
        ++worst.pairs;
        if (excess > excess_of(worst.pair, medians))
            worst.pair = pair;
    }
    std::vector<Contradiction> all;
    for (const auto& [relation, contradiction] : found)
        all.push_back(contradiction);
    return all;
}

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
