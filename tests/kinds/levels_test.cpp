#include "memtest/kinds/levels.hpp"

#include "memtest/base/units.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <initializer_list>

namespace memtest {
namespace {

Findings findings_of(const LevelReport& report) {
    return level_findings(std::vector{report});
}

/// The values of the levels of one thread, in their order.
std::vector<Members> level_values(const LevelReport& report) {
    std::vector<Members> values;
    for (const Finding& finding : findings_of(report).list) {
        if (finding.notice.code == Code::level)
            values.push_back(finding.notice.values);
    }
    return values;
}

std::string levels_csv(const std::vector<LevelReport>& reports) {
    const TextFile file("levels", "");
    OutputFile output(file.path());
    write_levels(output, reports, Format::csv);
    output.commit();
    return read_text(file.path());
}

LevelReport sample() {
    LevelReport report;
    report.core_ghz = 2;
    Level l1;
    static_cast<LevelLatency&>(l1) = {.latency_ns = 1.605, .from_bytes = 512, .to_bytes = 16 * kib};
    l1.capacity_low_bytes = l1.capacity_bytes = 32.0 * kib;
    l1.capacity_high_bytes = 48.0 * kib;
    l1.capacity_confidence = Confidence::fair;
    l1.latency_confidence = Confidence::high;
    l1.number = 1;
    Level l2;
    static_cast<LevelLatency&>(l2) = {.latency_ns = 5, .from_bytes = 64 * kib, .to_bytes = 512 * kib};
    l2.capacity_low_bytes = l2.capacity_bytes = l2.capacity_high_bytes = mib;
    l2.number = 2;
    report.hierarchy.caches = {l1, l2};
    report.hierarchy.memory = LevelLatency{.latency_ns = 60, .from_bytes = 64 * mib, .to_bytes = 256 * mib};
    return report;
}

TEST(LevelsReport, ARemarkStandsOnceAheadOfTheRows) {
    LevelReport report = sample();
    report.hierarchy.remarks = {Code::hidden_level};
    const std::string text = levels_csv({report});
    EXPECT_TRUE(text.starts_with("# remark[hidden_level]: ")) << text;
    EXPECT_EQ(text.find("# remark[hidden_level]: ", 1), std::string::npos) << text;
}

TEST(LevelRemarks, AdviseTwiceTheSizesPerDoublingOfTheSweepUpToWhatCanBeAskedFor) {
    LevelReport report = sample();
    report.hierarchy.remarks = {Code::hidden_level, Code::only_a_foot};
    for (const auto& [per_doubling, points] : {std::pair(2.0, 8), {8.1, 16}, {32.0, 64}, {64.0, 0}}) {
        report.sizes_per_doubling = per_doubling;
        const std::vector<Notice> remarks = remarks_on(report);
        for (const Notice& remark : remarks)
            EXPECT_EQ(remark.values["points"].number().value_or(0), points) << per_doubling;
        EXPECT_EQ(remarks.size(), 2U);
    }
}

TEST(LevelRemarks, NameACacheThatTheSystemReportsAndTheCurveDoesNotShow) {
    LevelReport report = sample();
    const ReportedCache l2{.level = 2, .size_bytes = 1 * mib};
    report.reported = {l2, {.level = 3, .size_bytes = 32 * mib}};
    report.hierarchy.unseen = {report.reported.back()};
    const std::vector<Notice> remarks = remarks_on(report);
    ASSERT_EQ(codes_of(remarks), std::vector{Code::level_not_shown});
    EXPECT_EQ(remarks[0].values["level"], "L3");
    EXPECT_EQ(remarks[0].values["bytes"], 32 * mib);
    EXPECT_FALSE(remarks[0].values["in_guest"].is_true());
    report.in_guest = true;
    EXPECT_TRUE(remarks_on(report).at(0).values["in_guest"].is_true());
    report.hierarchy.unseen = {l2};
    EXPECT_FALSE(remarks_on(report).at(0).values["in_guest"].is_true()) << "no guest has another's L2";
}

TEST(LevelRemarks, SayNothingOfACacheThatTheSweepDoesNotReach) {
    Result sweep{.kind = &sweep_kind};
    sweep.run.caches = std::vector<ReportedCache>{{.level = 3, .size_bytes = 32 * mib}};
    const auto remarks = [&](double largest) {
        std::vector<CurvePoint> points;
        for (double size = 1024; size <= largest; size *= 2)
            points.push_back({size, size <= 32 * kib ? 1.0 : 80.0});
        const auto said = remarks_on(report_levels(ThreadCurve{.points = points}, sweep));
        return std::ranges::count(said, Code::level_not_shown, &Notice::code);
    };
    EXPECT_EQ(remarks(32 * mib), 0);
    EXPECT_EQ(remarks(64 * mib), 1);
    EXPECT_EQ(remarks(2 * kib), 0) << "nor where the curve shows no level at all";
}

TEST(LevelReports, KnowHowFarTheirCurveGoesAndHowDenseItIs) {
    const auto report_of = [](std::vector<CurvePoint> points) {
        return report_levels(ThreadCurve{.thread = 3, .points = std::move(points)}, Result{.kind = &sweep_kind});
    };
    const LevelReport dense = report_of({{1024, 1}, {1536, 1}, {2048, 1}, {3072, 1}, {4096, 1}});
    EXPECT_EQ(dense.thread, 3);
    EXPECT_EQ(dense.largest_bytes, 4096);
    EXPECT_DOUBLE_EQ(dense.sizes_per_doubling, 2);
    EXPECT_EQ(report_of({{1024, 1}}).sizes_per_doubling, 0);
}

TEST(LevelReports, SayWhereMemoryIsFarFromHavingOneLatency) {
    const auto rise = [](double last_ns, std::uint64_t page_bytes, bool is_off) {
        ThreadCurve curve{.points = {}, .core_ghz = 2};
        for (double size = kib; size <= 512 * mib; size *= 2)
            curve.points.push_back({size, size <= 32 * kib ? 1.0 : size < 512 * mib ? 80 : last_ns});
        Result sweep{.kind = &sweep_kind};
        sweep.run.pages_got = std::vector<PagesGot>{{.page_bytes = page_bytes}};
        sweep.run.virtual_machine = true;
        const LevelReport report = report_levels(curve, sweep, is_off);
        return std::pair(remarks_on(report), level_table({&report, 1}).rows.back());
    };
    EXPECT_EQ(rise(119, 4096, false).first, std::vector<Notice>());
    EXPECT_EQ(rise(99, 4096, false).second,
              (std::vector<std::string>{"Memory", "at 128 KiB to 512 MiB", "80.0", "160", "high"}));
    EXPECT_EQ(rise(119, 4096, false).second.at(2), "80.0 (80.0 to 119)");
    const auto [remarks, row] = rise(121, 4096, false);
    Members values{{"from_bytes", 128.0 * kib}, {"to_bytes", 512.0 * mib}, {"low_ns", 80.0}, {"high_ns", 121.0}};
    values.set(Members{{"in_small_pages", true}, {"in_guest", true}});
    EXPECT_EQ(remarks, std::vector{Notice(Code::memory_rises, values)});
    EXPECT_EQ(row, (std::vector<std::string>{"Memory", "at 128 KiB to 512 MiB", "80.0 (80.0 to 121)", "160", "fair"}));
    values.set(Members{{"in_small_pages", false}, {"in_guest", false}});
    EXPECT_EQ(rise(121, 4096, true).first, std::vector{Notice(Code::memory_rises, values)}) << "less translation";
    EXPECT_EQ(rise(121, 2 << 20, false).first.at(0).values["in_small_pages"], false);
}

TEST(LevelReports, DoNotDoubtASmallCacheThatOthersMayHaveFilled) {
    Result sweep{.kind = &sweep_kind};
    sweep.run.caches =
        std::vector<ReportedCache>{{.level = 1, .size_bytes = 32 * kib}, {.level = 2, .size_bytes = 8 * mib}};
    std::vector<CurvePoint> points;
    for (double size = 1024; size <= 256 * mib; size *= 2)
        points.push_back({size, size <= 32 * kib ? 1.0 : size <= 512 * kib ? 4.0 : 80.0});
    const auto doubts = [&] {
        return std::ranges::count(remarks_on(report_levels(ThreadCurve{.points = points}, sweep)),
                                  Code::level_much_smaller, &Notice::code);
    };
    EXPECT_EQ(doubts(), 1);
    sweep.warnings = {Notice(Code::others_used, {{"percent", 63.0}})};
    EXPECT_EQ(doubts(), 0);
}

TEST(LevelFindings, NameCapacityLatencyCyclesAndTheSizesTheyRestOn) {
    EXPECT_EQ(told_by(findings_of(sample())),
              (Told{{"level L1", Code::level}, {"level L2", Code::level}, {"level memory", Code::level}}));
    const auto values = level_values(sample());
    EXPECT_EQ(
        dumped(values[0]),
        R"({"thread":0,"level":"L1","capacity_low_kib":32.0,"capacity_high_kib":48.0,"capacity_best_kib":32.0,)"
        R"("latency_ns":1.605,"latency_cycles":3.21,"from_mib":0.00049,"to_mib":0.01562,"capacity_confidence":"fair",)"
        R"("latency_confidence":"high","reported_kib":null})");
    EXPECT_EQ(values[1]["capacity_confidence"], "low");
    EXPECT_EQ(dumped(values[2]),
              R"({"thread":0,"level":"memory","capacity_low_kib":null,"capacity_high_kib":null,)"
              R"("capacity_best_kib":null,"latency_ns":60.0,"latency_cycles":120.0,"from_mib":64.0,"to_mib":256.0,)"
              R"("capacity_confidence":null,"latency_confidence":"low","reported_kib":null})");
}

TEST(ReadLevels, NamesPageColoursOnlyWhereASweepStatesSmallPages) {
    std::vector<CurvePoint> curve; // L1 of two ways, whose colours fill by chance
    for (double size = 1024; size < 64 * mib; size *= 2) {
        const double pages = 2 * size / (32 * kib);
        curve.push_back({size, size > 512 * kib ? 120 : 1.2 + 6 * (1 - (1 + pages) * std::exp(-pages))});
    }
    const auto names_colours = [&curve](std::optional<std::vector<PagesGot>> pages) {
        Result sweep{.kind = &sweep_kind};
        sweep.run.pages_got = std::move(pages);
        return std::ranges::count(read_levels(curve, sweep).remarks, Code::page_colours) == 1;
    };
    constexpr std::uint64_t huge = 2 << 20;
    EXPECT_TRUE(names_colours(std::vector{PagesGot{.page_bytes = 4096}}));
    EXPECT_FALSE(names_colours(std::vector{PagesGot{.page_bytes = huge}}));
    EXPECT_FALSE(names_colours(
        std::vector{PagesGot{.page_bytes = 4096, .transparent_page_bytes = huge, .transparent_percent = 100}}));
    EXPECT_FALSE(names_colours(std::vector{PagesGot{}})) << "not known";
    EXPECT_FALSE(names_colours(std::nullopt));
}

TEST(LevelFindings, GiveNoFigureForACapacityThatIsNotKnown) {
    LevelReport report = sample();
    report.hierarchy.caches[0].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_high_bytes.reset();
    const auto values = level_values(report);
    EXPECT_EQ(values[0]["capacity_high_kib"], 48);
    EXPECT_TRUE(values[0]["capacity_best_kib"].is_null());
    EXPECT_EQ(values[1]["capacity_low_kib"], 1024);
    EXPECT_TRUE(values[1]["capacity_high_kib"].is_null());
    report.hierarchy.caches[1].capacity_low_bytes.reset();
    EXPECT_TRUE(level_values(report)[1]["capacity_low_kib"].is_null()) << "not known at all";
}

TEST(LevelFindings, LeaveOutCyclesWhereTheClockIsNotKnownAndMemoryWhereItWasNotReached) {
    LevelReport report = sample();
    report.core_ghz.reset();
    report.hierarchy.memory = std::nullopt;
    report.hierarchy.remarks = {Code::memory_not_reached};
    EXPECT_EQ(told_by(findings_of(report)),
              (Told{{"level L1", Code::level}, {"level L2", Code::level}, {"remark", Code::memory_not_reached}}));
    EXPECT_TRUE(level_values(report)[1]["latency_cycles"].is_null());
}

TEST(LevelFindings, OfAFurtherThreadNameIt) {
    std::vector reports{sample(), sample()};
    reports[1].thread = 1;
    reports[1].hierarchy.remarks = {Code::hidden_level};
    const auto findings = level_findings(reports);
    EXPECT_EQ(findings.list.front().key, "level L1");
    EXPECT_EQ(findings.list.at(3).key, "thread 1 level L1");
    EXPECT_EQ(findings.list.back().key, "thread 1 remark");
}

TEST(LevelMembers, AreAnObjectForEachLevelOfEachThread) {
    LevelReport report = sample();
    report.thread = 1;
    report.hierarchy.remarks = {Code::memory_not_reached};
    const Findings findings = findings_of(report);
    EXPECT_TRUE(findings.told);
    EXPECT_FALSE(level_findings({}).told);
    EXPECT_EQ(findings.list[0].members["levels"], List{level_values(report)[0]});
    EXPECT_EQ(findings.list[0].members["levels"][0]["thread"], 1);
    const Value remark = members_of(findings.list.back().notice);
    EXPECT_EQ(remark["code"], word_of(Code::memory_not_reached));
    EXPECT_EQ(remark["thread"], 1);
}

TEST(LevelFindings, PutTheReportedCacheBesideTheOneFound) {
    LevelReport report = sample();
    report.hierarchy.caches[0].reported_bytes = 32 << 10;
    report.hierarchy.caches[1].reported_bytes = 8 << 20;
    const auto values = level_values(report);
    EXPECT_EQ(values[0]["reported_kib"], 32);
    EXPECT_EQ(values[1]["reported_kib"], 8192);
    const Finding last = findings_of(report).list.back();
    EXPECT_EQ(last.key, "remark");
    EXPECT_EQ(last.notice.code, Code::level_much_smaller);
    EXPECT_EQ(last.notice.values["level"], "L2");
}

class AdviceOnMemory : public testing::Test {
protected:
    /// The size to sweep to, by the remark on the L2 of the sample, which is found with 1 MiB, as is memory up to
    /// 256 MiB, where the system reports these caches.
    [[nodiscard]] Value sweep_to_with(std::uint64_t l2_bytes, std::vector<ReportedCache> more = {}) {
        const ReportedCache l2{2, l2_bytes, 4};
        report.hierarchy.caches[1].reported_bytes = l2_bytes;
        report.hierarchy.unseen = more;
        report.reported = std::move(more);
        report.reported.push_back(l2);
        for (const Notice& remark : remarks_on(report)) {
            if (remark.code == Code::level_much_smaller)
                return remark.values["sweep_to_bytes"];
        }
        return "there is no remark";
    }

