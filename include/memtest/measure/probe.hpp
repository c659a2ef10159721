#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// What one thread measured at one size.
struct Measurement {
    Timing timing;
    Disturbances before;                  ///< at the start of the timed part
    Disturbances after;                   ///< at its end
    std::vector<CounterReading> counters; ///< over the timed batches, in the order asked for
    std::optional<double> ghz_before;     ///< the core's clock right before the timed part, where it is known
    std::optional<double> ghz_after;      ///< and right after it
};

/// Measures one size after the other on one mapping, on all threads at once: the border to the real machine, replaced
/// in tests of the sweep.
class Probe {
public:
    virtual ~Probe() = default;

    /// One measurement per thread, in the order of their numbers; sizes only grow. Empty when interrupted.
    [[nodiscard]] virtual std::vector<Measurement> measure(std::size_t bytes) = 0;
};

} // namespace memtest
