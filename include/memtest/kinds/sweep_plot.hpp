#pragma once

#include "memtest/result/plot_data.hpp"
#include "memtest/result/result.hpp"

#include <string>
#include <vector>

namespace memtest {

/// A curve for each sweep and thread, named by the sweep's label and the settings in which the sweeps differ.
/// @pre at least one sweep, and as many labels
/// @throws Error (usage) naming the file if it has nothing to draw
[[nodiscard]] Plot plot_sweeps(const std::vector<Result>& sweeps, const std::vector<std::string>& labels,
                               const PlotStyle& style);

} // namespace memtest
