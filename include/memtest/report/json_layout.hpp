#pragma once

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

} // namespace memtest
