#pragma once

#include "memtest/result/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memtest {

/// Thrown for text that is no JSON.
struct NoJson {
    std::size_t byte = 0; ///< at which it is none, from 1; beyond the text if that is truncated
};

/// The document. Of several members of one name, the last counts.
/// @param what it is, at the start of the message @throws NoJson; Error (usage) if it holds more than any result
[[nodiscard]] Value parse_json(std::string_view text, const std::string& what);

/// On one line. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dumped(const Value& value);

} // namespace memtest
