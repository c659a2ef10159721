#include "memtest/measure/sweep.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// A probe that answers from a function and takes no time.
class FakeProbe : public Probe {
public:
    using Answer = std::function<std::vector<Measurement>(std::size_t bytes)>;
    explicit FakeProbe(Answer answer) : answer_(std::move(answer)) {}
    std::vector<Measurement> measure(std::size_t bytes) override { return answer_(bytes); }

private:
    Answer answer_;
};

Measurement measured(std::vector<double> batch_ns) {
    Measurement m;
    m.timing.batch_ns = std::move(batch_ns);
    m.ghz_before = 2;
    m.ghz_after = 3;
    return m;
}

struct Recorded {
    std::vector<Row> rows;
    std::vector<std::size_t> progress;
    int mapped = 0;
};

Recorded record(const Sweep& sweep, const FakeProbe::Answer& answer) {
    Recorded recorded;
    run_sweep(
        sweep,
        [&] {
            ++recorded.mapped;
            return std::make_unique<FakeProbe>(answer);
        },
        [&](const Row& row) { recorded.rows.push_back(row); },
        [&](std::size_t done, std::size_t /*of*/) { recorded.progress.push_back(done); });
    return recorded;
}

TEST(Sweep, GivesARowPerSizeAndThreadInOrder) {
    const Recorded recorded = record({.sizes = {512, 1024}}, [](std::size_t bytes) {
        return std::vector{measured({static_cast<double>(bytes)}), measured({1.0})};
    });
    ASSERT_EQ(recorded.rows.size(), 4U);
    EXPECT_EQ(recorded.rows[0].thread, 0);
    EXPECT_EQ(recorded.rows[1].thread, 1);
    EXPECT_EQ(recorded.rows[2].size_bytes, 1024U);
    EXPECT_DOUBLE_EQ(recorded.rows[2].latency_ns.value(), 1024);
    EXPECT_DOUBLE_EQ(recorded.rows[3].latency_ns.value(), 1);
    EXPECT_EQ(recorded.mapped, 1);
    EXPECT_EQ(recorded.progress, (std::vector<std::size_t>{0, 1}));
}

