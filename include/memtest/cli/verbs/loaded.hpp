#pragma once

#include "memtest/cli/load_plan.hpp"
#include "memtest/measure/load_sweep.hpp"

#include <vector>

namespace memtest {

/// The options on its command line. @throws Error (usage)
[[nodiscard]] LoadOptions options_of_loaded(const CommandLine& line);

/// What is measured on this machine.
struct LoadedRun : LoadedTeam {
    LoadSweep sweep;                      ///< of each curve, without its share of writes
    std::vector<unsigned> write_percents; ///< a curve for each
};

[[nodiscard]] LoadedRun plan_loaded(const LoadOptions& options, const Machine& machine);

} // namespace memtest
