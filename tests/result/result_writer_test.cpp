#include "memtest/result/result_writer.hpp"

#include "memtest/base/units.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/run_description.hpp"
#include "support/described_run.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <initializer_list>
#include <limits>

namespace memtest {
namespace {

const std::vector<ColumnGroup> all_groups{ColumnGroup::cycles, ColumnGroup::stats};

Row sample_row() {
    Row row;
    row.thread = 1;
    row.size_bytes = 512;
    row.latency_ns = 1.23456789;
    row.latency_cycles = 2.46913578;
    row.min_ns = 1.25;
    row.median_ns = 1.5004;
    row.mean_ns = 1.5996;
    row.spread_percent = 4.126;
    row.visits_percent = 2.345;
    row.visits_made = 2;
    row.batches = 2;
    row.notes = {Note::preempted, Note::single};
    row.visits = {{.start_ns = 12'345'678, .place_bytes = 4096, .core_ghz = 2, .batch_ns = {1.25, 1.7504}}, {}};
    return row;
}

const Notice warning(Code::learned_laps, {{"first_ns", 9.0}, {"later_ns", 3.0}});

/// One level of a sweep, with a remark.
Findings one_level() {
    LevelReport report;
    report.hierarchy.caches.resize(1);
    report.hierarchy.caches[0].number = 1;
    report.hierarchy.remarks = {Code::memory_not_reached};
    return level_findings(std::vector{report});
}

/// A whole sweep of these rows.
std::string sweep_of(const std::vector<Row>& rows, const ResultStyle& style, const std::vector<Counter>& counters = {},
                     const Findings& findings = {}, const RunDescription& run = described_run()) {
    const KindOf<Row> kind = sweep_kind_with(counters);
    return written(kind, style, [&](ResultWriter& writer) {
        writer.begin({"a headline"}, run);
        writer.warn(warning);
        for (const Row& row : rows)
            writer.row(row);
        writer.end(findings, run);
    });
}

/// The last line of a sweep of one row in CSV.
std::string csv_line(const Row& row, const std::vector<ColumnGroup>& groups = {},
                     const std::vector<Counter>& counters = {}) {
    const std::string text = sweep_of({row}, {.quiet = true, .groups = groups}, counters);
    return text.substr(text.find('\n') + 1);
}

Value document_of(const std::vector<Row>& rows, const std::vector<Counter>& counters = {},
                  const Findings& findings = {}, const RunDescription& run = described_run()) {
    return json(sweep_of(rows, {.format = Format::json}, counters, findings, run));
}

TEST(ResultWriter, TheFirstThreeColumnsOfASweepAreFixedToTheLetter) {
    EXPECT_EQ(csv_header(sweep_kind), "Thread, Mem size (MiB), Access latency (ns)");
    EXPECT_EQ(csv_line(sample_row()), "1, 0.00049, 1.235\n");
    Row large = sample_row();
    large.size_bytes = std::size_t{1} << 30U;
    large.latency_ns = 57.129;
    large.thread = 0;
    EXPECT_EQ(csv_line(large), "0, 1024.00000, 57.129\n");
}

TEST(ResultWriter, FurtherColumnsComeBehindThemAndCountersLast) {
    EXPECT_EQ(csv_header(sweep_kind, all_groups),
              "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), Min (ns), Median (ns), Mean (ns), "
              "Spread (%), Visits (%), Visits, Batches, Notes, Size (B), Low (ns), High (ns)");
    EXPECT_EQ(csv_line(sample_row(), all_groups),
              "1, 0.00049, 1.235, 2.47, 1.250, 1.500, 1.600, 4.13, 2.35, 2, 2, preempted single, 512, , \n");
    const std::vector counters{Counter::instructions, Counter::cycles, Counter::page_faults};
    Row row = sample_row();
    row.counts_per_access = {1.03125, std::nullopt, 1e-7};
    EXPECT_EQ(csv_line(row, {}, counters), "1, 0.00049, 1.235, 1.03125, , 0.0000001\n")
        << "one in ten million is not none, and what never ran is not known";
    EXPECT_TRUE(sweep_of({}, {.quiet = true}, counters)
                    .ends_with("(ns), Instructions per access, Cycles per access, Page faults per access\n"));
}

TEST(ResultWriter, WhatIsNotKnownOrCannotHaveBeenMeasuredIsAnEmptyFieldOrNull) {
    Row row;
    row.size_bytes = 512;
    row.notes = {Note::coarse};
    EXPECT_EQ(csv_line(row, all_groups), "0, 0.00049, , , , , , , , , , coarse, 512, , \n");
    for (const double nonsense :
         {1e-320, 1e308, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
        row.latency_ns = row.latency_cycles = nonsense;
        row.min_ns = nonsense;
        row.median_ns = row.mean_ns = 1;
        row.spread_percent = 0;
        EXPECT_EQ(csv_line(row, all_groups), "0, 0.00049, , , , 1.000, 1.000, 0.00, , , , coarse, 512, , \n")
            << nonsense;
        EXPECT_TRUE(document_of({row})["rows"][0]["latency_ns"].is_null()) << nonsense;
    }
}

TEST(ResultWriter, CsvHasFewLinesBeforeItsRowsAndWarningsAndDataAfterThem) {
    Row row;
    row.size_bytes = 512;
    row.latency_ns = 1.25;
    const std::string text = sweep_of({row}, {}, {}, one_level());
    const std::size_t rows = text.find("Thread, ");
    EXPECT_TRUE(text.starts_with("# a headline\n# arguments: -s 4K ")) << text;
    EXPECT_LE(std::ranges::count(text.substr(0, rows), '\n'), 10) << "a person reads no more";
    EXPECT_TRUE(holds(text.substr(0, rows), "\n# machine: A maker's machine\n")) << text;
    EXPECT_TRUE(
        text.substr(rows).starts_with("Thread, Mem size (MiB), Access latency (ns)\n0, 0.00049, 1.250\n# level L1: "))
        << text;
    EXPECT_TRUE(holds(text, "\n# remark[memory_not_reached]: "));
    EXPECT_TRUE(holds(text, "\n# warning[learned_laps]: " + warning.text + "\n# data: {\"schema\":3,\"run\":{"));
    EXPECT_EQ(text.rfind("\n# data: "), text.rfind('\n', text.size() - 2)) << "the last line";
    EXPECT_EQ(text.find("# data: "), text.rfind("# data: ")) << "once";
    EXPECT_EQ(sweep_of({row}, {.quiet = true}, {}, one_level()),
              "Thread, Mem size (MiB), Access latency (ns)\n0, 0.00049, 1.250\n");
}

TEST(ResultWriter, TheDataHaveNoSentenceAndNothingUnknown) {
    RunDescription run;
    run.version = "1.2.3";
    run.pages_got = std::vector{PagesGot{.page_bytes = 4096}};
    run.end = RunEnd{.measured = 1, .planned = 1};
    const std::string text = sweep_of({sample_row()}, {}, {}, one_level(), run);
    EXPECT_EQ(
        data_lines(text).at(0),
        json(
            R"({"schema": 3, "run": {"version": "1.2.3", "pages_got": [{"page_bytes": 4096, "transparent_percent": 0}]},
                       "end": {"sizes_measured": 1, "sizes_planned": 1, "interrupted": false}, "complete": true,
                       "warnings": [{"code": "learned_laps", "first_ns": 9, "later_ns": 3}],
                       "remarks": [{"code": "memory_not_reached", "thread": 0}]})"));
}

TEST(ResultWriter, OfMoreSentencesThanTenLinesHoldTheLastAreLeftWhole) {
    const std::string text = written(nodes_kind, {}, [](ResultWriter& writer) {
        writer.begin({"first", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "last"}, described_run());
    });
    const auto lines = lines_of(text);
    EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("# "); }), 10);
    EXPECT_EQ(lines.front(), "# first");
    EXPECT_EQ(lines.at(9), "# last");
}

