#include "memtest/insight/latency_curve.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memtest {
namespace {

// What one run's batches say about the next run: in 200 runs on a shared virtual machine with 4 KiB pages, the standard
// deviation of the smallest batch from run to run was 0.1 (L1), 0.4 (L3) and 0.8 (memory) of median/min - 1. On 240
// runs of a noisier one, 0.2, 0.3, 0.5 and 0.7 here gave 2.1, 2.1, 1.7 and 1.3 % false alarms of compare_sweeps, and
// found a rise of 10 % in L2 in 98, 97, 95 and 92 %, in memory in 58, 52, 42 and 34 %.
constexpr double noise_per_batch_dispersion = 0.3;
// The smallest of 32 normal batches lies 2.07 standard deviations below their median, their quartiles 1.35 apart.
constexpr double dispersion_per_spread = 1.53;

// For files without --stats: within the range seen on that machine, from 0.1 % (L1) to 5 % (memory).
constexpr double noise_where_not_known = 0.02;
constexpr std::uint64_t batches_that_tell = 5; // fewer may agree by chance, and a single one always does

Place place_of(const SizeFigure& figure) {
    return {figure.thread, std::llround(figure.size_bytes / size_resolution_bytes)};
}

/// By how much the median of the batches exceeds the smallest, as a share; nothing where the figure does not tell.
std::optional<double> dispersion_of(const SizeFigure& figure) {
    if (figure.min_ns && figure.median_ns)
        return std::max(*figure.median_ns / *figure.min_ns - 1, 0.0);
    if (figure.spread_percent)
        return *figure.spread_percent / 100 * dispersion_per_spread;
    return std::nullopt;
}

double noise_of(const SizeFigure& figure) {
    constexpr double not_known = noise_where_not_known / noise_per_batch_dispersion;
    const double between_visits = figure.visits_percent.value_or(0) / 100;
    const double at_least = figure.batches && *figure.batches < batches_that_tell ? not_known : 0;
    return noise_per_batch_dispersion * std::max({dispersion_of(figure).value_or(not_known), between_visits, at_least});
}

/// The middle of several points at one place.
LogPoint middle(const std::vector<LogPoint>& points) {
    std::vector<double> latencies;
    std::vector<double> noises;
    for (const LogPoint& point : points) {
        latencies.push_back(point.log_latency);
        noises.push_back(point.noise);
    }
    return {points.front().size_bytes, median(std::move(latencies)), median(std::move(noises))};
}

LatencyCurve middle(const std::map<Place, std::vector<LogPoint>>& points) {
    LatencyCurve curve;
    for (const auto& [place, here] : points)
        curve.emplace(place, middle(here));
    return curve;
}

} // namespace

LatencyCurve curve_of(std::span<const SizeFigure> figures) {
    std::map<Place, std::vector<LogPoint>> points;
    for (const SizeFigure& figure : figures)
        points[place_of(figure)].push_back({figure.size_bytes, std::log(figure.latency_ns), noise_of(figure)});
    return middle(points);
}

LatencyCurve median_curve(std::span<const LatencyCurve> curves) {
    std::map<Place, std::vector<LogPoint>> points;
    for (const LatencyCurve& curve : curves)
        for (const auto& [place, point] : curve)
            points[place].push_back(point);
    return middle(points);
}

std::vector<double> log_changes(const LatencyCurve& from, const LatencyCurve& to, std::span<const Place> places) {
    std::vector<double> changes;
    for (const Place& place : places) {
        const auto before = from.find(place);
        const auto after = to.find(place);
        if (before != from.end() && after != to.end())
            changes.push_back(after->second.log_latency - before->second.log_latency);
    }
    return changes;
}

} // namespace memtest
