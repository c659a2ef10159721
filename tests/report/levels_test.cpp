#include "memtest/report/levels.hpp"

#include "memtest/base/units.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Keys and sentences of the findings on a thread.
Lines level_lines(const LevelReport& report) {
    Lines lines;
    for (const Finding& finding : level_findings(std::vector{report}).list)
        lines.emplace_back(finding.key, finding.sentence);
    return lines;
}

std::string levels_csv(const std::vector<LevelReport>& reports) {
    const TextFile file("levels", "");
    OutputFile output(file.path());
    ResultStyle style;
    if (reports.size() > 1)
        style.groups = {ColumnGroup::threads};
    std::vector<ResultRow> rows;
    for (const LevelReport& report : reports)
        std::ranges::move(level_rows(report), std::back_inserter(rows));
    write_whole(output, levels_kind, rows, level_findings(reports, false), style);
    output.commit();
    return read_text(file.path());
}

LevelReport sample() {
    LevelReport report;
    report.clocks = {{.size_bytes = 512, .ghz = 2}};
    report.hierarchy.caches.resize(2);
    report.hierarchy.caches[0].capacity_low_bytes = 32 * 1024;
    report.hierarchy.caches[0].capacity_high_bytes = 48 * 1024;
    report.hierarchy.caches[0].capacity_bytes = 32 * 1024;
    report.hierarchy.caches[0].latency_ns = 1.605;
    report.hierarchy.caches[0].from_bytes = 512;
    report.hierarchy.caches[0].to_bytes = 16 * 1024;
    report.hierarchy.caches[0].confidence = Confidence::high;
    report.hierarchy.caches[1].capacity_low_bytes = mib;
    report.hierarchy.caches[1].capacity_high_bytes = mib;
    report.hierarchy.caches[1].capacity_bytes = mib;
    report.hierarchy.caches[1].latency_ns = 5;
    report.hierarchy.caches[1].from_bytes = 64 * 1024;
    report.hierarchy.caches[1].to_bytes = 512 * 1024;
    report.hierarchy.memory = Memory{};
    report.hierarchy.memory->latency_ns = 60;
    report.hierarchy.memory->from_bytes = 64 * mib;
    report.hierarchy.memory->to_bytes = 256 * mib;
    return report;
}

TEST(LevelsReport, ARemarkStandsOnceAheadOfTheRows) {
    LevelReport report = sample();
    report.hierarchy.remarks = {Remark::hidden_level};
    const std::string text = levels_csv({report});
    EXPECT_TRUE(text.starts_with("# remark: ")) << text;
    EXPECT_EQ(text.find("# remark: ", 1), std::string::npos) << text;
}

TEST(LevelRemarks, NameACacheThatTheSystemReportsAndTheCurveDoesNotShow) {
    LevelReport report = sample();
    const ReportedCache l2{.level = 2, .size_bytes = 1 * mib};
    report.reported = {l2, {.level = 3, .size_bytes = 32 * mib}};
    report.compared = {{.reported = std::nullopt}, {.reported = l2}};
    EXPECT_EQ(remarks_on(report),
              std::vector<std::string>{"the system reports an L3 of 32 MiB, which the curve does not show"});
}

TEST(LevelRemarks, SayNothingOfACacheThatTheSweepDoesNotReach) {
    RunDescription run;
    run.caches = std::vector<ReportedCache>{{.level = 3, .size_bytes = 32 * mib}};
    const auto remarks = [&](double largest) {
        std::vector<CurvePoint> points;
        for (double size = 1024; size <= largest; size *= 2)
            points.push_back({size, 1});
        const auto said = remarks_on(report_levels(ThreadCurve{.points = points, .clocks = {}}, run));
        return std::ranges::count_if(said, [](const std::string& remark) { return remark.starts_with("the system"); });
    };
    EXPECT_EQ(remarks(32 * mib), 0);
    EXPECT_EQ(remarks(64 * mib), 1);
}

