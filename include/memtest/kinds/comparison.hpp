#pragma once

#include "memtest/insight/judge.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/result/result.hpp"
#include "memtest/result/stored_file.hpp"

#include <cstddef>
#include <optional>
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

/// What `memtest compare` reports: a row for each figure.
extern const KindOf<FigureChange> compare_kind;

/// The verdict and its reasons.
[[nodiscard]] Findings comparison_findings(const Comparison& comparison);

/// For people: a sentence with the verdict and its reason, and a table of what differs. @param all figures are in the
/// table, and single sizes @param passed the sentence says that what is unclear passes
/// @param columns of the terminal, at which the sentence wraps; none: it is one line
[[nodiscard]] std::string comparison_table(const Comparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

// What comparisons and fleets share.

/// A figure by its part and its name.
[[nodiscard]] std::string full_name(const FigureChange& figure);

/// The columns of a figure that changed.
[[nodiscard]] std::vector<Field<FigureChange>> change_fields();

/// A row for people: the name, the base, the new value, the change, its noise, and the verdict or what else there is to
/// say.
[[nodiscard]] std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name);

/// An answer for people.
struct Screen {
    std::string verdict;
    std::vector<std::string> header; ///< of rows like cells_of()
    std::vector<std::vector<std::string>> rows{};
    std::string legend{};     ///< a sentence on the rows
    std::size_t left_out = 0; ///< rows that only --all shows
    std::vector<Notice> notes{};
};

/// The verdict, the first rows and notes, in at most 20 lines where those are short; all of them before the verdict if
/// asked. @param columns of the terminal, at which sentences wrap; none: they are one line
[[nodiscard]] std::string text_of(const Screen& screen, bool all, std::optional<std::size_t> columns);

} // namespace memtest
