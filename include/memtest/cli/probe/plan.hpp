#pragma once

#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/run_plan.hpp"

namespace memtest {

/// Fits the options to the machine: chooses processors, lowers the default largest size to what fits, lays out the
/// sizes. Refuses what this machine cannot measure. @throws Error (usage)
[[nodiscard]] RunPlan plan_run(const ProbeOptions& options, const Machine& machine, const SystemFiles& files);

} // namespace memtest
