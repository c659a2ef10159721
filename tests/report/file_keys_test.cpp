// What files must have: other programs read them by these names.
#include "memtest/report/comparison.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"
#include "support/described_run.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace memtest {
namespace {

using NameSet = std::set<std::string>;

NameSet names_of(const Json& object) {
    NameSet names;
    for (const auto& [name, value] : object.items())
        names.insert(name);
    return names;
}

Result stored(const std::string& file) {
    return read_result(TEST_DATA "/stored/" + file);
}

/// The same as it is written now. Its warnings are such as programs judge by.
std::string rewritten(const Result& result, const RunDescription& run, Format format) {
    return written(*result.kind, {.format = format}, [&](ResultWriter& writer) {
        writer.begin({"a headline"}, run);
        for (const Notice& warning : result.warnings)
            writer.warn(warning);
        write_rows(writer, result);
        const Json more = result.kind == &sweep_kind ? Json{{"row_notes", row_notes(result.rows_of<Row>())}} : Json();
        writer.end({.told = true, .list = {remark(Notice(Code::no_edge))}}, run,
                   more.is_null() ? Json::object() : more);
    });
}

struct KindOfFile {
    std::string file;
    std::string verb; ///< empty: the file names none
    NameSet members;  ///< of the document, beside those of all
    NameSet row;
};

class FileOf : public testing::TestWithParam<KindOfFile> {
protected:
    const Result result = stored(GetParam().file);
    const NameSet run_names{"version",
                          "start",
                          "arguments",
                          "order",
                          "link",
                          "line_bytes",
                          "stride_bytes",
                          "tlb_locality_bytes",
                          "orders",
                          "max_size",
                          "threads",
                          "parallel",
                          "estimate",
                          "accesses",
                          "precision_percent",
                          "batches",
                          "visits",
                          "warmup",
                          "clean_lines",
                          "memory_file",
                          "pages",
                          "pages_got",
                          "transparent_huge_pages",
                          "nodes",
                          "memory_policy",
                          "cpu_model",
                          "core_kinds",
                          "processors",
                          "awake_processors",
                          "caches",
                          "memory_bytes",
                          "machine",
                          "kinds_of_cores",
                          "special_nodes",
                          "kernel",
                          "microcode",
                          "governor",
                          "mitigations",
                          "virtual_machine",
                          "hypervisor",
                          "container",
                          "counters",
                          "core_clock_ghz",
                          "uncore_clock_ghz",
                          "memory_clock_ghz",
                          "seed"};