TEST(LevelLines, NameCapacityLatencyCyclesAndTheSizesTheyRestOn) {
    EXPECT_EQ(
        level_lines(sample()),
        (Lines{{"level L1",
                "capacity 32 KiB to 48 KiB, best estimate 32 KiB, latency 1.60 ns, 3.2 cycles, from 512 B to 16 KiB, "
                "confidence high"},
               {"level L2",
                "capacity 1 MiB, best estimate 1 MiB, latency 5.00 ns, 10.0 cycles, from 64 KiB to 512 KiB, "
                "confidence low"},
               {"level memory", "latency 60.00 ns, 120.0 cycles, from 64 MiB to 256 MiB"}}));
}

TEST(LevelLines, ClaimNoCapacityThatIsNotKnownAtAll) {
    LevelReport report = sample();
    report.hierarchy.caches[0].capacity_low_bytes.reset();
    report.hierarchy.caches[0].capacity_high_bytes.reset();
    report.hierarchy.caches[0].capacity_bytes.reset();
    EXPECT_TRUE(level_lines(report).front().second.starts_with("capacity not known, latency 1.60 ns"));
}

TEST(ReadLevels, NamesPageColoursOnlyWhereASweepStatesSmallPages) {
    std::vector<CurvePoint> curve; // L1 of two ways, whose colours fill by chance
    for (double size = 1024; size < 64 * mib; size *= 2) {
        const double pages = 2 * size / (32 * kib);
        curve.push_back({size, size > 512 * kib ? 120 : 1.2 + 6 * (1 - (1 + pages) * std::exp(-pages))});
    }
    const auto names_colours = [&curve](std::optional<std::vector<PagesGot>> pages) {
        RunDescription run;
        run.pages_got = std::move(pages);
        return std::ranges::count(read_levels(curve, run, false).remarks, Remark::page_colours) == 1;
    };
    constexpr std::uint64_t huge = 2 << 20;
    EXPECT_TRUE(names_colours(std::vector{PagesGot{.page_bytes = 4096}}));
    EXPECT_FALSE(names_colours(std::vector{PagesGot{.page_bytes = huge}}));
    EXPECT_FALSE(names_colours(
        std::vector{PagesGot{.page_bytes = 4096, .transparent_page_bytes = huge, .transparent_percent = 100}}));
    EXPECT_FALSE(names_colours(std::vector{PagesGot{}})) << "not known";
    EXPECT_FALSE(names_colours(std::nullopt));
}

TEST(LevelLines, GiveNoFigureForACapacityThatIsNotKnown) {
    LevelReport report = sample();
    report.hierarchy.caches[0].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_high_bytes.reset();
    const auto lines = level_lines(report);
    EXPECT_EQ(lines[0].second.find("capacity 32 KiB to 48 KiB, latency"), 0U) << lines[0].second;
    EXPECT_EQ(lines[1].second.find("capacity at least 1 MiB, latency"), 0U) << lines[1].second;
}

TEST(LevelLines, SayThatALevelMayHide) {
    LevelReport report = sample();
    report.hierarchy.remarks = {Remark::hidden_level};
    EXPECT_NE(level_lines(report).back().second.find("a level may hide here"), std::string::npos);
}

TEST(LevelLines, LeaveOutCyclesWhereTheClockIsNotKnownAndMemoryWhereItWasNotReached) {
    LevelReport report = sample();
    report.clocks.clear();
    report.hierarchy.memory = std::nullopt;
    report.hierarchy.remarks = {Remark::memory_not_reached};
    const Lines lines = level_lines(report);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1].second.find("cycles"), std::string::npos);
    EXPECT_EQ(lines[2].first, "remark");
    EXPECT_NE(lines[2].second.find("before memory is reached"), std::string::npos);
}

TEST(LevelLines, GiveCyclesOfTheClockAtTheSizesThatTheLatencyRestsOn) {
    LevelReport report = sample();
    report.clocks = {{512, 2}, {16 * 1024, 4}, {64 * 1024, 5}, {64 * mib, 1}};
    EXPECT_NE(level_lines(report)[0].second.find("1.60 ns, 4.8 cycles"), std::string::npos);
    EXPECT_NE(level_lines(report)[1].second.find("5.00 ns, 25.0 cycles"), std::string::npos);
    EXPECT_NE(level_lines(report)[2].second.find("60.00 ns, 60.0 cycles"), std::string::npos);
}

