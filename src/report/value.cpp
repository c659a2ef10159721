#include "memtest/report/value.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace memtest {
namespace {

/// A number of CSV as JSON has it: without zeros at its end.
std::string without_zeros(std::string text) {
    if (text.find('.') == std::string::npos || text.find('e') != std::string::npos)
        return text;
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + '0' : text;
}

std::string json_of(const Member& member) {
    return fmt::format("{}:{}", json_string(member.name), member.value.json());
}

} // namespace

std::string text_of(std::optional<double> number, Digits digits) {
    if (!number)
        return "";
    if (!digits.significant)
        return fixed(number, digits.count);
    return digits.count == 0 ? fmt::format("{}", *number) : fmt::format("{:.{}g}", *number, digits.count);
}

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        const auto byte = static_cast<unsigned char>(character.front());
        if (length == 0)
            quoted += "\xef\xbf\xbd"; // the sign for what cannot be read
        else if (byte == '"' || byte == '\\')
            quoted += {'\\', character.front()};
        else if (byte < ' ')
            quoted += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : fmt::format("\\u{:04x}", byte);
        else
            quoted += character;
        text.remove_prefix(character.size());
    }
    return quoted + '"';
}

std::optional<double> Value::number() const {
    if (const auto* count = as<std::uint64_t>())
        return static_cast<double>(*count);
    const auto* figure = as<Figure>();
    return figure == nullptr ? std::nullopt : std::optional(figure->number);
}

const Value& Value::operator[](std::string_view name) const {
    static const Value none;
    if (const auto* members = as<Members>()) {
        for (const Member& member : *members) {
            if (member.name == name)
                return member.value;
        }
    }
    return none;
}

std::string Value::json() const {
    if (const auto* yes = as<bool>())
        return *yes ? "true" : "false";
    if (const auto* count = as<std::uint64_t>())
        return fmt::format("{}", *count);
    if (const auto* figure = as<Figure>())
        return std::isfinite(figure->number) ? without_zeros(text_of(figure->number, figure->digits)) : "null";
    if (const auto* text = as<std::string>())
        return json_string(*text);
    if (const auto* list = as<List>())
        return fmt::format("[{}]", joined(*list, ",", &Value::json));
    if (const auto* members = as<Members>())
        return fmt::format("{{{}}}", joined(*members, ",", json_of));
    return "null";
}

std::string Value::text() const {
    if (!is_known())
        return "";
    if (const auto* text = as<std::string>())
        return *text;
    if (const auto* list = as<List>())
        return joined(*list, " ", &Value::text);
    if (const auto* figure = as<Figure>())
        return text_of(figure->number, figure->digits);
    return json();
}

std::string member_lines(const Value::Members& members, std::string_view indent, bool lists_in_lines) {
    const auto line = [&](const Member& member) {
        const auto* list = member.value.as<Value::List>();
        const std::string value =
            !lists_in_lines || list == nullptr || list->empty()
                ? member.value.json()
                : fmt::format("[\n{0}  {1}\n{0}]", indent, joined(*list, fmt::format(",\n{}  ", indent), &Value::json));
        return fmt::format("{}{}: {}", indent, json_string(member.name), value);
    };
    return joined(members, ",\n", line);
}

} // namespace memtest
