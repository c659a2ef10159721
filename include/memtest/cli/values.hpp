#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memtest {

/// An option as it was given, for messages: the long name without dashes, and its value.
struct Argument {
    std::string_view name;
    std::string_view value;
};

/// The error (usage) for a value that is not what the option takes.
[[nodiscard]] Error refused(const Argument& argument, std::string_view accepted);

/// A size in bytes from "4096", "64K", "1.5M", "2GiB". A suffix is K, M, G or T, each also with B or iB, or B alone, in
/// either case, for powers of 1024. Without one the number is in the option's unit. Fractions of a byte are cut off,
/// but "64.5" bytes are refused. @throws Error (usage) for anything else, zero, and sizes beyond std::size_t
[[nodiscard]] std::size_t parse_size(const Argument& argument, std::size_t unit_bytes);

/// A whole number from `smallest` to `largest`. @throws Error (usage) for anything else
[[nodiscard]] std::uint64_t parse_count(const Argument& argument, std::uint64_t smallest, std::uint64_t largest);

/// A number above zero and at most `largest`, fractions allowed. @throws Error (usage) for anything else
[[nodiscard]] double parse_percent(const Argument& argument, double largest);

/// The error for a value that is none of these words.
[[nodiscard]] Error not_one_of(const Argument& argument, const std::vector<std::string_view>& accepted);

/// One of an enumeration's words. @throws Error (usage) that lists them
template<class Enum>
[[nodiscard]] Enum parse_choice(const Argument& argument) {
    if (const auto chosen = value_of<Enum>(argument.value))
        return *chosen;
    throw not_one_of(argument, all_words<Enum>());
}

} // namespace memtest
