// What files must have: other programs read them by these names.
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/row_notes.hpp"
#include "support/described_run.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <regex>

namespace memtest {
namespace {

using NameSet = std::set<std::string>;

NameSet names_of(const Value& object) {
    NameSet names;
    for (const auto& [name, value] : object.members())
        names.insert(name);
    return names;
}

Result stored_file(const std::string& file) {
    return read_result(TEST_DATA "/stored/" + file);
}

/// The same as it is written now. Its warnings are such as programs judge by.
std::string rewritten(const Result& result, const RunDescription& run, Format format) {
    return written(*result.kind, {.format = format}, [&](ResultWriter& writer) {
        writer.begin({"a headline"}, run);
        for (const Notice& warning : result.warnings)
            writer.warn(warning);
        write_rows(writer, result);
        Members more;
        if (result.kind == &sweep_kind)
            more.set("row_notes", row_notes(result.rows_of<Row>()));
        writer.end({.told = true, .list = {remark(Notice(Code::no_edge))}}, run, more);
    });
}

struct KindOfFile {
    std::string file;
    std::string command; ///< empty: the file names none
    NameSet members;     ///< of the document, beside those of all
    NameSet row;
};

class FileOf : public testing::TestWithParam<KindOfFile> {
protected:
    const Result result = stored_file(GetParam().file);
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
                            "max_seconds",
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

    void expect_command(const Value& document) const {
        EXPECT_EQ(document["schema"], 3);
        EXPECT_EQ(text_of(document["command"]), GetParam().command);
        EXPECT_EQ(document.members().contains("command"), !GetParam().command.empty());
        EXPECT_EQ(names_of(document["run"]), run_names);
    }
};

TEST_P(FileOf, ItsKindHasTheseMembersInJson) {
    const Value document = json(rewritten(result, described_run(), Format::json));
    expect_command(document);
    NameSet expected{"schema", "run", "rows", "warnings", "remarks", "core_clock_range_ghz", "end", "complete"};
    if (!GetParam().command.empty())
        expected.insert("command");
    expected.insert(GetParam().members.begin(), GetParam().members.end());
    EXPECT_EQ(names_of(document), expected);
    ASSERT_EQ(document["rows"].list().size(), result.row_count());
    EXPECT_EQ(names_of(document["rows"][0]), GetParam().row);
    EXPECT_EQ(names_of(document["remarks"][0]), (NameSet{"code", "text", "advice"}));
    for (const Value& warning : document["warnings"].list())
        EXPECT_TRUE(!text_of(warning["code"]).empty() && !text_of(warning["text"]).empty()) << dumped(warning);
}

TEST_P(FileOf, ItsKindHasTheseDataAsTheLastLineOfCsv) {
    const std::vector<Value> data = data_lines(rewritten(result, described_run(), Format::csv));
    ASSERT_EQ(data.size(), 1U);
    expect_command(data.front());
    NameSet expected{"schema", "run", "remarks", "core_clock_range_ghz", "end", "complete"};
    if (!GetParam().command.empty())
        expected.insert("command");
    if (result.kind == &sweep_kind)
        expected.insert("row_notes");
    if (!result.warnings.empty())
        expected.insert("warnings");
    EXPECT_EQ(names_of(data.front()), expected);
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
        KindOfFile{"cores.csv",
                   "cores",
                   {"groups", "moved", "bimodal"},
                   {"reader", "owner", "latency_ns", "relation", "low_ns", "high_ns"}},
        KindOfFile{"nodes.csv",
                   "nodes",
                   {},
                   {"processors_of_node", "memory_of_node", "latency_ns", "bandwidth_gb_s", "visits_percent"}}),
    [](const auto& file) { return file.param.file.substr(0, file.param.file.find('.')); });

// Sentences are for people alone.

/// A file whose every sentence is garbage.
std::string garbled(const std::string& text) {
    if (text.starts_with('{'))
        return std::regex_replace(text, std::regex(R"re("(text|advice)":"[^"]*")re"), R"("$1":"garbage")");
    std::string garbled;
    for (const std::string& line : lines_of(text)) {
        const bool is_for_people = line.starts_with("#") && !line.starts_with("# data: ");
        garbled += is_for_people ? "# order: zigzag; \x80 garbage: 7 of 41 sizes, interrupted\n" : line + "\n";
    }
    return garbled;
}

std::string levels_text(const Result& sweep) {
    List all;
    for (const Finding& finding : level_findings(report_levels(sweep)).list)
        all.emplace_back(List{finding.key, code_and_values(finding.notice)});
    return dumped(all);
}

TEST(Sentences, OfASweepThatAreGarbageChangeNoVerdict) {
    RunDescription run = stored_file("sweep.csv").run;
    const Notice others(Code::others_used, {{"percent", 63.0}});
    const Notice unsettled(Code::unsettled, {{"count", 9}, {"of", 33}, {"things", "sizes"}});
    const Notice prefetching(Code::prefetcher_follows_stride, {{"order", "random"},
                                                               {"from_bytes", 1 << 20},
                                                               {"last_bytes", 64 << 20},
                                                               {"strided_ns", 22.0},
                                                               {"random_ns", 221.0}});
    for (const std::vector<Notice>& warnings :
         {std::vector<Notice>{}, {others}, {unsettled}, {prefetching}, {others, unsettled, prefetching}}) {
        for (const bool interrupted : {false, true}) {
            for (const Format format : {Format::csv, Format::json}) {
                Result sweep = stored_file("sweep.csv");
                sweep.warnings = warnings;
                run.end->interrupted = interrupted;
                const std::string text = rewritten(sweep, run, format);
                ASSERT_NE(garbled(text), text);
                const Result read = result_of(text);
                const Result other = result_of(garbled(text));
                EXPECT_EQ(codes_of(read.warnings), codes_of(warnings)) << text;
                EXPECT_EQ(codes_of(other.warnings), codes_of(warnings));
                EXPECT_EQ(codes_of(other.remarks), codes_of(read.remarks));
                EXPECT_EQ(other.run, read.run);
                EXPECT_EQ(levels_text(other), levels_text(read));
                EXPECT_EQ(why_incomplete(other), why_incomplete(read));
                EXPECT_EQ(why_incomplete(read).has_value(), interrupted);
            }
        }
    }
}

} // namespace
} // namespace memtest
