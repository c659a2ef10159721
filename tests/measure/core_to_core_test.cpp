#include "memtest/measure/core_to_core.hpp"

#include "memtest/base/error.hpp"
#include "support/test.hpp"

#include <atomic>

namespace memtest {
namespace {

constexpr std::size_t bytes = transferred_lines * transferred_line_pitch;

class OwnerOnThisThread : public testing::Test {
protected:
    /// The lines in the order in which the chain goes through them, from its first.
    [[nodiscard]] std::vector<std::uintptr_t> order() const {
        Chains chains = *owner.chains();
        std::vector<std::uintptr_t> lines;
        for (std::size_t i = 0; i < transferred_lines; ++i) {
            lines.push_back(chains.position(0));
            chains.walk(1);
        }
        return lines;
    }

    void link(unsigned lap) { static_cast<void>(owner.prepare({.bytes = bytes, .round = lap})); }

    const std::atomic<bool> interrupted{false};
    const WalkPlan plan{.shape = {.order = Order::random, .line_bytes = transferred_line_pitch},
                        .warmup_laps = std::nullopt,
                        .largest_bytes = bytes,
                        .area_bytes = bytes,
                        .counters = {}};
    LineOwner owner{plan, {}, SystemFiles(), interrupted};
};

TEST_F(OwnerOnThisThread, LinksAllLinesAnewInEachLap) {
    link(0);
    const auto first = order();
    link(1);
    const auto second = order();
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), transferred_lines);
    EXPECT_EQ(std::set(first.begin(), first.end()), std::set(second.begin(), second.end())) << "the same lines";
    EXPECT_NE(first, second) << "in another order";
}

TEST_F(OwnerOnThisThread, LiesItsLinesApart) {
    link(0);
    auto lines = order();
    std::ranges::sort(lines);
    for (std::size_t i = 1; i < lines.size(); ++i)
        EXPECT_EQ(lines[i] - lines[i - 1], transferred_line_pitch);
}

TEST_F(OwnerOnThisThread, LeavesItsLinesAloneWhileTheyAreRead) {
    link(0);
    const auto before = order();
    Measurement measurement;
    owner.stay_warm();
    owner.measure({}, measurement);
    owner.walk_on();
    owner.finish(measurement);
    EXPECT_EQ(order(), before) << "the walk stands where it stood";
    EXPECT_EQ(measurement.timing.accesses, 0U);
}

TEST_F(OwnerOnThisThread, ItsReaderTimesOneLapAndWritesNothing) {
    link(0);
    const LineOwner* const there = &owner;
    LineReader reader(std::nullopt, there, interrupted);
    EXPECT_EQ(reader.prepare({}), 1U);
    const auto before = order();
    Measurement measurement;
    reader.measure({.accesses = transferred_lines, .batches = 1}, measurement);
    EXPECT_EQ(measurement.timing.accesses, transferred_lines);
    EXPECT_EQ(measurement.timing.batch_ns.size(), 1U);
    EXPECT_EQ(order(), before);
}

TEST_F(OwnerOnThisThread, TellsWhatDisturbedItSinceItBeganToLink) {
    link(0);
    Measurement measurement;
    owner.finish(measurement);
    EXPECT_GT(measurement.before.faults, 0U) << "this program's, until then";
    EXPECT_GE(measurement.after.faults, measurement.before.faults);
}

/// An owner and a reader whose lap in a round takes as many ns.
class FakePair : public Probe {
public:
    std::vector<Measurement> visit(const VisitPlan& visit) override {
        asked.push_back(visit);
        if (asked.size() > visits_until_interrupted)
            return {};
        std::vector<Measurement> pair(2);
        pair[0].before.preemptions = 3;
        pair[0].after.preemptions = visit.round % 8 == 7 ? 4 : 3;
        pair[1].timing.batch_ns = {static_cast<double>(visit.round)};
        return pair;
    }

    std::vector<VisitPlan> asked;
    std::size_t visits_until_interrupted = 4 * laps_in_visit;
};

constexpr unsigned laps_per_visit = laps_in_visit;

TEST(Transfer, IsOfLapsThatEachHaveAnOrderOfTheirOwnInAllVisits) {
    FakePair pair;
    for (unsigned visit = 0; visit < 4; ++visit)
        static_cast<void>(measure_laps(pair, visit));
    ASSERT_EQ(pair.asked.size(), 4 * laps_in_visit);
    for (unsigned lap = 0; lap < 4 * laps_in_visit; ++lap) {
        EXPECT_EQ(pair.asked[lap].round, lap);
        EXPECT_EQ(pair.asked[lap].bytes, bytes);
        EXPECT_EQ(pair.asked[lap].left.accesses, transferred_lines) << "one lap";
        EXPECT_EQ(pair.asked[lap].left.batches, 1U);
    }
}

