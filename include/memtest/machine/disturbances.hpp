#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memtest {

/// Events that disturb a measurement, as the kernel counted them since the calling thread started.
struct Disturbances {
    std::uint64_t preemptions = 0; ///< involuntary context switches
    std::uint64_t faults = 0;      ///< page faults, minor and major
    int processor = 0;             ///< where it runs now
    std::uint64_t waits = 0;       ///< voluntary context switches; stops by a signal or a debugger are among them
};

/// Whether the thread was off its processor between these readings, though it had nothing to wait for.
[[nodiscard]] constexpr bool was_stopped(const Disturbances& before, const Disturbances& after) {
    return after.preemptions > before.preemptions || after.waits > before.waits;
}

[[nodiscard]] Disturbances read_disturbances();

/// The processor time of the calling thread (RUSAGE_THREAD) or of this process (RUSAGE_SELF), which the system counts
/// by other means than its clock.
[[nodiscard]] double processor_seconds(int who);

/// Whether other processes wait for the processors or hold them all, or have kept the calling thread waiting. Averages
/// of the last seconds count only while others run: work that has just ended disturbs nothing. Call it before any other
/// thread of this process runs.
[[nodiscard]] bool is_machine_busy(const SystemFiles& files);

/// How many times as long work takes at most beside the other processes of the last minute: 1 where is_machine_busy
/// says no, else 2 or more.
[[nodiscard]] double slowdown_by_others(const SystemFiles& files);

/// Watches how much others use some processors from now on: other processes, or guests of the same host. Threads of
/// this process may run there, too.
class UseByOthers {
public:
    /// @param processors ascending
    UseByOthers(SystemFiles files, std::vector<int> processors)
        : files_(std::move(files)), processors_(std::move(processors)), last_(read()) {}

    /// The use of these processors since the last call that returned it, or since construction.
    /// std::nullopt if the kernel does not report it or too little time has passed.
    [[nodiscard]] std::optional<double> percent_since();

private:
    /// In ticks of the kernel, over these processors.
    struct Time {
        double all = 0;
        double used = 0;
        double own = 0; ///< by this process
    };

    [[nodiscard]] Time read() const;

    SystemFiles files_;
    std::vector<int> processors_;
    Time last_;
};

} // namespace memtest
