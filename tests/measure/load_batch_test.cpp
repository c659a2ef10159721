#include "memtest/measure/load_batch.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

const TimingPlan timing{.visits = 16, .estimate = Estimate::median, .precision_percent = 2};

LoadBatch batch(double ns, double lines_per_ns = 0.3) {
    return {.ns_per_access = ns, .lines_per_ns = lines_per_ns};
}

LoadBatch batch_without(std::size_t thread, double ns, double lines_per_ns = 0.1) {
    return {.ns_per_access = ns, .lines_per_ns = lines_per_ns, .absent = {thread}};
}

LoadBatch preempted_batch(double ns) {
    return {.ns_per_access = ns, .lines_per_ns = 0.3, .preempted = true};
}

using Visits = std::vector<std::vector<LoadBatch>>;

LoadRow row_of(const Visits& visits, std::optional<std::size_t> pause = 100, const TimingPlan& plan = timing) {
    return join_load_visits({.pause = pause, .visits = visits}, plan, {.line_bytes = 64});
}

TEST(LoadBatch, CountsWhereTheWalkAndEveryLoadThreadRanThroughout) {
    EXPECT_TRUE(counts(batch(100)));
    EXPECT_TRUE(counts(batch(100, 0))) << "idle";
    EXPECT_FALSE(counts(batch_without(1, 100)));
    EXPECT_FALSE(counts(preempted_batch(100)));
}

TEST(LoadBatch, IsTheMeanOfItsPartsAndPreemptedWhereAnyOfThemWas) {
    for (const std::size_t preempted : {0U, 1U, 2U, 3U}) { // the last is none
        LoadBatch batch;
        for (std::size_t part = 0; part < 3; ++part) {
            Measurement measured;
            measured.timing.batch_ns = {static_cast<double>(90 + 30 * part)};
            measured.after.preemptions = part == preempted ? 1 : 0;
            add_part(batch, measured, 3);
        }
        EXPECT_DOUBLE_EQ(batch.ns_per_access, 120);
        EXPECT_EQ(batch.preempted, preempted < 3) << preempted;
    }
}

TEST(LoadRow, OfAnEndlessPauseIsAwakeAndOfNoneIsAsleep) {
    const Visits visits(6, std::vector<LoadBatch>(16, batch(100, 0)));
    EXPECT_TRUE(is_awake(row_of(visits, endless_pause)));
    EXPECT_FALSE(is_awake(row_of(visits, std::nullopt)));
    EXPECT_FALSE(is_awake(row_of(visits)));
    EXPECT_EQ(row_of(visits, endless_pause).latency_ns, 100);
    EXPECT_EQ(row_of(visits, std::nullopt).bytes_per_ns, 0.0);
    EXPECT_TRUE(row_of(visits, std::nullopt).notes.empty());
}

TEST(LoadRow, IsSettledUnlessItsVisitsDoNotAgreeAndMostBatchesAreSetAside) {
    LoadRow row{.batches = 99, .set_aside = 100, .notes = {LoadNote::preempted, LoadNote::absent}};
    EXPECT_TRUE(is_settled(row));
    for (const LoadNote note : {LoadNote::few, LoadNote::limit}) {
        row.notes.back() = note;
        EXPECT_FALSE(is_settled(row));
    }
    row.batches = 100;
    EXPECT_TRUE(is_settled(row)) << "as on a quiet machine";
}

TEST(LoadRow, PairsTheMediansOfLatencyAndBandwidthOfThoseBatchesThatCount) {
    // An absent load thread makes the walk faster, a preempted walk makes it slower: neither may show.
    Visits visits;
    for (const double ns : {100.0, 102.0, 104.0, 130.0})
        visits.push_back({batch_without(1, 20), batch(ns - 1), batch(ns), batch(ns + 1), batch_without(0, 20),
                          batch_without(0, 20), preempted_batch(900)});
    const LoadRow row =
        join_load_visits({.pause = 100, .visits = visits}, timing, {.line_bytes = 64, .write_percent = 50});
    EXPECT_DOUBLE_EQ(row.latency_ns.value_or(0), 103);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns.value_or(0), 0.3 * 64 * 1.5);
    EXPECT_EQ(row.visits, 4U);
    EXPECT_EQ(row.batches, 12U);
    EXPECT_EQ(row.set_aside, 16U);
    EXPECT_EQ(row.notes, (std::vector{LoadNote::preempted, LoadNote::absent, LoadNote::limit}));
}

TEST(LoadRow, TellsHowFarTheVisitsDisagreeOnTheLatency) {
    Visits visits;
    for (const double ns : {90.0, 100.0, 100.0, 100.0, 100.0, 110.0})
        visits.push_back({batch(ns), batch(ns)});
    EXPECT_DOUBLE_EQ(row_of(visits).visits_percent.value_or(0), 10);
}

