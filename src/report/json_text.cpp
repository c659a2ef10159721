#include "memtest/report/json_text.hpp"

#include <nlohmann/json.hpp>

namespace memtest {

using Json = nlohmann::ordered_json;

Json json_value(const std::string& text) {
    if (text.empty())
        return nullptr;
    Json number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json(text);
}

std::string json_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace memtest