TEST(Sweep, GivesEachRowBeforeTheNextSizeIsMeasured) {
    std::size_t rows = 0;
    std::vector<std::size_t> rows_when_measured;
    run_sweep(
        {.sizes = {1, 2, 3}},
        [&] {
            return std::make_unique<FakeProbe>([&](std::size_t /*bytes*/) {
                rows_when_measured.push_back(rows);
                return std::vector{measured({1.0})};
            });
        },
        [&](const Row& /*row*/) { ++rows; }, [](std::size_t, std::size_t) {});
    EXPECT_EQ(rows_when_measured, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Sweep, ReportsTheEstimateAskedFor) {
    const auto answer = [](std::size_t /*bytes*/) { return std::vector{measured({1, 2, 6})}; };
    EXPECT_DOUBLE_EQ(record({.sizes = {1}, .estimate = Estimate::min}, answer).rows[0].latency_ns.value(), 1);
    EXPECT_DOUBLE_EQ(record({.sizes = {1}, .estimate = Estimate::median}, answer).rows[0].latency_ns.value(), 2);
    EXPECT_DOUBLE_EQ(record({.sizes = {1}, .estimate = Estimate::mean}, answer).rows[0].latency_ns.value(), 3);
}

TEST(Sweep, OverSeveralMappingsJoinsTheirBatchesAndTellsTheirSpread) {
    int mapping = 0;
    const Recorded recorded = record({.sizes = {512, 1024}, .mappings = 3}, [&](std::size_t bytes) {
        if (bytes == 512)
            ++mapping;
        return std::vector{measured({10.0 + mapping, 20})};
    });
    ASSERT_EQ(recorded.rows.size(), 2U);
    EXPECT_EQ(recorded.mapped, 3);
    EXPECT_EQ(recorded.rows[0].batch_ns.size(), 6U);
    EXPECT_DOUBLE_EQ(recorded.rows[0].latency_ns.value(), 11);
    ASSERT_TRUE(recorded.rows[0].placement_percent.has_value());
    EXPECT_NEAR(*recorded.rows[0].placement_percent, 100 * (13.0 / 11 - 1), 1e-9);
    EXPECT_EQ(recorded.progress.size(), 6U);
}

TEST(Sweep, OnOneMappingHasNoPlacementSpread) {
    const Recorded recorded = record({.sizes = {1}}, [](std::size_t) { return std::vector{measured({1})}; });
    EXPECT_FALSE(recorded.rows[0].placement_percent.has_value());
}

TEST(Sweep, InterruptedKeepsWhatWasMeasured) {
    const Recorded recorded = record({.sizes = {1, 2, 3}}, [](std::size_t bytes) {
        return bytes == 3 ? std::vector<Measurement>{} : std::vector{measured({1})};
    });
    EXPECT_EQ(recorded.rows.size(), 2U);
}

TEST(Sweep, InterruptedInALaterMappingStillGivesTheRowsOfTheEarlierOnes) {
    int measurements = 0;
    const Recorded recorded = record({.sizes = {1, 2}, .mappings = 3}, [&](std::size_t bytes) {
        return ++measurements > 3 ? std::vector<Measurement>{} : std::vector{measured({static_cast<double>(bytes)})};
    });
    ASSERT_EQ(recorded.rows.size(), 2U);
    EXPECT_EQ(recorded.rows[0].batch_ns.size(), 2U) << "of two mappings";
    EXPECT_EQ(recorded.rows[1].batch_ns.size(), 1U) << "of one";
    EXPECT_EQ(recorded.mapped, 2);
}

// --- counters
// ---------------------------------------------------------------------------------------------------------

Measurement counted(std::uint64_t accesses, std::vector<CounterReading> counters) {
    Measurement m = measured({1});
    m.timing.accesses = accesses;
    m.counters = std::move(counters);
    return m;
}

using Counts = std::vector<std::optional<double>>;

TEST(CountsPerAccess, AreThoseOfEachThreadOverItsOwnAccesses) {
    const Recorded recorded = record({.sizes = {1}}, [](std::size_t /*bytes*/) {
        return std::vector{counted(100, {{.count = 400, .enabled_ns = 9, .running_ns = 9}}),
                           counted(200, {{.count = 200, .enabled_ns = 9, .running_ns = 9}})};
    });
    EXPECT_EQ(recorded.rows.at(0).counts_per_access, Counts{4});
    EXPECT_EQ(recorded.rows.at(1).counts_per_access, Counts{1});
}

TEST(CountsPerAccess, AreScaledWhereCountersTookTurnsAndUnknownWhereOneNeverRan) {
    const Row row = join_mappings(0, 1,
                                  {counted(100, {{.count = 100, .enabled_ns = 30, .running_ns = 10},
                                                 {.count = 0, .enabled_ns = 30, .running_ns = 0}})},
                                  Sweep{});
    EXPECT_EQ(row.counts_per_access, (Counts{3, std::nullopt}));
}

TEST(CountsPerAccess, OfSeveralMappingsAreOverTheAccessesOfThoseInWhichTheCounterRan) {
    const CounterReading never{.count = 0, .enabled_ns = 9, .running_ns = 0};
    const auto ran = [](std::uint64_t count) {
        return CounterReading{.count = count, .enabled_ns = 9, .running_ns = 9};
    };
    const Row row = join_mappings(0, 1, {counted(100, {ran(100), ran(50)}), counted(300, {ran(700), never})}, Sweep{});
    EXPECT_EQ(row.counts_per_access, (Counts{2, 0.5}));
}

TEST(CountsPerAccess, AreNoneWhereNoneWereAskedFor) {
    EXPECT_TRUE(join_mappings(0, 1, {measured({1})}, Sweep{}).counts_per_access.empty());
}

TEST(Sweep, EachMappingCountsOnceAndTheSpreadIsThatWithinOne) {
    int mapping = 0;
    const auto answer = [&](std::size_t /*bytes*/) {
        return std::vector{++mapping == 1 ? measured(std::vector<double>(100, 10.0)) : measured({13, 13})};
    };
    const Row row = record({.sizes = {1}, .mappings = 2, .estimate = Estimate::mean}, answer).rows.at(0);
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 11.5) << "not weighted by the number of batches";
    EXPECT_DOUBLE_EQ(row.summary.value().spread_percent, 0) << "neither mapping varies";
    EXPECT_NEAR(row.placement_percent.value(), 30, 1e-9);
}

