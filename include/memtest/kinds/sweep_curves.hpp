#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/result/result.hpp"

#include <optional>
#include <span>
#include <vector>

namespace memtest {

// The rows of a sweep as curves and figures.

/// The core's clock while a size was measured.
struct SizeClock {
    double size_bytes = 0;
    double ghz = 0;
};

/// The rows of one thread as a curve, without rows that lack a latency.
struct ThreadCurve {
    int thread = 0;
    std::vector<CurvePoint> points{};
    std::vector<SizeClock> clocks{}; ///< from the rows' cycles, else from the description, if known
};

/// The curves of all threads that have rows, by their numbers.
[[nodiscard]] std::vector<ThreadCurve> curves_of(std::span<const Row> rows, const RunDescription& run);
[[nodiscard]] std::vector<ThreadCurve> curves_of(const Result& sweep);

/// The lowest and the highest clock in the rows' estimates: cycles over ns, to within 2 %.
[[nodiscard]] std::optional<ClockRange> clock_range_of(std::span<const Row> rows);

/// The latencies of all threads with their noise, to compare with those of another sweep.
[[nodiscard]] LatencyCurve latency_curve_of(const Result& sweep);

} // namespace memtest
