#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/result/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

// The rows of a sweep as curves and figures.

/// The rows of one thread as a curve, without rows that lack a latency.
struct ThreadCurve {
    int thread = 0;
    std::vector<CurvePoint> points{};
    std::optional<double> core_ghz{}; ///< from the end of the description, else its rows, else before the first size
};

/// The curves of all threads that have rows, by their numbers.
[[nodiscard]] std::vector<ThreadCurve> curves_of(const Result& sweep);

/// Sets the core clock at which the rows were made: cycles over ns, to within 2 %. Nothing is set if no row knows it;
/// the clocks of the threads only if all have one.
void describe_core_clock(RunDescription& run, std::span<const Row> rows);

/// The latencies of all threads with their noise, to compare with those of another sweep.
[[nodiscard]] LatencyCurve latency_curve_of(const Result& sweep);

/// The time of an access with some chains side by side.
struct ParallelChains {
    std::uint64_t chains = 1;
    double ns = 0;
    std::optional<double> times = std::nullopt; ///< as fast as with the single chain, if that comes before
};

/// Those of the parts that have a latency.
[[nodiscard]] std::vector<ParallelChains> parallel_chains_in(std::span<const Result> parts);

/// Doubt about the single chain: as many as in the notice are faster than their number allows. std::nullopt if none
/// are.
[[nodiscard]] std::optional<Notice> slowed_single_chain(std::span<const ParallelChains> all);

} // namespace memtest
