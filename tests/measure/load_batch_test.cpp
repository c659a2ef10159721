#include "memtest/measure/load_batch.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace memtest {
namespace {

const TimingPlan timing{.visits = 16, .estimate = Estimate::median, .precision_percent = 2};
const LoadStep half{.load_percent = 50, .pause = 100, .lines_per_ns = {0.2, 0.1}};

LoadBatch batch(double ns, double first = 0.2, double second = 0.1) {
    return {.ns_per_access = ns, .lines_per_ns = {first, second}};
}

using Visits = std::vector<std::vector<LoadBatch>>;

TEST(LoadBatch, CountsOnlyWhereEveryLoadThreadMadeFourFifthsOfItsOwnRate) {
    EXPECT_TRUE(counts(batch(100), half));
    EXPECT_TRUE(counts(batch(100, 0.161, 0.081), half));
    EXPECT_TRUE(counts(batch(100, 0.4, 0.2), half)) << "more than its rate is no absence";
    EXPECT_FALSE(counts(batch(100, 0.159, 0.1), half));
    EXPECT_FALSE(counts(batch(100, 0.3, 0.079), half)) << "the others do not make up for it";
    EXPECT_TRUE(is_absent(batch(100, 0.3, 0.079), half, 1));
    EXPECT_FALSE(is_absent(batch(100, 0.3, 0.079), half, 0));
}

TEST(LoadBatch, OfALoadThreadThatDidNothingNeverCountsWhateverItsCalibratedRate) {
    const LoadStep step{.load_percent = 50, .pause = 100, .lines_per_ns = {0.2, 0}};
    EXPECT_FALSE(counts(batch(100, 0.2, 0), step));
}

TEST(LoadBatch, OfAPreemptedWalkDoesNotCount) {
    LoadBatch preempted = batch(100);
    preempted.preempted = true;
    EXPECT_FALSE(counts(preempted, half));
}

TEST(LoadBatch, WithoutLoadCountsWhileTheLoadThreadsRest) {
    EXPECT_TRUE(counts(batch(100, 0, 0), LoadStep{}));
}

TEST(LoadRow, OfAnEndlessPauseIsAwakeAndOfNoneIsAsleep) {
    const Visits visits(6, std::vector<LoadBatch>(16, batch(100, 0, 0)));
    const auto row_of = [&](const LoadStep& step) { return join_load_visits(step, visits, timing, {}); };
    EXPECT_TRUE(is_awake(row_of({.pause = endless_pause})));
    EXPECT_FALSE(is_awake(row_of({})));
    EXPECT_FALSE(is_awake(row_of({.load_percent = 50, .pause = 100})));
    EXPECT_EQ(row_of({.pause = endless_pause}).latency_ns, 100);
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

TEST(LoadRow, IsTheMedianOverVisitsOfThoseBatchesThatCount) {
    // An absent load thread makes the walk faster, a preempted walk makes it slower: neither may show.
    LoadBatch preempted = batch(900);
    preempted.preempted = true;
    const LoadBatch absent = batch(20, 0, 0.1);
    Visits visits;
    for (const double ns : {100.0, 102.0, 104.0, 130.0})
        visits.push_back({absent, batch(ns - 1), batch(ns), batch(ns + 1), absent, absent, preempted});
    const LoadRow row = join_load_visits(half, visits, timing, {.line_bytes = 64, .write_percent = 50});
    EXPECT_DOUBLE_EQ(row.load_percent, 50);
    EXPECT_DOUBLE_EQ(row.latency_ns.value_or(0), 103);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns.value_or(0), 0.3 * 64 * 1.5);
    EXPECT_EQ(row.visits, 4U);
    EXPECT_EQ(row.batches, 12U);
    EXPECT_EQ(row.set_aside, 16U);
    EXPECT_EQ(row.notes, (std::vector{LoadNote::preempted, LoadNote::absent, LoadNote::limit}));
    EXPECT_TRUE(row.never_ran.empty());
}

TEST(LoadRow, HasTheBandwidthOfTheBatchesThatItsLatencyIsOf) {
    Visits visits;
    for (int visit = 0; visit < 6; ++visit)
        visits.push_back({batch(50, 0.01, 0.1), batch(50, 0.01, 0.1), batch(50, 0.01, 0.1), batch(100), batch(100)});
    const LoadRow row = join_load_visits(half, visits, timing, {.line_bytes = 64});
    EXPECT_DOUBLE_EQ(row.latency_ns.value_or(0), 100);
    EXPECT_DOUBLE_EQ(row.bytes_per_ns.value_or(0), 0.3 * 64);
    EXPECT_EQ(row.notes, std::vector{LoadNote::absent});
}

TEST(LoadRow, TellsHowFarTheVisitsDisagreeOnTheLatency) {
    Visits visits;
    for (const double ns : {90.0, 100.0, 100.0, 100.0, 100.0, 110.0})
        visits.push_back({batch(ns), batch(ns)}); // all at one bandwidth
    EXPECT_DOUBLE_EQ(join_load_visits(half, visits, timing, {}).visits_percent.value_or(0), 10);
}

TEST(LoadRow, OfTheMeanIsTheMeanOverVisits) {
    TimingPlan mean = timing;
    mean.estimate = Estimate::mean;
    Visits visits;
    for (const double ns : {100.0, 101.0, 102.0})
        visits.push_back({batch(ns), batch(ns), batch(ns), batch(ns + 4)});
    EXPECT_DOUBLE_EQ(join_load_visits(half, visits, mean, {}).latency_ns.value_or(0), 102);
}

TEST(LoadRow, WithTooFewBatchesHasEmptyFiguresAndANote) {
    const Visits seven{std::vector<LoadBatch>(7, batch(100)), std::vector<LoadBatch>(9, batch(20, 0, 0.1))};
    const LoadRow row = join_load_visits(half, seven, timing, {});
    EXPECT_FALSE(row.latency_ns.has_value());
    EXPECT_FALSE(row.bytes_per_ns.has_value());
    EXPECT_EQ(row.notes, (std::vector{LoadNote::absent, LoadNote::few}));
    const Visits eight{std::vector<LoadBatch>(8, batch(100))};
    EXPECT_TRUE(join_load_visits(half, eight, timing, {}).latency_ns.has_value());
}

TEST(LoadRow, NamesALoadThreadThatNeverRan) {
    const Visits visits{{batch(20, 0.2, 0), batch(20, 0.1, 0)}, {batch(20, 0.2, 0.01)}};
    EXPECT_EQ(join_load_visits(half, visits, timing, {}).never_ran, std::vector<std::size_t>{1});
}

TEST(LoadRow, OfIdleHasABandwidthOfZero) {
    const Visits visits(6, std::vector<LoadBatch>(4, batch(100, 0, 0)));
    const LoadRow row = join_load_visits(LoadStep{}, visits, timing, {});
    EXPECT_EQ(row.bytes_per_ns, 0.0);
    EXPECT_EQ(row.latency_ns, 100.0);
    EXPECT_TRUE(row.notes.empty());
}

TEST(LoadVisits, AgreeByTheBatchesThatCountAlone) {
    Visits visits;
    for (int visit = 0; visit < 5; ++visit)
        visits.push_back({batch(100), batch(100), batch(10.0 * visit + 1, 0, 0)});
    EXPECT_FALSE(load_visits_agree(half, visits, timing)) << "five of a median are too few";
    visits.push_back({batch(100), batch(100), batch(1, 0, 0)});
    EXPECT_TRUE(load_visits_agree(half, visits, timing));
    visits.insert(visits.end(), 3, {batch(120), batch(120)});
    EXPECT_FALSE(load_visits_agree(half, visits, timing));
    EXPECT_FALSE(load_visits_agree(half, Visits(6, {batch(100)}), timing)) << "six batches are too few";
}

} // namespace
} // namespace memtest
