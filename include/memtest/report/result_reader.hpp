#pragma once

#include "memtest/report/result.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace memtest {

/// Reads what any command measured, as CSV or JSON depending on the first character, and sweeps of the classic tool
/// (three columns, with or without their header). Finds columns and members by name. Skips unknown ones, other `#`
/// lines and blank lines.
/// @throws Error (usage) that names the line if it is no result: a column is missing, a field is no number or out of
/// range, a setting has an unknown value, there are no rows, or more than any result has; Error if it cannot be read
[[nodiscard]] Result read_result(std::istream& in, const std::string& name);

/// The same for a file; `-` is standard input. @throws Error (usage) also if it cannot be opened or does not end
[[nodiscard]] Result read_result(const std::string& path);

/// The same if only one kind will do. @throws Error (usage) also for another
[[nodiscard]] Result read_result(const std::string& path, const Kind& kind);

/// Refuses `-`, standard input, if it is given for more than one file. @throws Error (usage)
void check_standard_input(const std::vector<std::string>& files);

/// The sweeps in several files; one of them may be `-`. @throws Error like read_result and check_standard_input
[[nodiscard]] std::vector<Result> read_sweeps(const std::vector<std::string>& files);

} // namespace memtest
