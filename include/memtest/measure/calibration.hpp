#pragma once

#include "memtest/measure/load_batch.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace memtest {

/// What rates the loaders reach with which pause. Time per line is what the memory takes, and from some pause on linear
/// in the pause: convex, and never falling. What disturbs a loader makes it slower. So a time counts that is neither
/// above that of a longer pause nor above the line between a shorter and a longer one.
class Calibration {
public:
    /// @param lines_per_ns of each loader, above zero: the same loaders with every pause
    void add(std::size_t pause, const std::vector<double>& lines_per_ns);

    /// The rate of each loader at a pause.
    [[nodiscard]] std::vector<double> rates_at(std::size_t pause) const;

    /// The pause with which all loaders together reach a share (above 0, at most 1) of what they do without a pause: 0
    /// for the whole, the longest one measured where none is long enough.
    [[nodiscard]] std::size_t pause_for(double share) const;

    /// The share that they reach with the longest pause that was measured.
    [[nodiscard]] double smallest_share() const;

private:
    [[nodiscard]] double total_at(std::size_t pause) const;

    std::map<std::size_t, std::vector<double>> ns_per_line_; ///< of each loader, by the pause
};

/// Measures the rate of each loader at a pause; nothing when interrupted.
using MeasureRates = std::function<std::optional<std::vector<double>>(std::size_t pause)>;

/// So many steps of load, evenly spaced in bandwidth up to the peak, each with the pause that gives it. Doubles the
/// pause until the loaders are slow enough for the smallest step, then measures at the pauses found. Fewer when
/// interrupted: none.
[[nodiscard]] std::vector<LoadStep> calibrate(std::size_t steps, const MeasureRates& measure);

} // namespace memtest
