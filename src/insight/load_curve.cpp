#include "memtest/insight/load_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace memtest {
namespace {

void keep_faster(std::optional<LoadPoint>& fastest, const LoadPoint& point) {
    if (!fastest || point.bytes_per_ns > fastest->bytes_per_ns)
        fastest = point;
}

/// How far the visits to a point disagree, in ns.
std::optional<double> noise_ns(const LoadPoint& point) {
    return point.visits_percent ? std::optional(point.latency_ns * *point.visits_percent / 100) : std::nullopt;
}

/// The standard deviation of the logarithm of a latency, as its batches show it, but that of memory at least.
double log_noise(const LoadPoint& point) {
    constexpr double per_quartiles = 0.25; // batches of a moment are alike, and moments differ
    constexpr double least = 0.02;
    return std::max(least, per_quartiles *
                               (point.latency_high_ns.value_or(point.latency_ns) -
                                point.latency_low_ns.value_or(point.latency_ns)) /
                               point.latency_ns);
}

/// @param unloaded all points without load, whose differences show how far the machine drifted
bool differs_from_unloaded(const LoadPoint& peak, std::span<const LoadPoint> unloaded) {
    constexpr double deviations = 3;
    return !unloaded.empty() && std::ranges::all_of(unloaded, [&](const LoadPoint& idle) {
        return std::abs(std::log(peak.latency_ns / idle.latency_ns)) >
               deviations * std::hypot(log_noise(peak), log_noise(idle));
    });
}

/// @param asleep idle, before the load and after it
bool differs(const LoadPoint& awake, std::span<const LoadPoint> asleep) {
    constexpr double least_share = 0.05; // by default two rows are each known to 2 %, and may be 4 % apart
    const auto is_apart = [&](bool awake_is_faster) {
        return std::ranges::all_of(asleep, [&](const LoadPoint& idle) {
            const double apart_ns = (awake_is_faster ? 1 : -1) * (idle.latency_ns - awake.latency_ns);
            const auto noise = noise_ns(awake);
            const auto idle_noise = noise_ns(idle);
            return noise && idle_noise && apart_ns > *noise + *idle_noise && apart_ns >= least_share * idle.latency_ns;
        });
    };
    return !asleep.empty() && (is_apart(true) || is_apart(false));
}

/// @param most_ns the highest latency up to the knee
void find_knee(LoadCurve& curve, std::span<const LoadPoint> points, double most_ns) {
    std::vector<LoadPoint> loads;
    std::ranges::copy_if(points, std::back_inserter(loads),
                         [](const LoadPoint& point) { return point.load_percent > 0; });
    std::ranges::sort(loads, {},
                      [](const LoadPoint& point) { return std::pair(point.bytes_per_ns, point.latency_ns); });
    const auto may_exceed = [&](const LoadPoint& point) {
        return point.latency_high_ns.value_or(point.latency_ns) > most_ns;
    };
    const auto surely_exceeds = [&](const LoadPoint& point) {
        return point.latency_low_ns.value_or(point.latency_ns) > most_ns;
    };
    for (const LoadPoint& point : loads) {
        if (point.latency_ns <= most_ns)
            curve.knee = point;
        else
            curve.exceeds_knee_times = true;
    }
    for (auto point = loads.begin(); point != loads.end() && !may_exceed(*point); ++point)
        curve.knee_low_bytes_per_ns = point->bytes_per_ns;
    for (auto point = loads.rbegin(); point != loads.rend() && surely_exceeds(*point); ++point)
        curve.knee_high_bytes_per_ns = point->bytes_per_ns;
}

} // namespace

std::vector<double> wanted_loads(std::size_t points, std::span<const LoadPair> known, std::optional<double> idle_ns) {
    double peak = 0;
    double knee = 0;
    for (const LoadPair& pair : known) {
        peak = std::max(peak, pair.lines_per_ns);
        if (idle_ns && pair.latency_ns <= knee_times * *idle_ns)
            knee = std::max(knee, pair.lines_per_ns);
    }
    // From one point to the next this share of the points grows evenly: most of it with the bandwidth, the rest from
    // low to high.
    constexpr double even = 2.0 / 3;
    const double low = 0.8 * knee;
    const double high = std::min(1.2 * knee, peak);
    const double share_at_low = even * low / peak;
    const double share_at_high = share_at_low + even * (high - low) / peak + 1 - even;
    std::vector<double> wanted;
    for (std::size_t point = 1; point <= points; ++point) {
        const double share = static_cast<double>(point) / static_cast<double>(points);
        wanted.push_back(knee <= 0              ? share * peak
                         : share < share_at_low ? share / even * peak
                         : share > share_at_high
                             ? (1 - (1 - share) / even) * peak
                             : std::lerp(low, high, (share - share_at_low) / (share_at_high - share_at_low)));
    }
    return wanted;
}

LoadCurve read_load_curve(std::span<const LoadPoint> points) {
    LoadCurve curve;
    std::vector<LoadPoint> asleep;
    std::optional<LoadPoint> awake;
    for (const LoadPoint& point : points) {
        if (point.load_percent > 0) {
            keep_faster(curve.peak, point);
        } else if (point.awake) {
            awake = point;
            curve.awake_ns = point.latency_ns;
        } else {
            (curve.peak ? curve.idle_last_ns : curve.idle_ns) = point.latency_ns;
            asleep.push_back(point);
        }
    }
    curve.awake_differs = awake && differs(*awake, asleep);
    for (const LoadPoint& point : points) {
        curve.under_load += point.load_percent > 0 ? 1 : 0;
        curve.several += point.load_percent > 0 && point.several ? 1 : 0;
    }
    curve.reaches_full_load =
        std::ranges::any_of(points, [](const LoadPoint& point) { return point.load_percent >= 100; });
    std::vector<LoadPoint> unloaded = asleep;
    if (awake)
        unloaded.push_back(*awake);
    curve.peak_differs = curve.peak && differs_from_unloaded(*curve.peak, unloaded);
    if (const auto unloaded_ns = curve.unloaded_ns())
        find_knee(curve, points, knee_times * *unloaded_ns);
    return curve;
}

} // namespace memtest
