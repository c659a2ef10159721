#include "memtest/insight/load_curve.hpp"

namespace memtest {
namespace {

void keep_faster(std::optional<LoadPoint>& fastest, const LoadPoint& point) {
    if (!fastest || point.bytes_per_ns > fastest->bytes_per_ns)
        fastest = point;
}

bool grows_with_load(std::span<const LoadPoint> points) {
    constexpr double least_share = 0.25; // of the growth of the load, which a memory that is nearly full follows less
    constexpr int fewest_steps = 3;      // fewer tell nothing
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

} // namespace

LoadCurve read_load_curve(std::span<const LoadPoint> points) {
    LoadCurve curve;
    for (const LoadPoint& point : points) {
        if (point.load_percent > 0)
            keep_faster(curve.peak, point);
        else if (curve.peak)
            curve.idle_last_ns = point.latency_ns;
        else
            curve.idle_ns = point.latency_ns;
    }
    curve.grows = grows_with_load(points);
    for (const LoadPoint& point : points) {
        if (curve.grows && curve.idle_ns && point.load_percent > 0 && point.latency_ns <= knee_times * *curve.idle_ns)
            keep_faster(curve.knee, point);
    }
    return curve;
}

} // namespace memtest
