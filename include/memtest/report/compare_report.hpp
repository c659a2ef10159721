#pragma once

#include "memtest/insight/compare.hpp"
#include "memtest/report/settings.hpp"

#include <span>
#include <string>

namespace memtest {

/// For people: a table of the sizes, one of the levels, and a sentence with the verdict and its reason.
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

/// For programs: one row per size, then a `# level ...` line per level and `# verdict: ...`.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

/// The same as a JSON document.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// One line that names the settings in which two sweeps differ.
[[nodiscard]] std::string describe(std::span<const SettingDifference> differences);

} // namespace memtest
