#pragma once

#include "memtest/plot/gnuplot.hpp"
#include "memtest/report/sweep_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// How sweeps are drawn.
struct SweepPlotStyle {
    bool cycles = false;    ///< core cycles instead of ns
    bool ratio = false;     ///< how many times as fast as the first sweep, at the sizes of both
    bool levels = false;    ///< those of the first sweep's first thread
    std::string title = {}; ///< empty for the usual one
};

/// The name of a file's curve: the file's without folders and `.csv`.
[[nodiscard]] std::string sweep_label(std::string_view path);

/// A curve for each sweep and thread, named by the sweep's label and the settings in which the sweeps differ.
/// @pre at least one sweep, and as many labels
/// @throws Error (usage) naming the file when it has nothing to draw
[[nodiscard]] SizePlot plot_sweeps(const std::vector<StoredSweep>& sweeps, const std::vector<std::string>& labels,
                                   const SweepPlotStyle& style);

} // namespace memtest
