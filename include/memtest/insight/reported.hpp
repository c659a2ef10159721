#pragma once

#include "memtest/insight/levels.hpp"

#include <cstdint>
#include <optional>
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

/// A cache found on a curve beside the one that the system reports for it, where there is such.
struct CacheComparison {
    Level found;
    std::optional<ReportedCache> reported;
    /// What one thread gets is less than 0.6 of what is reported: shared with others, partitioned, or the figure is
    /// that of the machine below a virtual one.
    bool much_smaller = false;
};

/// Pairs the caches found with those reported, in ascending order, so that the sizes differ by the least factors in
/// all; a cache may stay without counterpart on either side, and does when the sizes differ sixteen-fold.
/// @param reported  in any order
[[nodiscard]] std::vector<CacheComparison> compare_with_reported(std::span<const Level> found,
                                                                 std::span<const ReportedCache> reported);

} // namespace memtest
