#pragma once

#include "memtest/measure/row.hpp"
#include "memtest/report/csv_writer.hpp"
#include "memtest/report/description.hpp"
#include "memtest/report/format.hpp"
#include "memtest/report/levels_report.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memtest {

class OutputFile;

/// Writes the parts of a run in one of the output's formats; called in this order, `row` for each row.
class Report {
public:
    virtual ~Report() = default;
    virtual void open(const std::vector<std::string>& headline, const Description& description) = 0;
    virtual void row(const Row& row) = 0;
    virtual void close(const Description& closing, const std::vector<LevelReport>& levels) = 0;
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
