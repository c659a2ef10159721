#pragma once

#include "memtest/base/error.hpp"
#include "memtest/result/json.hpp"

#include <ostream>
#include <string_view>

namespace memtest {

/// What JSON says.
inline Value json(std::string_view text) {
    return parse_json(text, "test:");
}

/// The JSON that a program printed; null if it is none.
inline Value json_or_null(std::string_view text) {
    try {
        return json(text);
    } catch (const Error&) {
        return {};
    }
}

// googletest finds them by name. NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const Value& value, std::ostream* out) {
    *out << dumped(value);
}

// NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const Members& members, std::ostream* out) {
    *out << dumped(members);
}

} // namespace memtest
