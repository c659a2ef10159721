#pragma once

#include "memtest/cli/probe/options.hpp"
#include "memtest/cli/probe/resources.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/run_plan.hpp"

namespace memtest {

/// The largest size of a sweep: as asked for, or the default, or what fits. @throws Error (usage)
[[nodiscard]] MemoryShare share_for_sweep(const ProbeOptions& options, const TeamPlan& team, const Machine& machine,
                                          const SystemFiles& files);

/// Fits the options to the machine: chooses processors, lowers the default largest size to what fits, lays out the
/// sizes. Refuses what this machine cannot measure. @throws Error (usage)
[[nodiscard]] RunPlan plan_run(const ProbeOptions& options, const Machine& machine, const SystemFiles& files);

} // namespace memtest
