#pragma once

#include "memtest/plot/gnuplot.hpp"
#include "memtest/report/load_file.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Latency over bandwidth, a curve for each run. @pre at least one, and as many labels
/// @param title empty for the usual one
[[nodiscard]] SizePlot plot_loads(const std::vector<StoredLoad>& loads, const std::vector<std::string>& labels,
                                  const std::string& title);

} // namespace memtest
