#pragma once

#include "memtest/result/report_writer.hpp"
#include "memtest/result/result.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_writer.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"
#include "support/values.hpp"

#include <filesystem>
#include <sstream>
#include <variant>

namespace memtest {

/// What a file with this text holds.
inline Result result_of(const std::string& text, const std::string& name = "sweep.csv") {
    return chosen_result(parse_file(text, name));
}

/// What a writer writes, by way of a file of its own. @param write takes the writer
template<class Write>
std::string written(const Kind& kind, const ResultStyle& style, const Write& write) {
    const TextFile file("written", "");
    OutputFile output(file.path());
    ResultWriter writer(output, kind, style);
    write(writer);
    output.commit();
    return read_text(file.path());
}

/// The file of a report with these parts, each a name and a document.
inline std::string report_json(const std::vector<std::pair<std::string, std::string>>& parts,
                               const std::vector<MissingPart>& missing = {}) {
    const TextFile file("report", "");
    OutputFile output(file.path());
    ReportWriter writer(output);
    for (const auto& [name, document] : parts)
        writer.part(name, document);
    writer.end(missing);
    output.commit();
    return read_text(file.path());
}

/// The rows of a kind as CSV with all its columns, without the header.
template<class RowType>
std::string csv_rows(const KindOf<RowType>& kind, const std::vector<RowType>& rows) {
    const ResultStyle all{.quiet = true, .groups = {ColumnGroup::cycles, ColumnGroup::stats}};
    const std::string text = written(kind, all, [&](ResultWriter& writer) {
        writer.begin();
        for (const RowType& row : rows)
            writer.row(row);
    });
    return text.substr(text.find('\n') + 1);
}

/// The first line of the CSV, without its end.
inline std::string csv_header(const Kind& kind, std::vector<ColumnGroup> groups = {}) {
    const std::string text =
        written(kind, {.quiet = true, .groups = std::move(groups)}, [](ResultWriter& writer) { writer.begin(); });
    return text.substr(0, text.find('\n'));
}

/// Writes the rows of any stored result, whatever their type.
inline void write_rows(ResultWriter& writer, const Result& result) {
    std::visit(
        [&](const auto& rows) {
            for (const auto& row : rows)
                writer.row(row);
        },
        result.rows);
}

/// The `# data:` line of a CSV, with the members of its run and others, as JSON: data_line(R"("threads":2)").
inline std::string data_line(const std::string& run, const std::string& more = "") {
    return R"(# data: {"schema":3,"run":{)" + run + "}" + (more.empty() ? "" : "," + more) + "}\n";
}

/// The end of a run, as a member of such a line.
inline std::string end_member(int measured, int planned, bool interrupted = false,
                              const std::string& things = "sizes") {
    return "\"end\":{\"" + things + "_measured\":" + std::to_string(measured) + ",\"" + things +
           "_planned\":" + std::to_string(planned) + ",\"interrupted\":" + (interrupted ? "true" : "false") + "}";
}

/// What the `# data:` lines of CSV hold, in their order.
inline std::vector<Value> data_lines(const std::string& text) {
    constexpr std::string_view start = "# data: ";
    std::vector<Value> data;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(start))
            data.push_back(json(line.substr(start.size())));
    }
    return data;
}

/// How a run ended, as the last line of its CSV says: "20 of 41 sizes, interrupted"; empty if it does not say.
inline std::string end_of(const std::string& csv) {
    const std::vector<Value> data = data_lines(csv.substr(csv.rfind('\n', csv.size() - 2) + 1));
    RunDescription run;
    if (data.empty() || !read_run_member(run, "end", data.front()["end"], true) || !run.end)
        return "";
    return text_of(*run.end);
}

inline std::vector<Code> codes_of(const std::vector<Notice>& notices) {
    std::vector<Code> codes;
    for (const Notice& notice : notices)
        codes.push_back(notice.code);
    return codes;
}

/// The keys and codes of findings, in their order.
using Told = std::vector<std::pair<std::string, Code>>;

inline Told told_by(const Findings& findings) {
    Told told;
    for (const Finding& finding : findings.list)
        told.emplace_back(finding.key, finding.notice.code);
    return told;
}

/// The file with this name in `tests/data/stored`.
inline Result stored_result(const std::string& file) {
    return chosen_result(read_file(std::string(TEST_DATA "/stored/") + file));
}

/// The names of all files there, in alphabetic order.
inline std::vector<std::string> stored_files() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(TEST_DATA "/stored"))
        names.push_back(file.path().filename().string());
    std::ranges::sort(names);
    return names;
}

/// The names without an ending of one file there for each kind, which every kind has.
inline std::vector<std::string> stored_names() {
    std::vector<std::string> names;
    for (const Kind* kind : stored_kinds())
        names.emplace_back(kind->facts.command.empty() ? "sweep" : kind->facts.command);
    return names;
}

/// The name of a test of this file.
inline std::string test_of_file(const testing::TestParamInfo<std::string>& file) {
    std::string name = file.param;
    std::ranges::replace(name, '.', '_');
    return name;
}

// Reports that tests make.

/// Adds a part to a report, or replaces it.
inline void set_part(StoredFile& report, const std::string& name, Result part) {
    part.part = name;
    const auto there = std::ranges::find(report.results, name, &Result::part);
    if (there == report.results.end())
        report.results.push_back(std::move(part));
    else
        *there = std::move(part);
}

/// @pre the report has it
inline Result& part_in(StoredFile& report, const std::string& name) {
    return *std::ranges::find(report.results, name, &Result::part);
}

inline void drop_part(StoredFile& report, const std::string& name) {
    std::erase_if(report.results, [&](const Result& part) { return part.part == name; });
}

/// Several sweeps with their numbers of chains, in place of those that there are.
inline void set_parallel(StoredFile& report, const std::vector<Result>& sweeps) {
    std::erase_if(report.results, [&](const Result& part) { return part.part.starts_with("parallel"); });
    for (const Result& sweep : sweeps)
        set_part(report, "parallel" + std::to_string(sweep.run.parallel.value_or(1)), sweep);
}

/// A report of the stored results, with parts that are missing.
inline StoredFile stored_parts() {
    StoredFile report{.is_report = true};
    for (const std::string& name : stored_names()) {
        Result result = stored_result(name + ".csv");
        if (!result.kind->facts.parts.empty())
            set_part(report, name, std::move(result));
    }
    set_part(report, "huge", stored_result("huge.csv"));
    set_parallel(report, {part_in(report, "sweep")});
    report.missing = {{"plots", "why"}, {"kind4", "a < b & c"}, {"core-to-core latency", "why"}};
    return report;
}

} // namespace memtest
