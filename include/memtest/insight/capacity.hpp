#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/insight/model.hpp"

#include <span>

namespace memtest {

/// Fits one edge of the model to the points on both sides of it, by robust least squares of the relative error:
///     latency = scale * below + step * miss share
/// @param below  for each point, what the levels up to this cache alone would make its latency
/// The capacity is looked for from `from_bytes` to `to_bytes`. Of the edges that are within one standard error of the
/// best an abrupt one wins, with the last size that still fits; else the one with the largest capacity, since page
/// colours and what else lies in a cache only ever make it look smaller.
[[nodiscard]] CacheEdge fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                                 const LevelRules& rules);

} // namespace memtest
