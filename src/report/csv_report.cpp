#include "memtest/report/csv_report.hpp"

#include "memtest/report/description.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>

namespace memtest {

void CsvReport::open(const RunDescription& run) {
    if (!quiet_) {
        for (const std::string& sentence : headline(run))
            output_.write(fmt::format("# {}\n", sentence));
    }
    for (const RunKey& key : run_keys()) {
        if (const auto text = key.at_end ? std::nullopt : key.text(run))
            comment(key.key, *text);
    }
    output_.write(csv_header(columns_));
}

void CsvReport::warn(const std::string& sentence) {
    comment(warning_key, sentence);
}

void CsvReport::row(const Row& row) {
    output_.write(csv_line(row, columns_));
}

void CsvReport::close(const RunDescription& run, const std::vector<LevelReport>& levels) {
    for (const LevelReport& report : levels) {
        for (const auto& [key, value] : level_lines(report, levels.size() > 1))
            comment(key, value);
    }
    for (const RunKey& key : run_keys()) { // that of the end is the last of them
        if (const auto text = key.at_end ? key.text(run) : std::nullopt)
            comment(key.key, *text);
    }
}

void CsvReport::comment(std::string_view key, std::string_view value) {
    if (!quiet_)
        output_.write(fmt::format("# {}: {}\n", key, value));
}

} // namespace memtest
