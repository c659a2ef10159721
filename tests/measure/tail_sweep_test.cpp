#include "memtest/measure/tail_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/walk.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <atomic>

namespace memtest {
namespace {

/// A machine with a load thread. A sample takes a tick for each KiB of the size and each percent of the load.
class FakeTailProbe : public TailProbe {
public:
    std::optional<TailSamples> visit(const TailVisit& visit) override {
        asked.push_back(visit);
        if (asked.size() > visits_until_interrupted)
            return std::nullopt;
        const double rate = visit.pause ? 1 / std::max(4.0, 1 + 0.02 * static_cast<double>(*visit.pause)) : 0;
        const auto load_percent = 10 * static_cast<std::uint64_t>(std::lround(40 * rate)); // nearly that asked for
        const std::uint64_t ticks = visit.bytes / 1024 + load_percent;
        return TailSamples{
            .group = visit.group.value_or(visit.bytes < 8192 ? 16 : 1),
            .made = visit.samples,
            .set_aside = 1,
            .ticks = 1000,
            .stopped_ticks = 10,
            .longest_stop = visit.round == 2 ? 9U : 5U,
            .counts = load_percent <= counts_up_to_percent ? TickCounts{{ticks, visit.samples - 1}} : TickCounts{},
            .cost_ticks = {static_cast<double>(asked.size())},
            .batches =
                std::vector(16, LoadBatch{.lines_per_ns = visit.round < 4 ? share * rate : rate, .absent = absent})};
    }

    std::vector<TailVisit> asked;
    std::size_t visits_until_interrupted = 100'000;
    std::vector<std::size_t> absent{}; ///< load threads, while pauses are chosen
    double share = 1;                  ///< of the load, once pauses are chosen
    std::uint64_t counts_up_to_percent = 100;
};

const TailSweep two_sizes{
    .sizes = {4096, 65536}, .load_percents = {50, 100}, .samples = 1000, .visits = 4, .load_processors = {3}};

std::vector<TailRow> rows_from(FakeTailProbe& probe, const TailSweep& sweep = two_sizes) {
    std::vector<TailRow> rows;
    run_tail_sweep(
        sweep, probe, [&](const TailRow& row) { rows.push_back(row); }, [](const std::string&) {});
    return rows;
}

TEST(TailSweep, GivesARowForEachSizeIdleAndUnderEachLoadWithTheSamplesOfAllItsVisits) {
    FakeTailProbe probe;
    const auto rows = rows_from(probe);
    ASSERT_EQ(rows.size(), rows_of(two_sizes));
    const std::vector<double> loads{0, 50, 100, 0, 50, 100};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].size_bytes, two_sizes.sizes[i / 3]);
        EXPECT_EQ(rows[i].load_percent, loads[i]);
        EXPECT_EQ(rows[i].samples.made, 1000U);
        EXPECT_EQ(rows[i].samples.set_aside, 4U);
        EXPECT_EQ(rows[i].samples.ticks, 4000U);
        EXPECT_EQ(rows[i].samples.stopped_ticks, 40U);
        EXPECT_EQ(rows[i].samples.longest_stop, 9U);
        const std::uint64_t ticks = rows[i].size_bytes / 1024 + static_cast<std::uint64_t>(loads[i]);
        EXPECT_EQ(rows[i].samples.counts, (TickCounts{{ticks, 996}}));
        EXPECT_EQ(rows[i].samples.cost_ticks.size(), 4U);
        EXPECT_EQ(rows[i].visit_p50_ticks, std::vector(4, ticks));
        EXPECT_EQ(rows[i].achieved_percent.has_value(), loads[i] > 0);
        EXPECT_NEAR(rows[i].achieved_percent.value_or(0), loads[i], 2);
    }
}

TEST(TailSweep, TellsTheLoadOfTheMomentsInWhichItSampled) {
    FakeTailProbe probe;
    probe.share = 0.5;
    const auto rows = rows_from(probe);
    EXPECT_NEAR(rows.at(2).achieved_percent.value_or(0), 50, 1) << "of 100";
}

