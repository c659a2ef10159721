#pragma once

#include "memtest/report/format.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/run_lines.hpp"

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

/// Writes a result that is no sweep, around its rows the same as a sweep has: opened once, closed once at the end,
/// however that came.
class TableReport {
public:
    /// @param output must outlive the report @param quiet in CSV, rows and header only
    TableReport(OutputFile& output, const TableKind& kind, Format format, bool quiet)
        : output_(output), kind_(kind), format_(format), quiet_(quiet) {}

    /// @param headline sentences that open the CSV, without `#`
    void open(const std::vector<std::string>& headline, const RunDescription& run);
    /// About the run, at any time between.
    void warn(const std::string& sentence);
    /// @param fields one for each column, as they are printed in CSV: a number, or words without a comma; empty where
    /// it is not known
    void row(const std::vector<std::string>& fields);
    /// @param run with what is known at the end
    /// @param lines what the rows tell, in CSV
    /// @param members the same as members of the JSON document, as json_members writes them
    void close(const RunDescription& run, const KeyedLines& lines, std::string_view members);

private:
    void say(std::string_view lines);

    OutputFile& output_;
    TableKind kind_;
    Format format_;
    bool quiet_;
    std::vector<std::string> warnings_;
    bool first_row_ = true;
};

} // namespace memtest
