#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
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
    std::map<std::string, std::string> disturbances{}; ///< what disturbed a part of the report, or the one result ("")
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

} // namespace memtest
