#pragma once

#include "memtest/measure/agreement.hpp"

#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// One row of a sweep: the working set and the time of one access to it.
struct CurvePoint {
    double size_bytes = 0;
    double latency_ns = 0;
    bool disturbed = false; ///< other work is known to have changed the latency
    /// For a contested size, whose visits fall into two groups as others take the cache for some of them. No single
    /// figure is right then, and the point counts as disturbed.
    std::optional<LatencyBand> contested = std::nullopt;

    [[nodiscard]] bool is_doubtful() const { return disturbed || contested.has_value(); }
};

/// A latency curve: sizes strictly ascending, sizes and latencies positive and finite. make_curve() makes one.
using Curve = std::span<const CurvePoint>;

/// Sorts points into a curve. If several points have one size (threads, repeated sweeps), the min latency stays, since
/// disturbances only add time. Throws Error if a size or latency is not a positive finite number.
[[nodiscard]] std::vector<CurvePoint> make_curve(std::vector<CurvePoint> points);

/// Whether a latency exceeds both its neighbours by half or more. No physical effect lifts a single size so far: it was
/// disturbed, whatever its visits say. An end has one neighbour, given twice.
[[nodiscard]] constexpr bool towers_over(double latency_ns, double before_ns, double after_ns) {
    constexpr double half_as_much_again = 1.5;
    return latency_ns >= half_as_much_again * (before_ns > after_ns ? before_ns : after_ns);
}

/// The number of doublings from one value to another.
[[nodiscard]] double doublings(double from, double to);

/// The median of all pairwise means (Hodges and Lehmann 1963): nearly as accurate as the mean under normal noise, and
/// robust against up to 29 % of outliers. @pre not empty
[[nodiscard]] double robust_mean(std::span<const double> values);

/// The curve with its disturbed points moved to their neighbours, and marked. A point is disturbed if it differs from
/// both its neighbours in the same direction by more than `share`. Latency never falls with size, so a point above a
/// larger size by more than `fall` is disturbed, too, and an end of the curve by more than `share`.
[[nodiscard]] std::vector<CurvePoint> without_disturbances(Curve curve, double share, double fall);

/// The curve with the points of each 1/`points_per_doubling` of a doubling joined into their median, which is disturbed
/// if most of them are.
[[nodiscard]] std::vector<CurvePoint> condensed(Curve curve, double points_per_doubling);

} // namespace memtest
