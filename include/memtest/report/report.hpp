#pragma once

#include "memtest/report/format.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/run_lines.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Writes a result as CSV or JSON: begun once, ended once, however the run ended. What stands around the rows is the
/// same whatever was measured. Rows leave the program as they become known.
class Report {
public:
    /// About the run, at any time between begin and end.
    void warn(const std::string& sentence);

protected:
    /// @param output must outlive the report @param quiet in CSV, rows and header only
    Report(OutputFile& output, Format format, bool quiet) : output_(output), format_(format), quiet_(quiet) {}

    /// @param verb that measured it; none for a sweep
    /// @param headline sentences that open the CSV, without `#` @param header of the CSV, with its line end
    void begin(const RunDescription& run, std::string_view verb, const std::vector<std::string>& headline,
               std::string_view header);
    [[nodiscard]] bool is_json() const { return format_ == Format::json; }
    void write_row(const nlohmann::ordered_json& row);
    void write_row(const std::string& csv_line) { output_.write(csv_line); }
    /// @param run with what is known at the end
    /// @param lines what the rows tell, in CSV @param members the same in JSON, as json_members writes them
    void end(const RunDescription& run, const KeyedLines& lines, std::string_view members);

private:
    void say(std::string_view lines);

    OutputFile& output_;
    Format format_;
    bool quiet_;
    std::vector<std::string> warnings_;
    bool first_row_ = true;
};

} // namespace memtest
