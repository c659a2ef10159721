#pragma once

#include <cstdint>

namespace memtest {

/// Samples between two latencies.
struct TailBin {
    double from_ns = 0;
    double to_ns = 0;
    std::uint64_t samples = 0;
    double slower_percent = 0; ///< samples that took longer than all of these
};

} // namespace memtest
