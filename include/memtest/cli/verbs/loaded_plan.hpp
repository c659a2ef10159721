#pragma once

#include "memtest/cli/option_table.hpp"
#include "memtest/cli/probe/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/load_sweep.hpp"
#include "memtest/measure/run_plan.hpp"
#include "memtest/measure/team.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What the user asked of `memtest loaded`: options shared with the probe, and its own.
struct LoadedOptions : ProbeOptions {
    LoadedOptions() {
        shape.order = Order::random;
        timing.estimate = Estimate::median;
    }

    std::optional<std::vector<int>> load_cpus = std::nullopt; ///< none: one per other physical core
    std::optional<std::size_t> size_bytes = std::nullopt;     ///< of each thread; none: chosen for the machine
    std::optional<PageKind> page_kind = std::nullopt;         ///< none: transparent huge ones where the system has them
    unsigned write_percent = 0;
    std::size_t steps = 12;
};

[[nodiscard]] std::vector<Option<LoadedOptions>> loaded_options();

/// @throws Error (usage)
[[nodiscard]] LoadedOptions parse_loaded_options(const std::vector<std::string>& arguments);

/// What `memtest loaded` measures on this machine.
struct LoadedRun {
    TeamPlan team; ///< the measured processor first, then those that load
    LoadSweep sweep;
    std::optional<LoweredSize> lowered = std::nullopt;
};

/// Fits the options to the machine. Refuses what it cannot measure: without a second processor, without binding to
/// processors, a processor in both lists, memory that does not fit. @throws Error (usage)
[[nodiscard]] LoadedRun plan_loaded(const LoadedOptions& options, const Machine& machine, const SystemFiles& files);

} // namespace memtest
