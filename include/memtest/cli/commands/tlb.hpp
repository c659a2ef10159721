#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/page_probe.hpp"
#include "memtest/measure/team.hpp"

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

/// Whether huge pages turn out to be small ones: measures twice as many small pages as the first TLB has entries. False
/// where that cannot be measured.
[[nodiscard]] bool finds_split_pages(const Translation& translation, PageProbePlan plan, const SystemFiles& files);

} // namespace memtest
