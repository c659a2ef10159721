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

/// Removes the first line from the text. @return it, without its line end
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// The trimmed fields between the commas of a line.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line);

/// With small letters in place of the capitals of ASCII.
[[nodiscard]] std::string lower_case(std::string_view text);

/// The text with a capital at its start.
[[nodiscard]] std::string capitalised(std::string text);

/// The bytes of the first character of UTF-8; 0 where the text starts with none. @pre it is not empty
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// The text on one line, without anything that controls a terminal: of what is a control character or not UTF-8, each
/// byte is a visible escape ("\\x1b", "\\n"). Escaping twice is the same as once.
[[nodiscard]] std::string escaped(std::string_view text);

/// Names something in a message: escaped; '' if it is empty.
[[nodiscard]] std::string shown(std::string_view text);

/// The first `most` characters, with "..." if there are more.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// Quotes text from a file for a message: escaped, at most 40 characters of it.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Escaped for Markdown, which shows all of the text and takes none of it for markup.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// The same for HTML, also within a quoted attribute.
[[nodiscard]] std::string html_text(std::string_view text);

/// The name of a file as the target of a link in Markdown, between < and >.
[[nodiscard]] std::string markdown_target(std::string_view name);

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

/// The text in lines of at most `columns` characters, broken at blanks; a longer word gets its own line.
/// @param indent of all lines but the first
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent);

/// The same with a line end. @param columns none: it is one line
[[nodiscard]] std::string wrapped_line(std::string_view text, std::optional<std::size_t> columns,
                                       std::string_view indent);

/// Adds words to a list of them, after a comma.
void append(std::string& list, std::string_view words);

/// "1 size", "2 sizes". @param thing in the singular
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view thing);

/// "2 of 12 sizes"; "the only size" of one.
[[nodiscard]] std::string counted_of(std::uint64_t count, std::uint64_t all, std::string_view thing);

/// The figure with this number of decimals, zero without a sign; empty if unknown.
[[nodiscard]] std::string fixed(std::optional<double> figure, int decimals);

/// With three digits at least: "1.08", "14.1", "154", "1234".
[[nodiscard]] std::string three_digits(double figure);

/// The same in ns: "1.08 ns"; empty if unknown.
[[nodiscard]] std::string ns_text(std::optional<double> ns);

/// A positive number without an exponent, rounded to this many significant digits or to a whole number: "1235", "12.3",
/// "0.001".
[[nodiscard]] std::string plain_number(double number, int digits);

/// The result of `text_of` for each item, with the separator between.
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