TEST(TailSweep, VisitsEachRowAtOtherMomentsOnceThePausesAreKnown) {
    FakeTailProbe probe;
    static_cast<void>(rows_from(probe));
    const std::size_t first = probe.asked.size() - 24;
    ASSERT_GT(first, 0U);
    for (std::size_t i = 0; i < first; ++i) {
        EXPECT_TRUE(probe.asked[i].pause.has_value());
        EXPECT_EQ(probe.asked[i].bytes, 65536U);
        EXPECT_EQ(probe.asked[i].round, 4U) << "sizes only grow within a round";
    }
    for (std::size_t i = first; i < probe.asked.size(); ++i) {
        EXPECT_EQ(probe.asked[i].round, (i - first) / 6);
        EXPECT_EQ(probe.asked[i].samples, 250U);
        EXPECT_EQ(probe.asked[i].pause.has_value(), (i - first) % 3 != 0) << "idle first";
    }
    EXPECT_EQ(probe.asked.back().pause, 0U);
    EXPECT_GT(*probe.asked[first + 1].pause, 0U);
}

TEST(TailSweep, SaysHowFarItHasCome) {
    FakeTailProbe probe;
    std::vector<std::string> phrases;
    run_tail_sweep(
        two_sizes, probe, [](const TailRow&) {}, [&](const std::string& phrase) { phrases.push_back(phrase); });
    const auto first = std::ranges::find(phrases, "visit 1 of 4 to row 1 of 6");
    ASSERT_NE(first, phrases.end());
    EXPECT_EQ(*(first + 1), "visit 1 of 4 to row 2 of 6");
    EXPECT_EQ(phrases.back(), "visit 4 of 4 to row 6 of 6");
}

TEST(TailSweep, WithoutALoadNoPauseIsVisited) {
    FakeTailProbe probe;
    EXPECT_EQ(rows_from(probe, {.sizes = {4096}, .samples = 100, .visits = 3}).size(), 1U);
    EXPECT_EQ(probe.asked.size(), 3U);
}

TEST(TailSweep, TakesAsManySamplesAsAskedForInVisitsThatHaveEnoughForAStretch) {
    for (const std::size_t samples : {1U, 10U, 31U, 63U, 64U, 1000U, 1001U}) {
        FakeTailProbe probe;
        EXPECT_EQ(rows_from(probe, {.sizes = {4096}, .samples = samples}).at(0).samples.made, samples);
        for (const TailVisit& visit : probe.asked)
            EXPECT_GE(visit.samples, std::min<std::size_t>(samples, 32)) << samples;
    }
}

TEST(TailSweep, StretchesHaveAllSamplesOfAVisitAndNoneIsTooShort) {
    for (const std::size_t fitting : {32U, 33U, 500U, 1024U}) {
        for (const std::size_t samples : {1U, 31U, 32U, 33U, 40U, 64U, 1030U, 5000U}) {
            for (std::size_t left = samples; left > 0;) {
                const std::size_t next = samples_in_stretch(fitting, left);
                ASSERT_GE(next, std::min<std::size_t>(left, 16));
                ASSERT_LE(next, std::min(left, fitting));
                left -= next;
            }
        }
    }
    EXPECT_EQ(samples_in_stretch(100, 100), 100U);
    EXPECT_EQ(samples_in_stretch(100, 101), 50U);
    EXPECT_EQ(samples_in_stretch(100, 131), 65U);
    EXPECT_EQ(samples_in_stretch(100, 132), 100U);
}

TEST(TailSweep, TheGroupOfTheFirstVisitIsThatOfTheRow) {
    FakeTailProbe probe;
    const auto rows = rows_from(probe);
    EXPECT_EQ(rows[0].samples.group, 16U);
    EXPECT_EQ(rows[5].samples.group, 1U);
    const std::size_t first = probe.asked.size() - 24;
    EXPECT_EQ(probe.asked[first].group, std::nullopt);
    EXPECT_EQ(probe.asked[first + 6].group, 16U);
    FakeTailProbe asked;
    EXPECT_EQ(rows_from(asked, {.sizes = {4096}, .samples = 10, .group = 5})[0].samples.group, 5U);
}

