#pragma once

#include "memtest/machine/machine.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/result/run_description.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// The processors, memory and machine of a team, whatever it measures; leaves the rest unset.
/// @param facts what the threads found after mapping their memory
[[nodiscard]] RunDescription describe_machine(const TeamPlan& team, const Machine& machine,
                                              const std::vector<ThreadFacts>& facts);

/// The same for a sweep, with its settings; leaves arguments, start and what is known at the end unset.
[[nodiscard]] RunDescription describe_run(const RunPlan& plan, const Machine& machine,
                                          const std::vector<ThreadFacts>& facts);

[[nodiscard]] PagesGot pages_got(const GrantedPages& granted);

/// The present time, in the format of RunDescription::start.
[[nodiscard]] std::string present_time();

} // namespace memtest
