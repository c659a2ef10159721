#include "memtest/base/text.hpp"

#include <charconv>
#include <system_error>

namespace memtest {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t enough = 40;
    std::string result = "`";
    for (const char c : text.substr(0, enough))
        result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > enough ? "...`" : "`");
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc{})
        return std::nullopt;
    return number;
}

} // namespace memtest