    LevelReport report = sample();
};

TEST_F(AdviceOnMemory, IsToSweepFartherWhereASharedCacheMayServePartOfIt) {
    EXPECT_EQ(sweep_to_with(64 << 20), 512 << 20);
    report.hierarchy.memory = std::nullopt;
    EXPECT_TRUE(sweep_to_with(64 << 20).is_null()) << "there is no memory to serve";
}

TEST_F(AdviceOnMemory, IsNotGivenOnceItIsFollowed) {
    EXPECT_TRUE(sweep_to_with(63 << 20).is_null()) << "with --points 1, --max-size 504 ends with the size 256 MiB";
}

TEST_F(AdviceOnMemory, IsOnTheLargestReportedCacheAlone) {
    const ReportedCache l3{3, 128 << 20, 8};
    EXPECT_TRUE(sweep_to_with(64 << 20, {l3}).is_null());
    const std::vector<Notice> remarks = remarks_on(report);
    const auto unseen = std::ranges::find(remarks, Code::level_not_shown, &Notice::code);
    ASSERT_NE(unseen, remarks.end());
    EXPECT_EQ(unseen->values["level"], "L3");
    EXPECT_EQ(unseen->values["sweep_to_bytes"], 1024 << 20);
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
    const auto has_remark = [&](std::optional<Order> order, Code remark) {
        Result sweep{.kind = &sweep_kind};
        sweep.run.order = order;
        return std::ranges::count(read_levels(prefetched, sweep).remarks, remark) == 1;
    };
    EXPECT_TRUE(has_remark(Order::backward, Code::prefetched));
    EXPECT_TRUE(has_remark(Order::forward, Code::prefetched));
    EXPECT_FALSE(has_remark(Order::random, Code::prefetched));
    EXPECT_FALSE(has_remark(std::nullopt, Code::prefetched));
}

TEST(ReadLevels, TellASmallCacheFromATlbWhereTranslationIsKeptOut) {
    const std::vector<CurvePoint> curve = steps_of({1, 3, 5.1, 90});
    Result sweep{.kind = &sweep_kind};
    RunDescription& run = sweep.run;
    run.order = Order::random;
    const auto caches = [&](bool translation_is_off = false) {
        return read_levels(curve, sweep, translation_is_off).caches.size();
    };
    EXPECT_EQ(caches(), 2U) << "a second TLB costs as much";
    EXPECT_EQ(caches(true), 3U);
    run.pages_got = {PagesGot{.page_bytes = 4096}};
    run.tlb_locality_bytes = 64 * 1024;
    EXPECT_EQ(caches(), 3U);
    run.tlb_locality_bytes = 64 * 1024 + 1;
    EXPECT_EQ(caches(), 2U) << "more pages than the first TLB holds";
    run.pages_got = {PagesGot{.page_bytes = 0}};
    EXPECT_EQ(caches(), 2U);
    run.tlb_locality_bytes = 64 * 1024;
    EXPECT_EQ(caches(), 3U) << "pages that are not known are taken for small ones";
    run.tlb_locality_bytes = 2 * 1024 * 1024;
    run.pages_got = {PagesGot{.page_bytes = 2 * 1024 * 1024}};
    EXPECT_EQ(caches(), 3U);
}

TEST(AnswerOfLevels, CountsTheDisturbedSizesOfAllThreadsInOneNote) {
    std::vector<Row> rows;
    for (const int thread : {0, 1}) {
        for (std::uint64_t bytes = kib; bytes <= mib; bytes *= 2) {
            Row& row = rows.emplace_back();
            row.thread = thread;
            row.size_bytes = bytes;
            row.latency_ns = 1;
            row.notes = {Note::limit};
        }
    }
    rows.back().notes.clear();
    Result sweep{.kind = &sweep_kind, .rows = rows};
    const Answer answer = answer_of_levels(sweep);
    ASSERT_EQ(std::ranges::count(answer.notes, Code::many_disturbed, &Notice::code), 1);
    EXPECT_EQ(sentence_of(*std::ranges::find(answer.notes, Code::many_disturbed, &Notice::code)).substr(0, 32),
              "21 of 22 sizes were disturbed; l");
}

} // namespace
} // namespace memtest
