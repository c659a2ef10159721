#pragma once

#include "memtest/measure/load_batch.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace memtest {

/// The rates that loaders reached with each pause. Time per line is what the memory takes, and from some pause on
/// linear in the pause, with a step up where the processor no longer looks ahead to the next line.
class Calibration {
public:
    /// A longer pause makes no loader faster, but what disturbs one makes it slower: what is slower than with a longer
    /// pause is left out, and without a pause they are as fast as the fastest.
    /// @param lines_per_ns of each loader, above zero
    void add(std::size_t pause, const std::vector<double>& lines_per_ns);

    /// What all loaders together reach with the longest pause, as a share of the peak, what they reach without.
    [[nodiscard]] double smallest_share() const;

    /// The pause that probably gives a share (above 0, at most 1): time per line is taken for linear between two
    /// pauses.
    [[nodiscard]] std::size_t pause_for(double share) const;

    /// The step with that of the pauses whose share is nearest.
    [[nodiscard]] LoadStep nearest_step(double share) const;

private:
    [[nodiscard]] double share_of(const std::vector<double>& rates) const;

    std::map<std::size_t, std::vector<double>> rates_; ///< of each loader, by the pause; the longer, the slower
};

/// Measures the rate of each loader at a pause; nothing when interrupted.
using MeasureRates = std::function<std::optional<std::vector<double>>(std::size_t pause)>;

/// So many steps of load, evenly spaced in bandwidth up to the peak, each with the pause that gives it. Doubles the
/// pause until the loaders are slow enough for the smallest step, then measures in three passes at the pauses that
/// follow from what is known. Empty when interrupted.
[[nodiscard]] std::vector<LoadStep> calibrate(std::size_t steps, const MeasureRates& measure);

} // namespace memtest
