#pragma once

#include "memtest/report/input_file.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/table_report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// A stored result that is no sweep.
struct StoredTable {
    struct Row {
        std::string place;               ///< in the file, for messages
        std::vector<std::string> fields; ///< one for each column, as in CSV; empty where it is not known
    };

    std::string name; ///< of the file, for messages
    RunDescription run;
    std::vector<Row> rows;
    std::vector<std::string> remarks = {}; ///< and warnings, in the order of the file
    bool cut = false;                      ///< the file ends within a line, which is left out
};

/// A number of a row, from `smallest` to 1e12: that is beyond anything that is measured.
/// @throws Error (usage) where the field holds none
[[nodiscard]] double number_in(const TableKind& kind, const StoredTable::Row& row, std::size_t column, double smallest);

/// Which of these a file holds, by its header or, in JSON, by its verb; null where it holds something else. All of it
/// stays to be read, but for a mark of UTF-8.
[[nodiscard]] const TableKind* table_kind_of(InputFile& file, std::span<const TableKind* const> kinds);

/// The same as read_table_file, of a file that is open.
[[nodiscard]] std::optional<StoredTable> read_table(InputFile& file, const TableKind& kind);

/// Reads what a TableReport of this kind wrote, CSV or JSON, known by its header or by the verb; nothing where the file
/// holds something else. `-` is standard input. @throws Error (usage) when it cannot be opened, names a row that has
/// other columns, or is JSON that is cut; Error when it cannot be read
[[nodiscard]] std::optional<StoredTable> read_table_file(const std::string& path, const TableKind& kind);

} // namespace memtest
