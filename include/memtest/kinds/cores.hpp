#pragma once

#include "memtest/insight/core_groups.hpp"
#include "memtest/result/result.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// What `memtest cores` measures: how long a reader takes to get lines from their owner.
extern const KindOf<CoresRow> cores_kind;

/// What the rows of `memtest cores` show.
struct CoresReport {
    std::vector<CorePair> pairs;
    std::vector<std::vector<CorePair>> at_moments; ///< the same pairs as each of several moments showed them, if known
    std::vector<std::pair<int, int>> bimodal;      ///< reader and owner of each pair whose laps fall into two groups
    std::string last_cache;                        ///< the name of the last-level cache: "L3"
    std::optional<Notice> left_out = std::nullopt; ///< pairs that were not measured
    bool has_groups = true;                        ///< false if other work moved the latencies
    std::vector<std::pair<int, int>> moved = {};   ///< if the hypervisor moves processors
    double seconds = 0;                            ///< in which the pairs were measured
    std::vector<CoreKind> kinds = {};              ///< of cores, if there are several
};

/// The groups of processors, unless they differ from one moment to another; pairs left out, contradictions to what the
/// system reports, and bimodal pairs. If the hypervisor moves the processors, how many, and nothing that takes
/// placements for lasting.
[[nodiscard]] Findings cores_findings(const CoresReport& report);

/// The pairs of a stored result. It has no groups if its run found them changed, or was disturbed.
[[nodiscard]] CoresReport stored_cores(const Result& cores);

} // namespace memtest
