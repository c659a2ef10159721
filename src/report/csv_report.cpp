#include "memtest/report/csv_report.hpp"

#include "memtest/report/description.hpp"
#include "memtest/report/run_lines.hpp"

namespace memtest {

void CsvReport::open(const RunDescription& run) {
    say(csv_opening(headline(run), run));
    output_.write(csv_header(columns_));
}

void CsvReport::warn(const std::string& sentence) {
    say(keyed_line(warning_key, sentence));
}

void CsvReport::row(const Row& row) {
    output_.write(csv_line(row, columns_));
}

void CsvReport::close(const RunDescription& run, const std::vector<LevelReport>& levels) {
    for (const LevelReport& report : levels)
        say(keyed_lines(level_lines(report, levels.size() > 1)));
    say(keyed_lines(run_lines(run, true)));
}

void CsvReport::say(std::string_view lines) {
    if (!quiet_)
        output_.write(lines);
}

} // namespace memtest
