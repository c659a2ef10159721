#include "memtest/measure/visits.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

Measurement measured(std::vector<double> batch_ns, double ghz = 2) {
    Measurement m;
    m.timing.batch_ns = std::move(batch_ns);
    m.ghz_before = ghz;
    m.ghz_after = ghz;
    return m;
}

Row joined(const std::vector<Measurement>& visits, const TimingPlan& timing = {}) {
    return join_visits(0, 1, visits, timing, 0);
}

// --- figures

TEST(JoinedVisits, ReportTheEstimateAskedFor) {
    const std::vector visits{measured({1, 2, 6})};
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::min}).latency_ns.value(), 1);
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::median}).latency_ns.value(), 2);
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::mean}).latency_ns.value(), 3);
}

TEST(JoinedVisits, CountOnceEachAndTheSpreadIsThatWithinOne) {
    const Row row =
        joined({measured(std::vector<double>(100, 10.0)), measured({13, 13})}, {.estimate = Estimate::mean});
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 11.5) << "not weighted by the number of batches";
    EXPECT_DOUBLE_EQ(row.spread_percent.value(), 0) << "neither visit varies";
    EXPECT_DOUBLE_EQ(row.min_ns.value(), 10);
    EXPECT_DOUBLE_EQ(row.median_ns.value(), 11.5);
    EXPECT_EQ(row.visits_made, 2U);
    EXPECT_EQ(row.batches, 102U);
}

TEST(JoinedVisits, HaveTheFiguresOfAllEstimates) {
    const Row row = joined({measured({10, 11, 18})});
    EXPECT_DOUBLE_EQ(row.min_ns.value(), 10);
    EXPECT_DOUBLE_EQ(row.median_ns.value(), 11);
    EXPECT_DOUBLE_EQ(row.mean_ns.value(), 13);
    EXPECT_DOUBLE_EQ(row.spread_percent.value(), 100 * (14.5 - 10.5) / 11);
}

TEST(JoinedVisits, TellHowFarTheyDisagreeAboutTheEstimateAskedFor) {
    const std::vector visits{measured({10, 20, 90}), measured({11, 29, 80}), measured({30, 40, 50})};
    EXPECT_NEAR(joined(visits, {.estimate = Estimate::min}).visits_percent.value(), 200, 1e-9);
    EXPECT_NEAR(joined(visits, {.estimate = Estimate::mean}).visits_percent.value(), 0, 1e-9) << "all are 40";
    EXPECT_FALSE(joined({measured({1, 2})}).visits_percent.has_value()) << "of one";
}

TEST(JoinedVisits, ReckonCyclesByTheClockOfEachVisit) {
    // In cycles 30, 40 and 12: none repeats, and the third visit is the one of the second smallest ns.
    const std::vector visits{measured({15}, 2), measured({10}, 4), measured({12}, 1)};
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::min}).latency_cycles.value(), 12);
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::median}).latency_cycles.value(), 30);
    EXPECT_DOUBLE_EQ(joined(visits, {.estimate = Estimate::mean}).latency_cycles.value(), (30 + 40 + 12) / 3.0);
}

TEST(JoinedVisits, TakeTheMedianCyclesOfThoseNearTheReportedMin) {
    const std::vector visits{measured({10}, 2.00), measured({10.1}, 2.02), measured({10.1}, 2.01), measured({15}, 2)};
    EXPECT_DOUBLE_EQ(joined(visits).latency_cycles.value(), 10.1 * 2.01);
    const std::vector apart{measured({100}, 2.00), measured({102}, 2.02), measured({102}, 2.01)};
    EXPECT_DOUBLE_EQ(joined(apart, {.precision_percent = 5}).latency_cycles.value(), 102 * 2.01) << "2 % is near";
    const std::vector farther{measured({100}, 2.00), measured({102.1}, 2.02), measured({102.1}, 2.01)};
    EXPECT_DOUBLE_EQ(joined(farther, {.precision_percent = 5}).latency_cycles.value(), 100 * 2.00);
}

