#include "memtest/kinds/tail.hpp"

#include "memtest/base/units.hpp"
#include "memtest/result/answer.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(Tail, NothingIsFinerThanTheResolutionOfAnAccess) {
    const TickScale amd{.ns_per_tick = 0.3852, .resolution_ticks = 26}; // 10.015 ns
    EXPECT_EQ(rounded_ns(26, amd, 1), 10.0);
    EXPECT_EQ(rounded_ns(38, amd, 1), 10.0) << "14.6 ns";
    EXPECT_EQ(rounded_ns(40, amd, 1), 20.0) << "15.4 ns";
    EXPECT_EQ(rounded_ns(1300, amd, 1), 501.0) << "50 steps, without digits that they do not have";
    EXPECT_EQ(rounded_ns(12, amd, 1), std::nullopt) << "less than half a step";
    EXPECT_EQ(rounded_ns(26 * 16, amd, 128), 1.25) << "16 steps of 0.0782 ns";
    EXPECT_EQ(rounded_ns(3, {.ns_per_tick = 1000.0 / 24, .resolution_ticks = 1}, 1), 125.0) << "24 MHz";
    EXPECT_EQ(rounded_ns(157, {.ns_per_tick = 0.5, .resolution_ticks = 1}, 1), 78.5);
}

constexpr TickScale ns{.ns_per_tick = 1, .resolution_ticks = 1};

TailRow row_of(double load_percent = 0) {
    return {.size_bytes = 256 * mib,
            .load_percent = load_percent,
            .samples = {.group = 1,
                        .made = 20'000,
                        .set_aside = 2,
                        .ticks = 3'500'000,
                        .stopped_ticks = 250'000,
                        .longest_stop = 100'000,
                        .counts = {{150, 15'998}, {300, 3'900}, {500, 90}, {900, 9}, {3000, 1}},
                        .cost_ticks = {24, 26}}};
}

TEST(TailReports, ARowHasPercentilesOfTheSamplesThatCountAndNoneThatWouldNotRepeat) {
    TailRow single = row_of();
    single.visit_p50_ticks = {170, 140, 300, 150, 160};
    EXPECT_EQ(csv_rows(tail_kind, std::vector{tail_row(single, ns)}),
              "256.00000, 0.0, 20000, 150, 300, 300, 500, , 3000, 1, 0.0100, , 150, 170, 3.500, 0.250, 0.100\n");
    TailRow grouped = single;
    grouped.load_percent = 50;
    grouped.samples.group = 16;
    grouped.achieved_percent = 43.21;
    EXPECT_EQ(csv_rows(tail_kind, std::vector{tail_row(grouped, ns)}),
              "256.00000, 50.0, 320000, 9.38, 18.75, 18.75, 31.25, , 187.5, 16, 0.0100, 43.2, 9.38, 10.63, 3.500, "
              "0.250, 0.100\n");
    EXPECT_EQ(tail_row(single, {.ns_per_tick = 0.5, .resolution_ticks = 1}).stopped_ms, 0.125);
    grouped.visit_p50_ticks.resize(3);
    EXPECT_EQ(tail_row(grouped, ns).low_p50_ns, std::nullopt) << "of few visits";
    EXPECT_EQ(tail_row(grouped, ns).high_p50_ns, std::nullopt);
    TailRow none{.size_bytes = 16 * kib, .samples = {.group = 1, .made = 1024, .set_aside = 1024}};
    EXPECT_EQ(csv_rows(tail_kind, std::vector{tail_row(none, ns)}),
              "0.01562, 0.0, 1024, , , , , , , 1, 100.0000, , , , 0.000, 0.000, 0.000\n");
}

Result tail_with(const std::vector<double>& achieved) {
    Result tail{.kind = &tail_kind, .rows = std::vector{tail_row(row_of(), ns)}};
    for (const double percent : achieved) {
        TailRow row = row_of(50);
        row.achieved_percent = percent;
        std::get<std::vector<PercentileRow>>(tail.rows).push_back(tail_row(row, ns));
    }
    return tail;
}

