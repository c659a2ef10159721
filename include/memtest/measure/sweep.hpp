#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/probe.hpp"
#include "memtest/measure/row.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// A sweep, as plain data.
struct Sweep {
    std::vector<std::size_t> sizes; ///< ascending
    TimingPlan timing{};            ///< of each
};

/// How far a sweep has come.
struct Progress {
    std::size_t settled = 0; ///< sizes that need no further visit
    std::size_t sizes = 0;
    unsigned round = 0;                                ///< from 0
    std::optional<double> seconds_left = std::nullopt; ///< about; none in the first second
};

/// Called with each row, once it and all rows of smaller sizes are known.
using RowSink = std::function<void(const Row&)>;

/// Called before each visit.
using ProgressSink = std::function<void(const Progress&)>;

/// Measures in rounds. The first round visits every size, each further one the sizes that are neither settled nor given
/// up. With a precision, a size is settled when its visits agree on every thread (is_settled). It is given up, and its
/// row noted as limit, when its visits or accesses are used up; half of the visits where the caches do not hold it.
/// Rows come in the order of sizes, within a size in that of threads. When the probe is interrupted or throws, every
/// visited size still comes as a row.
/// @param clock the system's monotonic one, or a fake
void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
               const ProgressSink& progress_sink);

} // namespace memtest
