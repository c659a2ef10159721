#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace memtest {

// What the control groups of this process (version 1 or 2, and all ancestors) leave to it.

/// Bytes of memory; std::nullopt without a limit.
[[nodiscard]] std::optional<std::uint64_t> left_in_control_groups(const SystemFiles& files);

/// The time of processors that it may use, in processors: 0.5 is half of one. std::nullopt without a quota.
[[nodiscard]] std::optional<double> cpu_quota(const SystemFiles& files);

/// Of each group, by its folder: periods in which a quota was used up and stopped it, since it was made.
using ThrottledPeriods = std::map<std::string, std::uint64_t>;

[[nodiscard]] ThrottledPeriods throttled_periods(const SystemFiles& files);

/// The most periods that any group was stopped between two readings. A group of one reading counts none: the process
/// may have been moved.
[[nodiscard]] std::uint64_t periods_between(const ThrottledPeriods& before, const ThrottledPeriods& after);

} // namespace memtest
