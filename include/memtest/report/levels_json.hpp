#pragma once

#include "memtest/report/levels_report.hpp"

#include <span>
#include <string>

namespace memtest {

/// The members `levels` and `remarks` of a JSON document, without a comma behind them: an object for each level or
/// remark of each thread; null for both where there are no reports.
[[nodiscard]] std::string levels_members(std::span<const LevelReport> reports);

/// The levels of one or more threads as a JSON document.
[[nodiscard]] std::string levels_json(std::span<const LevelReport> reports);

} // namespace memtest
