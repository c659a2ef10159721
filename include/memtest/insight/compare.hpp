#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/latency_curve.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// The sizes on which the figure of one level rests, both ends included.
struct SizeRange {
    std::string name;
    double from_bytes = 0;
    double to_bytes = 0;
    bool open_ended = false; ///< the baselines do not show what lies behind it
};

enum class Verdict { no_difference, faster, slower, cannot_tell };

template<>
inline constexpr std::array<Word<Verdict>, 4> word_table<Verdict>{{{Verdict::no_difference, "no difference"},
                                                                   {Verdict::faster, "faster"},
                                                                   {Verdict::slower, "slower"},
                                                                   {Verdict::cannot_tell, "cannot tell"}}};

/// How a latency changed from the baselines to the latest sweep.
struct Change {
    double base_ns = 0;
    double latest_ns = 0;
    double change_percent = 0;
    double noise_percent = 0; ///< the largest rise that noise alone explains
    Verdict verdict = Verdict::no_difference;
};

struct SizeChange {
    int thread = 0;
    double size_bytes = 0;
    Change change;
};

struct LevelChange {
    int thread = 0;
    std::string name;
    std::size_t sizes = 0;    ///< that the figure rests on
    double largest_bytes = 0; ///< of these sizes
    Change change;
    bool lost = false;       ///< in the latest sweep the next level serves its sizes
    bool open_ended = false; ///< see SizeRange
};

/// Sizes of a thread that the baselines have and the latest sweep has not.
struct MissingSizes {
    int thread = 0;
    double from_bytes = 0; ///< the smallest of them
    double to_bytes = 0;   ///< the largest
    std::size_t sizes = 0;
    std::vector<std::string> levels{}; ///< those that lost all of their sizes
};

struct Comparison {
    std::vector<SizeChange> sizes;   ///< those in common, by thread and size
    std::vector<LevelChange> levels; ///< by thread, then as given; only those with a size in common
    double tolerance_percent = 0;
    std::size_t sizes_in_all = 0;        ///< that any of the sweeps has, counted per thread
    std::vector<MissingSizes> missing;   ///< one per thread that lacks any
    std::vector<std::string> incomplete; ///< why rows may be missing, for each sweep where they may
    bool enough_in_common = false;
    bool capacity_shrunk = false; ///< neighbouring sizes are slower, and no level is slower or lost
    Verdict verdict = Verdict::cannot_tell;
};

/// So many neighbouring sizes must differ in one direction to count when no level does: one disturbance on a shared
/// machine covers one size or two.
inline constexpr std::size_t neighbours_that_count = 4;

/// So many neighbouring sizes that are slower, where no level is, hint at a cache that holds less: of one that holds
/// half as much they are two, at two sizes per doubling.
inline constexpr std::size_t neighbours_that_hint = 2;

/// Judges the latest sweep against one or more of the same machine, size by size and level by level.
///
/// The change of a size is the logarithm of its latency over the median of the baselines'. That of a level is the
/// median of its sizes' changes (of two middle ones the one nearer to zero), so that outliers do not move it.
///
/// It counts when it exceeds the tolerance and also the noise, t * s. Here t is the quantile of Student's t that chance
/// exceeds at any level, or at any size, in 2 of 100 comparisons (Bonferroni), and s^2 is the variance of the change.
/// Baselines are few, so the variance between them (for a level: of its median changes from run to run, as its sizes
/// are disturbed together) is moderated by what the runs say about themselves, LogPoint::noise: with the one as s1^2
/// and the other as s0^2, s^2 = (d0 s0^2 + d s1^2) / (d0 + d), d = baselines that share rows - 1, and t has d0 + d
/// degrees of freedom.
/// Source: Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
/// experiments, Stat. Appl. Genet. Mol. Biol. 3(1), 2004. With one baseline s0 is all there is. What the sizes of a
/// level disagree about its change by is noise, too: its s^2 also has the variance of their median.
///
/// The whole is slower when a level of two sizes or more is. It cannot be told when the sweeps share less than half of
/// their sizes or less than four; when one of them is incomplete, as what was measured then may have been cut short,
/// too; when the baselines have a size that the latest sweep has not; when at a level a rise exceeds the tolerance but
/// not the noise, or the noise would hide four times the tolerance, or the one size that the sweeps have of it is
/// slower; and when a cache may hold less than it did: a level is lost, its latency having come more than half the way
/// to that of what lies behind it (at twice its own or more, or not known), or `neighbours_that_hint` neighbouring
/// sizes of a thread are slower and no level is. On a shared machine others take a cache's capacity for seconds, which
/// no run's batches tell from its loss; its latency they leave alone. Without levels the sizes decide: slower when
/// `neighbours_that_count` neighbours are, not to be told when most sizes are not. A fall within the noise is no
/// difference: noise only adds time, so the baselines had more of it.
///
/// @param levels where the baselines' levels lie; when empty, the sizes alone decide
/// @param incomplete why rows may be missing, for each sweep where they may
[[nodiscard]] Comparison compare_sweeps(std::span<const std::vector<SizeFigure>> baselines,
                                        std::span<const SizeFigure> latest, std::span<const SizeRange> levels,
                                        double tolerance_percent = 5, std::vector<std::string> incomplete = {});

} // namespace memtest
