#include "memtest/insight/load_curve.hpp"

#include <algorithm>
#include <vector>

namespace memtest {
namespace {

void keep_faster(std::optional<LoadPoint>& fastest, const LoadPoint& point) {
    if (!fastest || point.bytes_per_ns > fastest->bytes_per_ns)
        fastest = point;
}

bool grows_with_load(std::span<const LoadPoint> points) {
    constexpr double least_share = 0.25; // of the growth of the load; a memory that is nearly full grows less
    constexpr int fewest_steps = 3;      // fewer show nothing
    int steps = 0;
    int growing = 0;
    const LoadPoint* before = nullptr;
    for (const LoadPoint& point : points) {
        if (point.load_percent <= 0)
            continue;
        if (before != nullptr && point.load_percent > before->load_percent) {
            const double growth = point.load_percent / before->load_percent - 1;
            ++steps;
            growing += point.bytes_per_ns >= (1 + least_share * growth) * before->bytes_per_ns ? 1 : 0;
        }
        before = &point;
    }
    return steps < fewest_steps || 2 * growing >= steps;
}

/// How far the visits to a point disagree, in ns.
std::optional<double> noise_ns(const LoadPoint& point) {
    return point.visits_percent ? std::optional(point.latency_ns * *point.visits_percent / 100) : std::nullopt;
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

} // namespace

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
    curve.reaches_full_load =
        std::ranges::any_of(points, [](const LoadPoint& point) { return point.load_percent >= 100; });
    curve.grows = grows_with_load(points);
    const auto unloaded_ns = curve.unloaded_ns();
    for (const LoadPoint& point : points) {
        if (curve.grows && unloaded_ns && point.load_percent > 0 && point.latency_ns <= knee_times * *unloaded_ns)
            keep_faster(curve.knee, point);
    }
    return curve;
}

} // namespace memtest
