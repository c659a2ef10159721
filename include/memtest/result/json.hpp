#pragma once

#include "memtest/result/value.hpp"

#include <string>
#include <string_view>

namespace memtest {

/// The document. Of several members of one name, the last counts.
/// @param what it is, at the start of the message
/// @throws Error (usage) if it is no JSON, with the byte from 1, is truncated, or holds more than any result
[[nodiscard]] Value parse_json(std::string_view text, const std::string& what);

/// On one line. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dumped(const Value& value);

} // namespace memtest
