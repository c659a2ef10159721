#pragma once

#include "memtest/insight/compare.hpp"
#include "memtest/report/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// Compares a sweep with baselines of the same kind, at the levels that these show together. Rows may be missing if a
/// sweep says so. A sweep is disturbed if it warns that others used the machine, or that many sizes did not settle.
[[nodiscard]] Comparison compare_results(std::span<const Result> baselines, const Result& latest,
                                         double tolerance_percent);

/// What disturbed a result as a whole, without the advice; empty if nothing did.
[[nodiscard]] std::string disturbance_of(const Result& result);

/// What `memtest compare` reports: a row for each size.
extern const KindOf<SizeChange> compare_kind;

/// How each level changed, the verdict, and its reason.
[[nodiscard]] Findings comparison_findings(const Comparison& comparison);

/// Why the verdict is what it is.
[[nodiscard]] std::vector<Notice> reasons_of(const Comparison& comparison);

/// What to do about a verdict with these reasons; empty if nothing.
[[nodiscard]] std::string what_to_do(const std::vector<Notice>& reasons);

/// The reasons in one sentence, with what to do, and in JSON one by one.
[[nodiscard]] Finding reason_finding(const std::vector<Notice>& reasons);

/// A change as reasons hold it. A noise that is no bound is not known.
[[nodiscard]] Members change_members(const std::string& name, const Change& change);

/// Noise above this is no longer a bound: it was computed from too little, or from values that disagree too much.
inline constexpr double most_noise_percent = 100;

/// What the table of a comparison leaves out, as a line behind it; empty if that is nothing.
[[nodiscard]] std::string omission_text(const std::vector<std::string>& omitted, std::optional<std::size_t> columns);

/// Remarks as lines behind a table; empty if there are none.
[[nodiscard]] std::string notes_text(const std::vector<Notice>& notes, std::optional<std::size_t> columns);

/// A verdict before the rest; on a terminal once more behind it, if the first would be off the screen.
[[nodiscard]] std::string with_verdict(const std::string& verdict, const std::string& rest, bool is_terminal);

/// For people: a sentence with the verdict and its reason, a table of the levels, and one of the sizes that differ,
/// and, if the verdict is that it cannot be told, of those that noise hides.
/// @param all sizes are in the table @param passed the sentence says that what is unclear passes
/// @param columns of the terminal, at which the sentence wraps; none: it is one line
[[nodiscard]] std::string comparison_table(const Comparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

} // namespace memtest
