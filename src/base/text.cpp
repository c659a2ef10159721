#include "memtest/base/text.hpp"

#include <fmt/format.h>

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

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    for (;;) {
        const auto comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return;
        line.remove_prefix(comma + 1);
    }
}

std::string shown(std::string_view text) {
    if (text.empty())
        return "''";
    const auto byte_at = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto is_control = [&](std::size_t i) { // U+0080 to U+009F are two bytes in UTF-8, the first of them 0xc2
        return byte_at(i) < 0x20 || byte_at(i) == 0x7f ||
               (byte_at(i) == 0xc2 && byte_at(i + 1) >= 0x80 && byte_at(i + 1) < 0xa0);
    };
    std::string safe;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n')
            safe += "\\n";
        else if (!is_control(i))
            safe += text[i];
        else if (byte_at(i) == 0xc2)
            safe += fmt::format("\\u{:04x}", byte_at(++i));
        else
            safe += fmt::format("\\x{:02x}", byte_at(i));
    }
    return safe;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t enough = 40;
    std::string result = "`";
    for (const char c : text.substr(0, enough))
        result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > enough ? "...`" : "`");
}

std::string fixed(std::optional<double> figure, int decimals) {
    return figure ? fmt::format("{:.{}f}", *figure, decimals) : "";
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc{})
        return std::nullopt;
    return number;
}

} // namespace memtest
