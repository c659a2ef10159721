#include "memtest/insight/moved_pairs.hpp"

#include "memtest/insight/core_groups.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>

namespace memtest {
namespace {

constexpr double least_move = 2.0; // other work makes a transfer less than twice as slow
constexpr std::size_t fewest_moments = 2;

// Two hardware threads share an L1 or L2, whose hits take 1 to 6 ns; the fastest transfers between cores take 17 ns.
constexpr double most_in_core_ns = 10;

/// Latencies without a gap, ascending.
using Cluster = std::vector<double>;

bool has(const Cluster& cluster, double ns) {
    return ns >= cluster.front() && ns <= cluster.back();
}

/// Nearest first.
std::vector<Cluster> clusters_of(std::span<const PairMoments> pairs) {
    std::vector<double> all;
    for (const PairMoments& pair : pairs)
        all.insert(all.end(), pair.latencies_ns.begin(), pair.latencies_ns.end());
    std::ranges::sort(all);
    std::vector<Cluster> clusters;
    for (const double ns : all) {
        if (clusters.empty() || ns >= least_gap * clusters.back().back())
            clusters.emplace_back();
        clusters.back().push_back(ns);
    }
    return clusters;
}

bool has_changed(const PairMoments& pair, const std::vector<Cluster>& clusters) {
    std::vector<double> confirmed_ns;
    for (const Cluster& cluster : clusters) {
        std::vector<double> own;
        std::ranges::copy_if(pair.latencies_ns, std::back_inserter(own), [&](double ns) { return has(cluster, ns); });
        if (own.size() >= fewest_moments)
            confirmed_ns.push_back(median(own));
    }
    return !confirmed_ns.empty() && confirmed_ns.back() >= least_move * confirmed_ns.front();
}

/// Whether these are latencies of a last-level cache that the system reports to be shared.
bool is_of_shared_cache(const Cluster& cluster, std::span<const PairMoments> pairs) {
    return cluster.front() < most_in_shared_cache_ns && std::ranges::any_of(pairs, [&](const PairMoments& pair) {
               return pair.relation == Relation::same_last_cache &&
                      std::ranges::any_of(pair.latencies_ns, [&](double ns) { return has(cluster, ns); });
           });
}

/// Nearest first.
std::vector<TransferMode> modes_of(const std::vector<Cluster>& clusters, std::span<const PairMoments> pairs) {
    std::map<Nearness, std::vector<double>> by_name;
    std::size_t moments = 0;
    bool is_nearest = true; // between cores
    for (const Cluster& cluster : clusters) {
        const bool is_in_core = cluster.front() < most_in_core_ns;
        const Nearness nearness = is_in_core                           ? Nearness::same_core
                                  : !is_nearest                        ? Nearness::farther
                                  : is_of_shared_cache(cluster, pairs) ? Nearness::same_last_cache
                                                                       : Nearness::near;
        is_nearest = is_nearest && is_in_core;
        std::vector<double>& latencies_ns = by_name[nearness];
        latencies_ns.insert(latencies_ns.end(), cluster.begin(), cluster.end());
        moments += cluster.size();
    }
    std::vector<TransferMode> modes;
    for (const auto& [nearness, latencies_ns] : by_name)
        modes.push_back({.nearness = nearness,
                         .percent = 100 * static_cast<double>(latencies_ns.size()) / static_cast<double>(moments),
                         .latency_ns = median(latencies_ns)});
    return modes;
}

} // namespace

std::optional<MovedPairs> moved_pairs(std::span<const PairMoments> pairs) {
    const std::vector<Cluster> clusters = clusters_of(pairs);
    MovedPairs moved;
    for (const PairMoments& pair : pairs) {
        if (has_changed(pair, clusters))
            moved.changed.emplace_back(pair.reader, pair.owner);
    }
    if (moved.changed.empty())
        return std::nullopt;
    moved.modes = modes_of(clusters, pairs);
    return moved;
}

} // namespace memtest
