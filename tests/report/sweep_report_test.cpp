#include "memtest/report/sweep_report.hpp"

#include "memtest/base/units.hpp"
#include "memtest/report/columns.hpp"
#include "memtest/report/run_keys.hpp"
#include "memtest/report/sweep_file.hpp"
#include "support/described_run.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

/// What a report writes, by way of a file of its own.
template<class Write>
std::string written(Write write, const ReportStyle& style = {.format = Format::json}) {
    const TextFile file("report", "");
    OutputFile output(file.path());
    SweepReport report(output, style);
    write(report);
    output.commit();
    return read_text(file.path());
}

Row sample() {
    Row row;
    row.thread = 1;
    row.size_bytes = 512;
    row.latency_ns = 1.23456789;
    row.latency_cycles = 2.46913578;
    row.summary = Summary{.min = 1.25, .median = 1.5004, .mean = 1.5996, .spread_percent = 4.126};
    row.visits_percent = 2.345;
    row.notes = {Note::preempted, Note::single};
    row.visits = {{.start_ns = 12'345'678, .place_bytes = 4096, .core_ghz = 2, .batch_ns = {1.25, 1.7504}}, {}};
    return row;
}

/// The CSV of a report of one row.
std::string csv_of_one_row(bool quiet) {
    return written(
        [](SweepReport& report) {
            report.open(described_run());
            report.warn("the clock moved");
            Row row;
            row.size_bytes = 512;
            row.latency_ns = 1.25;
            report.row(row);
            report.close(described_run(), {});
        },
        {.quiet = quiet});
}

TEST(CsvReport, SaysWhatIsKnownAtTheEndBehindTheRows) {
    const std::string text = csv_of_one_row(false);
    EXPECT_TRUE(text.ends_with("\n# warning: the clock moved\n0, 0.00049, 1.250\n"
                               "# core clock range: 3.490 to 3.512 GHz\n# end: 20 of 41 sizes, interrupted\n"))
        << text;
    EXPECT_EQ(text.find("# end: "), text.rfind("# end: ")) << "once";
}

TEST(CsvReport, QuietSaysNothingBesideHeaderAndRows) {
    EXPECT_EQ(csv_of_one_row(true), "Thread, Mem size (MiB), Access latency (ns)\n0, 0.00049, 1.250\n");
}

Json document_with(const Row& row, const std::vector<Counter>& counters = {}) {
    return Json::parse(written(
        [&](SweepReport& report) {
            report.open(described_run());
            report.row(row);
            report.close(described_run(), {});
        },
        {.format = Format::json, .columns = {.counters = counters}}));
}

TEST(JsonReport, IsOneDocument) {
    const Json document = Json::parse(written([](SweepReport& report) {
        report.open(described_run());
        report.warn("the clock moved");
        report.row(sample());
        report.row(sample());
        report.close(described_run(), {});
    }));
    EXPECT_EQ(document["schema"], 1);
    EXPECT_EQ(document["rows"].size(), 2U);
    EXPECT_EQ(document["warnings"], Json::array({"the clock moved"}));
    EXPECT_EQ(document["levels"], nullptr);
    EXPECT_EQ(document["complete"], false);
    for (const RunKey& key : run_keys()) {
        const Json& home = key.at_end ? document : document["run"];
        EXPECT_EQ(home[std::string(key.member)], key.json(described_run())) << key.member;
    }
}

TEST(JsonReport, IsCompleteWhereTheRunIs) {
    RunDescription run = described_run();
    run.end = RunEnd{.measured = 41, .planned = 41};
    const Json document = Json::parse(written([&](SweepReport& report) {
        report.open(run);
        report.close(run, {});
    }));
    EXPECT_EQ(document["complete"], true);
    EXPECT_EQ(document["rows"], Json::array());
}