TEST(JoinedVisits, LeaveOutThoseAtAnotherClockThanMost) {
    const std::vector visits{measured({8}, 2.5), measured({10}, 2), measured({10.1}, 2), measured({10.1}, 1.99)};
    EXPECT_DOUBLE_EQ(joined(visits).latency_ns.value(), 10) << "not 8";
    EXPECT_EQ(joined(visits).visits.size(), 4U) << "they are told all the same";
    EXPECT_TRUE(judge_visits(visits, {.precision_percent = 2}).agree);
}

TEST(JoinedVisits, TakeAClockForAnotherFromTwoPercentOn) {
    const auto latency_ns = [](double ghz) {
        return joined({measured({8}, ghz), measured({10}, 2), measured({10}, 2)}, {.estimate = Estimate::mean})
            .latency_ns.value();
    };
    for (const double sign : {1.0, -1.0}) {
        EXPECT_DOUBLE_EQ(latency_ns(2 + sign * 0.039), 28 / 3.0);
        EXPECT_DOUBLE_EQ(latency_ns(2 + sign * 0.041), 10);
    }
}

TEST(JoinedVisits, CountAllWhereNoClockIsThatOfMost) {
    EXPECT_DOUBLE_EQ(joined({measured({8}, 2.5), measured({10}, 2)}).latency_ns.value(), 8);
}

TEST(JoinedVisits, TakeTheHigherClockOfBeforeAndAfter) {
    Measurement m = measured({4});
    m.ghz_after = 3;
    EXPECT_EQ(joined({m}).visits.at(0).core_ghz, 3);
    EXPECT_DOUBLE_EQ(joined({m}).latency_cycles.value(), 12);
    m.ghz_after = std::nullopt;
    EXPECT_EQ(joined({m}).visits.at(0).core_ghz, std::nullopt);
    EXPECT_EQ(joined({measured({5}), m}).latency_cycles, std::nullopt) << "of one visit nothing is known";
    EXPECT_EQ(joined({m}).latency_ns, 4);
}

TEST(JoinedVisits, WithoutTheCoresClockKnowNoCycles) {
    Measurement m = measured({4});
    m.ghz_before = m.ghz_after = std::nullopt;
    for (const Estimate estimate : {Estimate::min, Estimate::median, Estimate::mean}) {
        const Row row = joined({m, m}, {.estimate = estimate});
        EXPECT_DOUBLE_EQ(row.latency_ns.value(), 4);
        EXPECT_EQ(row.latency_cycles, std::nullopt);
        EXPECT_EQ(row.visits.at(0).core_ghz, std::nullopt);
    }
}

TEST(JoinedVisits, WithoutAnyBatchGiveNoLatencyAndOneWithoutDoesNotCount) {
    const Row row = joined({measured({})});
    EXPECT_FALSE(row.latency_ns.has_value());
    EXPECT_FALSE(row.latency_cycles.has_value());
    EXPECT_FALSE(row.min_ns || row.median_ns || row.mean_ns || row.spread_percent);
    EXPECT_EQ(row.visits_made, 1U);
    EXPECT_EQ(row.batches, 0U);
    EXPECT_DOUBLE_EQ(joined({measured({}), measured({3})}, {.estimate = Estimate::mean}).latency_ns.value(), 3);
}

// --- visits so far

TEST(VisitsSoFar, AgreeAndNeedAsManyAsTheirScatterTells) {
    const std::vector visits{measured({1}), measured({1.06}), measured({1.01})};
    const VisitsSoFar apart = judge_visits(visits, {.precision_percent = 2});
    EXPECT_EQ(apart.latency_ns, 1.01) << "the second smallest";
    EXPECT_FALSE(apart.agree);
    EXPECT_TRUE(judge_visits(visits, {.precision_percent = 6.1}).agree);
}

