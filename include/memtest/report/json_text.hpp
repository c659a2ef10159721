#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace memtest {

/// A field of the CSV: a number, other text as a string, null where it is empty.
[[nodiscard]] nlohmann::ordered_json json_value(const std::string& text);

/// A figure with so many decimals; null where it is not known.
[[nodiscard]] nlohmann::ordered_json json_number(std::optional<double> figure, int decimals);

/// The field that json_value was made of; the words of an array with blanks between.
[[nodiscard]] std::string csv_text(const nlohmann::ordered_json& value);

/// JSON on one line; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// The members of an object as lines of a document, without a comma behind the last; an array takes a line for each
/// element.
[[nodiscard]] std::string json_members(const nlohmann::ordered_json& object);

} // namespace memtest
