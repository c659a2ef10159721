#pragma once

#include "memtest/report/report.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A column of a result that is no sweep.
struct TableColumn {
    std::string_view name;   ///< in the header of the CSV
    std::string_view member; ///< of a row in JSON
};

/// What a verb other than the probe measures.
struct TableKind {
    std::string_view verb = {}; ///< in JSON, `verb` tells it from a sweep
    std::span<const TableColumn> columns = {};
};

/// The line that names the columns, with its line end.
[[nodiscard]] std::string table_header(const TableKind& kind);

/// Writes a result that is no sweep.
class TableReport : public Report {
public:
    TableReport(OutputFile& output, const TableKind& kind, Format format, bool quiet)
        : Report(output, format, quiet), kind_(kind) {}

    /// @param headline sentences that open the CSV, without `#`
    void open(const std::vector<std::string>& headline, const RunDescription& run);
    /// @param fields one for each column, as they are printed in CSV: a number, or words without a comma; empty where
    /// it is not known
    void row(const std::vector<std::string>& fields);
    /// @param run with what is known at the end
    /// @param lines what the rows tell, in CSV @param members the same in JSON, as json_members writes them
    void close(const RunDescription& run, const KeyedLines& lines, std::string_view members) {
        end(run, lines, members);
    }

private:
    TableKind kind_;
};

} // namespace memtest
