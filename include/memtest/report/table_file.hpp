#pragma once

#include "memtest/report/input_file.hpp"
#include "memtest/report/stored_run.hpp"
#include "memtest/report/table_report.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// A stored result that is no sweep.
struct StoredTable : StoredRun {
    struct Row {
        std::string place;               ///< in the file, for messages
        std::vector<std::string> fields; ///< one for each column, as in CSV; empty where it is not known
    };

    TableKind kind = {};
    std::vector<Row> rows = {};
};

/// A number of a row, from `smallest` to 1e12, which is beyond anything that is measured.
/// @throws Error (usage) where the field holds none
[[nodiscard]] double number_in(const StoredTable& table, const StoredTable::Row& row, std::size_t column,
                               double smallest);

/// The kind that a file holds, by its header or, in JSON, by its verb; null where it holds something else. All but a
/// mark of UTF-8 stays to be read.
[[nodiscard]] const TableKind* table_kind_of(InputFile& file, std::span<const TableKind> kinds);

/// Reads what a TableReport of one of these kinds wrote, CSV or JSON; nothing where the file holds something else,
/// which stays to be read.
/// @throws Error (usage) that names a row with other columns, or for JSON that is cut or has another schema; Error when
/// it cannot be read
[[nodiscard]] std::optional<StoredTable> read_table(InputFile& file, std::span<const TableKind> kinds);

} // namespace memtest
