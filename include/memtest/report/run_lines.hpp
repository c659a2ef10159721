#pragma once

#include "memtest/report/run_description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// Keys and values of `# key: value` lines.
using KeyedLines = std::vector<std::pair<std::string, std::string>>;

/// The key of a warning; there may be several.
inline constexpr std::string_view warning_key = "warning";

/// `# key: value`, with its line end.
[[nodiscard]] std::string keyed_line(std::string_view key, std::string_view value);

/// Each on a line of its own.
[[nodiscard]] std::string keyed_lines(const KeyedLines& lines);

using KeyedLine = std::pair<std::string_view, std::string_view>;

/// The key and the value of such a line; nothing for another line.
[[nodiscard]] std::optional<KeyedLine> parse_keyed_line(std::string_view line);

/// Adds to the description what the line says of the run. @return false for a setting of no known value
[[nodiscard]] bool read_run_line(RunDescription& run, const KeyedLine& line);

/// What is known of a run. @param at_end behind the rows, the end last; else ahead of them
[[nodiscard]] KeyedLines run_lines(const RunDescription& run, bool at_end);

} // namespace memtest
