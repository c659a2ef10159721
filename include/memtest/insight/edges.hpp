#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"

#include <vector>

namespace memtest {

/// Where a curve leaves one level for the next.
struct Edge {
    double from_bytes = 0;       ///< the last size that lies on the level before it
    double to_bytes = 0;         ///< the first size that lies on the level after it
    bool ends_in_foot = false;   ///< the level after it has no plateau of its own; it is the foot of the next edge
    bool may_hide_level = false; ///< longer than a single cache causes, without enough to split it
    bool follows_step = false;   ///< the level before it is two plateaus, too near each other for levels
    bool is_reported = false;    ///< only taken for an edge since the system reports a cache that ends here
};

/// Finds the edges of a curve, in ascending order. Edges are rises of log latency over log size. Two are separate if a
/// valley of the slope lies between them, or if a rise begins earlier than that of one cache can (see LevelRules).
/// Rises too small or too slow for an edge (TLB and page-colouring shoulders, creep, noise) belong to their level.
/// @param curve without disturbances, condensed to LevelRules::points_per_doubling
[[nodiscard]] std::vector<Edge> find_edges(Curve curve, const LevelRules& rules);

} // namespace memtest
