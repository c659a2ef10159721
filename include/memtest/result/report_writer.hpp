#pragma once

#include "memtest/result/stored_file.hpp"

#include <string_view>
#include <vector>

namespace memtest {

class OutputFile;

/// Writes the file of a report: each part as soon as it is measured, so that none is lost if the run ends early.
class ReportWriter {
public:
    /// @param output must outlive the writer
    explicit ReportWriter(OutputFile& output);
    /// @param document of a result, in JSON @throws Error if it does not fit with the report's end; the parts before it
    /// then make a report
    void part(std::string_view name, std::string_view document);
    void end(const std::vector<MissingPart>& missing);

private:
    OutputFile& output_;
    bool has_parts_ = false;
};

} // namespace memtest
