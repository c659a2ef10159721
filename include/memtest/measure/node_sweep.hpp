#pragma once

#include "memtest/machine/system_files.hpp"
#include "memtest/measure/load_batch.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// How pairs of NUMA nodes, the processors of one and the memory of another or the same, are measured by their number:
/// the border to the real machine.
struct NodeProbe {
    /// The row of a walk by one processor; std::nullopt if interrupted.
    std::function<std::optional<Row>(std::size_t pair)> walk;
    /// The batches of one visit by a load thread on each processor; empty if interrupted. Null: no load.
    std::function<std::vector<LoadBatch>(std::size_t pair)> load;
};

/// What was measured of a pair.
struct NodeFigures {
    std::size_t pair = 0;
    Row walk;
    std::optional<double> lines_per_ns = std::nullopt; ///< of all load threads; std::nullopt if no batch counts
    bool load_disturbed = false;                       ///< most of its batches were set aside
};

/// Walks each pair, then loads them in rounds. The bandwidth is the median over the batches of all rounds in which
/// every load thread ran throughout. Once the time is up no pair is loaded again. Pairs come in their order. When the
/// probe is interrupted or throws, those that were walked still come.
void run_node_sweep(std::size_t pairs, const NodeProbe& probe, const std::function<void(const NodeFigures&)>& sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr);

/// One visit by a team of load threads, which read without a pause; empty if interrupted.
/// @param plan one load thread for each processor; each has an area @throws Error like Team
[[nodiscard]] std::vector<LoadBatch> load_batches(const TeamPlan& plan, const SystemFiles& files,
                                                  const std::atomic<bool>& interrupted);

} // namespace memtest
