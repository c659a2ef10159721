#pragma once

#include "memtest/base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

class SystemFiles;

/// A clock that never goes backwards. Tests replace the real one, so that they need not wait.
class Clock {
public:
    virtual ~Clock() = default;

    /// Nanoseconds since some fixed moment.
    [[nodiscard]] virtual std::uint64_t now_ns() = 0;
};

/// The system's monotonic clock. A reading before the last one counts as the last one.
class MonotonicClock : public Clock {
public:
    /// @throws Error if it stands still while the calling thread uses half a second of its processor
    [[nodiscard]] std::uint64_t now_ns() override;

private:
    void check_it_moves();

    std::uint64_t last_ns_ = 0;
    std::uint64_t repetitions_ = 0; // of the last reading
    double used_s_ = 0;             // by the thread, before most of these
};

/// The error for a clock that does not move where it has to.
[[nodiscard]] Error standing_clock();

/// No processor makes a dependent load or addition in less, not even by a clock that is ten times too slow. So a loop
/// of them ends without a clock.
inline constexpr double impossible_ns = 0.01;

/// A clock's cost and resolution.
struct ClockQuality {
    double cost_ns = 0;       ///< of one reading: a timed interval is longer by this
    double resolution_ns = 0; ///< its smallest step
};

/// Measures both by reading the clock back to back; takes well under a millisecond unless the clock is coarse.
/// @throws Error (usage) if it stands still
[[nodiscard]] ClockQuality measure_clock(Clock& clock);

/// Whether the cores of the target are known to do dependent additions of registers at one per cycle:
/// - x86-64: all (A. Fog, "Instruction tables": ADD r,r has a latency of 1 from the first cores with 64 bits on);
/// - aarch64 and armhf: all described cores of Arm, small (GCC's cortex-a7.md and cortex-a53.md: 1 by the bypass) and
///   large (Arm's "Software Optimization Guides", such as that of the Cortex-A72: basic arithmetic 1);
/// - riscv64: those described in LLVM's scheduling models (SiFive 7 series, review D153666: "dependent instructions
///   should only see 1 cycle latency"; SpacemiT X60, measured: "latency of ALU instructions is 1").
/// On ppc64le they differ: 1 on POWER8, 2 on POWER9 and POWER10 (GCC's power8.md, power9.md and power10.md). For s390x
/// no figure by IBM was found, and GCC's models say 0 (2964.md, of the z13), which cannot be right.
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__) || (defined(__riscv) && __riscv_xlen == 64)
inline constexpr bool addition_takes_one_cycle = true;
#else
inline constexpr bool addition_takes_one_cycle = false;
#endif

/// The current frequency of the calling thread's core in GHz: the median over several timed chains of dependent
/// additions. std::nullopt if an addition is not known to take one cycle. Takes about 0.2 ms, longer on a coarse clock.
/// @throws Error if the clock stands still
/// (The time-stamp counter is no substitute: it ticks at a rate of its own.)
[[nodiscard]] std::optional<double> measure_core_clock_ghz(Clock& clock, const ClockQuality& quality);

/// A clock outside the cores that moves with the load.
struct ScaledClock {
    double lowest_ghz = 0; ///< the min that it may take
    double highest_ghz = 0;
    std::optional<double> current_ghz = std::nullopt; ///< often only the administrator may read it
    std::string governor{};                           ///< the kernel's rule by which it moves, if it moves it

    bool operator==(const ScaledClock&) const = default;
};

/// Those of the uncore, which is the shared cache and the path to memory, of each package or die, by the names that the
/// kernel gives them; empty if it does not report them (only Intel's driver does).
[[nodiscard]] std::vector<ScaledClock> read_uncore_clocks(const SystemFiles& files);

/// Those of memory controllers that the kernel moves (devfreq), by the names that it gives them; empty if there are
/// none.
[[nodiscard]] std::vector<ScaledClock> read_memory_clocks(const SystemFiles& files);

} // namespace memtest
