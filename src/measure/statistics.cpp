#include "memtest/measure/statistics.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace memtest {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

double disagreement_on_min(const std::vector<double>& values) {
    return values[fewest_visits(Estimate::min) - 1] / values.front() - 1;
}

/// The number of n sorted values to leave out at either end, so that the others still enclose the median with a chance
/// of 95 %. Each value lies below it with a chance of one half; n is at least 6.
std::size_t outside_median_interval(std::size_t n) {
    std::size_t below = 0;
    double exactly = std::exp2(-static_cast<double>(n)); // the chance that `below` values lie below
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

double disagreement_on_mean(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = mean_of(values);
    const double squares = std::accumulate(values.begin(), values.end(), 0.0,
                                           [&](double sum, double f) { return sum + (f - mean) * (f - mean); });
    const double standard_error = std::sqrt(squares / (n - 1) / n);
    return student_t_quantile(0.025, static_cast<int>(values.size()) - 1) * standard_error / mean;
}

} // namespace

double quantile(std::span<const double> sorted, double fraction) {
    require(!sorted.empty(), "a quantile is of at least one value");
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return quantile(values, 0.5);
}

Summary summarize(std::span<const double> batches) {
    const std::vector<double> values = sorted(batches);
    const double median = quantile(values, 0.5);
    return {.min = values.front(),
            .median = median,
            .mean = mean_of(values),
            .spread_percent = 100 * (quantile(values, 0.75) - quantile(values, 0.25)) / median};
}

double estimate_of(const Summary& summary, Estimate estimate) {
    switch (estimate) {
    case Estimate::median:
        return summary.median;
    case Estimate::mean:
        return summary.mean;
    case Estimate::min:
        break;
    }
    return summary.min;
}

std::optional<double> disagreement_percent(std::span<const double> figures, Estimate estimate) {
    if (figures.size() < fewest_visits(estimate))
        return std::nullopt;
    const std::vector<double> values = sorted(figures);
    switch (estimate) {
    case Estimate::min:
        return 100 * disagreement_on_min(values);
    case Estimate::median:
        return 100 * disagreement_on_median(values);
    case Estimate::mean:
        return 100 * disagreement_on_mean(values);
    }
    return std::nullopt;
}

bool is_settled(std::span<const double> figures, Estimate estimate, double percent) {
    const auto disagreement = disagreement_percent(figures, estimate);
    return disagreement && *disagreement <= percent;
}

unsigned fewest_visits(Estimate estimate) {
    // Five values all lie on one side of the median with a chance of 2/2^5, more than 5 %. Otherwise two that agree are
    // an accident, and more than three gain little for their time.
    return estimate == Estimate::median ? 6 : 3;
}

bool is_bimodal(std::span<const double> batches) {
    if (batches.size() < 10)
        return false;
    const std::vector<double> values = sorted(batches);
    const std::size_t fifth = values.size() / 5;
    std::size_t split = fifth;
    for (std::size_t i = fifth; i + fifth <= values.size(); ++i) {
        if (values[i] - values[i - 1] > values[split] - values[split - 1])
            split = i;
    }
    // The inner four fifths of a group are its width: its ends hold what was disturbed.
    const auto width = [](std::span<const double> group) { return quantile(group, 0.9) - quantile(group, 0.1); };
    const std::span<const double> lower = std::span(values).first(split);
    const std::span<const double> upper = std::span(values).subspan(split);
    const double gap = upper.front() - lower.back();
    return gap > 0.05 * quantile(lower, 0.5) && gap > width(lower) && gap > width(upper);
}

} // namespace memtest
