#pragma once

#include "memtest/measure/row.hpp"
#include "memtest/report/csv_writer.hpp"
#include "memtest/report/format.hpp"
#include "memtest/report/levels_report.hpp"
#include "memtest/report/run_description.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memtest {

class OutputFile;

/// Writes the parts of a run in one of the output's formats: opened once, closed once at the end, however that came.
class Report {
public:
    virtual ~Report() = default;
    virtual void open(const RunDescription& run) = 0;
    /// About the run, at any time between.
    virtual void warn(const std::string& sentence) = 0;
    virtual void row(const Row& row) = 0;
    /// @param run with what is known at the end @param levels none where they were not asked for
    virtual void close(const RunDescription& run, const std::vector<LevelReport>& levels) = 0;
};

/// How a run is reported.
struct ReportStyle {
    Format format = Format::csv;
    Columns columns;
    bool quiet = false; ///< in CSV, rows and header only
};

/// @param output must outlive the report
[[nodiscard]] std::unique_ptr<Report> make_report(const ReportStyle& style, OutputFile& output);

} // namespace memtest
