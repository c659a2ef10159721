#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memtest {

// The members of the JSON document (src/report/sweep.schema.json) and of its rows, beside those of RunKey and Column.

inline constexpr int schema_version = 1;

inline constexpr const char* json_schema = "schema";
inline constexpr const char* json_verb = "verb"; ///< not in a sweep
inline constexpr const char* json_run = "run";
inline constexpr const char* json_rows = "rows";
inline constexpr const char* json_warnings = "warnings";
inline constexpr const char* json_complete = "complete";
inline constexpr const char* json_levels = "levels";
inline constexpr const char* json_remarks = "remarks";

inline constexpr const char* json_size_bytes = "size_bytes";
inline constexpr const char* json_counts = "counts_per_access";
inline constexpr const char* json_visits = "visits";

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

/// `remarks` alone, as json_members writes it.
[[nodiscard]] std::string remarks_member(const std::vector<std::string>& remarks);

} // namespace memtest
