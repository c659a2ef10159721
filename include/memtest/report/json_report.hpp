#pragma once

#include "memtest/machine/counter.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// The whole run as one JSON document (src/report/sweep.schema.json), every batch included; numbers are those of the
/// CSV. Rows leave the program as they become known; the document is whole once closed.
class JsonReport : public Report {
public:
    explicit JsonReport(OutputFile& output, std::vector<Counter> counters = {})
        : output_(output), counters_(std::move(counters)) {}

    void open(const RunDescription& run) override;
    void warn(const std::string& sentence) override { warnings_.push_back(sentence); }
    void row(const Row& row) override;
    void close(const RunDescription& run, const std::vector<LevelReport>& levels) override;

private:
    OutputFile& output_;
    std::vector<Counter> counters_;
    std::vector<std::string> warnings_;
    bool first_row_ = true;
};

} // namespace memtest
