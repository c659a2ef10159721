#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <array>

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

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t length = 1;
    if (byte(0) >= 0x80U)
        length = byte(0) < 0xC0U ? 0 : byte(0) < 0xE0U ? 2 : byte(0) < 0xF0U ? 3 : byte(0) < 0xF8U ? 4 : 0;
    if (length == 0 || length > text.size())
        return 0;
    std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U)
            return 0;
        code = code << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const bool is_one = code >= smallest.at(length) && (code < 0xD800 || code > 0xDFFF) && code <= 0x10FFFF;
    return is_one ? length : 0;
}

std::string on_one_line(std::string_view text) {
    std::string line(text);
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            c = '?';
    }
    return line;
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string fixed(std::optional<double> figure, int decimals) {
    std::string text = figure ? fmt::format("{:.{}f}", *figure, decimals) : "";
    if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos)
        text.erase(0, 1);
    return text;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
    return take_number<std::uint64_t>(text);
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
    std::string lines;
    std::size_t used = 0; // of the last line
    while (!text.empty()) {
        const std::size_t length = std::min(text.find_first_of(" \n"), text.size());
        const bool is_first = used == 0;
        if (!is_first && used + 1 + length > columns) {
            lines += fmt::format("\n{}", indent);
            used = indent.size();
        } else if (!is_first) {
            lines += lines.ends_with('\n') ? "" : " ";
            used += 1;
        }
        lines += text.substr(0, length);
        used += length;
        const bool breaks = length < text.size() && text[length] == '\n';
        text.remove_prefix(std::min(length + 1, text.size()));
        if (breaks) {
            lines += '\n';
            used = 0;
        }
    }
    return lines;
}

} // namespace memtest
