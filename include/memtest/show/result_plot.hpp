#pragma once

#include "memtest/result/result.hpp"
#include "memtest/show/curve_plot.hpp"
#include "memtest/show/heat_map.hpp"
#include "memtest/show/page.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// How results are drawn.
struct PlotStyle {
    bool cycles = false;     ///< core cycles instead of ns
    bool ratio = false;      ///< how many times as fast as the first sweep, at the sizes of both
    bool levels = false;     ///< those of the first sweep's first thread
    bool has_labels = false; ///< given by the user: a label stands alone if it names a single curve
};

/// The name of a file's curve: the file's name without folders and `.csv`.
[[nodiscard]] std::string plot_label(const std::filesystem::path& path);

/// A curve for each sweep and thread, named by the sweep's label and the settings in which the sweeps differ.
/// @pre at least one sweep, and as many labels
/// @throws Error (usage) naming the file if it has nothing to draw
[[nodiscard]] SizePlot plot_sweeps(const std::vector<Result>& sweeps, const std::vector<std::string>& labels,
                                   const PlotStyle& style);

/// Latency over bandwidth, a curve for each share of writes in each result of `memtest loaded`. @pre at least one, and
/// as many labels
/// @throws Error (usage) naming the file if it has nothing to draw
[[nodiscard]] SizePlot plot_loads(const std::vector<Result>& loads, const std::vector<std::string>& labels);

/// The share of slower accesses over latency, a curve for each row of the results of `memtest tail`.
/// @pre at least one, and as many labels
/// @throws Error (usage) naming the file if it has nothing to draw
[[nodiscard]] SizePlot plot_tails(const std::vector<Result>& tails, const std::vector<std::string>& labels,
                                  const PlotStyle& style = {});

/// Latency over the stride, a curve for each direction and kind of pages of the results of `memtest prefetch`.
/// @pre at least one, and as many labels
[[nodiscard]] SizePlot plot_prefetchers(const std::vector<Result>& results, const std::vector<std::string>& labels);

/// A heat map of a result of `memtest cores` or `nodes`.
/// @throws Error (usage) if no latency is known, or an image cannot show so many rows or columns
[[nodiscard]] HeatMap plot_matrix(const Result& matrix);

/// The sweeps of `memtest report`, with the levels of its page; std::nullopt if there is none.
/// @throws Error like plot_sweeps
[[nodiscard]] std::optional<SizePlot> plot_of_sweeps(const ReportResults& results);

/// The sweeps of this machine and of those beside it; std::nullopt if there are no others. @throws Error like
/// plot_sweeps
[[nodiscard]] std::optional<SizePlot> plot_of_machines(const ReportResults& results);

} // namespace memtest
