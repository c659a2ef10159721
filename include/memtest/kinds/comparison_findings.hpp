#pragma once

#include "memtest/kinds/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What `memtest compare` reports: a row for each figure.
extern const KindOf<FigureChange> compare_kind;

/// The verdict and its reasons.
[[nodiscard]] Findings comparison_findings(const Comparison& comparison);

/// Why the verdict is what it is, as the end of a sentence.
[[nodiscard]] std::string reason_in_words(const Comparison& comparison);

/// Whether the verdict is for this figure; with `cannot tell`, also a change that did not recur.
[[nodiscard]] bool makes_verdict(const FigureChange& figure, const Comparison& comparison);

/// A figure by its part and its name.
[[nodiscard]] std::string full_name(const FigureChange& figure);

/// In percent, rounded to one of `steps` in each, and never -0.0; std::nullopt where one side lacks the figure.
[[nodiscard]] std::optional<double> printed_change(const FigureChange& figure, double steps);

/// In tenths of a percent. What is too large is rounded up, so that it exceeds the limit as printed, too.
[[nodiscard]] double printed_noise(const FigureChange& figure);

/// The columns of a figure that changed.
[[nodiscard]] std::vector<Field<FigureChange>> change_fields();

} // namespace memtest
