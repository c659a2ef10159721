#pragma once

#include "memtest/result/figure_list.hpp"
#include "memtest/result/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The sizes that the latency of one level comes from, both ends included.
struct SizeRange {
    std::string name; ///< "L1", "memory"
    double from_bytes = 0;
    double to_bytes = 0;
};

/// What a SizeRange of memory is called.
inline constexpr std::string_view memory_level = "memory";

/// Sizes up to this factor apart are near each other: one step of a sweep.
inline constexpr double nearby_sizes = 1.3;

/// Whether it is a sweep of several sizes.
[[nodiscard]] bool is_of_levels(const Result& part);

/// The levels of the median of several sweeps' first threads; all sizes if it shows none.
[[nodiscard]] std::vector<SizeRange> sweep_levels_of(const std::vector<const Result*>& sweeps);

/// The latency of memory; @param with_caches also the latency and capacity of each cache, and single sizes
void add_sweep_levels(FigureList& list, const Result& sweep, const std::vector<SizeRange>& levels, bool with_caches);

/// Of a sweep of a single size: with one chain a reading of memory; with several the share of the time with one.
void add_access_time(FigureList& list, const Result& sweep, const Result* one_chain);

} // namespace memtest
