#pragma once

#include "memtest/report/run_description.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Something that two sweeps were measured with differently.
struct SettingDifference {
    std::string setting;
    std::string base;
    std::string latest;
};

/// Names every setting (see RunKey) in which two runs differ so that their latencies are not those of the same thing.
/// What one of them does not say (a file of the classic tool says nothing) is not known, hence no difference.
[[nodiscard]] std::vector<SettingDifference> settings_differences(const RunDescription& base,
                                                                  const RunDescription& latest);

} // namespace memtest
