#pragma once

#include "memtest/measure/load_batch.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace memtest {

/// The rates that load threads reached with each pause. Memory latency hides short pauses. From some pause on, time per
/// line grows linearly with the pause, with a step up at which the processor no longer looks ahead to the next line.
class Calibration {
public:
    /// A longer pause makes no load thread faster, but a disturbance makes load threads slower. So a rate below that of
    /// a longer pause is dropped, and without a pause the highest rate counts. @param lines_per_ns of each load thread,
    /// above zero
    void add(std::size_t pause, const std::vector<double>& lines_per_ns);

    /// The rate of all load threads with the longest pause, as a share of the peak, their rate without a pause.
    [[nodiscard]] double smallest_share() const;

    /// The pause for a share (above 0, at most 1), with time per line interpolated between two known pauses.
    [[nodiscard]] std::size_t pause_for(double share) const;

    /// A step for this share, with the known pause that comes nearest to it.
    [[nodiscard]] LoadStep nearest_step(double share) const;

private:
    [[nodiscard]] double share_of(const std::vector<double>& rates) const;

    std::map<std::size_t, std::vector<double>> rates_; ///< of each load thread, by pause; longer pauses are slower
};

/// The batches of a visit with the load threads at a pause; empty if interrupted.
using VisitLoaded = std::function<std::vector<LoadBatch>(std::size_t pause)>;

/// Calibrates steps of load. Doubles the pause until the load threads are slow enough for the smallest step. Then
/// measures in three passes at the pause that pause_for gives each step. Visits again while a load thread does not run.
/// Empty if interrupted.
/// @param shares of the peak bandwidth, ascending, above 0 and at most 1
/// @param load_processors those of the load threads, for messages @throws MachineBusy if one never runs
[[nodiscard]] std::vector<LoadStep> calibrate(std::span<const double> shares, const VisitLoaded& visit,
                                              const std::vector<int>& load_processors);

/// Shares that are evenly spaced up to the peak.
[[nodiscard]] std::vector<double> even_shares(std::size_t steps);

} // namespace memtest
