#include "memtest/insight/load_curve.hpp"

namespace memtest {
namespace {

void keep_faster(std::optional<LoadPoint>& fastest, const LoadPoint& point) {
    if (!fastest || point.bytes_per_ns > fastest->bytes_per_ns)
        fastest = point;
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
    for (const LoadPoint& point : points) {
        if (curve.idle_ns && point.load_percent > 0 && point.latency_ns <= knee_times * *curve.idle_ns)
            keep_faster(curve.knee, point);
    }
    return curve;
}

} // namespace memtest