    void expect_verb(const Json& members) const {
        EXPECT_EQ(members["schema"], 3);
        EXPECT_EQ(text_of(member(members, "verb")), GetParam().verb);
        EXPECT_EQ(members.contains("verb"), !GetParam().verb.empty());
        EXPECT_EQ(names_of(members["run"]), run_names);
    }
};

TEST_P(FileOf, ItsKindHasTheseMembersInJson) {
    const Json document = Json::parse(rewritten(result, described_run(), Format::json));
    expect_verb(document);
    NameSet expected{"schema", "run", "rows", "warnings", "remarks", "core_clock_range_ghz", "end", "complete"};
    if (!GetParam().verb.empty())
        expected.insert("verb");
    expected.insert(GetParam().members.begin(), GetParam().members.end());
    EXPECT_EQ(names_of(document), expected);
    ASSERT_EQ(document["rows"].size(), result.row_count());
    EXPECT_EQ(names_of(document["rows"][0]), GetParam().row);
    EXPECT_EQ(names_of(document["remarks"][0]), (NameSet{"code", "text"}));
    for (const Json& warning : document["warnings"])
        EXPECT_TRUE(warning.contains("code") && warning.contains("text")) << warning;
}

TEST_P(FileOf, ItsKindHasTheseDataLinesInCsv) {
    const std::string text = rewritten(result, described_run(), Format::csv);
    const std::vector<Json> data = data_lines(text);
    const std::size_t of_notes = result.kind == &sweep_kind ? 1 : 0; // a line of their own
    ASSERT_EQ(data.size(), result.warnings.size() + of_notes + 2);
    expect_verb(data.front());
    EXPECT_LT(text.find("# data: "), text.find("\n" + csv_header(*result.kind))) << "before the header";
    for (std::size_t i = 1; i + 1 + of_notes < data.size(); ++i)
        EXPECT_EQ(names_of(data[i]), NameSet{"warnings"});
    if (of_notes == 1) {
        EXPECT_EQ(names_of(data[data.size() - 2]), NameSet{"row_notes"});
    }
    const NameSet at_end = names_of(data.back());
    for (const char* name : {"core_clock_range_ghz", "end", "complete", "remarks"})
        EXPECT_TRUE(at_end.contains(name)) << name;
}

TEST_P(FileOf, ItsKindIsReadBackFromEither) {
    for (const Format format : {Format::csv, Format::json}) {
        const Result read = result_of(rewritten(result, result.run, format));
        EXPECT_EQ(read.kind, result.kind);
        EXPECT_EQ(read.row_count(), result.row_count());
        EXPECT_EQ(codes_of(read.warnings), codes_of(result.warnings));
        EXPECT_EQ(codes_of(read.remarks), std::vector{Code::no_edge});
        EXPECT_EQ(why_incomplete(read), why_incomplete(result));
        for (const Is is : {Is::setting, Is::machine, Is::system})
            EXPECT_TRUE(differences(result.run, read.run, is).empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Each, FileOf,
    testing::Values(
        KindOfFile{"sweep.csv",
                   "",
                   {"levels"},
                   {"thread", "size_mib", "latency_ns", "latency_cycles", "min_ns", "median_ns", "mean_ns",
                    "spread_percent", "visits_percent", "visits_made", "batches", "notes", "size_bytes", "low_ns",
                    "high_ns", "counts_per_access", "visits"}},
        KindOfFile{
            "tlb.csv", "tlb", {"tlbs", "beyond"}, {"pages", "reach_kib", "spread_ns", "packed_ns", "translation_ns"}},
        KindOfFile{"loaded.csv",
                   "loaded",
                   {"write_percent", "idle_latency_ns", "awake_latency_ns", "idle_latency_at_end_ns",
                    "peak_bandwidth_gb_s", "knee_bandwidth_gb_s", "curves"},
                   {"load_percent", "bandwidth_gb_s", "latency_ns", "write_percent", "visits_percent", "visits",
                    "batches", "batches_set_aside", "notes", "bandwidth_low_gb_s", "bandwidth_high_gb_s",
                    "latency_low_ns", "latency_high_ns"}},
        KindOfFile{"tail.csv",
                   "tail",
                   {"resolution_ns", "readings_ns"},
                   {"size_mib", "load_percent", "accesses", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns",
                    "max_ns", "group", "set_aside_percent", "achieved_percent"}},
        KindOfFile{"tail_histogram.csv",
                   "tail --histogram",
                   {"resolution_ns", "readings_ns"},
                   {"size_mib", "load_percent", "from_ns", "to_ns", "samples", "slower_percent"}},
        KindOfFile{"cores.csv", "cores", {"groups", "moved", "bimodal"}, {"reader", "owner", "latency_ns", "relation"}},
        KindOfFile{"nodes.csv", "nodes", {}, {"processors_of_node", "memory_of_node", "latency_ns", "bandwidth_gb_s"}}),
    [](const auto& file) { return file.param.file.substr(0, file.param.file.find('.')); });

// Sentences are for people alone.

/// A CSV file with garbage in every line for people.
std::string garbled_csv(const std::string& text) {
    std::string garbled;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool is_for_people = line.starts_with("#") && !line.starts_with("# data: ");
        garbled += is_for_people ? "# order: zigzag; \x80 garbage: 7 of 41 sizes, interrupted\n" : line + "\n";
    }
    return garbled;
}

void garble_texts(Json& json) {
    for (auto& [name, value] : json.items()) {
        if (name == "text")
            value = "garbage";
        else if (value.is_structured())
            garble_texts(value);
    }
}

std::string garbled(const std::string& text) {
    if (text.starts_with('{')) {
        Json document = Json::parse(text);
        garble_texts(document);
        return dumped(document);
    }
    std::string lines;
    std::istringstream in(garbled_csv(text));
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("# data: ")) {
            Json members = Json::parse(line.substr(8));
            garble_texts(members);
            line = "# data: " + dumped(members);
        }
        lines += line + "\n";
    }
    return lines;
}

std::string levels_text(const Result& sweep) {
    const auto reports = report_levels(sweep);
    Json all = Json::array();
    for (const Finding& finding : level_findings(reports).list)
        all.push_back(Json::array({finding.key, json_of(finding.notice)}));
    return dumped(all);
}

