#pragma once

#include "memtest/measure/load_generator.hpp"
#include "memtest/measure/load_row.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/measure/visits.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// One timed batch of the walk, and the load of the same moment.
struct LoadBatch {
    double ns_per_access = 0;
    double lines_per_ns = 0;           ///< of all load threads together
    bool preempted = false;            ///< the walk's processor was taken away
    std::vector<std::size_t> absent{}; ///< load threads that did not run throughout
};

/// Adds a part of a batch, one of as many equal ones: what took the processor away from any of them did from the batch.
/// @pre it was timed
void add_part(LoadBatch& batch, const Measurement& part, unsigned parts);

/// Whether the walk and all load threads ran throughout. (The min over all batches may be wrong: without a load thread,
/// the walk is faster.)
[[nodiscard]] bool counts(const LoadBatch& batch);

/// The median bandwidth of the batches that count, in lines per ns; std::nullopt if none does.
[[nodiscard]] std::optional<double> median_lines_per_ns(std::span<const LoadBatch> batches);

/// What was measured with one pause of the load threads.
struct LoadSetting {
    std::optional<std::size_t> pause = std::nullopt; ///< between the load threads' lines, or endless; none: they sleep
    std::vector<std::vector<LoadBatch>> visits{};
};

/// Bandwidth and latency of the same batches: the medians over the latest visits of their medians.
struct LoadPair {
    double lines_per_ns = 0;
    double latency_ns = 0;
};

/// If no batch counts, of those with the walk undisturbed and some load: without a load thread that is a point of
/// lighter load. std::nullopt if there is none.
[[nodiscard]] std::optional<LoadPair> pair_of(const LoadSetting& setting);

/// Whether its visits agree to the precision, based on the batches that count, at least eight.
[[nodiscard]] bool load_visits_agree(const LoadSetting& setting, const TimingPlan& timing);

/// Joins the visits to a setting. The figures of a visit are the estimate over its batches that count, those of the row
/// are the estimate over its visits. @param timing its estimate and precision
/// @return without its load in percent
[[nodiscard]] LoadRow join_load_visits(const LoadSetting& setting, const TimingPlan& timing,
                                       const LoadPattern& pattern);

} // namespace memtest
