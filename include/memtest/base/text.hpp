#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Splits a row of CSV at its commas into trimmed fields, which replace the contents of `fields`.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

/// Makes foreign text safe for a message: control characters are escaped ("\\n", "\\x1b"), so that it is one line and
/// no command to a terminal. Empty text becomes ''.
[[nodiscard]] std::string shown(std::string_view text);

/// Quotes text from a file for a message: at most 40 characters, others than printable ASCII as `?`.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The decimal number that the text starts with, or nothing.
[[nodiscard]] std::optional<std::uint64_t> leading_number(std::string_view text);

} // namespace memtest
