#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A figure of a part that makes the verdict `worse`; of a sweep that is compared by its levels, the name is empty.
struct WorseFigure {
    std::string part;
    std::string name = {};

    auto operator<=>(const WorseFigure&) const = default;
};

/// How the figures of results changed, and what that says together. Faster and slower stand for better and worse.
struct FigureComparison {
    std::vector<FigureChange> figures{};
    std::vector<Notice> unclear{}; ///< why sweeps among the parts cannot be told, or what was not measured
    std::vector<Notice> changed{}; ///< what changed in such sweeps
    std::set<WorseFigure> worse{}; ///< of reports
    std::vector<Notice> remarks{};
    double tolerance_percent = 0;
    bool only_noisy = true; ///< nothing is in doubt for another reason than noise
    Verdict verdict = Verdict::cannot_tell;
};

/// Compares a result of any kind with baselines of the same kind by their figures. @throws Error like figures_in
[[nodiscard]] FigureComparison compare_by_figures(std::span<const Result> baselines, const Result& latest,
                                                  double tolerance_percent);

/// Compares the parts that all of these reports have: sweeps of several sizes by their levels, as compare_results does,
/// all others by their figures together. @throws Error like figures_in
[[nodiscard]] FigureComparison compare_reports(std::span<const ReportResults> baselines, const ReportResults& latest,
                                               double tolerance_percent);

/// What `memtest compare` reports of anything but sweeps: a row for each figure.
extern const KindOf<FigureChange> figures_kind;

/// The word of a verdict where a figure may be no latency: better and worse for faster and slower.
[[nodiscard]] std::string_view word_for_figures(Verdict verdict);

[[nodiscard]] Findings comparison_findings(const FigureComparison& comparison);

/// For people, like comparison_table for sweeps: of at most 80 columns. @param all figures are in the table; without it
/// those of reports that show no difference are left out
[[nodiscard]] std::string comparison_table(const FigureComparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

} // namespace memtest
