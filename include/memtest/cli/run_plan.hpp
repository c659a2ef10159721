#pragma once

#include "memtest/cli/options.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/sweep.hpp"
#include "memtest/measure/team.hpp"

#include <cstdint>
#include <optional>

namespace memtest {

/// What is going to be measured, now that the machine is known.
struct RunPlan {
    Sweep sweep;
    TeamPlan team;
    std::size_t max_bytes = 0;                                               ///< the largest size that may be tested
    std::optional<std::uint64_t> lowered_for_available_bytes = std::nullopt; ///< why it is below the default
};

/// Fits the options to the machine: chooses processors, lowers the default largest size to what fits, lays out the
/// sizes. Refuses what this machine cannot measure as asked, before anything is touched. @throws Error (usage)
[[nodiscard]] RunPlan plan_run(const Options& options, const Machine& machine, const SystemFiles& files);

} // namespace memtest
