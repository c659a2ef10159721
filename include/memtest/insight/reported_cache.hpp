#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace memtest {

/// A data or unified cache as the system reports it.
struct ReportedCache {
    int level = 0;
    std::uint64_t size_bytes = 0;
    int shared_by = 1; ///< processors that share it
    bool data_only = false;

    bool operator==(const ReportedCache&) const = default;
};

/// A sweep to so many times the last cache shows memory: the cache holds an eighth of the largest size at most.
inline constexpr std::uint64_t last_caches_to_memory = 8;

/// The caches in ascending order of their levels. Empty if they cannot be a hierarchy, as some hypervisors and
/// firmwares report: a level twice, or one no larger than the one before it.
[[nodiscard]] std::vector<ReportedCache> plausible_caches(std::span<const ReportedCache> reported);

/// Why a sweep does not show a cache that the system reports, and what would show it.
enum class Unseen {
    sweep_too_short, ///< it ends before eight times the cache: a larger --max-size
    too_near,        ///< to another cache: less than three times as large, so one lacks a plateau: --points 8
    no_trace,        ///< it is not there for one thread, or shared
};

template<>
inline constexpr std::array<Word<Unseen>, 3> word_table<Unseen>{{{Unseen::sweep_too_short, "sweep_too_short"},
                                                                 {Unseen::too_near, "too_near_to_last"},
                                                                 {Unseen::no_trace, "no_trace"}}};

/// @param cache that was not found @param reported all of them, in any order @param largest_bytes of the sweep
/// @param sizes_per_doubling of the sweep
[[nodiscard]] Unseen why_unseen(const ReportedCache& cache, std::span<const ReportedCache> reported,
                                double largest_bytes, double sizes_per_doubling);

} // namespace memtest