TEST(VisitsSoFar, WithoutAPrecisionNeverAgreeAndWithoutAnyBatchKnowNoLatency) {
    const std::vector visits(3, measured({1}));
    EXPECT_FALSE(judge_visits(visits, {}).agree);
    EXPECT_EQ(judge_visits(visits, {}).latency_ns, 1);
    const VisitsSoFar unknown = judge_visits(std::vector{measured({})}, {.precision_percent = 2});
    EXPECT_EQ(unknown.latency_ns, std::nullopt);
    EXPECT_FALSE(unknown.agree);
}

// --- counters

Measurement counted(std::uint64_t accesses, std::vector<CounterReading> counters) {
    Measurement m = measured({1});
    m.timing.accesses = accesses;
    m.counters = std::move(counters);
    return m;
}

using Counts = std::vector<std::optional<double>>;

TEST(CountsPerAccess, AreScaledWhereCountersTookTurnsAndUnknownWhereOneNeverRan) {
    const Row row = joined({counted(
        100, {{.count = 100, .enabled_ns = 30, .running_ns = 10}, {.count = 0, .enabled_ns = 30, .running_ns = 0}})});
    EXPECT_EQ(row.counts_per_access, (Counts{3, std::nullopt}));
}

TEST(CountsPerAccess, OfSeveralVisitsAreOverTheAccessesOfThoseInWhichTheCounterRan) {
    const CounterReading never{.count = 0, .enabled_ns = 9, .running_ns = 0};
    const auto ran = [](std::uint64_t count) {
        return CounterReading{.count = count, .enabled_ns = 9, .running_ns = 9};
    };
    const Row row = joined({counted(100, {ran(100), ran(50)}), counted(300, {ran(700), never})});
    EXPECT_EQ(row.counts_per_access, (Counts{2, 0.5}));
}

TEST(CountsPerAccess, AreNoneWhereNoneWereAskedFor) {
    EXPECT_TRUE(joined({measured({1})}).counts_per_access.empty());
}

// --- notes

std::string notes_of(const std::vector<Measurement>& visits, const TimingPlan& timing = {}) {
    std::string words;
    for (const Note note : joined(visits, timing).notes)
        words += std::string(word_of(note)) + " ";
    return words;
}

const std::vector<double> quiet(32, 1.0);

TEST(Notes, AQuietRowHasNone) {
    EXPECT_EQ(notes_of({measured(quiet)}), "");
}

TEST(Notes, TellWhatTheKernelCountedDuringTheTimedPartOfAnyVisit) {
    Measurement m = measured(quiet);
    m.before.preemptions = 7;
    m.before.faults = 100;
    m.before.processor = 3;
    m.after = m.before;
    EXPECT_EQ(notes_of({m}), "") << "what happened before does not count";
    m.after.preemptions = 8;
    EXPECT_EQ(notes_of({measured(quiet), m}), "preempted ");
    m.after.faults = 101;
    m.after.processor = 2;
    EXPECT_EQ(notes_of({m, measured(quiet)}), "preempted migrated faulted ");
}

TEST(Notes, WithAPrecisionDoNotTellWhetherTheSmallestBatchStandsAlone) {
    EXPECT_EQ(notes_of(std::vector(3, measured({1, 1.1, 1.1, 1.1, 1.1})), {.precision_percent = 2}), "");
}

TEST(Notes, WithoutAPrecisionTellWhenTheSmallestBatchStandsAlone) {
    EXPECT_EQ(notes_of({measured({1, 1})}), "single ") << "with one other";
    EXPECT_EQ(notes_of({measured({1, 1, 1})}), "");
    EXPECT_EQ(notes_of({measured({1, 1.01, 1.021, 1.1, 1.1})}), "single ") << "the third is 2.1 % higher";
    const std::vector alone{measured({1, 1.1, 1.1, 1.1, 1.1})};
    EXPECT_EQ(notes_of(alone), "single ");
    EXPECT_EQ(notes_of({measured({1, 1.01, 1.019, 1.1, 1.1})}), "");
    EXPECT_EQ(notes_of({measured({1, 1.1}), measured({1.01, 1.1}), measured({1.019, 1.1})}), "") << "over all visits";
    std::vector<double> one_of_many(32, 1.1);
    one_of_many[7] = 1;
    EXPECT_EQ(notes_of({measured(one_of_many)}), "single ");
    EXPECT_EQ(notes_of(alone, {.estimate = Estimate::median}), "") << "only the min rests on it";
}

