#include "memtest/kinds/cores.hpp"

#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

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
            .at_moments = {},
            .bimodal = {},
            .last_cache = "L3"};
}

TEST(CoresReport, NamesTheGroupsAndWhatATransferTakes) {
    const Findings findings = cores_findings(two_clusters());
    ASSERT_EQ(told_by(findings), (Told{{"groups", Code::core_groups}}));
    EXPECT_EQ(findings.list[0].notice.values, json(R"({"processors": [[0, 1], [2, 3]], "within_ns": [20.04, 21.12],
                                                              "between_ns": [95.0, 98.5]})"));
}

TEST(CoresReport, NamesTheKindsOfEachGroup) {
    CoresReport report = two_clusters();
    report.kinds = {{"P-core", {0, 1, 2}}, {"E-core", {3}}};
    const Notice groups = cores_findings(report).list.at(0).notice;
    EXPECT_EQ(groups.values["kinds"], (List{"P-core", "P-core and E-core"}));
    EXPECT_TRUE(sentence_of(groups).find("2,3 (P-core and E-core)") != std::string::npos) << sentence_of(groups);
}

TEST(CoresReport, SaysWhereThereAreNoneButNothingOfASinglePair) {
    CoresReport report{.pairs = {{.reader = 0, .owner = 1, .latency_ns = 40},
                                 {.reader = 0, .owner = 2, .latency_ns = 50},
                                 {.reader = 1, .owner = 2, .latency_ns = 45}},
                       .at_moments = {},
                       .bimodal = {},
                       .last_cache = "L3"};
    const Findings findings = cores_findings(report);
    ASSERT_EQ(told_by(findings), (Told{{"groups", Code::no_core_groups}}));
    EXPECT_EQ(findings.list[0].notice.values, (Members{{"lowest_ns", 40.0}, {"highest_ns", 50.0}}));
    report.pairs.resize(1);
    EXPECT_EQ(told_by(cores_findings(report)), Told{});
}

TEST(CoresReport, NamesNoGroupsThatDifferFromOneMomentToAnother) {
    CoresReport report = two_clusters();
    report.at_moments = {report.pairs, report.pairs};
    EXPECT_EQ(told_by(cores_findings(report)), (Told{{"groups", Code::core_groups}}));
    std::swap(report.at_moments[1][0].latency_ns, report.at_moments[1][1].latency_ns); // 0 moves to the side of 2
    std::swap(report.at_moments[1][4].latency_ns, report.at_moments[1][5].latency_ns);
    const Findings findings = cores_findings(report);
    ASSERT_EQ(findings.list.size(), 1U);
    EXPECT_EQ(findings.list[0].key, "remark");
    EXPECT_EQ(findings.list[0].notice.code, Code::groups_changed);
    EXPECT_EQ(findings.list[0].notice.values["moments"], json("[[[[0, 1], [2, 3]]], [[[0, 2], [1, 3]]]]"));
    report.has_groups = false;
    report.at_moments.clear();
    EXPECT_EQ(told_by(cores_findings(report)), Told{});
}

TEST(CoresReport, WhereTheHypervisorMovesProcessorsSaysThatAloneAndHowOften) {
    CoresReport report = two_clusters();
    report.at_moments = {report.pairs, {}};
    report.bimodal = {{0, 1}};
    report.pairs[0].latency_ns = 400; // contradicts what the system reports
    report.moved = {{0, 1}, {1, 3}};
    report.seconds = 2.04;
    const Findings findings = cores_findings(report);
    ASSERT_EQ(findings.list.size(), 1U);
    EXPECT_EQ(findings.list[0].notice.code, Code::pairs_moved);
    EXPECT_EQ(findings.list[0].notice.values, json(R"({"pairs": [[0, 1], [1, 3]], "of": 6, "seconds": 2.0})"));
    EXPECT_EQ(findings.list[0].members["moved"], json("[[0, 1], [1, 3]]"));
    EXPECT_EQ(findings.list[0].members["bimodal"], json("[[0, 1]]")) << "is of laps, moved or not";
    report.left_out = Notice(Code::pairs_left_out, {{"left_out", 2}, {"of", 8}});
    EXPECT_EQ(cores_findings(report).list.back().notice, report.left_out);
    report.has_groups = false; // other work moves transfers, too
    for (const Finding& finding : cores_findings(report).list)
        EXPECT_NE(finding.notice.code, Code::pairs_moved);
    EXPECT_EQ(cores_findings(report).list.at(1).notice, report.left_out);
}