TEST(JsonReport, HasTheNumbersOfTheCsvAndMore) {
    const Json row = document_with(sample())["rows"][0];
    EXPECT_EQ(row, Json::parse(R"({"thread": 1, "size_mib": 0.00049, "latency_ns": 1.235, "latency_cycles": 2.47,
        "min_ns": 1.25, "median_ns": 1.5, "mean_ns": 1.6, "spread_percent": 4.13, "visits_percent": 2.35,
        "visits_made": 2, "batches": 2, "notes": ["preempted", "single"], "size_bytes": 512, "counts_per_access": {},
        "visits": [{"start_ms": 12.346, "place_bytes": 4096, "core_ghz": 2.0, "batches_ns": [1.25, 1.75]},
                   {"start_ms": 0.0, "place_bytes": 0, "core_ghz": null, "batches_ns": []}]})"));
    std::istringstream fields(csv_line(sample(), {.cycles = true, .stats = true}));
    for (const Column& column : columns()) {
        std::string field;
        std::getline(fields >> std::ws, field, ',');
        if (column.member != notes_member) {
            EXPECT_EQ(row[std::string(column.member)].get<double>(), std::stod(field)) << column.member;
        }
    }
}

TEST(JsonReport, NamesTheCountersOfARowInSnakeCase) {
    Row row = sample();
    row.counts_per_access = {4.25, std::nullopt};
    EXPECT_EQ(document_with(row, {Counter::cycles, Counter::l1d_misses})["rows"][0]["counts_per_access"],
              Json::parse(R"({"cycles": 4.25, "l1d_misses": null})"));
}

TEST(JsonReport, WhatIsNotKnownIsNull) {
    const Json row = document_with(Row{})["rows"][0];
    for (const char* member : {"latency_ns", "latency_cycles", "min_ns", "median_ns", "mean_ns", "spread_percent"})
        EXPECT_TRUE(row[member].is_null()) << member;
    EXPECT_EQ(row["notes"], Json::array());
}

TEST(JsonReport, WhatNobodyCanHaveMeasuredIsNull) {
    Row row = sample();
    for (const double nonsense : {1e-320, 1e308, std::numeric_limits<double>::infinity()}) {
        row.latency_ns = nonsense;
        EXPECT_TRUE(document_with(row)["rows"][0]["latency_ns"].is_null()) << nonsense;
    }
}

TEST(JsonReport, TakesAnyBytesFromTheSystem) {
    RunDescription run;
    run.cpu_model = "a \"quoted\" \\ name\twith a tab, \xc2\xb5 and \xff";
    const Json document = Json::parse(written([&](SweepReport& report) {
        report.open(run);
        report.close(run, {});
    }));
    EXPECT_EQ(document["run"]["cpu_model"], "a \"quoted\" \\ name\twith a tab, \xc2\xb5 and \xef\xbf\xbd");
}

TEST(JsonReport, IsReadBackAsTheCsvIs) {
    Row row = sample();
    row.size_bytes = 3 * mib;
    const std::string text = written([&](SweepReport& report) {
        report.open(described_run());
        report.warn("the clock moved");
        report.row(row);
        report.close(described_run(), {});
    });
    std::istringstream in(text);
    const StoredSweep sweep = read_sweep(in, "sweep.json");
    EXPECT_EQ(sweep.run, described_run_read_back());
    EXPECT_EQ(sweep.remarks, std::vector<std::string>{"the clock moved"});
    ASSERT_EQ(sweep.rows.size(), 1U);
    const StoredRow& stored = sweep.rows[0];
    EXPECT_EQ(stored.thread, 1);
    EXPECT_EQ(stored.size_bytes, 3.0 * mib);
    EXPECT_EQ(stored.latency_ns, 1.235);
    EXPECT_EQ(stored.cycles, 2.47);
    EXPECT_EQ(stored.min_ns, 1.25);
    EXPECT_EQ(stored.median_ns, 1.5);
    EXPECT_EQ(stored.mean_ns, 1.6);
    EXPECT_EQ(stored.spread_percent, 4.13);
    EXPECT_EQ(stored.batches, 2U);
    EXPECT_EQ(stored.visits_percent, 2.35);
    EXPECT_EQ(stored.visits, 2U);
    EXPECT_EQ(stored.notes, row.notes);
}

