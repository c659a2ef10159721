#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/insight/level.hpp"
#include "memtest/result/figure_list.hpp"
#include "memtest/result/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// Sizes up to this factor apart are near each other: one step of a sweep.
inline constexpr double nearby_sizes = 1.3;

/// Whether it is a sweep of several sizes.
[[nodiscard]] bool is_of_levels(const Result& part);

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

/// Sets the scales of the ranges that begin with those of these caches. @param curve that the caches are inferred from
void set_scales(std::vector<SizeRange>& ranges, const std::vector<Level>& caches, const std::vector<CurvePoint>& curve);

/// Of a sweep of several sizes the latency of memory and, unless another part has them from huge pages, the latency and
/// capacity of each cache of the frame, and single sizes. Of a sweep of one size the latency: with one chain a reading
/// of memory, with several the share of the time with one.
void add_sweep_figures(FigureList& list, const Result& sweep);

} // namespace memtest
