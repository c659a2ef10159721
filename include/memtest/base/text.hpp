#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace memtest {

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Splits a row of CSV at its commas into trimmed fields, which replace the contents of `fields`.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

/// Makes foreign text safe for a message: escapes control characters ("\\n", "\\x1b"), so
/// that it stays on one line and is no command to a terminal. Empty text becomes ''.
[[nodiscard]] std::string shown(std::string_view text);

/// Quotes text from a file for a message: at most 40 characters, others than printable ASCII as `?`.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The bytes of the first character of UTF-8; 0 where the text starts with none. @pre it is not empty
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// The text without what would end its line or reach a terminal as a command: `?` for each control character.
[[nodiscard]] std::string on_one_line(std::string_view text);

/// The decimal number at the start of the text, if any.
[[nodiscard]] std::optional<std::uint64_t> leading_number(std::string_view text);

/// The text as a number; std::nullopt if it is not one.
template<class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

/// Removes the number at the start of the text; std::nullopt if there is none.
template<class Number>
[[nodiscard]] std::optional<Number> take_number(std::string_view& text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// "1 size", "2 sizes". @param thing in the singular
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view thing);

/// The figure with this number of decimals, zero without a sign; empty if unknown.
[[nodiscard]] std::string fixed(std::optional<double> figure, int decimals);

/// What `text_of` gives of each item, with the separator between.
template<class Items, class TextOf>
[[nodiscard]] std::string joined(const Items& items, std::string_view separator, const TextOf& text_of) {
    std::string text;
    std::string_view ahead;
    for (const auto& item : items) {
        text += ahead;
        text += std::invoke(text_of, item);
        ahead = separator;
    }
    return text;
}

} // namespace memtest
