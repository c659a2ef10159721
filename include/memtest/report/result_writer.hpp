#pragma once

#include "memtest/report/output_file.hpp"
#include "memtest/report/result.hpp"

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
/// written as they become known. CSV for programs has `# data:` lines with the members of the JSON document. People,
/// who read a table or a terminal, get the few lines of the description that matter, and no warning twice on one
/// screen.
class ResultWriter {
public:
    /// @param output and @param kind must outlive the writer
    ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style);

    /// Whether it writes for people rather than for programs.
    [[nodiscard]] bool is_for_people() const;

    /// @param headline opening sentences without `#`; the last says how the result was measured. JSON has none
    void begin(const std::vector<std::string>& headline = {}, const RunDescription& run = {});

    /// @pre the kind has rows of this type
    template<class RowType>
    void row(const RowType& row) {
        write_row(dynamic_cast<const KindOf<RowType>&>(kind_).values(row));
    }

    /// About the run, at any time between begin and end.
    void warn(const Notice& notice);

    /// @param run with what is known at the end @param more members of the document, which CSV puts in lines as well
    void end(const Findings& findings, const RunDescription& run = {}, const Json& more = Json::object());

    /// Prints lines for people, but not in JSON or if `quiet`.
    void say(std::string_view lines);

private:
    void say_data(const Json& members);
    void say_data_in_parts(const std::string& name, const Json& list);
    void describe(const std::vector<std::string>& headline, const RunDescription& run);
    [[nodiscard]] std::vector<std::size_t> widths_of_columns() const;
    void write_row(const std::vector<Json>& values);
    void write_line(const std::function<std::string(const Column&, std::size_t place)>& text);
    void end_json(const Findings& findings, const Json& at_end);
    [[nodiscard]] bool is_json() const { return style_.format == Format::json; }
    [[nodiscard]] bool is_table() const { return style_.format == Format::table; }

    OutputFile& output_;
    const Kind& kind_;
    ResultStyle style_;
    std::vector<std::pair<Column, std::size_t>> columns_; // with their places in a row; not used for JSON
    std::vector<std::size_t> widths_;                     // of the columns of a table
    std::string right_;                                   // as in TextTable
    bool units_below_ = false;                            // in a second line of the header, else the table is too wide
    Json warnings_ = Json::array();
    bool first_row_ = true;
};

/// Writes a result of a kind that is not measured, and so is known as a whole.
template<class RowType>
void write_whole(OutputFile& output, const KindOf<RowType>& kind, const std::vector<RowType>& rows,
                 const Findings& findings, ResultStyle style) {
    ResultWriter writer(output, kind, std::move(style));
    std::vector<std::string> headline;
    if (kind.facts.findings_first) {
        for (const Finding& finding : findings.list)
            headline.push_back(finding.key + ": " + sentence_of(finding.notice));
    }
    writer.begin(headline);
    for (const RowType& row : rows)
        writer.row(row);
    writer.end(findings);
}

} // namespace memtest