TEST(TailReports, QuoteTheLargestSizeOfWhichBothPercentilesAreKnown) {
    Result tail = tail_with({50});
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    rows.push_back(rows.front());
    rows.back().size_bytes = mib;
    const auto is_of = [&](const std::string& name) {
        return answer_of(tail).sentences.at(1).starts_with("One in 1000 loads from " + name +
                                                           " in unknown pages takes ");
    };
    EXPECT_TRUE(is_of("256 MiB under 50 % load"));
    rows[1].p99_ns.reset();
    EXPECT_TRUE(is_of("256 MiB"));
    rows[0].p50_ns.reset();
    EXPECT_TRUE(is_of("1 MiB"));
}

TEST(TailReports, SayWhatTheSameIsWithoutLoadAndThatNoCostIsShownUnlessItIsShorter) {
    Result tail = tail_with({50});
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    const PercentileRow loaded = rows.back();
    const auto sentence_with = [&](double p50_share, double p99_share) {
        rows.front().p50_ns = p50_share * *loaded.p50_ns;
        rows.front().p99_ns = p99_share * *loaded.p99_ns;
        if (rows.front().p99_9_ns)
            rows.front().p99_9_ns = p99_share * *loaded.p99_9_ns;
        return answer_of(tail).sentences.at(1);
    };
    EXPECT_TRUE(sentence_with(0.9, 0.9).ends_with(" than 500 ns; without load more than 450 ns."));
    EXPECT_TRUE(holds(sentence_with(1, 0.81), " MiB in unknown pages takes more than 405 ns without load. "))
        << "that without load";
    EXPECT_FALSE(holds(sentence_with(1, 0.79), "does not show"));
    EXPECT_TRUE(holds(sentence_with(1, 0.81), "does not show")) << "of less, chance decides";
    EXPECT_FALSE(holds(sentence_with(0.9, 1), "does not show"));
    EXPECT_TRUE(sentence_with(1, 1.1).ends_with(" without load. This run does not show what load costs."));
    rows.front().high_p50_ns = *rows.back().p50_ns;
    EXPECT_TRUE(sentence_with(0.9, 1).ends_with(" without load. This run does not show what load costs."))
        << "some without load were no faster than the median under load";
    rows.back().low_p50_ns = 0.95 * *rows.back().p50_ns;
    EXPECT_TRUE(holds(sentence_with(0.9, 1), " overlap, so this run does not show"));
    EXPECT_TRUE(sentence_with(1.1, 1).ends_with(" without load. This run does not show what load costs."))
        << "it was shorter";
    rows.front().high_p50_ns = 0.94 * *rows.back().p50_ns;
    EXPECT_FALSE(holds(sentence_with(0.9, 1), "does not show"));
    rows.front().high_p50_ns = *rows.back().p50_ns;
    for (auto percentile : {&PercentileRow::p99_ns, &PercentileRow::p99_9_ns}) {
        EXPECT_TRUE(holds(sentence_with(0.9, 1), "does not show"));
        rows.front().*percentile = 0.79 * *(rows.back().*percentile);
        const bool is_p99 = percentile == &PercentileRow::p99_ns;
        EXPECT_TRUE(answer_of(tail).sentences.at(1).starts_with(is_p99 ? "One in 100 loads" : "One in 1000 "));
        EXPECT_TRUE(answer_of(tail).sentences.at(1).ends_with(is_p99 ? " than 237 ns." : " than 395 ns.")) << "it rose";
    }
    rows.front().high_p50_ns.reset();
    rows.back().low_p50_ns.reset();
    rows.front().p99_9_ns.reset();
    EXPECT_TRUE(sentence_with(0.9, 0.9).starts_with("One in 100 ")) << "which both have";
    EXPECT_TRUE(sentence_with(0.9, 0.9).ends_with(" than 300 ns; without load more than 270 ns."));
    rows.front().p99_9_ns = 1000;
    rows.back().p99_9_ns.reset();
    EXPECT_TRUE(sentence_with(0.9, 0.9).starts_with("One in 100 "));
    rows.back().group = 16;
    EXPECT_TRUE(sentence_with(0.9, 0.9).starts_with("One in 100 groups of 16 loads from "));
    EXPECT_TRUE(holds(sentence_with(0.9, 0.9), " than 300 ns per load; without load "));
    rows.front().size_bytes = 16 * kib;
    EXPECT_FALSE(holds(sentence_with(0.9, 0.9), "without load")) << "of another size";
}

