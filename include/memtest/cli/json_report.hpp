#pragma once

#include "memtest/cli/output_file.hpp"
#include "memtest/cli/report.hpp"

namespace memtest {

/// The whole run as one JSON document, every batch included; numbers are those of the CSV. Rows leave the program as
/// they become known; the document is complete once closed.
class JsonReport : public Report {
public:
    explicit JsonReport(OutputFile& output) : output_(output) {}

    void open(const std::vector<std::string>& headline, const Description& description) override;
    void row(const Row& row) override;
    void close(const Description& closing, const std::vector<LevelReport>& levels) override;

private:
    OutputFile& output_;
    bool first_row_ = true;
};

} // namespace memtest