TEST(LoadRow, HasTheQuartilesOfItsBatchesOverAllVisits) {
    Visits visits;
    for (const double ns : {100.0, 101.0, 102.0, 103.0, 104.0})
        visits.push_back({batch(ns, ns / 64), batch_without(0, 20)});
    const LoadRow row = row_of(visits);
    EXPECT_DOUBLE_EQ(row.latency_low_ns.value_or(0), 101);
    EXPECT_DOUBLE_EQ(row.latency_high_ns.value_or(0), 103);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns_low.value_or(0), 101);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns_high.value_or(0), 103);
}

TEST(LoadRow, HasSeveralValuesWhereTwoVisitsOfEachAreAFifthApartInLatencyOrBandwidth) {
    const auto has_several = [](const std::vector<double>& ns, const std::vector<double>& rates) {
        Visits visits;
        for (std::size_t i = 0; i < ns.size(); ++i)
            visits.push_back({batch(ns[i], rates[i])});
        return std::ranges::count(row_of(visits).notes, LoadNote::several) > 0;
    };
    const std::vector<double> same(6, 1);
    EXPECT_TRUE(has_several({100, 100, 100, 100, 121, 121}, same));
    EXPECT_FALSE(has_several({100, 100, 100, 100, 119, 119}, same));
    EXPECT_FALSE(has_several({100, 100, 100, 100, 100, 900}, same)) << "one visit may be disturbed";
    EXPECT_FALSE(has_several({10, 100, 100, 100, 100, 900}, same)) << "or two";
    EXPECT_TRUE(has_several({100, 100, 100, 100, 100, 100}, {0.3, 0.3, 0.3, 0.3, 0.9, 0.9}));
    EXPECT_FALSE(has_several({100, 900}, {1, 1})) << "too few show nothing";
}

TEST(LoadRow, OfTheMeanIsTheMeanOverVisits) {
    TimingPlan mean = timing;
    mean.estimate = Estimate::mean;
    Visits visits;
    for (const double ns : {100.0, 101.0, 102.0})
        visits.push_back({batch(ns), batch(ns), batch(ns), batch(ns + 4)});
    EXPECT_DOUBLE_EQ(row_of(visits, 100, mean).latency_ns.value_or(0), 102);
}

TEST(LoadRow, OfFewBatchesHasTheirFiguresAndANote) {
    const LoadRow row =
        row_of({std::vector<LoadBatch>(7, batch(100)), std::vector<LoadBatch>(9, batch_without(1, 20))});
    EXPECT_EQ(row.latency_ns, 100);
    EXPECT_EQ(row.notes, (std::vector{LoadNote::absent, LoadNote::few}));
    EXPECT_EQ(std::ranges::count(row_of({std::vector<LoadBatch>(8, batch(100))}).notes, LoadNote::few), 0);
}

TEST(LoadRow, OfWhichNoBatchCountsHasThePairsWithoutALoadThread) {
    const LoadRow row = row_of({{batch_without(1, 80, 0.1), batch_without(1, 80, 0.1), preempted_batch(900)}});
    EXPECT_EQ(row.latency_ns, 80);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns.value_or(0), 6.4);
    EXPECT_EQ(row.batches, 0U);
    EXPECT_EQ(row.set_aside, 3U);
}

TEST(LoadRow, IsEmptyOnlyWhereNothingRan) {
    const LoadRow row = row_of({{preempted_batch(100), batch_without(1, 80, 0)}});
    EXPECT_FALSE(row.latency_ns || row.bytes_per_ns || row.latency_low_ns || row.bytes_per_ns_high);
    EXPECT_EQ(row.notes, (std::vector{LoadNote::preempted, LoadNote::absent, LoadNote::few}));
    EXPECT_FALSE(row_of({{preempted_batch(100)}}, std::nullopt).latency_ns.has_value());
}

TEST(LoadVisits, AgreeByTheBatchesThatCountAlone) {
    const auto agree = [](const Visits& visits) { return load_visits_agree({.pause = 100, .visits = visits}, timing); };
    Visits visits;
    for (int visit = 0; visit < 5; ++visit)
        visits.push_back({batch(100), batch(100), batch_without(0, 10.0 * visit + 1)});
    EXPECT_FALSE(agree(visits)) << "five of a median are too few";
    visits.push_back({batch(100), batch(100), batch_without(0, 1)});
    EXPECT_TRUE(agree(visits));
    visits.insert(visits.end(), 3, {batch(120), batch(120)});
    EXPECT_FALSE(agree(visits));
    EXPECT_FALSE(agree(Visits(7, {batch(100)}))) << "seven batches are too few";
    EXPECT_TRUE(agree(Visits(8, {batch(100)})));
    EXPECT_FALSE(agree(Visits(16, {batch_without(0, 100)}))) << "of none that counts";
}

} // namespace
} // namespace memtest
