#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/insight/model.hpp"

#include <span>

namespace memtest {

/// An edge fitted to a curve, and the range of capacities that fit about as well (LevelRules::range_errors).
struct EdgeFit {
    CacheEdge edge;
    double least_capacity_bytes = 0;
    double most_capacity_bytes = 0;
    bool is_open = false; ///< too wide for a best estimate (LevelRules::most_open)
    /// A larger cache of two ways, whose page colours fill by chance, fits about as well.
    bool like_page_colours = false;
};

/// Fits one edge of the model to the points on both sides of it, by robust least squares of the relative error:
///     latency = scale * below + step * miss share
/// @param below the latency of each point if nothing missed this cache
/// The capacity is looked for from `from_bytes` to `to_bytes`. Among the edges within one standard error of the best an
/// abrupt one wins, with the last size that still fits. Without an abrupt one the largest capacity wins, since page
/// colours and other contents only make a cache look smaller.
[[nodiscard]] EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                               const LevelRules& rules);

} // namespace memtest
