#include "memtest/measure/agreement.hpp"

#include "memtest/measure/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace memtest {
namespace {

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

std::optional<double> disagreement_percent(std::span<const double> figures, Estimate estimate) {
    if (figures.size() < fewest_visits(estimate))
        return std::nullopt;
    std::vector<double> values(figures.begin(), figures.end());
    std::ranges::sort(values);
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

} // namespace memtest