TEST(TailReports, SayWhyAPercentileIsEmpty) {
    Result tail = tail_with({});
    PercentileRow& row = std::get<std::vector<PercentileRow>>(tail.rows).front();
    EXPECT_TRUE(holds(answer_of(tail).title, "fewer than ten samples"));
    row.p99_99_ns = 900;
    EXPECT_FALSE(holds(answer_of(tail).title, "samples"));
    row = PercentileRow();
    EXPECT_FALSE(holds(answer_of(tail).title, "samples")) << "all were set aside, which a warning says";
}

TEST(TailReports, SayForWhichShareOfTheTimeOfAllRowsTheProcessorWasTakenAway) {
    Result tail = tail_with({50, 100});
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    rows[0].stopped_ms = 0.7;
    rows[1].longest_stop_ms = 0.22;
    EXPECT_TRUE(holds(answer_of(tail).sentences.front(), " for 11 % of the time, at most 0.22 ms at once"))
        << "1.2 of 10.5 ms: " << answer_of(tail).sentences.front();
    for (PercentileRow& row : rows)
        row.stopped_ms = row.longest_stop_ms = 0;
    EXPECT_TRUE(answer_of(tail).sentences.front().starts_with("Other processes or interrupts did not "));
    tail.run.virtual_machine = true;
    EXPECT_TRUE(answer_of(tail).sentences.front().starts_with("Other processes, guests or interrupts did "));
    for (PercentileRow& row : rows)
        row.sampled_ms = row.stopped_ms = row.longest_stop_ms = std::nullopt;
    EXPECT_FALSE(holds(answer_of(tail).sentences.front(), "ther process")) << "a CSV without --stats does not tell";
    rows[0].low_p50_ns = 100;
    rows[0].high_p50_ns = 300;
    EXPECT_TRUE(holds(answer_of(tail).sentences.front(), " 300 ns in others")) << "which is known all the same";
}

TEST(TailReports, SayWhichSizeWasSlowedMostByTheMediansOfItsVisitsWithoutLoad) {
    Result tail = tail_with({50});
    tail.resolution_ns = 10;
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    rows.insert(rows.begin(), rows.front());
    rows.front().size_bytes = 256 * kib;
    const auto says = [&](double small_ns, double large_ns, std::string_view words) {
        rows[0].low_p50_ns = 20;
        rows[0].high_p50_ns = small_ns;
        rows[1].low_p50_ns = 150;
        rows[1].high_p50_ns = large_ns;
        rows[2].low_p50_ns = 150;
        rows[2].high_p50_ns = 1500; // under load, which is no other work
        return holds(answer_of(tail).sentences.front(), words);
    };
    EXPECT_EQ(answer_of(tail).table.rows[0][0], "Latency (ns), counter steps of 10");
    constexpr std::string_view steady =
        "Without load, neither caches nor memory took 1.5 times as long in some visits ";
    EXPECT_TRUE(says(20, 224, steady));
    EXPECT_TRUE(says(20, 225, " the samples of 256 MiB took 150 ns at most in some visits and 225 ns in others"));
    EXPECT_TRUE(says(60, 225, " the samples of 256 KiB took 20 ns"));
    EXPECT_TRUE(says(40, 150, steady)) << "two steps of the counter";
    rows[0].group = 16;
    EXPECT_TRUE(says(40, 150, " 256 KiB took 20 ns")) << "a step is a sixteenth";
    for (PercentileRow& row : rows)
        row.low_p50_ns = row.high_p50_ns = std::nullopt;
    rows[2].high_p50_ns = 150;
    EXPECT_TRUE(holds(answer_of(tail).sentences.front(), "does not show")) << "as of few samples";
}

