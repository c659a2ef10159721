#include "memtest/measure/statistics.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace memtest {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

/// 1 + c^2 k/(k+1) + c^4 k(k+2)/((k+1)(k+3)) + ..., in both formulas of the source.
double cosine_series(double cosine, int first, int degrees_of_freedom) {
    double term = 1;
    double sum = 1;
    for (int k = first; k <= degrees_of_freedom - 3; k += 2) {
        term *= cosine * cosine * k / (k + 1);
        sum += term;
    }
    return sum;
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

double student_t_upper_tail(double t, int degrees_of_freedom) {
    require(degrees_of_freedom >= 1, "Student's t has at least one degree of freedom");
    const double angle = std::atan(t / std::sqrt(degrees_of_freedom));
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    double within = 0; // P(-t < T < t)
    if (degrees_of_freedom % 2 == 0)
        within = sine * cosine_series(cosine, 1, degrees_of_freedom);
    else if (degrees_of_freedom == 1)
        within = angle * 2 * std::numbers::inv_pi;
    else
        within = (angle + sine * cosine * cosine_series(cosine, 2, degrees_of_freedom)) * 2 * std::numbers::inv_pi;
    return (1 - within) / 2;
}

double student_t_quantile(double upper_tail, int degrees_of_freedom) {
    require(upper_tail > 0 && upper_tail <= 0.5, "a tail's probability lies between 0 and a half");
    double below = 0;
    double above = 1;
    while (student_t_upper_tail(above, degrees_of_freedom) > upper_tail && std::isfinite(above))
        above *= 2;
    constexpr int halvings = 60; // more than a double can resolve
    for (int i = 0; i < halvings; ++i) {
        const double middle = (below + above) / 2;
        (student_t_upper_tail(middle, degrees_of_freedom) > upper_tail ? below : above) = middle;
    }
    return above;
}

} // namespace memtest