TEST(Transfer, SetsLapsAsideWhoseOwnerLostItsProcessor) {
    FakePair pair;
    const auto measured = measure_laps(pair, 0);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->set_aside, laps_per_visit / 8);
    EXPECT_EQ(measured->lap_ns.size(), laps_per_visit - laps_per_visit / 8);
    EXPECT_EQ(std::ranges::count(measured->lap_ns, 7), 0);
}

TEST(Transfer, OfPartOfTheLapsIsNothing) {
    FakePair pair;
    pair.visits_until_interrupted = laps_per_visit - 1;
    EXPECT_FALSE(measure_laps(pair, 0).has_value());
}

/// What a visit to pairs of processors found: one lap of 100 ns for each pair and 1 ns for each visit.
class Transfers : public testing::Test {
protected:
    void measure(std::size_t visits_until_interrupted = 100) {
        const auto probe = [&](std::size_t pair, unsigned visit) -> std::optional<Transfer> {
            if (visited.size() == visits_until_interrupted)
                return std::nullopt;
            visited.push_back(pair);
            return Transfer{.lap_ns = {100.0 * static_cast<double>(pair) + visit}, .owner = {}};
        };
        const auto sink = [&](std::size_t pair, const std::vector<std::vector<double>>& visits) {
            given.push_back(pair);
            laps.push_back(visits);
        };
        measure_transfers(3, 4, probe, sink, [](const std::string&) {});
    }

    std::vector<std::size_t> visited;
    std::vector<std::size_t> given;
    std::vector<std::vector<std::vector<double>>> laps;
};

TEST_F(Transfers, VisitEveryPairBeforeOneIsVisitedAgain) {
    measure();
    EXPECT_EQ(visited, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST_F(Transfers, GiveForEachPairTheLapsOfEachVisit) {
    measure();
    EXPECT_EQ(given, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(laps.back(), (std::vector<std::vector<double>>{{200}, {201}, {202}, {203}}));
}

TEST_F(Transfers, GiveWhatWasVisitedWhenInterrupted) {
    measure(4);
    EXPECT_EQ(given, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(laps.front(), (std::vector<std::vector<double>>{{0}, {1}}));
    EXPECT_EQ(laps.back(), (std::vector<std::vector<double>>{{200}}));
}

TEST_F(Transfers, OfAPairTakeTheMedianOverItsVisitsOfTheirLowerQuartiles) {
    using Visits = std::vector<std::vector<double>>;
    EXPECT_EQ(transfer_ns_over(Visits{{25, 25, 25, 90}, {4, 4, 4, 4}, {}, {26, 26, 26, 26}}), 25);
    EXPECT_EQ(transfer_ns_over(Visits{{}, {}}), std::nullopt);
    EXPECT_EQ(transfer_ns_over({}), std::nullopt);
}

TEST(Transfer, NeitherAFewShortLapsNorManyLongOnesCount) {
    EXPECT_NEAR(transfer_ns({25, 24, 13.7, 24, 24, 25, 24, 300, 25, 24}), 24, 0.01);
    EXPECT_NEAR(transfer_ns({128, 24, 128, 24, 128, 128, 24, 128}), 24, 0.01);
    EXPECT_EQ(transfer_ns({23}), 23);
}

TEST(Transfer, GivesEveryLapAndWhatTheOwnerFound) {
    const std::atomic<bool> interrupted{false};
    const auto measured = measure_transfer({.pinned = false}, 0, SystemFiles(), interrupted);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->lap_ns.size() + measured->set_aside, laps_per_visit);
    for (const double ns : measured->lap_ns)
        EXPECT_GT(ns, 0);
    EXPECT_GE(measured->owner.pages.total_bytes, bytes);
}

TEST(Transfer, OfCleanLinesGivesEveryLap) {
    const std::atomic<bool> interrupted{false};
    const auto measured = measure_transfer({.clean = true, .pinned = false}, 0, SystemFiles(), interrupted);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->lap_ns.size() + measured->set_aside, laps_per_visit);
}

TEST(Transfer, IsNothingOnceInterrupted) {
    const std::atomic<bool> interrupted{true};
    EXPECT_FALSE(measure_transfer({.pinned = false}, 0, SystemFiles(), interrupted).has_value());
}

TEST(Transfer, TakesItsLinesFromTheNodeAskedFor) {
    const std::atomic<bool> interrupted{false};
    constexpr int on_no_machine = 1000;
    EXPECT_THROW(
        static_cast<void>(measure_transfer({.node = on_no_machine, .pinned = false}, 0, SystemFiles(), interrupted)),
        Error);
}

TEST(Transfer, RefusesAProcessorThatThereIsNot) {
    const std::atomic<bool> interrupted{false};
    EXPECT_THROW(static_cast<void>(measure_transfer({.reader = 100000, .owner = 0}, 0, SystemFiles(), interrupted)),
                 Error);
    EXPECT_THROW(static_cast<void>(measure_transfer({.reader = 0, .owner = 100000}, 0, SystemFiles(), interrupted)),
                 Error);
}

} // namespace
} // namespace memtest
