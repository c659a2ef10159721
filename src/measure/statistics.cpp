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

constexpr double normal_975 = 1.959964; // the quantile for a two-sided interval of 95 %

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool min_settled(std::span<const double> batches, double tolerance) {
    constexpr std::size_t at_least = 5;    // so that a disturbance in the first few does not pass for the truth
    constexpr std::ptrdiff_t agreeing = 3; // one such value is an accident; more than three cost time and gain little
    if (batches.size() < at_least)
        return false;
    const double smallest = std::ranges::min(batches);
    return std::ranges::count_if(batches, [&](double b) { return b <= smallest * (1 + tolerance); }) >= agreeing;
}

bool median_settled(std::span<const double> batches, double tolerance) {
    const auto n = static_cast<double>(batches.size());
    const double margin = normal_975 * std::sqrt(n);
    const double low_rank = std::floor((n - margin) / 2);
    const double high_rank = std::ceil((n + margin) / 2) + 1;
    if (low_rank < 1 || high_rank > n)
        return false;
    const std::vector<double> values = sorted(batches);
    const double low = values[static_cast<std::size_t>(low_rank) - 1];
    const double high = values[static_cast<std::size_t>(high_rank) - 1];
    return (high - low) / 2 <= quantile(values, 0.5) * tolerance;
}

bool mean_settled(std::span<const double> batches, double tolerance) {
    if (batches.size() < 5)
        return false;
    const auto n = static_cast<double>(batches.size());
    const double mean = mean_of(batches);
    const double squares = std::accumulate(batches.begin(), batches.end(), 0.0,
                                           [&](double sum, double b) { return sum + (b - mean) * (b - mean); });
    const double standard_error = std::sqrt(squares / (n - 1) / n);
    return student_t_quantile(0.025, static_cast<int>(batches.size()) - 1) * standard_error <= mean * tolerance;
}

} // namespace

double quantile(std::span<const double> sorted, double fraction) {
    require(!sorted.empty(), "a quantile is of at least one value");
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
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

bool is_settled(std::span<const double> batches, Estimate estimate, double percent) {
    if (batches.empty())
        return false;
    switch (estimate) {
    case Estimate::median:
        return median_settled(batches, percent / 100);
    case Estimate::mean:
        return mean_settled(batches, percent / 100);
    case Estimate::min:
        break;
    }
    return min_settled(batches, percent / 100);
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
