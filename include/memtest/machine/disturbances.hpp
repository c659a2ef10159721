#pragma once

#include <cstdint>

namespace memtest {

/// What the kernel has counted for the calling thread since it started, of the things that disturb a measurement.
struct Disturbances {
    std::uint64_t preemptions = 0; ///< involuntary context switches
    std::uint64_t faults = 0;      ///< page faults, minor and major
    int processor = 0;             ///< where it runs now
};

[[nodiscard]] Disturbances read_disturbances();

} // namespace memtest