TEST(TailSweep, AllRowsOfASizeHaveTheGroupOfItsFirst) {
    FakeTailProbe probe;
    const auto rows = rows_from(probe);
    const std::size_t first = probe.asked.size() - 24;
    const auto asked_for = [&](std::size_t row) { return probe.asked[first + row].group; };
    EXPECT_EQ(asked_for(0), std::nullopt);
    EXPECT_EQ(asked_for(1), 16U) << "under load, too";
    EXPECT_EQ(asked_for(2), 16U);
    EXPECT_EQ(asked_for(3), std::nullopt) << "of another size";
    EXPECT_EQ(rows[3].samples.group, 1U);
    FakeTailProbe once; // whose rows end with their first visit
    TailSweep short_sweep = two_sizes;
    short_sweep.samples = 32;
    (void)rows_from(once, short_sweep);
    EXPECT_EQ(once.asked.back().group, 1U);
    EXPECT_EQ(once.asked[once.asked.size() - 4].group, 16U);
}

TEST(TailSweep, WhenInterruptedGivesARowForAllThatWasVisited) {
    FakeTailProbe whole;
    static_cast<void>(rows_from(whole));
    const std::size_t first = whole.asked.size() - 24;
    for (const auto& [visits, rows] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 0}, {first - 1, 0}, {first, 0}, {first + 2, 2}, {first + 7, 6}}) {
        FakeTailProbe probe;
        probe.visits_until_interrupted = visits;
        EXPECT_EQ(rows_from(probe).size(), rows) << visits;
    }
}

TEST(TailSweep, TheRowsWithoutLoadComeEvenWhereNothingUnderLoadCan) {
    FakeTailProbe probe;
    probe.absent = {0};
    std::vector<TailRow> rows;
    EXPECT_THROW(run_tail_sweep(
                     two_sizes, probe, [&](const TailRow& row) { rows.push_back(row); }, [](const std::string&) {}),
                 MachineBusy);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].size_bytes, 65536U);
    EXPECT_EQ(rows[1].load_percent, 0);
    EXPECT_EQ(rows[1].samples.made, 1000U);
}

TEST(TailSweep, ManySamplesOfWhichNoneUnderLoadCountsEndTheRunAndFewDoNot) {
    FakeTailProbe probe;
    probe.counts_up_to_percent = 0;
    TailSweep sweep = two_sizes;
    sweep.visits = 16;
    EXPECT_EQ(rows_from(probe, sweep).size(), 6U) << "a short run is unlucky";
    sweep.samples = 1'000'000;
    sweep.visits = 8;
    EXPECT_EQ(rows_from(probe, sweep).size(), 6U) << "the last visit gives nothing up";
    sweep.visits = 16;
    std::vector<TailRow> rows;
    const auto run = [&] {
        run_tail_sweep(
            sweep, probe, [&](const TailRow& row) { rows.push_back(row); }, [](const std::string&) {});
    };
    EXPECT_THROW(run(), MachineBusy);
    ASSERT_EQ(rows.size(), 2U) << "what is known without load is kept";
    EXPECT_EQ(rows[0].load_percent, 0);
    EXPECT_EQ(rows[1].load_percent, 0);
    EXPECT_LT(rows[0].samples.made, sweep.samples) << "it does not wait for the last visit";
}

TEST(TailSweep, RowsOfWhichNoSampleCountsAreGivenUpAndEndNothingWhereAnotherHasSome) {
    FakeTailProbe probe;
    probe.counts_up_to_percent = 50;
    TailSweep sweep = two_sizes;
    sweep.visits = 16;
    sweep.samples = 1'000'000;
    const auto rows = rows_from(probe, sweep);
    ASSERT_EQ(rows.size(), 6U);
    for (const TailRow& row : rows) {
        EXPECT_EQ(row.samples.counts.empty(), row.load_percent == 100);
        EXPECT_EQ(row.samples.made, row.load_percent == 100 ? sweep.samples / 2 : sweep.samples);
    }
}

