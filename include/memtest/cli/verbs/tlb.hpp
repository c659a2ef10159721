#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/page_probe.hpp"
#include "memtest/measure/run_plan.hpp"

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] Options options_of_tlb(const CommandLine& line);

/// What is measured on this machine.
struct TlbRun {
    TeamPlan team; ///< one processor
    PageProbePlan pages;
};

/// As many pages as make sense, or fit into the memory.
[[nodiscard]] TlbRun plan_tlb(const Options& options, const Machine& machine);

} // namespace memtest
