#include "memtest/report/json.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

namespace memtest {

std::string text_of(double number, Digits digits) {
    if (!digits.significant)
        return fixed(number, digits.count);
    const double magnitude = number == 0 ? 0 : std::floor(std::log10(std::abs(number)));
    std::string text = fixed(number, static_cast<int>(std::max(0.0, digits.count - 1 - magnitude)));
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    return text;
}

Json figure(std::optional<double> number, Digits digits) {
    if (!number || !std::isfinite(*number))
        return {};
    return parse_number<double>(text_of(*number, digits)).value_or(*number);
}

std::string text_of(const Json& value, Digits digits) {
    if (value.is_null())
        return "";
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_float())
        return text_of(value.get<double>(), digits);
    if (value.is_array())
        return joined(value, " ", [&](const Json& element) { return text_of(element, digits); });
    return dumped(value);
}

std::string dumped(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

const Json& member(const Json& object, std::string_view name) {
    static const Json none;
    if (!object.is_object())
        return none;
    const auto found = object.find(std::string(name));
    return found == object.end() ? none : *found;
}

std::optional<double> number_in(const Json& value) {
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

} // namespace memtest
