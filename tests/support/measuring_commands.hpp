#pragma once

#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/commands/cores.hpp"
#include "memtest/cli/commands/loaded.hpp"
#include "memtest/cli/commands/nodes.hpp"
#include "memtest/cli/commands/prefetch.hpp"
#include "memtest/cli/commands/report.hpp"
#include "memtest/cli/commands/tail.hpp"
#include "memtest/cli/commands/tlb.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/machine/machine.hpp"

#include <vector>

namespace memtest {

/// A command that measures, up to its measuring. Both functions throw Error (usage) for what the command refuses.
struct MeasuringCommand {
    const Command& command;
    void (*read)(const CommandLine& line); ///< its options
    void (*plan)(const CommandLine& line, const Machine& machine, bool can_flush);
};

/// @param plan_of a function of options and machine, or of these and whether lines can be flushed from the caches
template<auto options_of, auto plan_of>
MeasuringCommand measuring(const Command& command) {
    return {command, [](const CommandLine& line) { static_cast<void>(options_of(line)); },
            [](const CommandLine& line, const Machine& machine, [[maybe_unused]] bool can_flush) {
                if constexpr (requires { plan_of(options_of(line), machine, can_flush); })
                    static_cast<void>(plan_of(options_of(line), machine, can_flush));
                else
                    static_cast<void>(plan_of(options_of(line), machine));
            }};
}

// Without the arguments that have a default.
inline RunPlan plan_of_sweep(const Options& options, const Machine& machine) {
    return plan_run(options, machine);
}
inline LoadedRun plan_of_loaded(const LoadOptions& options, const Machine& machine) {
    return plan_loaded(options, machine);
}
inline TailRun plan_of_tail(const TailOptions& options, const Machine& machine) {
    return plan_tail(options, machine);
}

inline std::vector<MeasuringCommand> measuring_commands() {
    return {measuring<options_of_sweep, plan_of_sweep>(sweep_command),
            measuring<options_of_report, plan_report>(report_command),
            measuring<options_of_tlb, plan_tlb>(tlb_command),
            measuring<options_of_loaded, plan_of_loaded>(loaded_command),
            measuring<options_of_tail, plan_of_tail>(tail_command),
            measuring<options_of_cores, plan_cores>(cores_command),
            measuring<options_of_nodes, plan_nodes>(nodes_command),
            measuring<options_of_prefetch, plan_prefetch>(prefetch_command)};
}

} // namespace memtest
