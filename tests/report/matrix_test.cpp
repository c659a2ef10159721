#include "memtest/report/matrix.hpp"

#include "support/results.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines cores_lines(const CoresReport& report) {
    Lines lines;
    for (const Finding& finding : cores_findings(report).list)
        lines.emplace_back(finding.key, finding.sentence);
    return lines;
}

/// Two clusters of two, as they are.
CoresReport two_clusters() {
    const auto pair = [](int reader, int owner, double ns) {
        return CorePair{.reader = reader,
                        .owner = owner,
                        .latency_ns = ns,
                        .relation = ns < 50 ? Relation::same_last_cache : Relation::same_package};
    };
    return {.pairs = {pair(0, 1, 20.04), pair(0, 2, 95), pair(0, 3, 96), pair(1, 2, 97), pair(1, 3, 98.5),
                      pair(2, 3, 21.12)},
            .bimodal = {},
            .last_cache = "L3"};
}

TEST(MatrixRows, AreTheseToTheLetter) {
    EXPECT_EQ(csv_header(cores_kind), "Reader, Owner, Latency (ns), Relation");
    EXPECT_EQ(csv_rows(cores_kind, {cores_row(0, 12, 23.0456, Relation::same_last_cache),
                                    cores_row(0, 1, std::nullopt, Relation::different_packages)}),
              "0, 12, 23.046, same last-level cache\n0, 1, , different packages\n");
    EXPECT_EQ(csv_header(nodes_kind), "Processors of node, Memory of node, Latency (ns)");
    EXPECT_EQ(csv_rows(nodes_kind, {nodes_row(0, 1, 150.25)}), "0, 1, 150.250\n");
}

TEST(MatrixCells, AreThoseOfTheFileInItsOrder) {
    const auto cells = cells_of(result_of("Processors of node, Memory of node, Latency (ns)\n0, 1, 150.250\n1, 0, \n"));
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].row, 0);
    EXPECT_EQ(cells[0].column, 1);
    EXPECT_EQ(cells[0].latency_ns, 150.25);
    EXPECT_EQ(cells[1].latency_ns, std::nullopt);
}

TEST(CoresReport, NamesTheGroupsAndWhatAHandOverTakes) {
    EXPECT_EQ(cores_lines(two_clusters()),
              (Lines{{"groups", "0,1 2,3; a hand-over takes 20.0 to 21.1 ns within a group, 95.0 to 98.5 ns between "
                                "two"}}));
}

TEST(CoresReport, SaysWhereThereAreNoneButNothingOfASinglePair) {
    CoresReport report{.pairs = {{.reader = 0, .owner = 1, .latency_ns = 40},
                                 {.reader = 0, .owner = 2, .latency_ns = 50},
                                 {.reader = 1, .owner = 2, .latency_ns = 45}},
                       .bimodal = {},
                       .last_cache = "L3"};
    EXPECT_EQ(cores_lines(report),
              (Lines{{"groups", "none; hand-overs take 40.0 to 50.0 ns, without a gap that parts the processors"}}));
    report.pairs.resize(1);
    EXPECT_EQ(cores_lines(report), Lines{});
}

TEST(CoresReport, SaysWhatContradictsTheSystem) {
    const auto remark_on = [](Relation relation, double ns) {
        const auto lines = cores_lines({.pairs = {{.reader = 0, .owner = 1, .latency_ns = ns, .relation = relation}},
                                        .bimodal = {},
                                        .last_cache = "L2"});
        return lines.empty() ? std::string() : lines.front().second;
    };
    EXPECT_EQ(remark_on(Relation::same_last_cache, 118), "0 and 1 are said to share an L2; a hand-over takes 118 ns");
    EXPECT_EQ(remark_on(Relation::same_core, 118.4), "0 and 1 are said to be on one core; a hand-over takes 118 ns");
    EXPECT_EQ(remark_on(Relation::different_packages, 23),
              "0 and 1 are said to be in different packages; a hand-over takes 23 ns");
    EXPECT_EQ(remark_on(Relation::same_last_cache, 24), "");
}

TEST(CoresReport, CountsThePairsThatContradictTheSystemInTheSameWay) {
    CoresReport report = two_clusters();
    report.pairs.push_back({.reader = 4, .owner = 5, .latency_ns = 120, .relation = Relation::same_last_cache});
    report.pairs.push_back({.reader = 4, .owner = 6, .latency_ns = 150, .relation = Relation::same_last_cache});
    const auto lines = cores_lines(report);
    EXPECT_EQ(lines.back().second, "4 and 6 are said to share an L3; a hand-over takes 150 ns (1 other pair said to be "
                                   "as near contradicts it, too)");
    report.pairs.push_back({.reader = 5, .owner = 6, .latency_ns = 130, .relation = Relation::same_last_cache});
    EXPECT_TRUE(cores_lines(report).back().second.ends_with("(2 other pairs said to be as near contradict it, too)"));
}

TEST(CoresReport, SaysWhichPairsWereLeftOut) {
    CoresReport report = two_clusters();
    report.left_out = "2 of 8 pairs are left out";
    EXPECT_EQ(cores_lines(report).back(), (Lines::value_type{"remark", "2 of 8 pairs are left out"}));
}

TEST(CoresReport, NamesPairsWhoseLapsFallIntoTwoGroups) {
    CoresReport report = two_clusters();
    report.bimodal = {{0, 1}, {2, 3}};
    EXPECT_EQ(cores_lines(report).back(),
              (Lines::value_type{"remark", "bimodal: 0 from 1, 2 from 3; their laps fall into two groups: "
                                           "something else may take the processors at times; measure again"}));
}

TEST(CoresReport, IsTheSameInJsonAndNullWhereTheRunIsNotWhole) {
    CoresReport report = two_clusters();
    report.bimodal = {{0, 3}};
    const auto document = [](const Findings& findings) {
        return nlohmann::json::parse(written(cores_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.end(findings);
        }));
    };
    const auto json = document(cores_findings(report));
    EXPECT_EQ(json["groups"].dump(),
              R"([{"between_ns":[95.0,98.5],"processors":[[0,1],[2,3]],"within_ns":[20.04,21.12]}])");
    EXPECT_EQ(json["bimodal"].dump(), "[[0,3]]");
    EXPECT_EQ(json["remarks"].size(), 1U);
    EXPECT_EQ(document(cores_findings({}))["bimodal"].dump(), "[]");
    for (const char* member : {"groups", "bimodal", "remarks"})
        EXPECT_TRUE(document({})[member].is_null()) << member;
}

} // namespace
} // namespace memtest
