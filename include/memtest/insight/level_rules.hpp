#pragma once

namespace memtest {

/// The constants that distinguish levels from what looks like one. Each is a property of caches, of translation or of
/// memory chips, not of a set of curves; a test varies each by a fifth in both directions.
struct LevelRules {
    /// The min ratio between the latencies of two neighbouring levels. Each level of translation adds 10 to 25 %, two
    /// of them at most 1.56; neighbouring caches differ by at least 2.5 according to published latencies.
    double least_ratio = 1.6;

    /// A cache that the system reports needs less to stand out: more than a level of translation adds.
    double least_reported_ratio = 1.3;

    /// A level without a plateau must stand out more: a TLB shoulder with the beginning of the next edge on top of it
    /// reaches 1.9.
    double least_foot_ratio = 2.1;

    /// A level at least this slow is memory; caches outside the processor's chip answer in 50 to 60 ns. A cache follows
    /// it only with a larger ratio than page walks to memory can cause: with two accesses, and with a third in small
    /// pages on old processors.
    double most_cache_ns = 80;
    double least_ratio_beyond = 2.2;
    double least_ratio_beyond_walks = 3.5;

    /// The min ratio between the capacities of two neighbouring levels. No cache is less than twice the one before it.
    /// A single edge that uneven page colours spread can be that wide.
    double least_capacity_ratio = 1.9;

    /// The min slope of log latency over log size at the steepest half doubling of an edge. The gentlest possible edge,
    /// random replacement with the min ratio of 1.6, climbs by 0.47. A latency that creeps up inside a level (more
    /// page-table lines missing, a mesh) takes several doublings for the same rise.
    double least_slope = 0.4;

    /// A valley in the slope separates two edges if it is at most this share of the lower of the two peaks. Between two
    /// random-replacement edges a factor of four apart it is 0.2 to 0.35; inside one edge there is only noise.
    double valley_share = 0.6;

    /// At this many doublings below the size at which it misses half, a cache misses at most this share, with any
    /// replacement and page colours. A rise that has climbed more by then hides a level.
    double knee_doublings = 1.5;
    double quiet_share = 0.02;

    /// This share is enough to suspect a level even if there is no place to split the rise.
    double doubtful_share = 0.005;

    /// The most that a hit in the second-level TLB adds, as a multiple of the L1 latency: 9 cycles against 4. No cache
    /// after L2 is that near to it.
    double most_tlb_step = 2.2;

    /// No data cache is smaller.
    double least_cache_bytes = 1 << 10;

    /// In pages of 4 KiB a first TLB ends here (32 to 96 entries). What misses it and hits the second one, or is walked
    /// for in the first cache, takes up to 24 cycles more, against 4 of an L1 latency. Where the level goes on to an
    /// end of its own, no further than an L2 may reach, such a step is taken for the TLB's.
    double first_tlb_from_bytes = 100 << 10;
    double first_tlb_to_bytes = 490 << 10;
    double most_first_tlb_step = 6;
    double most_l2_bytes = 4 << 20;

    /// A second TLB ends here (1024 to 2048 entries), where the last cache may go on.
    double second_tlb_from_bytes = 3.2 * (1 << 20);
    double second_tlb_to_bytes = 10 << 20;

    /// A step of this ratio between two plateaus makes the level doubtful that both are taken for.
    double doubtful_ratio = 1.3;

    /// A level that begins below this is within reach of the first-level TLB (96 entries of 4 KiB at most), whose step
    /// may be at the foot of the next rise.
    double tlb_reach_bytes = 512 << 10;

    /// The part of page walks at the foot of a later rise, as a share of the latency below: about half of the 10 to 25
    /// % of a level of translation.
    double early_walks = 0.1;

    /// A size this far above or below both its neighbours is a disturbance: noise stays below, and no physical effect
    /// touches one size only.
    double outlier = 0.15;

    /// A size this far above a larger one was disturbed: latency never falls with size, and the noise of two sizes
    /// together stays below.
    double most_fall = 0.25;

    /// At this share of disturbed sizes, what they show may be anything.
    double many_disturbed = 0.2;

    /// Denser sweeps are condensed to this many points per doubling before the search for edges. A real edge takes half
    /// a doubling or more, so nothing is lost and the noise is averaged out.
    double points_per_doubling = 4;

    /// Sweeps denser than this are first condensed to half of it: they take long to fit and show no more.
    double most_points_per_doubling = 40;