/// 100000 samples of 1, 2, ... ticks.
TickCounts one_of_each() {
    TickCounts counts;
    for (std::uint64_t ticks = 1; ticks <= 100'000; ++ticks)
        counts[ticks] = 1;
    return counts;
}

TEST(TailSamples, APercentileIsTheLatencyThatSoManySamplesDoNotExceed) {
    const TickCounts counts = one_of_each();
    EXPECT_EQ(percentile(counts, 50), 50'000U);
    EXPECT_EQ(percentile(counts, 90), 90'000U);
    EXPECT_EQ(percentile(counts, 99), 99'000U);
    EXPECT_EQ(percentile(counts, 99.9), 99'900U);
    EXPECT_EQ(percentile(counts, 99.99), 99'990U);
}

TEST(TailSamples, EachSampleOfALatencyCounts) {
    const TickCounts counts{{100, 899}, {200, 90}, {700, 11}};
    EXPECT_EQ(percentile(counts, 50), 100U);
    EXPECT_EQ(percentile(counts, 89.9), 100U);
    EXPECT_EQ(percentile(counts, 90), 200U);
    EXPECT_EQ(percentile(counts, 98.9), 200U);
    EXPECT_EQ(percentile(counts, 99), 700U);
}

TEST(TailSamples, WithFewerThanTenSamplesBeyondAPercentileIsNotKnown) {
    EXPECT_EQ(percentile({{100, 1000}}, 99), 100U);
    EXPECT_EQ(percentile({{100, 999}}, 99), std::nullopt);
    EXPECT_EQ(percentile({}, 50), std::nullopt);
}

TEST(TailSamples, WhatTheReadingsCostIsASampleInL1LessItsHop) {
    EXPECT_DOUBLE_EQ(reading_cost(60 + 3, 60 + 64 * 3, 64), 60);
    EXPECT_DOUBLE_EQ(reading_cost(0.4 + 0.03, 0.4 + 64 * 0.03, 64), 0.4);
}

TEST(TailSamples, AGroupIsOneAccessUnlessTheCounterIsCoarserThanThat) {
    EXPECT_EQ(group_for(500, 26), 1U);
    EXPECT_EQ(group_for(26, 26), 1U);
    EXPECT_EQ(group_for(25, 26), 16U) << "ten steps and more";
    EXPECT_EQ(group_for(3, 26), 128U);
    EXPECT_EQ(group_for(0.03, 1), 512U);
    EXPECT_GE(group_for(0, 1), 1U) << "too short to be told";
}

constexpr TickScale half_ns{.ns_per_tick = 0.5, .resolution_ticks = 1};

/// The readings of samples that took so many ticks.
std::vector<std::uint64_t> readings_of(const std::vector<std::uint64_t>& took) {
    std::vector<std::uint64_t> readings{1'000'000};
    for (const std::uint64_t ticks : took)
        readings.push_back(readings.back() + ticks);
    return readings;
}

TEST(TailSamples, TheCostIsTakenOffEachSample) {
    TailSamples samples{.cost_ticks = {50, 60.4}};
    add_stretch(samples, readings_of({160, 160, 170, 40}), true, half_ns);
    EXPECT_EQ(samples.counts, (TickCounts{{0, 1}, {100, 2}, {110, 1}})) << "by the visit's own";
    EXPECT_EQ(samples.made, 4U);
    EXPECT_EQ(samples.set_aside, 0U);
}

TEST(TailSamples, WhatTookTenMicrosecondsMoreThanMostIsSetAsideAndWhatTookLessIsNot) {
    TailSamples samples{.cost_ticks = {0}};
    std::vector<std::uint64_t> took(99, 300);
    took[20] = 20'300; // 10 us at half a ns
    took[30] = 20'301;
    took[40] = 5'000'000;
    add_stretch(samples, readings_of(took), true, half_ns);
    EXPECT_EQ(samples.made, 99U);
    EXPECT_EQ(samples.set_aside, 2U);
    EXPECT_EQ(samples.counts, (TickCounts{{300, 96}, {20'300, 1}}));
    EXPECT_EQ(samples.ticks, 96U * 300 + 20'300 + 20'301 + 5'000'000);
    EXPECT_EQ(samples.stopped_ticks, 20'001U + 4'999'700) << "beyond the median";
    EXPECT_EQ(samples.longest_stop, 4'999'700U);
}

TEST(TailSamples, AGroupThatTakesLongInAllIsNotSetAside) {
    TailSamples samples{.cost_ticks = {0}};
    add_stretch(samples, readings_of(std::vector<std::uint64_t>(9, 100'000)), true, half_ns);
    EXPECT_EQ(samples.set_aside, 0U);
}

TEST(TailSamples, OfAStretchWithoutAllLoadThreadsNothingCountsButItsStops) {
    TailSamples samples{.cost_ticks = {0}};
    add_stretch(samples, readings_of({300, 300, 50'300}), false, half_ns);
    EXPECT_EQ(samples.made, 3U);
    EXPECT_EQ(samples.set_aside, 3U);
    EXPECT_EQ(samples.ticks, 50'900U);
    EXPECT_EQ(samples.stopped_ticks, 50'000U);
    EXPECT_TRUE(samples.counts.empty());
}

/// Threads that are not bound: they run on a machine with one processor, too.
TeamPlan plan_of(std::size_t threads) {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.largest_bytes = 4 * mib;
    plan.area_bytes = 4 * mib;
    plan.processors.resize(threads);
    plan.pinned = false;
    return plan;
}

constexpr TickScale scale{.ns_per_tick = 0.5, .resolution_ticks = 1};

class TailTeams : public testing::Test {
protected:
    void SetUp() override {
        if (!has_tick_counter)
            GTEST_SKIP() << "programs cannot read a counter here";
    }

    std::atomic<bool> interrupted{false};
};

std::uint64_t counted(const TailSamples& samples) {
    std::uint64_t all = samples.set_aside;
    for (const auto& [ticks, count] : samples.counts)
        all += count;
    return all;
}

TEST_F(TailTeams, AVisitSamplesStretchesAndCountsEachSampleOnce) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto samples = team.visit({.bytes = 2 * mib, .samples = 5000});
    ASSERT_TRUE(samples.has_value());
    EXPECT_EQ(samples->made, 5000U);
    EXPECT_EQ(counted(*samples), samples->made);
    EXPECT_GE(samples->batches.size(), 5U);
    EXPECT_EQ(samples->cost_ticks.size(), 1U);
    EXPECT_EQ(samples->group, 1U) << "a hop takes longer than half a ns";
}

TEST_F(TailTeams, AVisitTakesAsFewSamplesAsAskedFor) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    for (const std::size_t samples : {1U, 10U, 40U, 63U})
        EXPECT_EQ(team.visit({.bytes = 2 * mib, .samples = samples})->made, samples);
}

TEST_F(TailTeams, ALargerGroupTakesLonger) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto fastest = [&](std::size_t group) {
        const auto samples = team.visit({.bytes = 2 * mib, .samples = 5000, .group = group});
        return samples->counts.empty() ? 0 : samples->counts.begin()->first;
    };
    EXPECT_TRUE(until([&] { return fastest(256) > 50 * fastest(1); })) << "some 256 times, with the readings taken off";
}

TEST_F(TailTeams, AStretchOfLongSamplesHasFewer) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto fewest = [&](std::size_t group) {
        return team.visit({.bytes = 2 * mib, .samples = 2000, .group = group})->batches.size();
    };
    EXPECT_GE(fewest(4096), 62U) << "32 in each";
    EXPECT_TRUE(until([&] { return fewest(1) < 10; }));
}

TEST_F(TailTeams, ItsLoadThreadsRunWithAPauseAndRestWithout) {
    TailTeam team(plan_of(2), {}, scale, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    const auto lines_per_ns = [&](std::optional<std::size_t> pause) {
        const auto samples = team.visit({.bytes = 2 * mib, .pause = pause, .samples = 20'000});
        double sum = 0;
        for (const LoadBatch& batch : samples->batches)
            sum += batch.lines_per_ns;
        return sum;
    };
    EXPECT_EQ(lines_per_ns(std::nullopt), 0);
    EXPECT_TRUE(until([&] { return lines_per_ns(0) > 0; }));
}

TEST_F(TailTeams, AStretchCountsOnlyWhereTheLoadThreadsRan) {
    TailTeam team(plan_of(2), {}, scale, SystemFiles(), interrupted);
    const auto samples = team.visit({.bytes = 2 * mib, .pause = 0, .samples = 4000});
    std::size_t counting = 0;
    for (const LoadBatch& batch : samples->batches)
        counting += counts(batch) ? 1U : 0U;
    EXPECT_EQ(counting == 0, samples->set_aside == samples->made);
    EXPECT_EQ(counting == 0, samples->counts.empty());
}

TEST_F(TailTeams, AnInterruptedVisitGivesNothing) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_EQ(team.visit({.bytes = 2 * mib, .samples = 4000}), std::nullopt);
}

} // namespace

} // namespace memtest