LevelReport one_level() {
    LevelReport report;
    report.hierarchy.caches.resize(1);
    report.hierarchy.caches[0].capacity_low_bytes = 32 * 1024;
    report.hierarchy.caches[0].capacity_high_bytes = 48 * 1024;
    report.hierarchy.caches[0].capacity_bytes = 40 * 1024;
    report.hierarchy.caches[0].latency_ns = 1;
    report.hierarchy.caches[0].confidence = Confidence::high;
    report.hierarchy.remarks = {Remark::memory_not_reached};
    return report;
}

TEST(LevelsJson, HasAnObjectForEachLevelOfEachThread) {
    std::vector<LevelReport> reports{one_level(), one_level()};
    reports[1].thread = 1;
    const Json document = Json::parse(levels_json(reports));
    EXPECT_EQ(document["schema"], 1);
    ASSERT_EQ(document["levels"].size(), 2U);
    EXPECT_EQ(document["levels"][1],
              Json::parse(R"({"thread": 1, "level": "L1", "capacity_low_kib": 32, "capacity_high_kib": 48,
                  "capacity_best_kib": 40, "latency_ns": 1.0, "latency_cycles": null, "from_mib": 0.0, "to_mib": 0.0,
                  "confidence": "high", "reported_kib": null})"));
    ASSERT_EQ(document["remarks"].size(), 2U);
    EXPECT_EQ(document["remarks"][0]["thread"], 0);
    EXPECT_EQ(document["remarks"][0]["remark"].get<std::string>().substr(0, 14), "the sweep ends");
}

/// The names of what an object has, or of what the schema of one requires.
std::set<std::string> names(const Json& names_or_object) {
    std::set<std::string> result;
    for (const auto& [name, value] : names_or_object.items())
        result.insert(names_or_object.is_array() ? value.get<std::string>() : name);
    return result;
}

TEST(JsonReport, HasWhatTheSchemaRequiresAndNoMore) {
    std::ifstream file(SWEEP_SCHEMA);
    const Json schema = Json::parse(file)["properties"];
    const Json document = Json::parse(written([](SweepReport& report) {
        report.open(described_run());
        report.row(sample());
        report.close(described_run(), {one_level()});
    }));
    EXPECT_EQ(names(document), names(schema));
    EXPECT_EQ(names(document["run"]), names(schema["run"]["required"]));
    EXPECT_EQ(names(document["rows"][0]), names(schema["rows"]["items"]["required"]));
    EXPECT_EQ(names(document["rows"][0]["visits"][0]),
              names(schema["rows"]["items"]["properties"]["visits"]["items"]["required"]));
    EXPECT_EQ(names(document["levels"][0]), names(schema["levels"]["items"]["required"]));
    EXPECT_EQ(document["schema"], schema["schema"]["const"]);
    for (const char* object : {"processors", "nodes", "max_size", "warmup"})
        EXPECT_EQ(names(document["run"][object]), names(schema["run"]["properties"][object]["required"])) << object;
    for (const char* array : {"pages_got", "caches"})
        EXPECT_EQ(names(document["run"][array][0]), names(schema["run"]["properties"][array]["items"]["required"]))
            << array;
}

TEST(JsonReport, WritesOnlyWordsThatTheSchemaHas) {
    std::ifstream file(SWEEP_SCHEMA);
    const Json schema = Json::parse(file)["properties"];
    const auto words = [](const auto& table) {
        Json result = Json::array();
        for (const auto& entry : table)
            result.push_back(entry.word);
        return result;
    };
    const Json& run = schema["run"]["properties"];
    EXPECT_EQ(run["order"]["enum"], words(word_table<Order>));
    EXPECT_EQ(run["link"]["enum"], words(word_table<Link>));
    EXPECT_EQ(run["estimate"]["enum"], words(word_table<Estimate>));
    EXPECT_EQ(run["pages"]["enum"], words(word_table<PageKind>));
    EXPECT_EQ(schema["rows"]["items"]["properties"]["notes"]["items"]["enum"], words(word_table<Note>));
}

TEST(JsonReport, HasTheLevels) {
    const Json document = Json::parse(written([](SweepReport& report) {
        report.open({});
        report.close({}, {one_level()});
    }));
    EXPECT_EQ(document["levels"], Json::parse(levels_json(std::vector{one_level()}))["levels"]);
    EXPECT_EQ(document["remarks"].size(), 1U);
}

} // namespace
} // namespace memtest