    /// Relative errors above this weigh linearly in a fit, not squared (Huber 1964): somewhat more than the noise of a
    /// sweep, far less than an outlier. A size this far above a level has left it.
    double plain_error = 0.05;

    /// No sweep is more accurate than this, so better fits cannot be told apart.
    double least_error = 0.01;

    /// Only the sizes that repeat to least_error give the latency of a level, if they are at least three and this share
    /// of all. In pages of 4 KiB the end of the first TLB and the first misses of L2 lift up to five of nine sizes
    /// inside it.
    double least_repeated = 0.5;
    double least_repeated_between = 0.4; ///< of a cache between the first one and memory

    /// If more repeat as they were measured, and over this ratio of sizes, the levels below serve none of them: the
    /// share that they serve falls with the size, so one of about 2 % would change the latency by more than
    /// least_error.
    double least_flat = 2.8;

    /// The range of a capacity includes every edge that fits the curve within this many standard errors of the best:
    /// 98.8 % of normal errors.
    double range_errors = 2.5;

    /// If the capacities of fits within this many standard errors of the best are further apart than this ratio, none
    /// of them is the best estimate.
    double open_errors = 1.5;
    double most_open = 1.5;

    /// A fit with sets that fill unevenly must be better by this share: with few points three parameters explain an
    /// edge no worse than two.
    double uneven_gain = 0.12;

    /// The factor by which the standard error of such a fit is enlarged. In a cache of four ways, sets overflow from a
    /// third of its capacity on; one more or less than expected puts the true fit at 5 to 6 standard errors.
    double uneven_errors = 2.5;

    /// A cache of at most so many ways that fill unevenly begins to miss so early (2 % at 0.26 of its capacity with
    /// four, at 0.57 with sixteen) that its plateau has misses of its own: its latency comes from the fit. Only dense
    /// sweeps are fitted with so few.
    double few_ways = 8;

    /// Caches of 4 and 8 ways that fill unevenly spread their edge over a doubling. Only sweeps denser than this
    /// distinguish that from another replacement.
    double dense_points_per_doubling = 2.5;

    /// Sizes are well inside a level from this many times the cache before it...
    double inside_from = 2;
    /// (for memory from this many times, as the sweep can go far)
    double memory_from = 4;
    /// ...to the level's own capacity divided by this: page colours begin to run short from 0.75 of it.
    double inside_to = 1.5;

    /// The min and the ample ratio of neighbouring capacities for a sure latency. Below the min their edges overlap.
    /// Below the ample one the levels below still serve as much as the correction takes away.
    double least_room = 4;
    double ample_room = 6;

    /// From this ratio of neighbouring latencies on, no shoulder is mistaken for a level: published latencies of caches
    /// differ by this and more.
    double ample_ratio = 2.5;

    /// The first or the last cache may hide another one after it if a level this many times slower, or memory, follows,
    /// and the rise from a twentieth to a half takes this many doublings and a quarter of a step of the sweep. Random
    /// replacement takes 0.4 to 0.9.
    double clear_ratio = 8;
    double long_foot = 0.9;

    /// No capacity is sure if its range reaches this many doublings above the best estimate, a step of the sweep apart.
    double sure_range = 0.5;

    /// The most that a latency may be corrected above the highest measured on its level, for the share of the levels
    /// below. On a plateau of two doublings random replacement requires 15 to 22 %, least recently used nothing.
    double most_lift = 0.12;

    /// No L1 cache is this large, so a stride sweep that is flat up to here was prefetched.
    double flat_bytes = 1 << 20;

    /// A sweep has reached memory when it goes this many times beyond the last cache: even with random replacement at
    /// most an eighth of the accesses still hit.
    double memory_reach = 8;

    /// A walk by stride with a level larger than this before memory is prefetched: few caches are as large.
    double most_strided_bytes = 64 << 20;

    /// No memory chip answers a dependent access faster (activating a row and reading from it alone take 25 to 30 ns).
    /// A faster level is a cache, or was prefetched.
    double least_memory_ns = 25;
};

/// The rules for a sweep whose translation was kept out or subtracted. A quarter of its cost stays: one of the 64 lines
/// of a page still misses the TLBs and may need a long walk, and the subtracted cost is no more accurate.
[[nodiscard]] constexpr LevelRules without_translation(LevelRules rules = {}) {
    rules.most_tlb_step /= 4;
    rules.most_first_tlb_step /= 4;
    rules.least_ratio_beyond_walks = rules.least_ratio_beyond;
    rules.early_walks /= 4;
    return rules;
}

} // namespace memtest
