#pragma once

#include "memtest/insight/change.hpp"
#include "memtest/insight/latency_curve.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// The sizes that the figure of one level comes from, both ends included.
struct SizeRange {
    std::string name;
    double from_bytes = 0;
    double to_bytes = 0;
    bool open_ended = false; ///< the baselines do not show the level after it
};

struct SizeChange {
    int thread = 0;
    double size_bytes = 0;
    Change change;
    bool contested = false; ///< so it cannot be told
};

struct LevelChange {
    int thread = 0;
    std::string name;
    std::size_t sizes = 0;    ///< that the figure comes from
    double largest_bytes = 0; ///< of all its sizes
    Change change;
    bool lost = false;         ///< in the latest sweep the next level serves its sizes
    bool open_ended = false;   ///< see SizeRange
    double smallest_bytes = 0; ///< of all its sizes
    bool contested = false;    ///< most of its sizes are, or all but one, so it cannot be told
    bool far_slower = false;   ///< by more than three times its noise, and the tolerance
};

/// Sizes of a thread that one sweep has and another lacks, so that they are not compared.
struct MissingSizes {
    int thread = 0;
    double from_bytes = 0; ///< the smallest of them
    double to_bytes = 0;   ///< the largest
    std::size_t sizes = 0;
    std::vector<std::string> levels{}; ///< those without any size left to compare
    bool of_baseline = false;          ///< a baseline lacks them; else the latest sweep does
};

struct Comparison {
    std::vector<SizeChange> sizes;   ///< those in every sweep, by thread and size
    std::vector<LevelChange> levels; ///< by thread, then as given; only those with a size in common
    double tolerance_percent = 0;
    std::size_t sizes_in_all = 0;        ///< in any of the sweeps, counted per thread
    std::vector<MissingSizes> missing;   ///< by thread
    std::vector<std::string> incomplete; ///< why rows may be missing, for each sweep with that doubt
    std::string disturbance;             ///< of the latest sweep as a whole; empty: none
    std::vector<std::string> disturbed;  ///< disturbed baselines, if there are enough of them to hide a rise
    std::vector<std::string> unrecorded; ///< sweeps that do not record what disturbed them
    std::vector<std::string> unnamed;    ///< baselines of which it is not known that they share the latest's machine
    std::string latest;                  ///< the name of the latest sweep
    bool enough_in_common = false;
    bool capacity_shrunk = false; ///< neighbouring sizes are slower, and no level is slower or lost
    bool lacks_rows = false;      ///< a sweep is incomplete, or too much is missing in one
    Verdict verdict = Verdict::cannot_tell;

    /// Whether a verdict of `cannot tell` has no other reason than noise: nothing is missing, no level is far slower,
    /// no capacity has shrunk, the baselines hide no rise, and no level is lost but to others that are known to have
    /// used the machine.
    [[nodiscard]] bool only_noisy() const {
        return !lacks_rows && !capacity_shrunk && disturbed.empty() &&
               std::ranges::none_of(levels, &LevelChange::far_slower) &&
               (!disturbance.empty() || std::ranges::none_of(levels, &LevelChange::lost));
    }
};

/// If no level differs, this many neighbouring sizes must differ in one direction to count. One disturbance on a shared
/// machine covers one size or two.
inline constexpr std::size_t neighbours_that_count = 4;

/// If no level is slower, this many neighbouring slower sizes hint at a cache that holds less. At two sizes per
/// doubling, halving a cache makes two sizes slower.
inline constexpr std::size_t neighbours_that_hint = 2;

/// Compares the latest sweep with one or more of the same machine, size by size and level by level.
///
/// The change of a size is the logarithm of its latency over the median of the baselines'. The change of a level is the
/// median of its sizes' changes (of two middle ones the one nearer to zero), so that outliers do not move it. Its noise
/// is taken by the same median. A size that is too noisy for a plateau is taken for the edge of a cache: in the latest
/// sweep or in the median of the baselines its visits disagree by more than 10 % (without visits: the median of its
/// batches is 17 % above the min). It does not count for its level if at least two others, and half of all, do.
///
/// Changes are judged by ChangeJudge, those of levels together and those of sizes together, with LogPoint::noise as
/// what the runs suggest. For a level, the variance between baselines is that of its median change from run to run,
/// since its sizes are disturbed together. Its noise also includes the variance of the median of its sizes' changes.
///
/// The whole is slower if a level of two sizes or more is. Without levels it is slower if `neighbours_that_count`
/// neighbouring sizes are. A fall within the noise is no difference: noise only adds time, so the baselines had more of
/// it. `cannot tell` takes precedence over `slower` if
/// - the sweeps share less than half of their sizes, or less than four;
/// - a sweep is incomplete, since its rows may have been cut short, too;
/// and otherwise applies if
/// - a baseline has a size that the latest sweep lacks;
/// - a baseline lacks a level, or a tenth of all sizes;
/// - at a level a rise exceeds the tolerance but not the noise, or the noise would hide four times the tolerance, or
///   the only shared size is slower (without levels: when most sizes cannot be told), or most of its sizes are
///   contested, or all but one;
/// - a level is lost: its latency has come more than half the way to that of the level behind it, which is at least
///   twice its own or not known;
/// - `neighbours_that_hint` neighbouring sizes of a thread are slower, and no level is: a cache may hold less. On a
///   shared machine others take a cache's capacity for seconds without changing its latency. A run's batches cannot
///   distinguish that from a loss.
///
/// @param levels the sizes of the baselines' levels; if empty, only the sizes decide
/// @param incomplete why rows may be missing, for each sweep where they may
[[nodiscard]] Comparison compare_sweeps(std::span<const std::vector<SizeFigure>> baselines,
                                        std::span<const SizeFigure> latest, std::span<const SizeRange> levels,
                                        double tolerance_percent = 5, std::vector<std::string> incomplete = {});

/// Withdraws conclusions that others may have caused by using the machine during a sweep. They make it slower, not
/// faster. So `slower` becomes `cannot tell` if they disturbed the latest sweep. All other verdicts do if they
/// disturbed half of the baselines or more, whose median may then be too slow.
/// @param latest what disturbed it as a whole; empty: nothing @param disturbed the names of disturbed baselines
/// @param baselines how many there are
void take_back_disturbed(Comparison& comparison, std::string latest, std::vector<std::string> disturbed,
                         std::size_t baselines);

/// Keeps levels far slower only if they were so in an earlier comparison of the same sweeps, too: what recurs in every
/// measurement is not noise, whoever else used the machine.
void keep_far_slower(Comparison& comparison, const Comparison& before);

/// The sizes in bytes that may settle the verdict if measured again: those of levels that are slower or cannot be told,
/// and single sizes that are slower (without levels: or cannot be told). Empty if rows are missing.
[[nodiscard]] std::set<double> sizes_in_doubt(const Comparison& comparison);

} // namespace memtest
