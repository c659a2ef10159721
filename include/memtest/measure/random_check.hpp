#pragma once

#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <optional>

namespace memtest {

/// What the check walks on: for all of the plan's largest size a sample of its lines, in random order.
[[nodiscard]] TeamPlan random_check_plan(const TeamPlan& plan);

/// About how many ns an access takes at the plan's largest size when its order is random: a quick measurement on fresh
/// memory, to hold the end of a stride sweep against. Links only a sample of the lines, spread over all of the memory.
/// Nothing when interrupted. @throws Error like Team
[[nodiscard]] std::optional<double> quick_random_latency_ns(const TeamPlan& plan, const SystemFiles& files,
                                                            const std::atomic<bool>& interrupted);

} // namespace memtest
