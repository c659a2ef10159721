#pragma once

#include "memtest/measure/statistics.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace memtest {

/// What the visits to a size show together.
struct Agreement {
    double figure = 0;                            ///< of the size
    std::optional<double> percent = std::nullopt; ///< how far the visits disagree; std::nullopt if they are too few
    bool is_settled = false;                      ///< they agree to the requested percent
};

/// What visits agree on to within `percent`:
/// - min: the lowest figure that repeats, the smallest that two others confirm to within `percent`. In a core's own
///   caches disturbances only add, and that is the smallest of all. In a shared cache and in memory they also take
///   away, and a figure that stands alone is an accident: of eight, one may lie below. If no three agree, the second
///   smallest.
/// - median: their median. They disagree by half the 95 % confidence interval between order statistics (Le Boudec,
///   "Performance Evaluation of Computer and Communication Systems", EPFL Press 2010, theorem 2.1, with the exact
///   binomial ranks). It needs no shape of the distribution, and exists from six figures on.
/// - mean: their mean. They disagree by half the 95 % confidence interval of Student's t, from three figures on.
/// @param figures the estimate of each visit, at least one
[[nodiscard]] Agreement agreement_of(std::span<const double> figures, Estimate estimate, double percent);

/// The min number of visits that can agree.
[[nodiscard]] unsigned fewest_visits(Estimate estimate);

/// Two latencies of one size: from moments at which a shared cache held the lines, and from moments at which other
/// processes or guests had taken part of it.
struct LatencyBand {
    double low_ns = 0;
    double high_ns = 0;
};

/// The least ratio between two groups of latencies of one size. A choice: noise alone stays far below it.
inline constexpr double contention_ratio = 1.5;

/// The medians of the two groups that figures fall into where the ratio between neighbours is widest. std::nullopt if
/// that ratio is contention_ratio or less, or if half of the lower group agrees to within 2 %: caches of the core's own
/// repeat so, and there the higher group is a disturbance.
/// @param fewest figures that make a group
[[nodiscard]] std::optional<LatencyBand> contention_in(std::span<const double> figures, std::size_t fewest);

} // namespace memtest
