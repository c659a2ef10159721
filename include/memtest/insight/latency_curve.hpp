#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The latency of one size on one thread, with what its run knows about its noise.
struct SizeFigure {
    int thread = 0;
    double size_bytes = 0;
    double latency_ns = 0;
    std::optional<double> min_ns = std::nullopt;         ///< of the batches
    std::optional<double> median_ns = std::nullopt;      ///< of the batches
    std::optional<double> spread_percent = std::nullopt; ///< between the batches: interquartile range over median
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree about the latency
    std::optional<std::uint64_t> batches = std::nullopt; ///< that the figures rest on
};

/// One size on one thread, the same in every file: sizes are rounded as the stored format rounds them.
struct RowKey {
    int thread = 0;
    std::int64_t size_steps = 0;

    auto operator<=>(const RowKey&) const = default;
};

struct LogPoint {
    double size_bytes = 0;
    double log_latency = 0; ///< natural logarithm, of ns
    double noise = 0;       ///< what its own run suggests for the standard deviation of the logarithm from run to run
};

/// A sweep as sorted points; their differences are ratios of latencies.
using LatencyCurve = std::map<RowKey, LogPoint>;

/// How much a stored size may be off, for five decimals of a MiB.
inline constexpr double size_resolution_bytes = 1024.0 * 1024.0 / 1e5;

/// Rows may be in any order; a size that was measured more than once counts with its median.
[[nodiscard]] LatencyCurve curve_of(std::span<const SizeFigure> figures);

/// The median of every row that any of the curves has.
[[nodiscard]] LatencyCurve median_curve(std::span<const LatencyCurve> curves);

/// How the logarithm of the latency changed from one curve to another, for each of the rows that both have.
[[nodiscard]] std::vector<double> log_changes(const LatencyCurve& from, const LatencyCurve& to,
                                              std::span<const RowKey> keys);

} // namespace memtest
