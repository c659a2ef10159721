#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/visits.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace memtest {

/// One size in one round, the same for every thread.
struct VisitPlan {
    std::size_t bytes = 0; ///< the working set
    unsigned round = 0;    ///< from 0: each has its own places and orders, except for sizes linked once
    TimingPlan left{};     ///< for this visit and those after it
};

/// Measures on all threads at once: the border to the real machine, replaced in tests of the sweep.
class Probe {
public:
    virtual ~Probe() = default;

    /// One measurement per thread, in the order of their numbers. Empty if interrupted.
    /// @throws Error if a thread fails
    [[nodiscard]] virtual std::vector<Measurement> visit(const VisitPlan& visit) = 0;
};

/// A sweep, as plain data.
struct Sweep {
    std::vector<std::size_t> sizes; ///< ascending
    TimingPlan timing{};            ///< of each
};

/// Called with each row, once it and all rows of smaller sizes are known.
using RowSink = std::function<void(const Row&)>;

/// Measures in rounds. The first round visits every size, each further one the sizes that are neither settled nor given
/// up. With a precision, a size is settled once its visits agree on every thread (VisitsSoFar). It is given up, with
/// the note limit, once its visits or accesses are used up; if the caches do not hold it, once half of its visits are.
/// Rows come in the order of sizes, and within a size in that of threads. If the probe is interrupted or throws, every
/// visited size still gets a row.
/// @param clock the system's monotonic one, or a fake
/// @param phrase_sink gets what the visited sizes nearest to 16 KiB, 256 KiB and 64 MiB have shown so far
void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink, const PhraseSink& phrase_sink,
               const TimeIsUp& time_is_up = nullptr);

} // namespace memtest
