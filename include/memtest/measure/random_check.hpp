#pragma once

#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"

#include <atomic>
#include <optional>

namespace memtest {

/// The plan of the check: a sample of the lines of the plan's largest size, in random order.
[[nodiscard]] TeamPlan random_check_plan(const TeamPlan& plan);

/// Roughly the latency of the plan's largest size in random order, in ns: a quick measurement on fresh memory, to
/// compare the end of a stride sweep with. Links only a sample of the lines, spread over all of the memory. Nothing
/// when interrupted. @throws Error like Team
[[nodiscard]] std::optional<double> quick_random_latency_ns(const TeamPlan& plan, const SystemFiles& files,
                                                            const std::atomic<bool>& interrupted);

} // namespace memtest
