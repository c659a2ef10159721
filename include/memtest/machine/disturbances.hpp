#pragma once

#include <cstdint>

namespace memtest {

/// Events that disturb a measurement, as the kernel counted them since the calling thread started.
struct Disturbances {
    std::uint64_t preemptions = 0; ///< involuntary context switches
    std::uint64_t faults = 0;      ///< page faults, minor and major
    int processor = 0;             ///< where it runs now
};

[[nodiscard]] Disturbances read_disturbances();

} // namespace memtest
