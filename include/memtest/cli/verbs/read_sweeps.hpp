#pragma once

#include "memtest/report/sweep_file.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Reads the sweeps that a verb is given. `-` is standard input, which only one of them can be.
/// @throws Error as read_sweep_file does
[[nodiscard]] std::vector<StoredSweep> read_sweeps(const std::vector<std::string>& files);

/// Warns on standard error of a result in which rows may be missing.
void warn_if_incomplete(const StoredRun& stored);

} // namespace memtest
