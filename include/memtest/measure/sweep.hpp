#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/measure/probe.hpp"
#include "memtest/measure/row.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// What a sweep does, as plain data.
struct Sweep {
    std::vector<std::size_t> sizes; ///< ascending
    TimingPlan timing{};            ///< of each
};

/// How far a sweep has come.
struct Progress {
    std::size_t settled = 0; ///< sizes that are not going to be visited again
    std::size_t sizes = 0;
    unsigned round = 0;                                ///< from 0
    std::optional<double> seconds_left = std::nullopt; ///< about; none in the first second
};

/// Takes each row as soon as it and all those of smaller sizes are known.
using RowSink = std::function<void(const Row&)>;

/// Called before each visit.
using ProgressSink = std::function<void(const Progress&)>;

/// Measures in rounds: the first one visits every size, each further one those that are neither settled nor given up.
/// With a precision a size is settled when its visits agree on every thread (is_settled); it is given up, and its row
/// noted as limit, when its visits or accesses are used up. Rows come in the order of sizes, within a size in that of
/// threads. When the probe is interrupted or throws, every size that was visited still comes as a row.
/// @param clock the system's monotonic one, or what stands for it in tests
void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink,
               const ProgressSink& progress_sink);

} // namespace memtest
