#pragma once

#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/load_row.hpp"
#include "memtest/measure/timing.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// One timed batch of the walk, and the load threads' rates during it.
struct LoadBatch {
    double ns_per_access = 0;
    bool preempted = false;             ///< the walk's processor was taken away
    std::vector<double> lines_per_ns{}; ///< of each load thread
};

/// A step of load to measure.
struct LoadStep {
    double load_percent = 0;                         ///< of the peak bandwidth
    std::optional<std::size_t> pause = std::nullopt; ///< between the load threads' lines, or endless; none: they sleep
    std::vector<double> lines_per_ns{};              ///< of each load thread, as calibrated; empty without load
};

/// Whether the load thread ran at less than 80 % of its calibrated rate.
[[nodiscard]] bool is_absent(const LoadBatch& batch, const LoadStep& step, std::size_t thread);

/// Whether the batch counts: the walk and all load threads ran throughout. (The min over all batches may be wrong:
/// without a load thread, the walk is faster.)
[[nodiscard]] bool counts(const LoadBatch& batch, const LoadStep& step);

/// Whether the visits to a step agree to the precision, based on the batches that count.
[[nodiscard]] bool load_visits_agree(const LoadStep& step, std::span<const std::vector<LoadBatch>> visits,
                                     const TimingPlan& timing);

/// Joins the visits to a step. The figures of a visit are the estimate over its batches that count, those of the row
/// are the estimate over its visits. @param timing its estimate and precision
[[nodiscard]] LoadRow join_load_visits(const LoadStep& step, std::span<const std::vector<LoadBatch>> visits,
                                       const TimingPlan& timing, const LoadPattern& pattern);

} // namespace memtest
