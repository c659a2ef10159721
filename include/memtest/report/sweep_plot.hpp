#pragma once

#include "memtest/report/gnuplot.hpp"
#include "memtest/report/sweep_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What is drawn of sweeps.
struct SweepPlotStyle {
    bool cycles = false;    ///< core cycles instead of ns
    bool ratio = false;     ///< how many times as fast as the first sweep, at the sizes that it has, too
    bool levels = false;    ///< those of the first sweep's first thread
    std::string title = {}; ///< empty for one that says what is drawn
};

/// What a file's curve is called: its name without folders and without `.csv`.
[[nodiscard]] std::string sweep_label(std::string_view path);

/// A curve for each sweep and thread, named by the sweeps' labels and, where they say that it differs, by what they
/// were measured with. @pre at least one sweep, and as many labels
/// @throws Error (usage) naming the file when it has nothing to draw, or a figure beyond anything that is measured
[[nodiscard]] SizePlot plot_sweeps(const std::vector<StoredSweep>& sweeps, const std::vector<std::string>& labels,
                                   const SweepPlotStyle& style);

} // namespace memtest
