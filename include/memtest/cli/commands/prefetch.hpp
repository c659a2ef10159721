#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/prefetch.hpp"

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] Options options_of_prefetch(const CommandLine& line);

/// What is measured on this machine.
struct PrefetchRun {
    TeamPlan team; ///< one processor
    PatternPlan patterns;
};

/// Small pages, and huge ones where the system gives them. @throws Error (usage) if the memory does not suffice
[[nodiscard]] PrefetchRun plan_prefetch(const Options& options, const Machine& machine,
                                        bool can_flush = can_flush_lines());

} // namespace memtest
