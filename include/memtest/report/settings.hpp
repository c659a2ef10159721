#pragma once

#include "memtest/report/run_description.hpp"

#include <string>
#include <vector>

namespace memtest {

/// A setting in which two sweeps differ.
struct SettingDifference {
    std::string setting;
    std::string base;
    std::string latest;
};

/// The settings (see RunKey) in which two runs differ, so that their latencies cannot be compared. A setting that one
/// of them does not say is no difference; a file of the classic tool says none.
[[nodiscard]] std::vector<SettingDifference> settings_differences(const RunDescription& base,
                                                                  const RunDescription& latest);

} // namespace memtest
