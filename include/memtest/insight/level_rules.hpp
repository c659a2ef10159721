#pragma once

namespace memtest {

/// The constants by which levels are told from what only looks like one. Each is a property of caches, of translation
/// or of memory chips, not of a set of curves; a test varies every one of them by a fifth either way.
struct LevelRules {
    /// The least ratio between the latencies of two neighbouring levels. Each level of translation adds 10 to 25 %, two
    /// of them at most 1.56; neighbouring caches differ by 2.5 and more where their latencies are published.
    double least_ratio = 1.6;

    /// What has no plateau of its own must stand out more: a TLB shoulder with the beginning of the next edge on top of
    /// it reaches 1.9.
    double least_foot_ratio = 2.1;

    /// What answers no faster than this is memory; caches outside the processor's chip answer in 50 to 60 ns. Behind it
    /// no cache follows but with a larger ratio than a page walk to memory can cause, which doubles each access.
    double most_cache_ns = 80;
    double least_ratio_beyond = 2.2;

    /// The least ratio between the capacities of two neighbouring levels. No cache is less than twice the one before
    /// it; one edge that uneven page colours spread out can be that wide.
    double least_capacity_ratio = 1.9;

    /// The least slope of log latency over log size at the steepest half doubling of an edge. The gentlest edge there
    /// can be, random replacement with the least ratio of 1.6, climbs by 0.47; a latency that creeps up inside a level
    /// (more page-table lines missing, a mesh) takes several doublings for the same rise.
    double least_slope = 0.4;

    /// A valley in the slope separates two edges when it is at most this share of the lower of the two peaks. Between
    /// two random-replacement edges a factor of four apart it is 0.2 to 0.35; inside one edge there is none but noise.
    double valley_share = 0.6;

    /// What exceeds the level below grows, inside one edge, ever more slowly on log scales (log-concave), whether the
    /// cache replaces at random, least-recently-used or thrashes page colour by page colour. A growth that gains this
    /// much again, in powers per doubling, is a second edge and what lies between a level without a plateau of its own.
    double second_edge_growth = 0.3;

    /// From which excess over the level below that growth is looked at: below, noise of some per cent decides it.
    double least_excess = 0.25;

    /// A size that lies this far above or below both its neighbours is a disturbance: noise stays below, and no
    /// physical effect touches one size only.
    double outlier = 0.15;

    /// Denser sweeps are condensed to this many points per doubling before edges are looked for: an edge takes half a
    /// doubling or more on a real machine, so nothing is lost and the noise is averaged out.
    double points_per_doubling = 4;

    /// Sweeps denser than this are condensed to half of it before anything else: they take long to fit and tell no
    /// more.
    double most_points_per_doubling = 40;

    /// Relative errors above this weigh in proportion in a fit, not squared (Huber 1964): somewhat more than the noise
    /// of a sweep, far less than an outlier.
    double plain_error = 0.05;

    /// No sweep is more exact than this, so fits that are cannot be told apart.
    double least_error = 0.01;

    /// By how much a fit must be better before page colours are believed to have spread an edge: with few points three
    /// numbers explain an edge no worse than two.
    double spread_gain = 0.15;

    /// Well inside a level are the sizes from this many times the cache before it...
    double inside_from = 2;
    /// (for memory from this many times, as the sweep can go far)
    double memory_from = 4;
    /// ...to the level's own capacity divided by this: page colours begin to run short from 0.75 of it.
    double inside_to = 1.5;

    /// How far the share of the lower levels may lift a latency above the highest that was measured on the level: on a
    /// plateau of two doublings random replacement leaves 15 to 22 % to lift, least recently used nothing.
    double most_lift = 0.12;

    /// A first cache is never as large as this, so a stride sweep that is flat up to here was prefetched.
    double flat_bytes = 1 << 20;

    /// A sweep has reached memory when it goes this many times beyond the last cache: even with random replacement at
    /// most an eighth of the accesses still hit.
    double memory_reach = 8;

    /// No memory chip answers a dependent access faster (activating a row and reading from it alone take 25 to 30 ns),
    /// so what is faster is a cache, or was prefetched.
    double least_memory_ns = 25;
};

} // namespace memtest
