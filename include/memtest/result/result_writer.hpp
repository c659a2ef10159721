#pragma once

#include "memtest/result/output_file.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

struct ResultStyle {
    Format format = Format::csv;
    bool quiet = false;                   ///< rows and header only, except in JSON
    std::vector<ColumnGroup> groups = {}; ///< of the columns to add to those that are always there; JSON has all
};

/// Writes a result of any kind as CSV, as a table, or as JSON: begun once, ended once, however the run ended. Rows are
/// written as they become known. CSV for programs ends with warnings and a line of data, by which all is judged;
/// people, who read a table or a terminal, get no such line, and no warning twice on one screen.
class ResultWriter {
public:
    /// @param output and @param kind must outlive the writer
    ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style);

    /// Whether it writes for people rather than for programs.
    [[nodiscard]] bool is_for_people() const;

    /// @param headline opening sentences without `#`: first what it is, last how it was measured. JSON has none
    void begin(const std::vector<std::string>& headline = {}, const RunDescription& run = {});

    /// @pre the kind has rows of this type
    template<class RowType>
    void row(const RowType& row) {
        write_row(dynamic_cast<const KindOf<RowType>&>(kind_).values(row));
    }

    /// About the run, at any time between begin and end.
    void warn(const Notice& notice);

    /// @param run with what is known at the end @param more members of the document, which CSV puts in lines as well
    void end(const Findings& findings, const RunDescription& run = {}, const Members& more = {});

    /// Prints lines for people, but not in JSON or if `quiet`.
    void say(std::string_view lines);

private:
    [[nodiscard]] Members kind_members() const;
    void describe(const std::vector<std::string>& headline);
    void say_data(const Findings& findings, const Members& at_end, const Members& more);
    [[nodiscard]] std::vector<std::size_t> widths_of_columns() const;
    [[nodiscard]] std::size_t width_of_table() const;
    void write_row(const std::vector<Value>& values);
    void write_line(const std::function<std::string(const Column&, std::size_t place)>& text);
    void end_json(const Findings& findings, const Members& at_end);
    [[nodiscard]] bool is_json() const { return style_.format == Format::json; }
    [[nodiscard]] bool is_table() const { return style_.format == Format::table; }

    OutputFile& output_;
    const Kind& kind_;
    ResultStyle style_;
    std::vector<std::pair<Column, std::size_t>> columns_; // with their places in a row; not used for JSON
    std::vector<std::size_t> widths_;                     // of the columns of a table
    std::string right_;                                   // as in TextTable
    bool units_below_ = false;                            // in a second line of the header, else the table is too wide
    std::vector<Notice> warnings_;
    RunDescription run_; // as it was known at the beginning
    bool first_row_ = true;
};

/// Writes a result of a kind that is not measured, and so is known as a whole.
template<class RowType>
void write_whole(OutputFile& output, const KindOf<RowType>& kind, const std::vector<RowType>& rows,
                 const Findings& findings, ResultStyle style) {
    ResultWriter writer(output, kind, std::move(style));
    if (kind.facts.findings_first)
        writer.say(finding_lines(findings));
    writer.begin();
    for (const RowType& row : rows)
        writer.row(row);
    writer.end(findings);
}

} // namespace memtest
