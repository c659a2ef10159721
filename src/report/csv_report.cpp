#include "memtest/report/csv_report.hpp"

#include <fmt/format.h>

namespace memtest {

void CsvReport::open(const std::vector<std::string>& headline, const Description& description) {
    if (!quiet_) {
        for (const std::string& sentence : headline)
            output_.write(fmt::format("# {}\n", sentence));
        comment(description);
    }
    output_.write(csv_header(columns_));
}

void CsvReport::row(const Row& row) {
    output_.write(csv_line(row, columns_));
}

void CsvReport::close(const Description& closing, const std::vector<LevelReport>& levels) {
    if (quiet_)
        return;
    comment(closing);
    for (const LevelReport& report : levels)
        comment(level_lines(report, levels.size() > 1));
}

void CsvReport::comment(const Description& lines) {
    for (const auto& [key, value] : lines)
        output_.write(fmt::format("# {}: {}\n", key, value));
}

} // namespace memtest
