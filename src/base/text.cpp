#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memtest {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::vector<std::string_view> split_fields(std::string_view line) {
    for (std::vector<std::string_view> fields;;) {
        const auto comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return fields;
        line.remove_prefix(comma + 1);
    }
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
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
    constexpr std::array<std::uint32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
    const bool is_one = code >= smallest.at(length - 1) && (code < 0xD800 || code > 0xDFFF) && code <= 0x10FFFF;
    return is_one ? length : 0;
}

std::string escaped(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; })) // as nearly always
        return std::string(text);
    std::string visible;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(character.size());
        const bool is_control = length == 1 ? character[0] < ' ' || character[0] == 0x7f
                                            : character >= "\xc2\x80" && character < "\xc2\xa0"; // U+0080 to U+009F
        const bool is_no_character = // U+FFFE and the like, which SVG forbids
            (character.ends_with("\xbf\xbe") || character.ends_with("\xbf\xbf")) &&
            (character[length - 3] & 0xf) == 0xf;
        if (length > 0 && !is_control && !is_no_character)
            visible += character;
        else if (character[0] == '\n')
            visible += "\\n";
        else
            for (const char byte : character)
                visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return visible;
}

std::string shown(std::string_view text) {
    return text.empty() ? "''" : escaped(text);
}

std::string shortened(std::string_view text, std::size_t most) {
    std::string_view rest = text;
    for (std::size_t i = 0; i < most && !rest.empty(); ++i)
        rest.remove_prefix(std::max<std::size_t>(utf8_length(rest), 1));
    return fmt::format("{}{}", text.substr(0, text.size() - rest.size()), rest.empty() ? "" : "...");
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t enough = 40;
    return fmt::format("`{}`", escaped(shortened(text, enough)));
}

std::string markdown_text(std::string_view text) {
    std::string marked;
    for (const char c : escaped(text)) {
        if (std::string_view("\\`*_[]<>&|~").find(c) != std::string_view::npos)
            marked += '\\';
        marked += c;
    }
    return marked;
}

std::string html_text(std::string_view text) {
    std::string marked;
    for (const char c : escaped(text)) {
        if (std::string_view("<>&\"'").find(c) != std::string_view::npos)
            marked += fmt::format("&#{};", static_cast<int>(c));
        else
            marked += c;
    }
    return marked;
}

std::string markdown_target(std::string_view name) {
    std::string target = "<";
    for (const char c : name) {
        const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                              std::string_view("-._~/ ").find(c) != std::string_view::npos;
        target += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return target + ">";
}

void append(std::string& list, std::string_view words) {
    list += list.empty() || words.empty() ? "" : ", ";
    list += words;
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string counted_of(std::uint64_t count, std::uint64_t all, std::string_view thing) {
    return count == 1 && all == 1 ? fmt::format("the only {}", thing)
                                  : fmt::format("{} of {}", count, counted(all, thing));
}

std::string fixed(std::optional<double> figure, int decimals) {
    std::string text = figure ? fmt::format("{:.{}f}", *figure, decimals) : "";
    if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos)
        text.erase(0, 1);
    return text;
}

std::string three_digits(double figure) {
    const int decimals = figure < 9.995 ? 2 : figure < 99.95 ? 1 : 0;
    return fixed(figure, decimals);
}

std::string ns_text(std::optional<double> ns) {
    return ns ? three_digits(*ns) + " ns" : "";
}

std::string plain_number(double number, int digits) {
    const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(number))));
    std::string text = fmt::format("{:.{}f}", number, decimals);
    if (decimals > 0)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
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

std::string wrapped_line(std::string_view text, std::optional<std::size_t> columns, std::string_view indent) {
    return (columns ? wrapped(text, *columns, indent) : std::string(text)) + '\n';
}

} // namespace memtest
