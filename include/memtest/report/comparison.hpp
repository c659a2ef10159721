#pragma once

#include "memtest/insight/compare.hpp"
#include "memtest/report/result.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What `memtest compare` tells: a row for each size.
extern const Kind compare_kind;

[[nodiscard]] std::vector<ResultRow> comparison_rows(const Comparison& comparison);

/// How each level changed, the verdict, and its reason.
[[nodiscard]] Findings comparison_findings(const Comparison& comparison);

/// For people: a table of the sizes, one of the levels, and a sentence with the verdict and its reason.
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

} // namespace memtest
