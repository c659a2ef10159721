#pragma once

#include "memtest/measure/statistics.hpp"

#include <optional>
#include <span>

namespace memtest {

/// How far visits disagree about the estimate, in percent of it:
/// - min: the excess of the third smallest figure over the smallest;
/// - median: half the 95 % confidence interval between order statistics (Le Boudec, "Performance Evaluation of Computer
///   and Communication Systems", EPFL Press 2010, theorem 2.1, with the exact binomial ranks). It needs no shape of the
///   distribution, and exists from six figures on;
/// - mean: half the 95 % confidence interval of Student's t, from three figures on.
/// Nothing where there are too few. @param figures the estimate of each visit
[[nodiscard]] std::optional<double> disagreement_percent(std::span<const double> figures, Estimate estimate);

/// Whether visits agree on the estimate to within `percent`.
[[nodiscard]] bool is_settled(std::span<const double> figures, Estimate estimate, double percent);

/// The fewest visits that can agree.
[[nodiscard]] unsigned fewest_visits(Estimate estimate);

} // namespace memtest
