#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/insight/model.hpp"

#include <span>

namespace memtest {

/// An edge fitted to a curve, and between which capacities fits are as good.
struct EdgeFit {
    CacheEdge edge;
    double least_capacity_bytes = 0;
    double most_capacity_bytes = 0;
};

/// Fits one edge of the model to the points on both sides of it, by robust least squares of the relative error:
///     latency = scale * below + step * miss share
/// @param below  for each point, what the levels up to this cache alone would make its latency
/// The capacity is looked for from `from_bytes` to `to_bytes`. Of the edges that are within one standard error of the
/// best an abrupt one wins, with the last size that still fits; else the one with the largest capacity, since page
/// colours and what else lies in a cache only ever make it look smaller.
[[nodiscard]] EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                               const LevelRules& rules);

} // namespace memtest
