#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memtest {

/// A data or unified cache of one processor, as the kernel describes it.
struct Cache {
    int level = 0;
    bool data_only = false;
    std::uint64_t size_bytes = 0;
    std::size_t line_bytes = 0; ///< 0 where the kernel does not say
    std::vector<int> shared_by; ///< the processors that share it
};

/// The caches on a processor's way to memory, nearest first; empty where the system does not describe them.
[[nodiscard]] std::vector<Cache> read_caches(const SystemFiles& files, int processor);

/// For people: "L1d", "L2".
[[nodiscard]] std::string cache_name(const Cache& cache);

} // namespace memtest
