#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/hand_over.hpp"
#include "memtest/measure/run_plan.hpp"

#include <vector>

namespace memtest {

/// @throws Error (usage)
[[nodiscard]] Options options_of_cores(const CommandLine& line);

/// Fits the options to the machine: chooses processors and nodes. Refuses what it cannot measure. @throws Error (usage)
[[nodiscard]] TeamPlan plan_cores(const Options& options, const Machine& machine);

/// The pairs in the order of the rows.
[[nodiscard]] std::vector<HandOverPlan> pairs_of(const TeamPlan& team, bool both);

} // namespace memtest
