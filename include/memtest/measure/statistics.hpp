#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <span>
#include <vector>

namespace memtest {

/// How many standard deviations of a change are taken for noise: in comparisons, under load, and of huge pages.
inline constexpr double deviations = 3;

/// The figure over batches for a latency column. In a core's own caches disturbances only add time, so the min is the
/// best estimate of the undisturbed latency. Median and mean show what a program would see.
enum class Estimate { min, median, mean };

template<>
inline constexpr std::array<Word<Estimate>, 3> word_table<Estimate>{
    {{Estimate::min, "min"}, {Estimate::median, "median"}, {Estimate::mean, "mean"}}};

/// Figures over batches. Each batch is a mean over many accesses: a percentile here is one of batches, not of accesses.
struct Summary {
    double min = 0;
    double median = 0;
    double mean = 0;
    double spread_percent = 0; ///< interquartile range, in percent of the median
};

/// @param batches at least one
[[nodiscard]] Summary summarize(std::span<const double> batches);

[[nodiscard]] double estimate_of(const Summary& summary, Estimate estimate);

/// The quantile (0 to 1) of ascending values, interpolated between neighbours.
[[nodiscard]] double quantile(std::span<const double> sorted, double fraction);

/// @param values not empty
[[nodiscard]] double mean_of(std::span<const double> values);

/// @param values in any order, not empty
[[nodiscard]] double median(std::vector<double> values);

/// Whether the batches fall into two groups. They do if the widest gap between neighbouring values is wider than either
/// group and than 5 % of the lower one, and each group holds at least a fifth of the batches. False below ten batches.
[[nodiscard]] bool is_bimodal(std::span<const double> batches);

} // namespace memtest
