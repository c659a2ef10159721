#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// One size in one round, the same for every thread.
struct VisitPlan {
    std::size_t bytes = 0; ///< the working set
    unsigned round = 0;    ///< from 0: each has places and orders of its own, but for sizes linked once
    TimingPlan left{};     ///< for this visit and those after it
};

/// What one thread measured in one visit.
struct Measurement {
    Timing timing;
    std::uint64_t start_ns = 0;           ///< of the timed part, by the system's monotonic clock
    std::size_t place_bytes = 0;          ///< from the start of the thread's area to its chains
    bool is_held = true;                  ///< the caches hold the lines, as far as the warm-up tells
    Disturbances before;                  ///< at the start of the timed part
    Disturbances after;                   ///< at its end
    std::vector<CounterReading> counters; ///< over the timed batches, in the order asked for
    std::optional<double> ghz_before;     ///< the core's clock right before the timed part, where it is known
    std::optional<double> ghz_after;      ///< and right after it
};

/// Measures on all threads at once: the border to the real machine, replaced in tests of the sweep.
class Probe {
public:
    virtual ~Probe() = default;

    /// One measurement per thread, in the order of their numbers. Empty when interrupted.
    /// @throws Error when a thread fails
    [[nodiscard]] virtual std::vector<Measurement> visit(const VisitPlan& visit) = 0;
};

} // namespace memtest
