#pragma once

#include "memtest/measure/statistics.hpp"

#include <optional>
#include <span>

namespace memtest {

/// What the visits to a size say together.
struct Agreement {
    double figure = 0;                            ///< of the size
    std::optional<double> percent = std::nullopt; ///< how far the visits disagree; none where there are too few
    bool is_settled = false;                      ///< they agree to the percent asked for
};

/// What visits agree on to within `percent`:
/// - min: the lowest figure that repeats, the smallest that two others confirm to within `percent`. Where disturbances
///   only add that is the smallest of all. In a cache that is shared and in memory they also take away, and a figure
///   that stands alone is an accident: of eight, one may lie below. Where no three agree, the second smallest.
/// - median: their median. They disagree by half the 95 % confidence interval between order statistics (Le Boudec,
///   "Performance Evaluation of Computer and Communication Systems", EPFL Press 2010, theorem 2.1, with the exact
///   binomial ranks). It needs no shape of the distribution, and exists from six figures on.
/// - mean: their mean. They disagree by half the 95 % confidence interval of Student's t, from three figures on.
/// @param figures the estimate of each visit, at least one
[[nodiscard]] Agreement agreement_of(std::span<const double> figures, Estimate estimate, double percent);

/// About how many figures in all it takes until they agree to within `percent`, as those so far scatter; nothing where
/// too few tell.
[[nodiscard]] std::optional<double> figures_needed(std::span<const double> figures, Estimate estimate, double percent);

/// The fewest visits that can agree.
[[nodiscard]] unsigned fewest_visits(Estimate estimate);

} // namespace memtest