TEST(ResultWriter, ATableHasAlignedColumnsAndSizesInWords) {
    Row large = sample_row();
    large.thread = 0;
    large.size_bytes = 3 << 19;
    large.latency_ns = std::nullopt;
    const ResultStyle style{.format = Format::table, .groups = {ColumnGroup::cycles}};
    RunDescription run = described_run();
    const std::string text = sweep_of({sample_row(), large}, style, {}, one_level(), run);
    EXPECT_TRUE(text.starts_with("# a headline\n")) << text;
    EXPECT_NE(text.find("\n  Thread  Mem size  Access latency (ns)  Latency (cycles)\n# warning[learned_laps]: " +
                        sentence_of(warning) +
                        "\n       1     512 B                1.235              2.47\n"
                        "       0   1.5 MiB                                   2.47\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("# level"), std::string::npos) << "the answer has the levels";
    EXPECT_EQ(text.find("# data"), std::string::npos) << "for programs alone";
    EXPECT_EQ(sweep_of({}, {}, {}, {}, run).find("# data") == std::string::npos, false);
    EXPECT_TRUE(text.ends_with("\n# end: 20 of 41 sizes, interrupted\n")) << text;
    run.end = RunEnd{.measured = 2, .planned = 2};
    EXPECT_EQ(sweep_of({}, style, {}, {}, run).find("# end"), std::string::npos) << "it ends as it should";
}

TEST(ResultWriter, ATableOfAnyKindHasSizesInWords) {
    for (const Kind* kind :
         std::initializer_list<const Kind*>{&sweep_kind, &tail_kind, &tlb_kind, &translation_kind, &levels_kind}) {
        int sizes = 0;
        for (const Column& column : kind->columns()) {
            if (!column.name.ends_with("iB)"))
                continue;
            ++sizes;
            EXPECT_EQ(column.unit_bytes, column.name.ends_with("(MiB)") ? mib : kib)
                << kind->facts.command << column.name;
        }
        EXPECT_GT(sizes, 0) << kind->facts.command;
    }
}

TEST(ResultWriter, ATableHasWordsToTheLeft) {
    const std::string text = written(cores_kind, {.format = Format::table, .quiet = true}, [](ResultWriter& writer) {
        writer.begin();
        writer.row(CoresRow{0, 11, 118, Relation::same_core});
    });
    EXPECT_EQ(text, "  Reader     Owner  Latency (ns)  Relation\n       0        11       118.000  same core\n");
}

TEST(ResultWriter, ATablePutsUnitsBelowTheNamesWhereItWouldBeWiderThanATerminal) {
    const std::vector<const Kind*> kinds{&sweep_kind, &tlb_kind,   &loaded_kind,     &tail_kind,
                                         &cores_kind, &nodes_kind, &translation_kind};
    for (const Kind* kind : kinds) {
        const std::string text =
            written(*kind, {.format = Format::table}, [](ResultWriter& writer) { writer.begin(); });
        for (const std::string& line : lines_of(text))
            EXPECT_LE(line.size(), 80U) << line;
    }
    const std::string text = written(translation_kind, {.format = Format::table, .quiet = true}, [](auto& writer) {
        writer.begin();
        writer.row(TranslationCost{.size_bytes = 1 << 20, .small_pages_ns = 15, .huge_pages_ns = 10, .cost_ns = 5});
    });
    EXPECT_EQ(text, "Thread  Mem size  Small pages  Huge pages  Translation  Translation  Not quoted\n"
                    "                         (ns)        (ns)         (ns)          (%)\n"
                    "     0     1 MiB       15.000      10.000        5.000         50.0\n");
}

TEST(ResultWriter, JsonIsOneDocumentWithTheSameAsNumbers) {
    const Value document = document_of({sample_row(), sample_row()});
    EXPECT_EQ(document["schema"], schema_version);
    EXPECT_FALSE(document.members().contains("command"));
    EXPECT_EQ(document["warnings"], List{members_of(warning)});
    EXPECT_TRUE(document["levels"].is_null());
    EXPECT_EQ(document["complete"], false);
    for (const RunKey& key : run_keys()) {
        const Value& home = key.is == Is::at_end ? document : document["run"];
        EXPECT_EQ(home[key.member], key.value(described_run())) << key.member;
    }
    ASSERT_EQ(document["rows"].list().size(), 2U);
    EXPECT_EQ(document["rows"][1],
              json(R"({"thread": 1, "size_mib": 0.00049, "latency_ns": 1.235, "latency_cycles": 2.47,
        "min_ns": 1.25, "median_ns": 1.5, "mean_ns": 1.6, "spread_percent": 4.13, "visits_percent": 2.35,
        "visits_made": 2, "batches": 2, "notes": ["preempted", "single"], "size_bytes": 512,
        "low_ns": null, "high_ns": null, "counts_per_access": {},
        "visits": [{"start_ms": 12.346, "place_bytes": 4096, "core_ghz": 2.0, "batches_ns": [1.25, 1.75]},
                   {"start_ms": 0.0, "place_bytes": 0, "core_ghz": null, "batches_ns": []}]})"));
}

TEST(ResultWriter, JsonIsCompleteWhereTheRunIs) {
    RunDescription run = described_run();
    run.end = RunEnd{.measured = 41, .planned = 41};
    EXPECT_EQ(document_of({}, {}, {}, run)["complete"], true);
    EXPECT_EQ(document_of({}, {}, {}, run)["rows"], List());
}

TEST(ResultWriter, JsonNamesTheCountersOfARowInSnakeCase) {
    Row row = sample_row();
    row.counts_per_access = {4.25, std::nullopt};
    EXPECT_EQ(document_of({row}, {Counter::cycles, Counter::l1d_misses})["rows"][0]["counts_per_access"],
              json(R"({"cycles": 4.25, "l1d_misses": null})"));
}

TEST(ResultWriter, JsonNamesTheCommandOfAnotherKindAndHasItsFindings) {
    const auto document = [](const Findings& findings) {
        return json(written(nodes_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.row(NodesRow{0, 1, 2.5});
            writer.end(findings);
        }));
    };
    EXPECT_EQ(document({})["command"], "nodes");
    EXPECT_EQ(
        dumped(document({})["rows"][0]),
        R"({"processors_of_node":0,"memory_of_node":1,"latency_ns":2.5,"bandwidth_gb_s":null,"visits_percent":null})");
    EXPECT_TRUE(document({})["remarks"].is_null()) << "not told";
    EXPECT_EQ(document({.told = true})["remarks"], List());
    EXPECT_EQ(document({.told = true, .list = {remark(warning), remark(Notice(Code::no_edge))}})["remarks"],
              (List{members_of(warning), members_of(Notice(Code::no_edge))}));
}

} // namespace
} // namespace memtest
