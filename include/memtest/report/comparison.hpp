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

/// What `memtest compare` reports: a row for each size.
extern const KindOf<SizeChange> compare_kind;

/// How each level changed, the verdict, and its reason.
[[nodiscard]] Findings comparison_findings(const Comparison& comparison);

/// Why the verdict is what it is, without a full stop.
[[nodiscard]] std::string reason_of(const Comparison& comparison);

/// For people: a sentence with the verdict and its reason, a table of the levels, and one of the sizes that differ or
/// could not be told.
/// @param all sizes are in the table @param passed the sentence says that what is unclear passes
/// @param columns of the terminal, at which the sentence wraps; none: it is one line
[[nodiscard]] std::string comparison_table(const Comparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

} // namespace memtest
