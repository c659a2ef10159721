#pragma once

#include "memtest/base/error.hpp"

#include <algorithm>
#include <array>
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
    const auto* const entry = std::ranges::find(word_table<Enum>, value, &Word<Enum>::value);
    require(entry != word_table<Enum>.end(), "every value of an enumeration has a word");
    return entry->word;
}

/// The value of a word; std::nullopt for any other text.
template<class Enum>
[[nodiscard]] std::optional<Enum> value_of(std::string_view word) {
    const auto* const entry = std::ranges::find(word_table<Enum>, word, &Word<Enum>::word);
    return entry == word_table<Enum>.end() ? std::nullopt : std::optional(entry->value);
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
