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
    bool quiet = false;                   ///< but for JSON, rows and header only
    std::vector<ColumnGroup> groups = {}; ///< of the columns, but for JSON, beside those that are always there
    std::vector<Column> more = {};        ///< behind the columns of the kind
};

/// Writes a result of any kind as CSV, as a table, or as JSON: begun once, ended once, however the run ended. Rows
/// leave the program as they become known. People, who read a table or a terminal, get the few lines of the description
/// that matter, and no warning twice on one screen.
class ResultWriter {
public:
    /// @param output must outlive the writer
    ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style);

    /// Whether it writes for people rather than for programs.
    [[nodiscard]] bool is_for_people() const;

    /// @param headline sentences that open it, without `#`; the last says how it was measured. JSON has none
    void begin(const std::vector<std::string>& headline = {}, const RunDescription& run = {});
    void row(const ResultRow& row);
    /// About the run, at any time between begin and end.
    void warn(const std::string& sentence);
    /// @param run with what is known at the end
    void end(const Findings& findings, const RunDescription& run = {});

private:
    void say(std::string_view lines);
    void describe(const std::vector<std::string>& headline, const RunDescription& run);
    void write_line(const std::function<std::string(const Column&, std::size_t place)>& text);
    [[nodiscard]] bool is_json() const { return style_.format == Format::json; }
    [[nodiscard]] bool is_table() const { return style_.format == Format::table; }

    OutputFile& output_;
    const Kind& kind_;
    ResultStyle style_;
    std::vector<std::pair<Column, std::size_t>> columns_; // but for JSON, with their places in a row
    Value::List warnings_;
    bool first_row_ = true;
};

/// Writes a result that is known as a whole, of a kind that is not measured.
void write_whole(OutputFile& output, const Kind& kind, const std::vector<ResultRow>& rows, const Findings& findings,
                 ResultStyle style);

} // namespace memtest
