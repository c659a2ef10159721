#pragma once

#include "memtest/machine/machine.hpp"
#include "memtest/measure/run_plan.hpp"
#include "memtest/report/run_description.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// The sentences that open the CSV, without `#`.
[[nodiscard]] std::vector<std::string> headline(const RunDescription& run);

/// On which processors, memory and machine a team runs, for whatever it measures; all else is left open.
/// @param facts of the threads, as they found them after mapping their memory
[[nodiscard]] RunDescription describe_machine(const TeamPlan& team, const Machine& machine,
                                              const std::vector<ThreadFacts>& facts);

/// The same for a sweep, with what was asked for; arguments, start and what is known at the end are left open.
/// @param facts of the threads, as they found them after mapping their memory
[[nodiscard]] RunDescription describe_run(const RunPlan& plan, const Machine& machine,
                                          const std::vector<ThreadFacts>& facts);

/// The largest size as it is reported on. @param lowered where it is less than the default
[[nodiscard]] LargestSize largest_size(std::size_t bytes, const std::optional<LoweredSize>& lowered);

/// The pages of an area as they are reported on.
[[nodiscard]] PagesGot pages_got(const GrantedPages& granted);

/// The machine's caches as they are reported on.
[[nodiscard]] std::vector<ReportedCache> reported_caches(std::span<const Cache> caches);

/// The present time, as RunDescription::start has it.
[[nodiscard]] std::string present_time();

} // namespace memtest
