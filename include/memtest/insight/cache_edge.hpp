#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"

#include <span>

namespace memtest {

/// How accesses begin to miss a cache as the working set outgrows it.
struct CacheEdge {
    double capacity_bytes = 0;
    /// 0: least recently used; a cycle longer than the cache always misses. 1: random replacement. Real caches lie
    /// between the two, and page colours blur the edge further.
    double random_share = 0;
    /// Number of lines or pages that a set holds, if they fall on the sets by chance, so that some sets overflow early
    /// and others late: the case for a cache indexed by physical addresses of small pages, or by a hash. 0: the sets
    /// fill evenly.
    int ways = 0;
    /// What random replacement keeps. False: lines in proportion to the capacity, as if they are visited at random
    /// times (several nodes on one line). True: a cycle that visits each line once finds a share h = exp(-(1 - h) N /
    /// C) of the lines again, half of them at N = 1.39 C.
    bool once_per_lap = false;
};

/// The share of the accesses that miss, in a cycle through every line of `size_bytes`.
[[nodiscard]] double miss_share(const CacheEdge& edge, double size_bytes);

/// An edge fitted to a curve, and the range of capacities that fit about as well (LevelRules::range_errors).
struct EdgeFit {
    CacheEdge edge;
    double least_capacity_bytes = 0;
    double most_capacity_bytes = 0;
    double scale = 1;     ///< the factor on the latency before it that fits best
    bool is_open = false; ///< too wide for a best estimate (LevelRules::most_open)
    /// A larger two-way cache whose page colours fill by chance fits about as well.
    bool like_page_colours = false;
};

/// Fits one edge of the model to the points on both sides of it, by robust least squares of the relative error:
///     latency = scale * below + step * miss share
/// @param below the latency of each point if nothing missed this cache
/// Searches the capacity from `from_bytes` to `to_bytes`. Among the edges within one standard error of the best, an
/// abrupt one is preferred, with the last size that still fits. If none is abrupt, the largest capacity is, since page
/// colours and other contents only make a cache look smaller. If all fill unevenly, and the sweep is dense, the best
/// fit of the mean capacity is, which weighs all that fill unevenly by how well they fit.
[[nodiscard]] EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                               const LevelRules& rules);

} // namespace memtest
