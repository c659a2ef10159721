#include "memtest/insight/curve.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace memtest {
namespace {

/// Whether `value` lies on the same side of both others and off each of them by more than a factor of 1 + `share`.
bool sticks_out(double value, double one, double other, double share) {
    const double limit = std::log1p(share);
    const double from_one = std::log(value / one);
    const double from_other = std::log(value / other);
    return std::min(from_one, from_other) > limit || std::max(from_one, from_other) < -limit;
}

} // namespace

std::vector<CurvePoint> make_curve(std::vector<CurvePoint> points) {
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    for (const CurvePoint& point : points) {
        if (!positive(point.size_bytes) || !positive(point.latency_ns))
            throw Error("a latency curve needs sizes and latencies that are positive numbers");
    }
    std::sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
        return a.size_bytes != b.size_bytes ? a.size_bytes < b.size_bytes : a.latency_ns < b.latency_ns;
    });
    const auto same_size = [](const CurvePoint& a, const CurvePoint& b) { return a.size_bytes == b.size_bytes; };
    points.erase(std::unique(points.begin(), points.end(), same_size), points.end());
    return points;
}

double doublings(double from, double to) {
    return std::log2(to / from);
}

double robust_mean(std::span<const double> values) {
    require(!values.empty(), "a mean is taken of at least one value");
    std::vector<double> means;
    means.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j)
            means.push_back((values[i] + values[j]) / 2);
    }
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
    std::nth_element(means.begin(), middle, means.end());
    return *middle;
}

std::vector<CurvePoint> without_outliers(Curve curve, double share) {
    std::vector<CurvePoint> result(curve.begin(), curve.end());
    for (std::size_t i = 0; curve.size() >= 3 && i < curve.size(); ++i) {
        // The ends have two neighbours as well, both on one side.
        const std::size_t middle = std::clamp<std::size_t>(i, 1, curve.size() - 2);
        const double one = curve[i == middle ? i - 1 : middle].latency_ns;
        const double other = curve[i == 0 ? 2 : i == middle ? i + 1 : i - 2].latency_ns;
        const bool at_an_end = i != middle;
        if (!sticks_out(curve[i].latency_ns, one, other, share))
            continue;
        // At an end the neighbours must agree, or the point is part of an edge.
        if (at_an_end && (std::abs(std::log(one / other)) > std::log1p(share) ||
                          std::abs(std::log(curve[i].latency_ns / one)) > std::log1p(3 * share)))
            continue;
        result[i].latency_ns = median({curve[i].latency_ns, one, other});
    }
    return result;
}

std::vector<CurvePoint> condensed(Curve curve, double points_per_doubling) {
    constexpr double rounding = 1e-6; // sizes in print have few digits; one just below a bound belongs above it
    std::vector<CurvePoint> result;
    const auto bin = [&](const CurvePoint& point) {
        return std::floor(std::log2(point.size_bytes) * points_per_doubling + rounding);
    };
    for (std::size_t begin = 0; begin < curve.size();) {
        std::size_t end = begin;
        std::vector<double> sizes;
        std::vector<double> latencies;
        for (; end < curve.size() && bin(curve[end]) == bin(curve[begin]); ++end) {
            sizes.push_back(std::log2(curve[end].size_bytes));
            latencies.push_back(std::log2(curve[end].latency_ns));
        }
        // A point that is alone in its part stays as it is, to the last digit.
        result.push_back(end - begin == 1 ? curve[begin]
                                          : CurvePoint{std::exp2(median(sizes)), std::exp2(median(latencies))});
        begin = end;
    }
    return result;
}

} // namespace memtest
