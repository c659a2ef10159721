#pragma once

#include "memtest/report/output_file.hpp"
#include "memtest/report/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

struct ResultStyle {
    Format format = Format::csv;
    bool quiet = false;                   ///< in CSV, rows and header only
    std::vector<ColumnGroup> groups = {}; ///< of the columns in CSV, beside those that are always there
    std::vector<Column> more = {};        ///< behind the columns of the kind
};

/// Writes a result of any kind as CSV or JSON: begun once, ended once, however the run ended. Rows leave the program as
/// they become known.
class ResultWriter {
public:
    /// @param output must outlive the writer
    ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style);

    /// @param headline sentences that open the CSV, without `#`
    void begin(const std::vector<std::string>& headline = {}, const RunDescription& run = {});
    void row(const ResultRow& row);
    /// About the run, at any time between begin and end.
    void warn(const std::string& sentence);
    /// @param run with what is known at the end
    void end(const Findings& findings, const RunDescription& run = {});

private:
    void say(std::string_view lines);
    [[nodiscard]] bool is_json() const { return style_.format == Format::json; }

    OutputFile& output_;
    const Kind& kind_;
    ResultStyle style_;
    std::vector<std::pair<Column, std::size_t>> columns_; // of the CSV, with their places in a row
    Value::List warnings_;
    bool first_row_ = true;
};

/// Writes a result that is known as a whole, of a kind that is not measured.
void write_whole(OutputFile& output, const Kind& kind, const std::vector<ResultRow>& rows, const Findings& findings,
                 ResultStyle style);

} // namespace memtest
