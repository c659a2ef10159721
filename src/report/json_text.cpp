#include "memtest/report/json_text.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memtest {

using Json = nlohmann::ordered_json;

namespace {

std::string array_in_lines(const Json& array) {
    return array.empty() ? "[]" : fmt::format("[\n    {}\n  ]", joined(array, ",\n    ", json_line));
}

} // namespace

Json json_value(const std::string& text) {
    if (text.empty())
        return nullptr;
    Json number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json(text);
}

Json json_number(std::optional<double> figure, int decimals) {
    return json_value(fixed(figure, decimals));
}

std::string csv_text(const Json& value) {
    if (value.is_null())
        return "";
    if (value.is_string())
        return value.get<std::string>();
    if (!value.is_array())
        return json_line(value);
    return joined(value, " ", csv_text);
}

std::string json_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_members(const Json& object) {
    std::string text;
    for (const auto& [name, value] : object.items())
        text += fmt::format("{}  \"{}\": {}", text.empty() ? "" : ",\n", name,
                            value.is_array() ? array_in_lines(value) : json_line(value));
    return text;
}

std::string remarks_member(const std::vector<std::string>& remarks) {
    return json_members({{json_remarks, remarks}});
}

} // namespace memtest
