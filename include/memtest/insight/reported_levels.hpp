#pragma once

#include "memtest/insight/level.hpp"
#include "memtest/insight/level_search.hpp"

#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// Pairs the found caches with the reported ones, in ascending order, with the least total difference of their sizes as
/// factors. A cache on either side may stay unpaired, and does if the sizes differ sixteen-fold, if it holds far more
/// than is reported, or if it is as slow as memory.
/// @param reported ascending @return one for each found cache
[[nodiscard]] std::vector<std::optional<ReportedCache>>
pair_with_reported(std::span<const Level> found, std::span<const ReportedCache> reported, const LevelRules& rules = {});

/// Searches again with what the system reports: drops levels that are not reported and not sure, and takes gentler
/// rises for edges where a reported cache ends, unless the sweep is strided.
/// @param reported ascending; empty: nothing is done
void weigh_reported(LevelSearch& search, const SearchedCurve& curve, std::span<const ReportedCache> reported,
                    bool is_strided, const LevelRules& rules);

/// Numbers the levels, and notes what the system reports of each, and which reported caches the curve does not show. A
/// capacity whose range holds the reported size becomes that, and surer by a step. @param reported ascending
void note_reported(Hierarchy& hierarchy, Curve curve, std::span<const ReportedCache> reported, const LevelRules& rules);

/// Whether the range of the level's capacity holds the reported size.
[[nodiscard]] bool holds_reported(const Level& level);

/// One thread gets less than 0.6 of the reported size: the cache is shared or partitioned, or the size is that of a
/// virtual machine's host.
[[nodiscard]] bool is_much_smaller(const Level& level);

} // namespace memtest
