#pragma once

#include "memtest/insight/figure_change.hpp"

#include <span>
#include <vector>

namespace memtest {

/// The weight, in runs, of the floor of noise against the scatter between several baselines (Smyth's d0: Linear models
/// and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), 2004).
inline constexpr double floor_weight = 6;

/// The largest change, in percent, that noise may hide of a figure; with more noise it is not compared.
[[nodiscard]] double most_hidden_percent(const FigureChange& change, double tolerance_percent);

/// Compares the figures of the latest run with those of one or more baselines, paired by part and name.
///
/// The change is from the median of the baselines to the latest value; of a figure with several readings, that of the
/// middle reading. Its noise is three standard deviations of the change, of memory at least half the distance between
/// the quartiles of its readings' changes. A side's own is the larger of what its run shows and the quantity's floor,
/// which the scatter between several baselines moderates. `worse` exceeds the tolerance and the noise; figures whose
/// noise would hide four times the tolerance (but for levels that changed by more than twice their noise), in doubt, or
/// missing are `cannot tell`. A cache is gone if its latency comes nearer to that of the level behind it than to its
/// own. A change is explained by the sweep at the figure's size, if that changed alike, or by its cause: a cache that
/// is gone, or holds less, while the latency of the next level rises by no more than a quarter, since its first sizes
/// miss more.
/// @return in the order of the latest figures, then those that only baselines have
[[nodiscard]] std::vector<FigureChange> compare_figures(std::span<const std::vector<Figure>> baselines,
                                                        std::span<const Figure> latest, double tolerance_percent);

} // namespace memtest
