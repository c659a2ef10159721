#pragma once

#include "memtest/report/result.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace memtest {

/// Reads what any verb measured, CSV or JSON by the first character, and sweeps of the classic tool (three columns,
/// with or without their header). Columns and members go by their names. Unknown ones are skipped, as are other `#`
/// lines and blank lines.
/// @throws Error (usage) that names the line when it is no result: a column is missing, a field is no number or out of
/// range, a setting has no known value, there are no rows, or more than any result has; Error when it cannot be read
[[nodiscard]] Result read_result(std::istream& in, const std::string& name);

/// The same for a file; `-` is standard input. @throws Error (usage) also when it cannot be opened, or does not end
[[nodiscard]] Result read_result(const std::string& path);

/// The same where one kind alone will do. @throws Error (usage) also for another
[[nodiscard]] Result read_result(const std::string& path, const Kind& kind);

/// Refuses standard input, `-`, as more than one of the files. @throws Error (usage)
void check_standard_input(const std::vector<std::string>& files);

/// The sweeps in several files; one of them may be `-`. @throws Error like read_result and check_standard_input
[[nodiscard]] std::vector<Result> read_sweeps(const std::vector<std::string>& files);

} // namespace memtest
