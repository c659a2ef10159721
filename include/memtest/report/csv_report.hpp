#pragma once

#include "memtest/report/csv_writer.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/report.hpp"

#include <utility>

namespace memtest {

/// Rows as CSV, everything else in `#` lines around them, or left out if quiet.
class CsvReport : public Report {
public:
    CsvReport(OutputFile& output, Columns columns, bool quiet)
        : output_(output), columns_(std::move(columns)), quiet_(quiet) {}

    void open(const std::vector<std::string>& headline, const Description& description) override;
    void row(const Row& row) override;
    void close(const Description& closing, const std::vector<LevelReport>& levels) override;

private:
    void comment(const Description& lines);

    OutputFile& output_;
    Columns columns_;
    bool quiet_;
};

} // namespace memtest