TEST(Sweep, ARowKnowsTheRangeOfTheCoresClock) {
    const Row row = record({.sizes = {1}}, [](std::size_t) { return std::vector{measured({4})}; }).rows.at(0);
    EXPECT_DOUBLE_EQ(row.core_ghz.value(), 2.5);
    EXPECT_DOUBLE_EQ(row.lowest_ghz.value(), 2);
    EXPECT_DOUBLE_EQ(row.highest_ghz.value(), 3);
    EXPECT_DOUBLE_EQ(cycles_of(row).value(), 10);
}

TEST(Sweep, WithoutTheCoresClockTheCyclesAreNotKnown) {
    Measurement m = measured({4});
    m.ghz_before = m.ghz_after = std::nullopt;
    const Row row = join_mappings(0, 1, {m, m}, Sweep{});
    EXPECT_EQ(row.lowest_ghz, std::nullopt);
    EXPECT_EQ(row.highest_ghz, std::nullopt);
    EXPECT_EQ(cycles_of(row), std::nullopt);
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 4);
}

TEST(Sweep, WithoutAnyBatchTheLatencyIsNotKnown) {
    const Row row = record({.sizes = {1}}, [](std::size_t) { return std::vector{measured({})}; }).rows.at(0);
    EXPECT_FALSE(row.latency_ns.has_value());
    EXPECT_FALSE(row.summary.has_value());
    EXPECT_FALSE(cycles_of(row).has_value());
}

// --- notes
// ------------------------------------------------------------------------------------------------------------

std::string notes_of(const Measurement& m, Estimate estimate = Estimate::min) {
    std::string words;
    for (const Note note : join_mappings(0, 1, {m}, {.sizes = {1}, .estimate = estimate}).notes)
        words += std::string(word_of(note)) + " ";
    return words;
}

const std::vector<double> quiet(32, 1.0);

TEST(Notes, AQuietRowHasNone) {
    EXPECT_EQ(notes_of(measured(quiet)), "");
}

TEST(Notes, TellWhatTheKernelCountedDuringTheTimedPart) {
    Measurement m = measured(quiet);
    m.before.preemptions = 7;
    m.before.faults = 100;
    m.before.processor = 3;
    m.after = m.before;
    EXPECT_EQ(notes_of(m), "") << "what happened before does not count";
    m.after.preemptions = 8;
    EXPECT_EQ(notes_of(m), "preempted ");
    m.after.faults = 101;
    m.after.processor = 2;
    EXPECT_EQ(notes_of(m), "preempted migrated faulted ");
}

TEST(Notes, TellWhenTheSmallestBatchStandsAlone) {
    EXPECT_EQ(notes_of(measured({1, 1.1, 1.1, 1.1, 1.1})), "single ");
    EXPECT_EQ(notes_of(measured({1, 1.01, 1.02, 1.1, 1.1})), "");
    EXPECT_EQ(notes_of(measured({1, 1.1, 1.1, 1.1, 1.1}), Estimate::median), "") << "only the min rests on it";
}

TEST(Notes, JudgeASingleBatchByThePrecisionAskedFor) {
    const auto notes =
        join_mappings(0, 1, {measured({1, 1.1, 1.1, 1.1, 1.1})}, {.sizes = {1}, .agreement_percent = 20}).notes;
    EXPECT_TRUE(notes.empty());
}

TEST(Notes, TellOfTwoModesTheLimitAndACoarseClock) {
    std::vector<double> two_modes = quiet;
    for (std::size_t i = 0; i < 12; ++i)
        two_modes[i] = 1.5;
    Measurement m = measured(two_modes);
    m.timing.hit_limit = true;
    m.timing.coarse = true;
    EXPECT_EQ(notes_of(m), "bimodal limit coarse ");
}

} // namespace
} // namespace memtest
