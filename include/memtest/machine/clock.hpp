#pragma once

#include <cstdint>

namespace memtest {

/// A clock that never goes back. Tests replace the real one, so that they need not wait.
class Clock {
public:
    virtual ~Clock() = default;

    /// Nanoseconds since some fixed moment.
    [[nodiscard]] virtual std::uint64_t now_ns() = 0;
};

/// The system's monotonic clock.
class MonotonicClock : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() override;
};

/// A clock's cost and resolution.
struct ClockQuality {
    double cost_ns = 0;       ///< of one reading: a timed interval is longer by this
    double resolution_ns = 0; ///< its smallest step
};

/// Measures both by reading the clock back to back; takes well under a millisecond unless the clock is coarse.
[[nodiscard]] ClockQuality measure_clock(Clock& clock);

} // namespace memtest
