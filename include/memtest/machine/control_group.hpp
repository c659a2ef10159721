#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <optional>

namespace memtest {

// What the control groups of this process (version 1 or 2, and all ancestors) leave to it.

/// Bytes of memory; std::nullopt without a limit.
[[nodiscard]] std::optional<std::uint64_t> left_in_control_groups(const SystemFiles& files);

/// The time of processors that it may use, in processors: 0.5 is half of one. std::nullopt without a quota.
[[nodiscard]] std::optional<double> cpu_quota(const SystemFiles& files);

/// Periods in which a quota was used up and stopped the group, since the group was made.
[[nodiscard]] std::uint64_t throttled_periods(const SystemFiles& files);

} // namespace memtest
