#include "memtest/report/report.hpp"

#include "memtest/report/csv_report.hpp"
#include "memtest/report/json_report.hpp"

namespace memtest {

std::unique_ptr<Report> make_report(const ReportStyle& style, OutputFile& output) {
    if (style.format == Format::json)
        return std::make_unique<JsonReport>(output, style.columns.counters);
    return std::make_unique<CsvReport>(output, style.columns, style.quiet);
}

} // namespace memtest
