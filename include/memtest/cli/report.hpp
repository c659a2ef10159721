#pragma once

#include "memtest/cli/description.hpp"
#include "memtest/cli/levels_report.hpp"
#include "memtest/measure/row.hpp"

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

/// The report in the format that the options ask for. @param output must outlive it
[[nodiscard]] std::unique_ptr<Report> make_report(const Options& options, OutputFile& output);

} // namespace memtest
