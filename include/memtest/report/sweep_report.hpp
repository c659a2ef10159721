#pragma once

#include "memtest/measure/row.hpp"
#include "memtest/report/csv_writer.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/report.hpp"

#include <vector>

namespace memtest {

/// How a sweep is reported.
struct ReportStyle {
    Format format = Format::csv;
    Columns columns = {};
    bool quiet = false; ///< in CSV, rows and header only
};

/// Writes a sweep, in JSON (src/report/sweep.schema.json) with every batch.
class SweepReport : public Report {
public:
    SweepReport(OutputFile& output, const ReportStyle& style)
        : Report(output, style.format, style.quiet), columns_(style.columns) {}

    void open(const RunDescription& run);
    void row(const Row& row);
    /// @param run with what is known at the end @param levels none where they were not asked for
    void close(const RunDescription& run, const std::vector<LevelReport>& levels);

private:
    Columns columns_;
};

} // namespace memtest
