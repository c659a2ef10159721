#pragma once

#include <cstdint>

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

} // namespace memtest
