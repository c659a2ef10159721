#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Splits a row of CSV at its commas into trimmed fields, which replace those that were there.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

/// A text from outside as messages show it: on one line, and no command to a terminal, since control characters are
/// escaped ("\\n", "\\x1b"); an empty one as ''.
[[nodiscard]] std::string shown(std::string_view text);

/// Text from a file that may hold anything, in quotes and made fit for one line of a message.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The decimal number that the text starts with, or nothing.
[[nodiscard]] std::optional<std::uint64_t> leading_number(std::string_view text);

} // namespace memtest
