#include "memtest/report/json_report.hpp"

#include "memtest/report/csv_writer.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// What a report writes, by way of a file of its own.
template<class Write>
std::string written(Write write, const std::vector<Counter>& counters = {}) {
    std::string path = (std::filesystem::temp_directory_path() / "memtest-json-XXXXXX").string();
    const int descriptor = mkstemp(path.data());
    EXPECT_GE(descriptor, 0);
    {
        OutputFile output(path);
        JsonReport report(output, counters);
        write(report);
    }
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::filesystem::remove(path);
    return text;
}

Row sample() {
    Row row;
    row.size_bytes = 512;
    row.latency_ns = 1.25;
    row.latency_cycles = 2.5;
    row.summary = Summary{.min = 1.25, .median = 1.5, .mean = 1.5, .spread_percent = 4};
    row.notes = {Note::preempted, Note::single};
    row.visits = {{.start_ns = 12'345'678, .place_bytes = 4096, .core_ghz = 2, .batch_ns = {1.25, 1.75}}};
    return row;
}

TEST(JsonReport, IsOneDocumentWithEveryBatch) {
    EXPECT_EQ(written([](JsonReport& report) {
                  report.open({"memtest"}, {{"order", "random"}});
                  report.row(sample());
                  report.row(sample());
                  report.close({{"core clock range", "2 to 2 GHz"}}, {});
              }),
              R"({
  "headline": ["memtest"],
  "description": {
    "order": "random"
  },
  "rows": [
    {"thread": 0, "size_bytes": 512, "size_mib": 0.00049, "latency_ns": 1.250, "latency_cycles": 2.50, "min_ns": 1.250, "median_ns": 1.500, "mean_ns": 1.500, "spread_percent": 4.00, "visits_percent": null, "notes": ["preempted", "single"], "visits": [{"start_ms": 12.346, "place_bytes": 4096, "core_ghz": 2.000, "batches_ns": [1.250, 1.750]}]},
    {"thread": 0, "size_bytes": 512, "size_mib": 0.00049, "latency_ns": 1.250, "latency_cycles": 2.50, "min_ns": 1.250, "median_ns": 1.500, "mean_ns": 1.500, "spread_percent": 4.00, "visits_percent": null, "notes": ["preempted", "single"], "visits": [{"start_ms": 12.346, "place_bytes": 4096, "core_ghz": 2.000, "batches_ns": [1.250, 1.750]}]}
  ],
  "closing": {
    "core clock range": "2 to 2 GHz"
  },
  "hierarchy": null
}
)");
}

TEST(JsonReport, NamesTheCountersOfARow) {
    const std::string text = written(
        [](JsonReport& report) {
            Row row = sample();
            row.counts_per_access = {4.25, std::nullopt};
            report.open({}, {});
            report.row(row);
            report.close({}, {});
        },
        {Counter::cycles, Counter::l1d_misses});
    EXPECT_NE(
        text.find("\"batches_ns\": [1.250, 1.750]}], \"counts_per_access\": {\"cycles\": 4.25, \"l1d-misses\": null}}"),
        std::string::npos)
        << text;
}

TEST(JsonReport, HasTheNumbersOfTheCsv) {
    Row row = sample();
    row.latency_ns = 1.23456789;
    row.visits_percent = 2.345;
    const std::string json = written([&](JsonReport& report) {
        report.open({}, {});
        report.row(row);
        report.close({}, {});
    });
    std::istringstream fields(csv_line(row, {.cycles = true, .stats = true}));
    const std::vector<std::string> members{"thread",    "size_mib", "latency_ns",     "latency_cycles", "min_ns",
                                           "median_ns", "mean_ns",  "spread_percent", "visits_percent"};
    for (const std::string& member : members) {
        std::string field;
        std::getline(fields >> std::ws, field, ',');
        EXPECT_NE(json.find("\"" + member + "\": " + field + ","), std::string::npos) << member << " " << field;
    }
}

TEST(JsonReport, WhatIsNotKnownIsNull) {
    Row row;
    const std::string json = written([&](JsonReport& report) {
        report.open({}, {});
        report.row(row);
        report.close({}, {});
    });
    EXPECT_NE(json.find("\"latency_ns\": null, \"latency_cycles\": null, \"min_ns\": null"), std::string::npos) << json;
}

TEST(JsonReport, EscapesWhatJsonDoesNotTakeInStrings) {
    const std::string text = written([](JsonReport& report) {
        report.open({}, {{"cpu", "a \"quoted\" \\ name\twith a tab and \xc2\xb5"}});
        report.close({}, {});
    });
    EXPECT_NE(text.find("\"a \\\"quoted\\\" \\\\ name\\u0009with a tab and \xc2\xb5\""), std::string::npos) << text;
}

TEST(JsonReport, HasTheLevels) {
    LevelReport report;
    report.hierarchy.caches.resize(1);
    report.hierarchy.caches[0].capacity_low_bytes = 32 * 1024;
    report.hierarchy.caches[0].capacity_high_bytes = 48 * 1024;
    report.hierarchy.caches[0].capacity_bytes = 40 * 1024;
    report.hierarchy.caches[0].latency_ns = 1;
    report.hierarchy.caches[0].confidence = Confidence::high;
    report.hierarchy.remarks = {Remark::memory_not_reached};
    const std::string text = written([&](JsonReport& json) {
        json.open({}, {});
        json.close({}, {report});
    });
    EXPECT_NE(text.find(R"("hierarchy": [
    {"thread": 0, "levels": [
      {"level": "L1", "latency_ns": 1.000, "latency_cycles": null, "from_mib": 0.00000, "to_mib": 0.00000, )"
                        R"("capacity_low_kib": 32, "capacity_high_kib": 48, "capacity_kib": 40, "confidence": "high", )"
                        R"("reported_kib": null, "much_smaller_than_reported": false}], "remarks": ["the sweep ends)"),
              std::string::npos)
        << text;
}

} // namespace
} // namespace memtest
