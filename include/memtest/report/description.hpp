#pragma once

#include "memtest/machine/machine.hpp"
#include "memtest/measure/run_plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// What a run was, for whoever reads its rows: one line of a `# key: value` each.
using Description = std::vector<std::pair<std::string, std::string>>;

/// The three sentences that open the output, without `#`.
[[nodiscard]] std::vector<std::string> headline(const RunPlan& plan);

/// What was asked for and on which machine it runs.
/// @param facts of the threads, as they found them after mapping their memory
[[nodiscard]] Description describe_run(const RunPlan& plan, const Machine& machine,
                                       const std::vector<ThreadFacts>& facts);

} // namespace memtest
