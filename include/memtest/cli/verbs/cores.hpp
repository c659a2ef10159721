#pragma once

#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/hand_over.hpp"
#include "memtest/measure/run_plan.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What the user asked of `memtest cores`: options shared with the probe, and its own.
struct CoresOptions : ProbeOptions {
    bool both = false; ///< both directions of each pair
    bool smt = false;  ///< all hardware threads of a core
};

/// @throws Error (usage)
[[nodiscard]] CoresOptions parse_cores_options(const std::vector<std::string>& arguments);

/// Fits the options to the machine: chooses processors and nodes. Refuses what it cannot measure. @throws Error (usage)
[[nodiscard]] TeamPlan plan_cores(const CoresOptions& options, const Machine& machine);

/// The pairs in the order of the rows.
[[nodiscard]] std::vector<HandOverPlan> pairs_of(const TeamPlan& team, bool both);

} // namespace memtest