TEST(Notes, TellOfAContestedSizeWithTheFiguresOfItsGroups) {
    const std::vector visits{measured({17}), measured({150}), measured({18}), measured({140})};
    EXPECT_EQ(notes_of(visits, {.estimate = Estimate::mean}), "contested ");
    EXPECT_EQ(joined(visits).low_ns, 17.5);
    EXPECT_EQ(joined(visits).high_ns, 145);
    EXPECT_TRUE(any_disturbing({Note::contested}));
    const Row lone = joined({measured({17}), measured({150}), measured({18}), measured({19})});
    EXPECT_EQ(lone.low_ns, std::nullopt);
    EXPECT_EQ(lone.high_ns, std::nullopt);
}

TEST(Notes, TakeNoVisitForContestedThatTheKernelDisturbed) {
    std::vector visits{measured({17}), measured({150}), measured({18}), measured({140})};
    for (const auto& disturb : {+[](Disturbances& d) { ++d.preemptions; }, +[](Disturbances& d) { ++d.processor; },
                                +[](Disturbances& d) { ++d.faults; }}) {
        std::vector disturbed = visits;
        disturb(disturbed[3].after);
        EXPECT_EQ(joined(disturbed).low_ns, std::nullopt);
    }
}

TEST(Notes, TellOfASizeThatIsContestedWithinVisits) {
    const Measurement half = measured({17, 150, 18, 150, 19, 150, 17, 150, 18, 140});
    Measurement other = half;
    other.timing.batch_ns = {16, 15, 17, 160, 170, 165};
    const Measurement steady = measured({17, 18, 19, 18, 17});
    const Row contested = joined({half, steady, other});
    EXPECT_EQ(contested.low_ns, 16) << "the lowest of the visits' lower medians";
    EXPECT_EQ(contested.high_ns, 165);
    EXPECT_EQ(joined({half, steady, steady}).low_ns, std::nullopt) << "once is a disturbance";
    EXPECT_EQ(joined({half}).low_ns, 18) << "of a single visit there is no other";
    EXPECT_EQ(joined({steady}).low_ns, std::nullopt);
}

TEST(Notes, TakeNoFewBatchesOfManyForAGroup) {
    std::vector<double> batches;
    for (int i = 0; i < 30; ++i)
        batches.push_back(17 + i % 3);
    std::fill_n(batches.begin(), 5, 150.0);
    EXPECT_EQ(joined({measured(batches)}).low_ns, std::nullopt) << "five of thirty";
    std::fill_n(batches.begin(), 6, 150.0);
    EXPECT_EQ(joined({measured(batches)}).high_ns, 150) << "a fifth";
}

TEST(Notes, WithAPrecisionTellWhenTheVisitsDoNotAgreeToIt) {
    const std::vector visits{measured({1}), measured({1.03}), measured({1.04})};
    EXPECT_EQ(notes_of(visits, {.precision_percent = 2}), "limit ");
    EXPECT_EQ(notes_of(visits, {.precision_percent = 5}), "");
}

TEST(Rows, AreSettledUnlessTheirVisitsDoNotAgree) {
    const std::vector apart{measured({1}), measured({1.03}), measured({1.04})};
    EXPECT_FALSE(joined(apart, {.visits = 3, .precision_percent = 2}).is_settled);
    EXPECT_TRUE(joined(apart, {.visits = 3, .precision_percent = 5}).is_settled);
}

TEST(Notes, TellOfTwoModesAndACoarseClock) {
    std::vector<double> two_modes = quiet;
    for (std::size_t i = 0; i < 12; ++i)
        two_modes[i] = 1.5;
    Measurement m = measured(two_modes);
    m.timing.coarse = true;
    EXPECT_EQ(notes_of({measured(quiet), m}), "bimodal coarse ");
}

} // namespace
} // namespace memtest
