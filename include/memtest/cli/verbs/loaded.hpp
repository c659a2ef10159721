#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/load_sweep.hpp"
#include "memtest/measure/run_plan.hpp"

#include <optional>
#include <vector>

namespace memtest {

/// @throws Error (usage)
[[nodiscard]] Options options_of_loaded(const CommandLine& line);

/// What `memtest loaded` measures on this machine.
struct LoadedRun {
    TeamPlan team; ///< the measured processor first, then those that load
    LoadSweep sweep;
    std::optional<LoweredSize> lowered = std::nullopt;
};

/// Fits the options to the machine. Refuses what it cannot measure: without a second processor, without binding to
/// processors, a processor in both lists, memory that does not fit. @throws Error (usage)
[[nodiscard]] LoadedRun plan_loaded(const Options& options, const Machine& machine, const SystemFiles& files);

} // namespace memtest
