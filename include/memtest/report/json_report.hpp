#pragma once

#include "memtest/machine/counters.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/report.hpp"

#include <utility>
#include <vector>

namespace memtest {

/// The whole run as one JSON document, every batch included; numbers are those of the CSV. Rows leave the program as
/// they become known; the document is complete once closed.
class JsonReport : public Report {
public:
    explicit JsonReport(OutputFile& output, std::vector<Counter> counters = {})
        : output_(output), counters_(std::move(counters)) {}

    void open(const std::vector<std::string>& headline, const Description& description) override;
    void row(const Row& row) override;
    void close(const Description& closing, const std::vector<LevelReport>& levels) override;

private:
    OutputFile& output_;
    std::vector<Counter> counters_;
    bool first_row_ = true;
};

} // namespace memtest
