#pragma once

#include "memtest/report/figure_comparison.hpp"
#include "memtest/report/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What `memtest compare` reports of anything but sweeps: a row for each figure.
extern const KindOf<FigureChange> figures_kind;

/// The word of a verdict where a figure may be no latency: better and worse for faster and slower.
[[nodiscard]] std::string_view word_for_figures(Verdict verdict);

/// A figure by its part and its name.
[[nodiscard]] std::string full_name(const std::string& part, const std::string& name);

/// The number with its unit, as a table shows it.
[[nodiscard]] std::string value_text(Quantity quantity, double value);

/// The noise as a table shows it.
[[nodiscard]] std::string noise_text(double percent);

/// A row of a table: the name, the base, the new value, the change, its noise, and the verdict or the doubt.
[[nodiscard]] std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name);

[[nodiscard]] Findings comparison_findings(const FigureComparison& comparison);

/// For people, like comparison_table for sweeps: of at most 80 columns. @param all figures are in the table; without it
/// those of reports that show no difference, or are not counted, are left out
[[nodiscard]] std::string comparison_table(const FigureComparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

} // namespace memtest
