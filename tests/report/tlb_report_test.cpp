#include "memtest/report/tlb_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Fields = std::vector<std::string>;
using Json = nlohmann::ordered_json;

const Tlb first{.entries_low = 72,
                .entries = 72,
                .entries_high = 73,
                .hit_ns = 0.001,
                .miss_ns = 1.9,
                .confidence = Confidence::high};
const Tlb second{.entries_low = 2270,
                 .entries = 3072,
                 .entries_high = 3300,
                 .hit_ns = 1.89,
                 .miss_ns = 12,
                 .confidence = Confidence::fair};

TlbReport report_of(const std::vector<Tlb>& tlbs, const std::vector<CostAtPages>& beyond) {
    return {.translation = {.tlbs = tlbs, .beyond = beyond},
            .page_bytes = 4096,
            .most_pages = 16384,
            .core_ghz = 3.7,
            .splits_huge_pages = false};
}

TEST(TlbReport, ARowGivesTheReachInKibAndTheDifference) {
    EXPECT_EQ(tlb_row({.pages = 72, .rounds = {{1.2, 1.1}, {1.1, 1.15}}}, 4096),
              (Fields{"72", "288", "1.100", "1.100", "0.000"}));
    EXPECT_EQ(tlb_row({.pages = 73, .rounds = {{3.052, 1.1}}}, 16384),
              (Fields{"73", "1168", "3.052", "1.100", "1.952"}));
    EXPECT_EQ(tlb_row({.pages = 16, .rounds = {{3, 1}}}, std::size_t{2} << 20U),
              (Fields{"16", "32768", "3.000", "1.000", "2.000"}));
}

TEST(TlbReport, TwoTlbsAndTheWalk) {
    EXPECT_EQ(tlb_lines(report_of({first, second}, {{6144, 15}, {16384, 36}})),
              (KeyedLines{{"tlb L1", "72 entries (reach 288 KiB), confidence high"},
                          {"tlb L2", "2270 to 3300 entries, best estimate 3072 (reach 12288 KiB), +1.9 ns (7 cycles), "
                                     "confidence fair"},
                          {"walk", "+15.0 ns at twice the reach, +36.0 ns at 16384 pages"}}));
}

TEST(TlbReport, OneTlbAndWhatFollowsIt) {
    const KeyedLines lines = tlb_lines(report_of({first}, {{160, 8}, {16384, 24}}));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1].first, "beyond tlb L1");
    EXPECT_EQ(lines[1].second, "+8.0 ns at twice the reach, +24.0 ns at 16384 pages");
    EXPECT_EQ(lines[2].first, "remark");
    EXPECT_TRUE(lines[2].second.starts_with("no second edge up to 16384 pages")) << lines[2].second;
}

TEST(TlbReport, NoEdgeIsSaid) {
    const KeyedLines lines = tlb_lines(report_of({}, {}));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].first, "remark");
    EXPECT_TRUE(lines[0].second.starts_with("no edge up to 16384 pages")) << lines[0].second;
}

TEST(TlbReport, SplitHugePagesAreSaid) {
    TlbReport report = report_of({first, second}, {{6144, 15}, {16384, 36}});
    EXPECT_EQ(tlb_lines(report).size(), 3U);
    report.splits_huge_pages = true;
    EXPECT_NE(tlb_lines(report).at(3).second.find("the host of a virtual machine splits them"), std::string::npos);
}

TEST(TlbReport, JsonHoldsTheSameTypedAndNullWhereThereIsNoReport) {
    const auto members = [](const std::optional<TlbReport>& report) {
        return Json::parse("{" + tlb_members(report) + "}");
    };
    const Json told = members(report_of({first, second}, {{6144, 15}, {16384, 36.0004}}));
    EXPECT_EQ(told["tlbs"][1], Json::parse(R"({"level": "L2", "entries_low": 2270, "entries": 3072,
        "entries_high": 3300, "reach_kib": 12288, "hit_ns": 1.89, "miss_ns": 12.0, "confidence": "fair"})"));
    EXPECT_EQ(told["beyond"][1], Json::parse(R"({"pages": 16384, "translation_ns": 36.0})"));
    EXPECT_EQ(told["remarks"], Json::array());
    EXPECT_EQ(members(report_of({}, {}))["remarks"].size(), 1U);
    EXPECT_EQ(members(std::nullopt), Json::parse(R"({"tlbs": null, "beyond": null, "remarks": null})"));
}

} // namespace
} // namespace memtest
