#include "memtest/cli/report.hpp"

#include "memtest/cli/csv_report.hpp"
#include "memtest/cli/json_report.hpp"

namespace memtest {

std::unique_ptr<Report> make_report(const Options& options, OutputFile& output) {
    if (options.format == Format::json)
        return std::make_unique<JsonReport>(output, options.counters);
    const Columns columns{.cycles = options.cycles, .stats = options.stats, .counters = options.counters};
    return std::make_unique<CsvReport>(output, columns, options.quiet);
}

} // namespace memtest
