#pragma once

#include "memtest/insight/level.hpp"
#include "memtest/insight/level_search.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The caches in ascending order of their levels. Empty if they cannot be a hierarchy, as some hypervisors and
/// firmwares report: a level twice, or one no larger than the one before it.
[[nodiscard]] std::vector<ReportedCache> plausible_caches(std::span<const ReportedCache> reported);

/// Why a sweep does not show a cache that the system reports, and what would show it.
enum class Unseen {
    sweep_too_short, ///< it ends before eight times the cache: a larger --max-size
    too_near,        ///< to another cache: less than three times as large, so one lacks a plateau: --points 8
    no_trace,        ///< it is not there for one thread, or shared
};

template<>
inline constexpr std::array<Word<Unseen>, 3> word_table<Unseen>{{{Unseen::sweep_too_short, "sweep_too_short"},
                                                                 {Unseen::too_near, "too_near_to_last"},
                                                                 {Unseen::no_trace, "no_trace"}}};

/// @param cache that was not found @param reported all of them, in any order @param largest_bytes of the sweep
/// @param sizes_per_doubling of the sweep
[[nodiscard]] Unseen why_unseen(const ReportedCache& cache, std::span<const ReportedCache> reported,
                                double largest_bytes, double sizes_per_doubling);

/// Pairs the found caches with the reported ones, in ascending order, with the least total difference of their sizes as
/// factors. A cache on either side may stay unpaired, and does if the sizes differ sixteen-fold, if it holds far more
/// than is reported, or if it is as slow as memory.
/// @param reported ascending @return one for each found cache
[[nodiscard]] std::vector<std::optional<ReportedCache>>
pair_with_reported(std::span<const Level> found, std::span<const ReportedCache> reported, const LevelRules& rules = {});

/// Searches again with what the system reports: drops levels that are not reported and not sure, and takes gentler
/// rises for edges where a reported cache ends, unless the sweep is strided.
/// @param reported ascending; empty: nothing is done
void weigh_reported(FoundLevels& found, const SearchedCurve& curve, std::span<const ReportedCache> reported,
                    bool is_strided);

/// Numbers the levels, and notes what the system reports of each, and which reported caches the curve does not show. A
/// capacity whose range holds the reported size becomes that, and surer by a step. A level that only disturbed sizes
/// carry beyond its reported size ends there and is of low confidence. @param reported ascending
void note_reported(Hierarchy& hierarchy, Curve curve, std::span<const ReportedCache> reported, const LevelRules& rules);

/// Page colours, code and page tables take up to a third of a thread's own cache; less of it has another reason.
inline constexpr double own_share = 0.6;

/// One thread gets less than own_share of the reported size: the cache is shared or partitioned, or the size is that of
/// a virtual machine's host.
[[nodiscard]] bool is_much_smaller(const Level& level);

} // namespace memtest
