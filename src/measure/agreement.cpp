#include "memtest/measure/agreement.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace memtest {
namespace {

constexpr std::size_t figures_that_agree = 3;
constexpr std::size_t figures_per_accident = 8;

/// How far apart the three values from this index on are.
double excess_percent(const std::vector<double>& values, std::size_t first) {
    return 100 * (values[first + figures_that_agree - 1] / values[first] - 1);
}

Agreement lowest_that_repeats(const std::vector<double>& values, double percent) {
    if (values.size() < figures_that_agree)
        return {.figure = values.front()};
    const std::size_t accidents = std::min(values.size() / figures_per_accident, values.size() - figures_that_agree);
    for (std::size_t first = 0; first <= accidents; ++first) {
        const double excess = excess_percent(values, first);
        if (excess <= percent)
            return {.figure = values[first], .percent = excess, .is_settled = true};
    }
    return {.figure = values[1], .percent = excess_percent(values, 0)};
}

/// The number of n sorted values to leave out at either end, so that the others still enclose the median with a
/// probability of 95 %. Each value lies below it with a probability of one half; n is at least 6.
std::size_t outside_median_interval(std::size_t n) {
    constexpr std::size_t as_good_as_normal = 1000; // 2^-n is still a number up to here
    if (n > as_good_as_normal)
        return static_cast<std::size_t>((static_cast<double>(n) - 1.96 * std::sqrt(static_cast<double>(n))) / 2);
    std::size_t below = 0;
    double exactly = std::exp2(-static_cast<double>(n)); // the probability that `below` values lie below
    double at_most = exactly;
    while (true) {
        exactly *= static_cast<double>(n - below) / static_cast<double>(below + 1);
        at_most += exactly;
        if (at_most > 0.025)
            return below;
        ++below;
    }
}

double disagreement_on_median(const std::vector<double>& values) {
    const std::size_t outside = outside_median_interval(values.size());
    return (values[values.size() - 1 - outside] - values[outside]) / 2 / quantile(values, 0.5);
}

/// The value that Student's t exceeds with a probability of 2.5 %, to 1 % from two degrees of freedom on. Source:
/// Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.5.
double student_t(double degrees_of_freedom) {
    double t = 0;
    for (const double term : {1.58953, 2.55585, 2.82250, 2.37227, 1.95996}) // g4 to g1 of the normal quantile, and it
        t = t / degrees_of_freedom + term;
    return t;
}

double disagreement_on_mean(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = mean_of(values);
    const double squares = std::accumulate(values.begin(), values.end(), 0.0,
                                           [&](double sum, double f) { return sum + (f - mean) * (f - mean); });
    const double standard_error = std::sqrt(squares / (n - 1) / n);
    return student_t(n - 1) * standard_error / mean;
}

} // namespace

Agreement agreement_of(std::span<const double> figures, Estimate estimate, double percent) {
    require(!figures.empty(), "an agreement is of at least one figure");
    std::vector<double> values(figures.begin(), figures.end());
    std::ranges::sort(values);
    if (estimate == Estimate::min)
        return lowest_that_repeats(values, percent);
    Agreement agreement{.figure = estimate == Estimate::median ? quantile(values, 0.5) : mean_of(values)};
    if (values.size() >= fewest_visits(estimate)) {
        agreement.percent =
            100 * (estimate == Estimate::median ? disagreement_on_median(values) : disagreement_on_mean(values));
        agreement.is_settled = *agreement.percent <= percent;
    }
    return agreement;
}

unsigned fewest_visits(Estimate estimate) {
    // Five values all lie on one side of the median with a probability of 2/2^5, more than 5 %. For the others, two
    // that agree are an accident, and more than three gain little for their time.
    return estimate == Estimate::median ? 6 : static_cast<unsigned>(figures_that_agree);
}

std::optional<LatencyBand> contention_in(std::span<const double> figures, std::size_t fewest) {
    // A core's own caches repeat to 0.1 %, beside busy processes, and to 2 % beside a busy thread of the same core.
    constexpr double own_cache = 1.02;
    require(fewest > 0, "a group has at least one figure");
    std::vector<double> values(figures.begin(), figures.end());
    std::ranges::sort(values);
    std::size_t split = 0;
    double widest = contention_ratio;
    for (std::size_t i = fewest; i + fewest <= values.size(); ++i) {
        const double ratio = values[i] / values[i - 1];
        if (ratio > widest) {
            widest = ratio;
            split = i;
        }
    }
    if (split == 0)
        return std::nullopt;
    const double low = quantile(std::span(values).first(split), 0.5);
    if (low <= own_cache * values.front())
        return std::nullopt;
    return LatencyBand{.low_ns = low, .high_ns = quantile(std::span(values).subspan(split), 0.5)};
}

} // namespace memtest
