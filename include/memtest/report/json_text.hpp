#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace memtest {

/// A figure as it is printed in CSV: a number, other text as a string, null where it is empty.
[[nodiscard]] nlohmann::ordered_json json_value(const std::string& text);

/// JSON on one line; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

} // namespace memtest
