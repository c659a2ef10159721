#include "memtest/report/cores_report.hpp"

#include "memtest/report/matrix_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

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

TEST(CoresReport, ItsHeaderAndRowsAreThese) {
    EXPECT_EQ(table_header(cores_table), "Reader, Owner, Latency (ns), Relation\n");
    EXPECT_EQ(cores_row(0, 12, 23.0456, Relation::same_last_cache),
              (std::vector<std::string>{"0", "12", "23.046", "same last-level cache"}));
    EXPECT_EQ(cores_row(0, 1, std::nullopt, Relation::different_packages),
              (std::vector<std::string>{"0", "1", "", "different packages"}));
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
    const auto json = nlohmann::json::parse("{" + cores_members(report) + "}");
    EXPECT_EQ(json["groups"].dump(),
              R"([{"between_ns":[95.0,98.5],"processors":[[0,1],[2,3]],"within_ns":[20.04,21.12]}])");
    EXPECT_EQ(json["bimodal"].dump(), "[[0,3]]");
    EXPECT_EQ(json["remarks"].size(), 1U);
    const auto none = nlohmann::json::parse("{" + cores_members(std::nullopt) + "}");
    EXPECT_EQ(none.dump(), R"({"bimodal":null,"groups":null,"remarks":null})");
}

} // namespace
} // namespace memtest