TEST(LevelLines, OfAFurtherThreadNameIt) {
    std::vector reports{sample(), sample()};
    reports[1].thread = 1;
    reports[1].hierarchy.remarks = {Remark::hidden_level};
    const auto findings = level_findings(reports);
    EXPECT_EQ(findings.list.front().key, "level L1");
    EXPECT_EQ(findings.list.at(3).key, "thread 1 level L1");
    EXPECT_EQ(findings.list.back().key, "thread 1 remark");
}

TEST(LevelMembers, AreAnObjectForEachLevelOfEachThread) {
    LevelReport report = sample();
    report.thread = 1;
    report.hierarchy.remarks = {Remark::memory_not_reached};
    const Findings findings = level_findings(std::vector{report});
    EXPECT_TRUE(findings.told);
    EXPECT_FALSE(level_findings({}).told);
    EXPECT_EQ(findings.list[0].members.front().value.json(),
              R"([{"thread":1,"level":"L1","capacity_low_kib":32,"capacity_high_kib":48,"capacity_best_kib":32,)"
              R"("latency_ns":1.605,"latency_cycles":3.21,"from_mib":0.00049,"to_mib":0.01562,"confidence":"high",)"
              R"("reported_kib":null}])");
    EXPECT_EQ(findings.list.back().members.front().name, "remarks");
    EXPECT_TRUE(findings.list.back().members.front().value.json().starts_with(
        R"([{"thread":1,"remark":"the sweep ends before memory)"));
}

TEST(LevelLines, PutTheReportedCacheBesideTheOneFound) {
    LevelReport report = sample();
    report.compared = {{.reported = ReportedCache{1, 32 << 10, 1}},
                       {.reported = ReportedCache{2, 8 << 20, 1}, .much_smaller = true}};
    const Lines lines = level_lines(report);
    EXPECT_TRUE(lines[0].second.ends_with(", reported 32 KiB")) << lines[0].second;
    EXPECT_TRUE(lines[1].second.ends_with(", reported 8 MiB")) << lines[1].second;
    EXPECT_EQ(lines.back().first, "remark");
    EXPECT_TRUE(lines.back().second.starts_with("L2 is much smaller than the system reports")) << lines.back().second;
}

class AdviceOnMemory : public testing::Test {
protected:
    /// The remark on the L2 of the sample, which is found with 1 MiB, as is memory up to 256 MiB, where the system
    /// reports these caches.
    [[nodiscard]] std::string remark_with(std::uint64_t l2_bytes, std::vector<ReportedCache> more = {}) {
        const ReportedCache l2{2, l2_bytes, 4};
        report.compared = {{.reported = std::nullopt}, {.reported = l2, .much_smaller = true}};
        report.reported = std::move(more);
        report.reported.push_back(l2);
        for (const std::string& remark : remarks_on(report)) {
            if (remark.starts_with("L2 is much smaller"))
                return remark;
        }
        return "";
    }

    LevelReport report = sample();
};

TEST_F(AdviceOnMemory, IsToSweepFartherWhereASharedCacheMayServePartOfIt) {
    EXPECT_TRUE(remark_with(64 << 20).ends_with("sweep to 512 MiB")) << remark_with(64 << 20);
    EXPECT_TRUE(remark_with(50 << 20).ends_with("sweep to 512 MiB")) << "400 MiB is no size of a sweep";
    report.hierarchy.memory = std::nullopt;
    EXPECT_TRUE(remark_with(64 << 20).ends_with("virtual one")) << "there is no memory to serve";
}

TEST_F(AdviceOnMemory, IsNotGivenOnceItIsFollowed) {
    EXPECT_TRUE(remark_with(32 << 20).ends_with("virtual one"));
    EXPECT_TRUE(remark_with(36 << 20).ends_with("virtual one")) << "--max-size 288 ends with the size 256 MiB";
}

TEST_F(AdviceOnMemory, IsOnTheLargestReportedCacheAlone) {
    const ReportedCache l3{3, 128 << 20, 8};
    EXPECT_TRUE(remark_with(64 << 20, {l3}).ends_with("virtual one"));
    const std::vector<std::string> remarks = remarks_on(report);
    EXPECT_EQ(std::ranges::count_if(remarks,
                                    [](const auto& remark) {
                                        return remark.starts_with("the system reports an L3 of 128 MiB") &&
                                               remark.ends_with("sweep to 1024 MiB");
                                    }),
              1);
}

TEST(LevelsCsv, HasARowPerLevelAndMemoryLast) {
    std::vector reports{sample()};
    reports[0].compared = {{.reported = ReportedCache{1, 32 << 10, 1}}};
    EXPECT_EQ(levels_csv(reports),
              "Level, Capacity low (KiB), Capacity high (KiB), Capacity best (KiB), Latency (ns), Latency (cycles), "
              "From (MiB), To (MiB), Confidence, Reported (KiB)\n"
              "L1, 32, 48, 32, 1.605, 3.21, 0.00049, 0.01562, high, 32\n"
              "L2, 1024, 1024, 1024, 5.000, 10.00, 0.06250, 0.50000, low, \n"
              "memory, , , , 60.000, 120.00, 64.00000, 256.00000, , \n");
}

TEST(LevelsCsv, NamesTheThreadWhereThereAreSeveral) {
    std::vector reports{sample(), sample()};
    reports[1].thread = 1;
    const std::string csv = levels_csv(reports);
    EXPECT_TRUE(csv.starts_with("Thread, Level, ")) << csv;
    EXPECT_NE(csv.find("\n0, L1, "), std::string::npos);
    EXPECT_NE(csv.find("\n1, memory, "), std::string::npos);
}

/// A curve of these latencies, one size per doubling from 4 KiB, each of four sizes.
std::vector<CurvePoint> steps_of(std::initializer_list<double> latencies) {
    std::vector<CurvePoint> curve;
    double size = 4 * 1024;
    for (const double latency_ns : latencies) {
        for (int i = 0; i < 4; ++i, size *= 2)
            curve.push_back({size, latency_ns});
    }
    return curve;
}

TEST(ReadLevels, KnowsAStrideScanByItsOrder) {
    const std::vector<CurvePoint> prefetched = steps_of({1, 3, 9});
    const auto has_remark = [&](std::optional<Order> order, Remark remark) {
        RunDescription run;
        run.order = order;
        return std::ranges::count(read_levels(prefetched, run).remarks, remark) == 1;
    };
    EXPECT_TRUE(has_remark(Order::backward, Remark::prefetched));
    EXPECT_TRUE(has_remark(Order::forward, Remark::prefetched));
    EXPECT_FALSE(has_remark(Order::random, Remark::prefetched));
    EXPECT_FALSE(has_remark(std::nullopt, Remark::prefetched));
}

TEST(ReadLevels, TellASmallCacheFromATlbWhereTranslationIsKeptOut) {
    const std::vector<CurvePoint> curve = steps_of({1, 3, 5.1, 90});
    RunDescription run;
    run.order = Order::random;
    const auto caches = [&](bool translation_is_off = false) {
        return read_levels(curve, run, translation_is_off).caches.size();
    };
    EXPECT_EQ(caches(), 2U) << "a second TLB costs as much";
    EXPECT_EQ(caches(true), 3U);
    run.pages_got = {PagesGot{.page_bytes = 4096}};
    run.tlb_locality_bytes = 64 * 1024;
    EXPECT_EQ(caches(), 3U);
    run.tlb_locality_bytes = 2 * 1024 * 1024;
    EXPECT_EQ(caches(), 2U) << "more pages than the first TLB holds";
    run.pages_got = {PagesGot{.page_bytes = 2 * 1024 * 1024}};
    EXPECT_EQ(caches(), 3U);
}

} // namespace
} // namespace memtest
