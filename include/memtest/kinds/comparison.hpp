#pragma once

#include "memtest/insight/figure_change.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/result/result.hpp"
#include "memtest/result/stored_file.hpp"

#include <span>
#include <string>
#include <vector>

namespace memtest {

/// How the figures of one file differ from those of others, with a row for each part that only one side has, and for a
/// file that is truncated.
[[nodiscard]] std::vector<FigureChange> changes_of(std::span<const Stated* const> baselines, const Stated& latest,
                                                   double tolerance_percent);

/// How a result or a report changed, and what that says together.
struct Comparison {
    std::vector<FigureChange> figures{};
    std::vector<Notice> unclear{}; ///< why it cannot be told, besides figures
    std::vector<Notice> remarks{};
    double tolerance_percent = 0;
    Verdict verdict = Verdict::cannot_tell;

    /// Whether `cannot tell` has no other reason than noise, and no level may be worse.
    [[nodiscard]] bool only_noisy() const;
};

/// Compares a file with baselines: all parts of reports, or the one result of each. @throws Error like figures_in
[[nodiscard]] Comparison compare(std::span<const StoredFile> baselines, const StoredFile& latest,
                                 double tolerance_percent);

} // namespace memtest
