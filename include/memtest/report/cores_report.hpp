#pragma once

#include "memtest/insight/core_groups.hpp"
#include "memtest/report/run_lines.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// The fields of a row of `memtest cores`. @param latency_ns nothing where the clock told nothing
[[nodiscard]] std::vector<std::string> cores_row(int reader, int owner, std::optional<double> latency_ns,
                                                 Relation relation);

/// What the rows tell.
struct CoresReport {
    std::vector<CorePair> pairs;
    std::vector<std::pair<int, int>> bimodal; ///< reader and owner where the laps fall into two groups
    std::string last_cache;                   ///< the name of the last-level cache: "L3"
};

/// The report's `# key: value` lines.
[[nodiscard]] KeyedLines cores_lines(const CoresReport& report);

/// The same as members of a JSON document: `groups`, `bimodal` and `remarks`, each null where there is no report.
[[nodiscard]] std::string cores_members(const std::optional<CoresReport>& report);

} // namespace memtest
