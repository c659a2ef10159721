#pragma once

#include "memtest/report/result.hpp"

#include <string>
#include <vector>

namespace memtest {

/// Refuses standard input, `-`, as more than one of the files. @throws Error (usage)
void check_standard_input(const std::vector<std::string>& files);

/// Reads the sweeps that a verb is given; one of them may be `-`. @throws Error like read_result
[[nodiscard]] std::vector<Result> read_sweeps(const std::vector<std::string>& files);

/// Repeats on standard error what the run warned of.
void repeat_warnings(const Result& result);

/// The same, and warns where rows may be missing.
void warn_of(const Result& result);

} // namespace memtest
