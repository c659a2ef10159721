#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace memtest {

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The decimal number that the text starts with, or nothing.
[[nodiscard]] std::optional<std::uint64_t> leading_number(std::string_view text);

} // namespace memtest
