#include "memtest/report/load_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Fields = std::vector<std::string>;

const LoadCurve curve{
    .idle_ns = 100, .idle_last_ns = 101.5, .peak = LoadPoint{100, 32, 250}, .knee = LoadPoint{50, 16, 118}};

TEST(LoadReport, TheHeadersAreTheseToTheLetter) {
    EXPECT_EQ(table_header(load_table), "Load (%), Bandwidth (GB/s), Access latency (ns)\n");
    EXPECT_EQ(table_header(load_table_with_stats),
              "Load (%), Bandwidth (GB/s), Access latency (ns), Visits (%), Visits, "
              "Batches, Set aside, Notes\n");
}

TEST(LoadReport, ARowHasOneDecimalOfLoadAndThreeOfItsFigures) {
    EXPECT_EQ(load_fields({.load_percent = 0, .bytes_per_ns = 0, .latency_ns = 98.1234}, false),
              (Fields{"0.0", "0.000", "98.123"}));
    EXPECT_EQ(load_fields({.load_percent = 100.0 / 12,
                           .bytes_per_ns = 2.5006,
                           .latency_ns = 101,
                           .visits_percent = 1.234,
                           .visits = 6,
                           .batches = 90,
                           .set_aside = 6,
                           .notes = {LoadNote::preempted, LoadNote::absent}},
                          true),
              (Fields{"8.3", "2.501", "101.000", "1.23", "6", "90", "6", "preempted absent"}));
}

TEST(LoadReport, WhatIsNotKnownIsAnEmptyField) {
    EXPECT_EQ(
        load_fields({.load_percent = 50, .visits = 16, .batches = 3, .set_aside = 253, .notes = {LoadNote::few}}, true),
        (Fields{"50.0", "", "", "", "16", "3", "253", "few"}));
}

TEST(LoadReport, TheSentencesSayWhatIsReadAndWhatIsCounted) {
    EXPECT_EQ(load_sentences({.line_bytes = 64, .write_percent = 0}, std::size_t{256} << 20U),
              (Fields{"Each loader reads one word of each line, line after line through 256 MiB",
                      "Bandwidth counts 64 B for each line read"}));
    EXPECT_EQ(
        load_sentences({.line_bytes = 128, .write_percent = 33}, 1536),
        (Fields{"Each loader reads one word of each line, line after line through 1.5 KiB, and changes it in 33 % "
                "of them",
                "Bandwidth counts 128 B for each line read, and as many again for one that is changed: it is "
                "written back"}));
}

TEST(LoadReport, TellsIdleLatencyPeakAndKnee) {
    EXPECT_EQ(load_lines(curve), (KeyedLines{{"idle latency", "100.000 ns, 101.500 ns at the end"},
                                             {"peak bandwidth", "32.000 GB/s at 250.000 ns (2.50 times idle)"},
                                             {"knee", "16.000 GB/s at 118.000 ns (1.18 times idle)"}}));
}

TEST(LoadReport, SaysWhereTheKneeIsThePeakOrIsNotThere) {
    LoadCurve flat = curve;
    flat.peak = flat.knee;
    EXPECT_EQ(load_lines(flat).back().second,
              "16.000 GB/s at 118.000 ns (1.18 times idle), the peak: these loaders do not fill the memory's queues");
    LoadCurve steep = curve;
    steep.knee = std::nullopt;
    EXPECT_EQ(load_lines(steep).back().second, "none: every load takes more than 1.2 times the idle latency");
    EXPECT_TRUE(load_lines({}).empty());
}

TEST(LoadReport, InJsonItsFindingsAreMembersAndNullWhereThereAreNone) {
    const auto json = [](const std::optional<LoadCurve>& found) {
        return nlohmann::json::parse("{" + load_members({.line_bytes = 64, .write_percent = 33}, found) + "}");
    };
    EXPECT_EQ(json(curve), (nlohmann::json{{"write_percent", 33},
                                           {"idle_latency_ns", 100.0},
                                           {"idle_latency_at_end_ns", 101.5},
                                           {"peak_bandwidth_gb_s", 32.0},
                                           {"knee_bandwidth_gb_s", 16.0}}));
    EXPECT_TRUE(json(std::nullopt)["idle_latency_ns"].is_null());
    EXPECT_TRUE(json(std::nullopt)["knee_bandwidth_gb_s"].is_null());
}

} // namespace
} // namespace memtest
