#pragma once

#include "memtest/cli/load_plan.hpp"
#include "memtest/measure/tail_sweep.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

struct TailOptions : LoadOptions {
    std::vector<double> load_percents{};             ///< ascending
    std::optional<std::size_t> group = std::nullopt; ///< none: what the counter's resolution requires
};

/// The options on its command line. @throws Error (usage)
[[nodiscard]] TailOptions options_of_tail(const CommandLine& line);

/// What is sampled on this machine.
struct TailRun : LoadedTeam {
    TailSweep sweep;
};

/// By default sizes well inside each cache, and memory. @param choose like plan_loaded_team
[[nodiscard]] TailRun plan_tail(const TailOptions& options, const Machine& machine,
                                const ChainChoice& choose = nullptr);

} // namespace memtest