TEST(CoresReport, OfAStoredResultHasNoGroupsThatItsRunDoubted) {
    const auto stored = [](const std::string& doubt) {
        return stored_cores(
            result_of(R"({"schema": 3, "command": "cores", )" + doubt +
                      R"("rows": [{"reader": 0, "owner": 1, "latency_ns": 25.0, "relation": "same core"}, )"
                      R"({"reader": 0, "owner": 2, "latency_ns": null, "relation": "same core"}]})"));
    };
    EXPECT_TRUE(stored("").has_groups);
    EXPECT_EQ(stored("").pairs.size(), 1U);
    EXPECT_TRUE(stored("").kinds.empty());
    Result cores{.kind = &cores_kind, .rows = std::vector<CoresRow>(1)};
    cores.run.kinds_here = {{"P-core", {0}}, {"E-core", {1, 2}}};
    EXPECT_EQ(stored_cores(cores).kinds.size(), 2U);
    EXPECT_FALSE(stored(R"("warnings": [{"code": "others_used", "percent": 40}], )").has_groups);
    EXPECT_FALSE(stored(R"("remarks": [{"code": "pairs_moved", "pairs": [[0, 1]]}], )").has_groups);
    EXPECT_FALSE(stored(R"("remarks": [{"code": "groups_changed", "moments": [[], [[[0, 1]]]]}], )").has_groups);
}

TEST(CoresReport, SaysWhatContradictsTheSystemAtEveryVisitOfAnUndisturbedRun) {
    const auto remark_on = [](Relation relation, double ns, std::optional<double> low_ns = {}, bool disturbed = false) {
        const CorePair pair{.reader = 0, .owner = 1, .latency_ns = ns, .relation = relation, .low_ns = low_ns};
        const auto list = cores_findings({{pair}, {}, {}, "L2", std::nullopt, !disturbed}).list;
        return list.empty() ? Notice() : list.front().notice;
    };
    for (const auto& [relation, ns] : {std::pair(Relation::same_last_cache, 118.0),
                                       {Relation::same_core, 118.4},
                                       {Relation::different_packages, 23.0}}) {
        const Members values{{"reader", 0},        {"owner", 1},       {"relation", word_of(relation)},
                             {"last_cache", "L2"}, {"latency_ns", ns}, {"others", 0}};
        EXPECT_EQ(remark_on(relation, ns), Notice(Code::contradicted_relation, values));
    }
    EXPECT_EQ(remark_on(Relation::same_last_cache, 24).code, Code::unknown) << "as it should be";
    EXPECT_EQ(remark_on(Relation::same_last_cache, 118, 101).code, Code::contradicted_relation);
    EXPECT_EQ(remark_on(Relation::same_last_cache, 118, 24).code, Code::unknown) << "at one visit they share it";
    EXPECT_EQ(remark_on(Relation::same_last_cache, 118, 101, true).code, Code::unknown);
}

TEST(CoresReport, CountsThePairsThatContradictTheSystemInTheSameWay) {
    CoresReport report = two_clusters();
    report.pairs.push_back({.reader = 4, .owner = 5, .latency_ns = 120, .relation = Relation::same_last_cache});
    report.pairs.push_back({.reader = 4, .owner = 6, .latency_ns = 150, .relation = Relation::same_last_cache});
    const auto last = [&] { return cores_findings(report).list.back().notice; };
    EXPECT_EQ(last().code, Code::contradicted_relation);
    EXPECT_EQ(last().values["owner"], 6) << "the slowest";
    EXPECT_EQ(last().values["others"], 1);
    report.pairs.push_back({.reader = 5, .owner = 6, .latency_ns = 130, .relation = Relation::same_last_cache});
    EXPECT_EQ(last().values["others"], 2);
}

TEST(CoresReport, NamesPairsWhoseLapsFallIntoTwoGroups) {
    CoresReport report = two_clusters();
    report.bimodal = {{0, 1}, {2, 3}};
    const Finding last = cores_findings(report).list.back();
    EXPECT_EQ(last.notice, Notice(Code::bimodal_pairs, {{"pairs", List{List{0, 1}, List{2, 3}}}}));
    EXPECT_EQ(last.key, "remark");
}

TEST(CoresReport, IsTheSameInJsonAndNullWhereTheRunIsNotWhole) {
    CoresReport report = two_clusters();
    report.bimodal = {{0, 3}};
    const auto document = [](const Findings& findings) {
        return json(written(cores_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.end(findings);
        }));
    };
    const Value read = document(cores_findings(report));
    EXPECT_EQ(dumped(read["groups"]),
              R"([{"processors":[[0,1],[2,3]],"within_ns":[20.04,21.12],"between_ns":[95.0,98.5]}])");
    EXPECT_EQ(dumped(read["bimodal"]), "[[0,3]]");
    EXPECT_EQ(read["remarks"].list().size(), 1U);
    for (const char* member : {"moved", "bimodal"})
        EXPECT_EQ(document(cores_findings({}))[member], List()) << member;
    for (const char* member : {"groups", "moved", "bimodal", "remarks"})
        EXPECT_TRUE(document({})[member].is_null()) << member;
}

} // namespace
} // namespace memtest