TEST(TailReports, DoNotSayThatACacheWasEvenWhereOneSampleInTenTookMuchLonger) {
    Result tail = tail_with({});
    tail.run.caches = {{.level = 1, .size_bytes = 32 * kib}, {.level = 2, .size_bytes = 512 * kib}};
    tail.resolution_ns = 9;
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    rows.insert(rows.begin(), rows.front());
    rows.front().size_bytes = 256 * kib;
    for (PercentileRow& row : rows)
        row.low_p50_ns = row.high_p50_ns = row.p50_ns;
    rows.front().low_p50_ns = rows.front().high_p50_ns = rows.front().p50_ns = 40;
    const auto says = [&](double p90_ns, std::string_view words) {
        rows.front().p90_ns = p90_ns;
        rows.back().p90_ns = 1000; // memory differs by itself
        return holds(answer_of(tail).sentences.front(), words);
    };
    EXPECT_TRUE(says(59, "neither caches nor memory"));
    EXPECT_TRUE(says(60, "one in ten samples of 256 KiB took 60 ns or more, 1.5 times the median"));
    tail.resolution_ns = 10;
    EXPECT_TRUE(says(60, "neither caches nor memory")) << "two steps of the counter";
    EXPECT_TRUE(says(61, "one in ten"));
}

TEST(TailReports, SayThatACacheHardlyHoldsASizeThatTakesAsLongAsMemoryOrHalfOfThatAndMoreThanACache) {
    Result tail = tail_with({50});
    tail.run.caches = {{.level = 1, .size_bytes = 32 * kib}, {.level = 3, .size_bytes = 32 * mib}};
    auto& rows = std::get<std::vector<PercentileRow>>(tail.rows);
    rows.insert(rows.begin(), rows.front());
    rows.front().size_bytes = 4 * mib;
    rows.front().low_p50_ns = rows.front().high_p50_ns = 120;
    const auto says_so = [&](double cache_ns) {
        rows.front().p50_ns = cache_ns;
        rows.back().p50_ns = 10 * cache_ns; // under load
        return holds(answer_of(tail).sentences.front(), "L3 hardly holds 4 MiB");
    };
    EXPECT_FALSE(says_so(79)) << "a cache may be as slow";
    EXPECT_TRUE(says_so(80)) << "more than half of the 150 ns of memory";
    rows[1].p50_ns = 170;
    EXPECT_FALSE(says_so(84)) << "less than half";
    EXPECT_TRUE(says_so(85));
    rows[1].p50_ns = 60;
    EXPECT_FALSE(says_so(47)) << "a cache may be as slow";
    EXPECT_TRUE(says_so(48)) << "nearly as slow as memory";
    EXPECT_FALSE(holds(answer_of(tail).sentences.front(), "1.5 times")) << "it was slow all the time";
    rows[1].size_bytes = rows[2].size_bytes = 8 * mib; // --size
    EXPECT_FALSE(says_so(150)) << "no row is of memory";
    rows[1].size_bytes = rows[2].size_bytes = 256 * mib;
    tail.run.caches.reset();
    EXPECT_FALSE(says_so(150)) << "nobody claims that there is a cache";
}

TEST(TailReports, SayThatTheSystemReportsNoCachesWhereThatLeavesOneSize) {
    Result tail = tail_with({50});
    EXPECT_TRUE(holds(answer_of(tail).sentences.back(), "no caches"));
    std::get<std::vector<PercentileRow>>(tail.rows).back().size_bytes = 1024;
    EXPECT_FALSE(holds(answer_of(tail).sentences.back(), "no caches")) << "two sizes";
    tail = tail_with({50});
    tail.run.caches.emplace();
    EXPECT_FALSE(holds(answer_of(tail).sentences.back(), "no caches")) << "it does";
}

