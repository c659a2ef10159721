#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"

#include <span>

namespace memtest {

/// How accesses begin to miss a cache as the working set outgrows it.
struct CacheEdge {
    double capacity_bytes = 0;
    /// 0: least recently used, a cycle longer than the cache misses throughout. 1: random replacement. Real caches lie
    /// between the two, and page colours blur the rest.
    double random_share = 0;
    /// Lines or pages fall on the sets by chance, and a set holds this many of them: some sets overflow early, others
    /// late. So it is where a cache is indexed by physical addresses of small pages, or by a hash. 0: the sets fill
    /// evenly.
    int ways = 0;
    /// What random replacement keeps. False: lines in proportion to the capacity, as where they are visited at random
    /// times (several nodes on one). True: what a cycle that visits each line once finds again, a share of the lines
    /// h = exp(-(1 - h) N / C), half of them at N = 1.39 C.
    bool once_per_lap = false;
};

/// The share of the accesses that miss, in a cycle through every line of `size_bytes`.
[[nodiscard]] double miss_share(const CacheEdge& edge, double size_bytes);

/// An edge fitted to a curve, and the range of capacities that fit about as well (LevelRules::range_errors).
struct EdgeFit {
    CacheEdge edge;
    double least_capacity_bytes = 0;
    double most_capacity_bytes = 0;
    bool is_open = false; ///< too wide for a best estimate (LevelRules::most_open)
    /// A larger cache of two ways, whose page colours fill by chance, fits about as well.
    bool like_page_colours = false;
};

/// Fits one edge of the model to the points on both sides of it, by robust least squares of the relative error:
///     latency = scale * below + step * miss share
/// @param below the latency of each point if nothing missed this cache
/// The capacity is looked for from `from_bytes` to `to_bytes`. Among the edges within one standard error of the best an
/// abrupt one wins, with the last size that still fits. Without an abrupt one the largest capacity wins, since page
/// colours and other contents only make a cache look smaller.
[[nodiscard]] EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                               const LevelRules& rules);

} // namespace memtest
