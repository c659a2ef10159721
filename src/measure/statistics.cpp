#include "memtest/measure/statistics.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace memtest {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
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
    // The inner four fifths of a group are its width: its ends contain what was disturbed.
    const auto width = [](std::span<const double> group) { return quantile(group, 0.9) - quantile(group, 0.1); };
    const std::span<const double> lower = std::span(values).first(split);
    const std::span<const double> upper = std::span(values).subspan(split);
    const double gap = upper.front() - lower.back();
    return gap > 0.05 * quantile(lower, 0.5) && gap > width(lower) && gap > width(upper);
}

} // namespace memtest
