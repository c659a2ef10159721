#pragma once

#include "memtest/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace memtest {

/// One value of an enumeration and the word for it on the command line and in files.
template<class Enum>
struct Word {
    Enum value;
    std::string_view word;
};

/// The words of an enumeration, in the order of the help. Each enumeration with words specialises this next to its
/// type. Options, files, completions and the manual take their words from it.
template<class Enum>
inline constexpr std::array<Word<Enum>, 0> word_table{};

/// The word for a value.
template<class Enum>
[[nodiscard]] std::string_view word_of(Enum value) {
    for (const auto& entry : word_table<Enum>) {
        if (entry.value == value)
            return entry.word;
    }
    end_for_broken_invariant("every value of an enumeration has a word");
}

/// The length of an enumeration's longest word.
template<class Enum>
[[nodiscard]] constexpr std::size_t longest_word() {
    std::size_t longest = 0;
    for (const auto& entry : word_table<Enum>)
        longest = std::max(longest, entry.word.size());
    return longest;
}

/// The value of a word; std::nullopt for any other text.
template<class Enum>
[[nodiscard]] std::optional<Enum> value_of(std::string_view word) {
    for (const auto& entry : word_table<Enum>) {
        if (entry.word == word)
            return entry.value;
    }
    return std::nullopt;
}

/// All values of an enumeration.
template<class Enum>
[[nodiscard]] std::vector<Enum> all_values() {
    std::vector<Enum> all;
    for (const auto& entry : word_table<Enum>)
        all.push_back(entry.value);
    return all;
}

/// All words of an enumeration.
template<class Enum>
[[nodiscard]] std::vector<std::string_view> all_words() {
    std::vector<std::string_view> all;
    for (const auto& entry : word_table<Enum>)
        all.push_back(entry.word);
    return all;
}

} // namespace memtest
