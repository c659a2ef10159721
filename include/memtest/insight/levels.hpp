#pragma once

#include "memtest/chain/cycle.hpp"
#include "memtest/insight/curve.hpp"
#include "memtest/insight/level.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/machine/processors.hpp"

#include <optional>
#include <vector>

namespace memtest {

/// What is known of a sweep besides its curve.
struct SweepFacts {
    std::optional<Order> order = std::nullopt;
    /// Whether it used pages of a few KiB, so that L1 may have page colours, and TLBs look like caches.
    std::optional<bool> small_pages = std::nullopt;
    std::vector<ReportedCache> caches = {}; ///< that the system reports, in any order
};

/// Infers the hierarchy from a latency curve. Finds the edges first (find_edges). Then the capacity of each level comes
/// from a fit of the model between abrupt and random replacement to its edge (fit_edge). The latencies come from the
/// sizes well inside each level, less the share of the accesses that the levels below still serve. A level without a
/// plateau takes its latency from its first size, and its capacity from the size at half the step to the next level. A
/// sweep that ends faster than memory ends in a last cache without an upper bound. Assumes one machine at one clock,
/// and a latency that never falls with size. Translation cost is part of the latencies.
/// Caches that the system reports are evidence: they decide what a level is called, which of several readings of a rise
/// is right, and what the capacity is if its range holds the reported size. A level that is not reported has to be
/// sure, and none is as slow as memory. Where the curve contradicts the report, the level has both sizes.
[[nodiscard]] Hierarchy infer_levels(Curve curve, const SweepFacts& sweep = {}, const LevelRules& rules = {});

/// Keeps the levels that end below the size from which on the prefetcher follows the stride, and drops memory.
void drop_prefetched(Hierarchy& hierarchy, double from_bytes);

} // namespace memtest
