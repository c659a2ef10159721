#pragma once

#include <span>

namespace memtest {

/// How accesses begin to miss a cache as the working set outgrows it.
struct CacheEdge {
    double capacity_bytes = 0;
    /// 0: least recently used, a cycle longer than the cache misses throughout. 1: random replacement. Real caches lie
    /// between the two, and page colours blur the rest.
    double random_share = 0;
    /// The standard deviation, in doublings, of the capacities of a cache's parts. Physically indexed caches fill
    /// unevenly, since pages fall on their colours by chance, so each part acts as a cache of its own.
    double spread = 0;
    /// What random replacement keeps. False: lines in proportion to the capacity, as where they are visited at random
    /// times (several nodes on one). True: what a cycle that visits each line once finds again, a share of the lines
    /// h = exp(-(1 - h) N / C), half of them at N = 1.39 C.
    bool once_per_lap = false;
};

/// The share of the accesses that miss, in a cycle through every line of `size_bytes`.
[[nodiscard]] double miss_share(const CacheEdge& edge, double size_bytes);

/// A cache of the model.
struct ModelCache {
    CacheEdge edge;
    double latency_ns = 0;
};

/// The expected latency of one access in a cycle through `size_bytes`. It is that of the first level, plus at each
/// cache's edge the step to the next level for the share of the accesses that miss. With random replacement that is
///     E(N) = ( s_1 l_1 + (s_2 - s_1) l_2 + ... + (N - s_k) l_m ) / N
/// and with least recently used the latency of the first level that holds the whole cycle. Assumes capacities in
/// ascending order, one line size, and no cost of translation.
[[nodiscard]] double modelled_latency_ns(std::span<const ModelCache> caches, double memory_ns, double size_bytes);

} // namespace memtest
