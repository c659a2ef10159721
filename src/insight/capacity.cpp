#include "memtest/insight/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace memtest {
namespace {

/// The best factors, and the cost of the remaining errors.
struct LatencyFit {
    double scale = 0;
    double step = 0;
    double cost = 0;
};

/// latency = scale * below + step * miss share, by iteratively reweighted least squares of the relative error.
LatencyFit fit_latencies(Curve points, std::span<const double> below, const CacheEdge& edge, double plain_error) {
    LatencyFit fit;
    std::vector<double> misses;
    std::vector<double> weights;
    for (const CurvePoint& point : points) {
        misses.push_back(miss_share(edge, point.size_bytes));
        weights.push_back(1 / (point.latency_ns * point.latency_ns));
    }
    for (int round = 0; round < 3; ++round) {
        double bb = 0;
        double bm = 0;
        double mm = 0;
        double by = 0;
        double my = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double y = points[i].latency_ns;
            bb += weights[i] * below[i] * below[i];
            bm += weights[i] * below[i] * misses[i];
            mm += weights[i] * misses[i] * misses[i];
            by += weights[i] * below[i] * y;
            my += weights[i] * misses[i] * y;
        }
        const double determinant = bb * mm - bm * bm;
        if (determinant <= 1e-12 * bb * mm)
            return {0, 0, 0}; // no point lies beyond the edge
        fit.scale = (by * mm - my * bm) / determinant;
        fit.step = (my * bb - by * bm) / determinant;
        fit.cost = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double y = points[i].latency_ns;
            const double error = std::abs(fit.scale * below[i] + fit.step * misses[i] - y) / y;
            fit.cost += error <= plain_error ? error * error : plain_error * (2 * error - plain_error);
            weights[i] = std::min(1.0, plain_error / error) / (y * y);
        }
    }
    return fit;
}

std::vector<double> candidates(Curve points, double from, double to) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const double size = points[i].size_bytes;
        const double step = points[i + 1].size_bytes / size;
        if (size < from || size >= to)
            continue;
        const int parts = std::clamp(static_cast<int>(std::ceil(std::log2(step) * 16)), 1, 16);
        for (int part = 0; part < parts; ++part)
            result.push_back(size * std::pow(step, static_cast<double>(part) / parts));
    }
    return result;
}

} // namespace

EdgeFit fit_edge(Curve points, std::span<const double> below, double from_bytes, double to_bytes,
                 const LevelRules& rules) {
    struct Fit {
        CacheEdge edge;
        double cost;
    };
    std::vector<Fit> fits;
    double least = std::numeric_limits<double>::infinity();
    const auto count = static_cast<double>(points.size());
    for (const double capacity : candidates(points, from_bytes, to_bytes)) {
        for (const double spread : {0.0, 0.2, 0.4}) {
            for (int eighths = 0; eighths <= 8; ++eighths) {
                const CacheEdge edge{capacity, eighths / 8.0, spread};
                const LatencyFit latencies = fit_latencies(points, below, edge, rules.plain_error);
                if (latencies.scale <= 0 || latencies.step <= 0)
                    continue;
                const double cost = latencies.cost + count * rules.least_error * rules.least_error;
                fits.push_back({edge, spread > 0 ? cost / (1 - rules.spread_gain) : cost});
                least = std::min(least, fits.back().cost);
            }
        }
    }
    // Within one standard error.
    const auto is_good = [&](const Fit& fit) { return fit.cost <= least * (1 + 1 / count); };
    std::erase_if(fits, [&](const Fit& fit) { return !is_good(fit); });
    if (fits.empty())
        return {{from_bytes, 0, 0}, from_bytes, to_bytes};
    const auto smaller = [](const Fit& a, const Fit& b) { return a.edge.capacity_bytes < b.edge.capacity_bytes; };
    const auto [smallest, largest] = std::minmax_element(fits.begin(), fits.end(), smaller);
    const auto abrupt = std::find_if(fits.begin(), fits.end(),
                                     [](const Fit& fit) { return fit.edge.random_share == 0 && fit.edge.spread == 0; });
    return {(abrupt != fits.end() ? *abrupt : *largest).edge, smallest->edge.capacity_bytes,
            largest->edge.capacity_bytes};
}

} // namespace memtest