TEST(Sentences, OfASweepThatAreGarbageChangeNoVerdict) {
    RunDescription run = stored("sweep.csv").run;
    const Notice others(Code::others_used, {{"percent", 63.0}});
    const Notice unsettled(Code::unsettled, {{"count", 9}, {"of", 33}, {"things", "sizes"}});
    const Notice prefetching(Code::prefetcher_follows_stride, {{"order", "random"},
                                                               {"from_bytes", 1 << 20},
                                                               {"last_bytes", 64 << 20},
                                                               {"strided_ns", 22.0},
                                                               {"random_ns", 221.0}});
    const Result base = stored("sweep.json");
    for (const std::vector<Notice>& warnings :
         {std::vector<Notice>{}, {others}, {unsettled}, {prefetching}, {others, unsettled, prefetching}}) {
        for (const bool interrupted : {false, true}) {
            for (const Format format : {Format::csv, Format::json}) {
                Result sweep = stored("sweep.csv");
                sweep.warnings = warnings;
                run.end->interrupted = interrupted;
                const std::string text = rewritten(sweep, run, format);
                ASSERT_NE(garbled(text), text);
                const Result read = result_of(text);
                const Result other = result_of(garbled(text));
                EXPECT_EQ(read.warnings, warnings) << text;
                EXPECT_EQ(other.warnings, warnings);
                EXPECT_EQ(other.remarks, read.remarks);
                EXPECT_EQ(other.run, read.run);
                EXPECT_EQ(levels_text(other), levels_text(read));
                EXPECT_EQ(why_incomplete(other), why_incomplete(read));
                EXPECT_EQ(why_incomplete(read).has_value(), interrupted);
                for (const auto& [before, after] : {std::pair(&base, &read), std::pair(&read, &base)}) {
                    const Comparison judged = compare_results(std::vector{*before}, *after, 5);
                    const Comparison garbled_judged = compare_results(std::vector{before == &read ? other : *before},
                                                                      after == &read ? other : *after, 5);
                    EXPECT_EQ(garbled_judged.verdict, judged.verdict);
                    EXPECT_EQ(garbled_judged.disturbance, judged.disturbance);
                    EXPECT_EQ(garbled_judged.disturbed, judged.disturbed);
                    EXPECT_EQ(garbled_judged.incomplete, judged.incomplete);
                }
            }
        }
    }
}

// What no program wrote.

std::string refusal_of_text(const std::string& text) {
    try {
        static_cast<void>(result_of(text, "file"));
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::usage);
        return error.what();
    }
    return "";
}

const std::string one_row = R"({"thread": 0, "size_mib": 1.0, "latency_ns": 5.0})";

TEST(ForgedFiles, WithRowsTwiceOrAsAnObjectOrInALineOfDataAreRefused) {
    EXPECT_EQ(refusal_of_text(R"({"schema": 3, "rows": [)" + one_row + "]}"), "");
    EXPECT_NE(refusal_of_text(R"({"schema": 3, "rows": [)" + one_row + R"(], "rows": [)" + one_row + "]}"), "");
    EXPECT_NE(refusal_of_text(R"({"schema": 3, "rows": {"a": )" + one_row + "}}"), "");
    EXPECT_NE(refusal_of_text(R"(# data: {"schema": 3, "rows": [)" + one_row + "]}\n0, 1.0, 5.0\n"), "");
}

TEST(ForgedFiles, WithDataThatIsNoJsonAreRefused) {
    EXPECT_EQ(refusal_of_text("# data: {\"schema\": 3}\n0, 1.0, 5.0\n"), "");
    for (const char* data : {"nonsense", "{", "{\"schema\": 3", "{\"schema\": 3} {}", "[3]", "{\"schema\": 4}"})
        EXPECT_NE(refusal_of_text("# data: " + std::string(data) + "\n0, 1.0, 5.0\n"), "") << data;
}

TEST(ForgedFiles, OfMillionsOfNumbersInOneRowOrMemberAreRefusedBeforeTheyAreInMemory) {
    std::string numbers = "0";
    numbers.reserve(8'000'000);
    for (int i = 0; i < 4'000'000; ++i)
        numbers += ",0";
    for (const std::string& start :
         {std::string(R"({"schema": 3, "rows": [[)"), std::string(R"({"schema": 3, "rows": [{"notes": [)"),
          std::string(R"({"schema": 3, "end": [)"), std::string(R"({"schema": [)"),
          std::string(R"({"schema": 3, "run": {"caches": [)"), std::string(R"({"schema": 3, "warnings": [[)")}) {
        EXPECT_NE(refusal_of_text(start + numbers).find("more values"), std::string::npos) << start;
    }
}

} // namespace
} // namespace memtest