TEST(TailReports, OnAScreenWhatTakesLessThanHalfAStepOfTheCounterIsBelowTheNextPercentile) {
    Result tail = tail_with({});
    auto& row = std::get<std::vector<PercentileRow>>(tail.rows).front();
    row.p50_ns.reset();
    row.p90_ns.reset();
    EXPECT_EQ(answer_of(tail).table.rows.at(1),
              (std::vector<std::string>{"256 MiB", "<300", "<300", "300", "500", "", "3000"}));
    row.p99_9_ns.reset();
    EXPECT_EQ(answer_of(tail).table.rows.at(1).at(4), "") << "too few samples";
}

TEST(TailReports, NameTheSmallestReportedCacheThatHoldsARow) {
    Result tail = tail_with({50});
    tail.run.caches = {{.level = 2, .size_bytes = mib}, {.level = 1, .size_bytes = 32 * kib}};
    const auto name_at = [&](std::uint64_t bytes) {
        std::get<std::vector<PercentileRow>>(tail.rows).back().size_bytes = bytes;
        return answer_of(tail).table.rows.at(2).front();
    };
    EXPECT_EQ(name_at(32 * kib), "L1 32 KiB under 50 % load");
    EXPECT_EQ(name_at(33 * kib), "L2 33 KiB under 50 % load");
    EXPECT_EQ(name_at(2 * mib), "memory 2 MiB under 50 % load");
    tail.run.caches->pop_back();
    EXPECT_EQ(name_at(2 * mib), "2 MiB under 50 % load") << "the processors have no L1 in common";
}

TEST(TailReports, WarnOfRowsWhoseLoadWasMissedByMoreThanATenthOfThePeak) {
    EXPECT_EQ(warning_on_missed_loads(tail_with({40, 60})), std::nullopt);
    EXPECT_EQ(warning_on_missed_loads(tail_with({40, 60, 85, 39})),
              Notice(Code::loads_missed, {{"rows", 2}, {"of", 4}, {"by_percent", 35}}));
    EXPECT_EQ(warning_on_missed_loads(Result{.kind = &tail_kind}), std::nullopt) << "no row is measured yet";
}

TEST(TailReports, TellsTheCounterItsCostAndWhichSamplesAreGroups) {
    Result tail = tail_with({43.21});
    const Findings alone = tail_findings(tail, ns, {24, 26});
    ASSERT_EQ(told_by(alone), (Told{{"counter", Code::counter}}));
    EXPECT_EQ(alone.list[0].notice.values, (Members{{"resolution_ns", 1.0}, {"readings_ns", 25.0}}));
    std::get<std::vector<PercentileRow>>(tail.rows).back().group = 16;
    const Findings findings = tail_findings(tail, ns, {24, 26});
    ASSERT_EQ(told_by(findings), (Told{{"counter", Code::counter}, {"remark", Code::grouped_samples}}));
    ASSERT_EQ(findings.list[1].notice.values["groups"].list().size(), 1U);
    EXPECT_TRUE(mentions(sentence_of(findings.list[1].notice), {"16 at 256 MiB under 50 %"}));
    std::get<std::vector<PercentileRow>>(tail.rows).front().group = 16;
    const Findings once = tail_findings(tail, ns, {24, 26});
    EXPECT_TRUE(mentions(sentence_of(once.list[1].notice), {": 16 at 256 MiB"})) << "a size whose rows have the same";
    std::get<std::vector<PercentileRow>>(tail.rows).back().size_bytes = mib;
    const Findings two = tail_findings(tail, ns, {24, 26});
    EXPECT_TRUE(mentions(sentence_of(two.list[1].notice), {"16 at 256 MiB, 16 at 1 MiB"})) << "another size";
}

} // namespace
} // namespace memtest
