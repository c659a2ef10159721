#pragma once

#include "memtest/report/csv_writer.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/report.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace memtest {

/// Rows as CSV, everything else in `#` lines around them, or left out if quiet.
class CsvReport : public Report {
public:
    CsvReport(OutputFile& output, Columns columns, bool quiet)
        : output_(output), columns_(std::move(columns)), quiet_(quiet) {}

    void open(const RunDescription& run) override;
    void warn(const std::string& sentence) override;
    void row(const Row& row) override;
    void close(const RunDescription& run, const std::vector<LevelReport>& levels) override;

private:
    void say(std::string_view lines);

    OutputFile& output_;
    Columns columns_;
    bool quiet_;
};

} // namespace memtest
