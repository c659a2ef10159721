#pragma once

#include "memtest/cli/run_plan.hpp"
#include "memtest/machine/machine.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What will make this run's results hard to repeat or to read, each in a sentence that says what to do about it.
[[nodiscard]] std::vector<std::string> advice_before(const RunPlan& plan, const Machine& machine,
                                                     const SystemFiles& files);

} // namespace memtest
