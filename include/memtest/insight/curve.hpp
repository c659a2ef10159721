#pragma once

#include <span>
#include <vector>

namespace memtest {

/// One row of a sweep: the working set and the time of one access to it.
struct CurvePoint {
    double size_bytes = 0;
    double latency_ns = 0;
    bool disturbed = false; ///< something else than the memory had a hand in the latency
};

/// A latency curve: sizes strictly ascending, sizes and latencies positive and finite. make_curve() makes one.
using Curve = std::span<const CurvePoint>;

/// Sorts points into a curve. Of several points of one size (threads, repeated sweeps) the smallest latency stays,
/// since disturbances only ever add time. Throws Error when a size or latency is not a positive finite number.
[[nodiscard]] std::vector<CurvePoint> make_curve(std::vector<CurvePoint> points);

/// How many times `to` doubles `from`.
[[nodiscard]] double doublings(double from, double to);

/// The value that lies, in the order of size, at the middle of all pairwise means (Hodges and Lehmann 1963): nearly as
/// exact as the mean under plain noise, and indifferent to a share of outliers up to 29 %. @pre not empty
[[nodiscard]] double robust_mean(std::span<const double> values);

/// The curve with its disturbances put where their neighbours are, and marked: every point that sticks out from both
/// its neighbours, on the same side and by more than `share`; and, since latency never falls with size, every point
/// that lies above a larger size by more than `fall`, and an end of the curve that does so by more than `share`.
[[nodiscard]] std::vector<CurvePoint> without_disturbances(Curve curve, double share, double fall);

/// The curve with the points of each 1/`points_per_doubling` of a doubling joined into one, their median; disturbed
/// where more than half of them are.
[[nodiscard]] std::vector<CurvePoint> condensed(Curve curve, double points_per_doubling);

} // namespace memtest
