#include "memtest/insight/curve.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace memtest {
namespace {

/// Whether `value` differs from both others, in the same direction, by more than a factor of 1 + `share`.
bool sticks_out(double value, double one, double other, double share) {
    const double limit = std::log1p(share);
    const double from_one = std::log(value / one);
    const double from_other = std::log(value / other);
    return std::min(from_one, from_other) > limit || std::max(from_one, from_other) < -limit;
}

/// The new latency of an end of the curve that sticks out from its two neighbours.
std::optional<double> moved_end(double end, double next, double after_next, bool is_first, double share) {
    if (!sticks_out(end, next, after_next, share))
        return std::nullopt;
    const bool falls = is_first == (end > next);
    if (falls)
        return next;
    // It may also be part of an edge, unless its neighbours agree and it is not far from them.
    const bool agree = std::abs(std::log(next / after_next)) <= std::log1p(share);
    const bool near = std::abs(std::log(end / next)) <= std::log1p(3 * share);
    return agree && near ? std::optional(median({end, next, after_next})) : std::nullopt;
}

std::vector<CurvePoint> without_outliers(Curve curve, double share) {
    std::vector<CurvePoint> with_ends(curve.begin(), curve.end());
    if (curve.size() < 3)
        return with_ends;
    const std::size_t last = curve.size() - 1;
    const auto ns = [&](std::size_t i) { return with_ends[i].latency_ns; };
    const auto first_moved = moved_end(ns(0), ns(1), ns(2), true, share);
    const auto last_moved = moved_end(ns(last), ns(last - 1), ns(last - 2), false, share);
    if (first_moved)
        with_ends[0] = {curve[0].size_bytes, *first_moved, true};
    if (last_moved)
        with_ends[last] = {curve[last].size_bytes, *last_moved, true};
    std::vector<CurvePoint> result = with_ends;
    for (std::size_t i = 1; i < last; ++i) {
        if (sticks_out(ns(i), ns(i - 1), ns(i + 1), share))
            result[i] = {curve[i].size_bytes, median({ns(i - 1), ns(i), ns(i + 1)}), true};
    }
    return result;
}

} // namespace

std::vector<CurvePoint> make_curve(std::vector<CurvePoint> points) {
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    for (const CurvePoint& point : points) {
        if (!positive(point.size_bytes) || !positive(point.latency_ns))
            throw Error("a latency curve needs sizes and latencies that are positive numbers");
    }
    std::ranges::sort(points, {},
                      [](const CurvePoint& point) { return std::pair(point.size_bytes, point.latency_ns); });
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
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j)
            means.push_back((values[i] + values[j]) / 2);
    }
    return median(std::move(means));
}

std::vector<CurvePoint> without_disturbances(Curve curve, double share, double fall) {
    std::vector<CurvePoint> result = without_outliers(curve, share);
    for (std::size_t i = result.size(); i-- > 1;) {
        // Disturbances only add, so of two contradicting sizes the faster is right.
        const double larger_ns = result[i].latency_ns;
        if (result[i - 1].latency_ns > (1 + fall) * larger_ns)
            result[i - 1] = {result[i - 1].size_bytes, larger_ns, true};
    }
    return result;
}

std::vector<CurvePoint> condensed(Curve curve, double points_per_doubling) {
    constexpr double rounding = 1e-6; // printed sizes have few digits; one just below a bound belongs above it
    std::vector<CurvePoint> result;
    const auto bin = [&](const CurvePoint& point) {
        return std::floor(std::log2(point.size_bytes) * points_per_doubling + rounding);
    };
    for (std::size_t begin = 0; begin < curve.size();) {
        std::size_t end = begin;
        std::vector<double> sizes;
        std::vector<double> latencies;
        std::size_t disturbed = 0;
        for (; end < curve.size() && bin(curve[end]) == bin(curve[begin]); ++end) {
            sizes.push_back(std::log2(curve[end].size_bytes));
            latencies.push_back(std::log2(curve[end].latency_ns));
            disturbed += curve[end].is_doubtful() ? 1U : 0U;
        }
        // A point that is alone in its part stays exactly as it is.
        const bool mostly_disturbed = 2 * disturbed > end - begin;
        result.push_back(end - begin == 1 ? curve[begin]
                                          : CurvePoint{std::exp2(median(std::move(sizes))),
                                                       std::exp2(median(std::move(latencies))), mostly_disturbed});
        begin = end;
    }
    return result;
}

} // namespace memtest
