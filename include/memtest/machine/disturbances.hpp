#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>

namespace memtest {

/// Events that disturb a measurement, as the kernel counted them since the calling thread started.
struct Disturbances {
    std::uint64_t preemptions = 0; ///< involuntary context switches
    std::uint64_t faults = 0;      ///< page faults, minor and major
    int processor = 0;             ///< where it runs now
};

[[nodiscard]] Disturbances read_disturbances();

/// Whether other processes wait for the processors or hold them all, or have kept the calling thread waiting. Averages
/// of the last seconds count only while others run: work that has just ended disturbs nothing. Call it before any other
/// thread of this process runs.
[[nodiscard]] bool is_machine_busy(const SystemFiles& files);

} // namespace memtest
