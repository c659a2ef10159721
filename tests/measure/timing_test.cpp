#include "memtest/measure/timing.hpp"

#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// A walk that takes the time it is told to, and remembers what was asked of it.
struct FakeWalk {
    FakeClock* clock;
    double ns_per_access;
    std::vector<std::size_t> asked{};

    std::size_t operator()(std::size_t accesses) {
        asked.push_back(accesses);
        clock->advance(static_cast<std::uint64_t>(std::llround(static_cast<double>(accesses) * ns_per_access)));
        return accesses;
    }
};

class TimeBatches : public testing::Test {
protected:
    Timing time(const TimingPlan& plan, double ns_per_access) {
        walk.ns_per_access = ns_per_access;
        return time_batches(
            plan, ns_per_access, [this](std::size_t n) { return walk(n); }, clock, quality, interrupted);
    }

    FakeClock clock{25};
    ClockQuality quality{.cost_ns = 25, .resolution_ns = 25};
    FakeWalk walk{&clock, 1};
    std::atomic<bool> interrupted{false};
};

TEST_F(TimeBatches, SplitsTheAccessesEvenlyAndMakesThemAll) {
    const Timing timing = time({.accesses = 10'000'001, .batches = 32}, 2);
    EXPECT_EQ(timing.batch_ns.size(), 32U);
    EXPECT_EQ(std::accumulate(walk.asked.begin(), walk.asked.end(), std::size_t{0}), 10'000'001U);
    const auto [fewest, most] = std::minmax_element(walk.asked.begin(), walk.asked.end());
    EXPECT_LE(*most - *fewest, 1U);
    EXPECT_EQ(timing.accesses, 10'000'001U);
    EXPECT_FALSE(timing.coarse);
    EXPECT_FALSE(timing.hit_limit);
}

TEST_F(TimeBatches, TakesOffWhatReadingTheClockCosts) {
    for (const double ns : time({.accesses = 1'000'000}, 2).batch_ns)
        EXPECT_DOUBLE_EQ(ns, 2);
}

TEST_F(TimeBatches, MakesFewerBatchesRatherThanTooShortOnes) {
    const Timing timing = time({.accesses = 60'000, .batches = 32}, 1);
    EXPECT_EQ(walk.asked, (std::vector<std::size_t>{30'000, 30'000}))
        << "each 1000 times the resolution of 25 ns or more";
    EXPECT_FALSE(timing.coarse);
}

TEST_F(TimeBatches, SaysWhenAllTheAccessesAreShortAgainstTheClock) {
    const Timing timing = time({.accesses = 100}, 1);
    EXPECT_EQ(timing.batch_ns.size(), 1U);
    EXPECT_TRUE(timing.coarse);
}

TEST_F(TimeBatches, OnAClockOfMicrosecondsAreStillRightToAThousandth) {
    FakeClock coarse(25, 1000);
    walk = {&coarse, 2};
    const auto walk_by = [this](std::size_t n) { return walk(n); };
    const Timing timing =
        time_batches({.accesses = 10'000'000}, 2, walk_by, coarse, measure_clock(coarse), interrupted);
    EXPECT_FALSE(timing.coarse);
    EXPECT_EQ(timing.batch_ns.size(), 20U) << "of a millisecond each";
    for (const double ns : timing.batch_ns)
        EXPECT_NEAR(ns, 2, 0.002);
}

TEST_F(TimeBatches, ABatchNoLongerThanReadingTheClockTellsNothing) {
    const Timing timing = time({.accesses = 1}, 0);
    EXPECT_TRUE(timing.batch_ns.empty());
    EXPECT_TRUE(timing.coarse);
}

TEST_F(TimeBatches, WithAPrecisionASizeThatIsSettledDoesNotSayLimitHoweverFewItsAccesses) {
    const Timing timing = time({.accesses = 1'000'000, .precision_percent = 2}, 1); // 1 ms in all
    EXPECT_GT(timing.batch_ns.size(), 5U);
    EXPECT_FALSE(timing.hit_limit);
}

TEST_F(TimeBatches, ALongBatchEndsSoonWhenInterruptedAndDoesNotCount) {
    std::uint64_t made = 0;
    const auto interrupting = [&](std::size_t n) {
        made += n;
        clock.advance(n);
        interrupted = true;
        return n;
    };
    const Timing timing =
        time_batches({.accesses = 1'000'000'000'000'000, .batches = 1}, 1, interrupting, clock, quality, interrupted);
    EXPECT_TRUE(timing.batch_ns.empty());
    EXPECT_LT(made, 100'000'000U);
}

TEST_F(TimeBatches, ASingleAccessIsTimed) {
    const Timing timing = time({.accesses = 1, .batches = 32}, 100);
    ASSERT_EQ(timing.batch_ns.size(), 1U);
    EXPECT_DOUBLE_EQ(timing.batch_ns[0], 100);
}

TEST_F(TimeBatches, WithAPrecisionStopsAsSoonAsTheEstimateIsSettled) {
    const Timing timing = time({.accesses = 100'000'000, .precision_percent = 2}, 100);
    EXPECT_FALSE(timing.hit_limit);
    EXPECT_EQ(timing.batch_ns.size(), 5U);
}

TEST_F(TimeBatches, WithAPrecisionTimesFastSizesLongEnoughToOutlastADisturbance) {
    const Timing timing = time({.accesses = 100'000'000, .precision_percent = 2}, 1);
    const std::size_t accesses = std::accumulate(walk.asked.begin(), walk.asked.end(), std::size_t{0});
    EXPECT_GE(accesses, 5'000'000U) << "5 ms of 1 ns each";
    EXPECT_LT(accesses, 6'000'000U);
    EXPECT_FALSE(timing.hit_limit);
}

TEST_F(TimeBatches, WithAPrecisionStopsAtTheLimitAndSaysSo) {
    double ns = 10;
    const auto never_the_same = [&](std::size_t n) {
        ns *= 1.1;
        clock.advance(static_cast<std::uint64_t>(ns * static_cast<double>(n)));
        return n;
    };
    // Every batch is slower than the one before, so none but the first agrees with the smallest.
    const Timing timing =
        time_batches({.accesses = 1'000'000, .precision_percent = 1}, 10, never_the_same, clock, quality, interrupted);
    EXPECT_TRUE(timing.hit_limit);
    EXPECT_GT(timing.batch_ns.size(), 10U);
}

TEST_F(TimeBatches, EndsBetweenBatchesWhenInterrupted) {
    const auto interrupting = [&](std::size_t n) {
        clock.advance(n);
        interrupted = true;
        return n;
    };
    EXPECT_EQ(time_batches({}, 1, interrupting, clock, quality, interrupted).batch_ns.size(), 1U);
}

TEST_F(TimeBatches, CountsTheAccessesThatWereMadeNotThoseAskedFor) {
    const auto rounding_up = [&](std::size_t n) {
        clock.advance(2 * (n + 10));
        return n + 10;
    };
    const Timing timing = time_batches({}, 2, rounding_up, clock, quality, interrupted);
    for (const double ns : timing.batch_ns)
        EXPECT_DOUBLE_EQ(ns, 2);
    EXPECT_EQ(timing.accesses, TimingPlan{}.accesses + 10 * timing.batch_ns.size());
}

/// Remembers when it was started and stopped, and what was walked in between.
class CountedBatches : public TimeBatches {
protected:
    Timing time_counted(const TimingPlan& plan) {
        const auto walked = [this](std::size_t n) {
            events += events.ends_with('w') ? "" : "w";
            return walk(n);
        };
        return time_batches(plan, walk.ns_per_access, walked, clock, quality, interrupted,
                            {.start = [this] { events += '<'; }, .stop = [this] { events += '>'; }});
    }

    std::string events; // < for a start, w for one batch or several, > for a stop
};

TEST_F(CountedBatches, AreCountedInOneStretchWhereNobodyAsksBetweenThem) {
    time_counted({.accesses = 10'000'000, .batches = 32});
    EXPECT_EQ(events, "<w>");
}

TEST_F(CountedBatches, AreNotCountedWhileItIsAskedWhetherTheyAreSettled) {
    walk.ns_per_access = 100;
    const Timing timing = time_counted({.accesses = 100'000'000, .precision_percent = 2});
    EXPECT_EQ(timing.batch_ns.size(), 5U);
    EXPECT_EQ(events, "<w><w>") << "asked after the fourth, which made it 5 ms, and after the fifth";
}

TEST_F(CountedBatches, AreCountedNoMoreOnceInterrupted) {
    interrupted = true;
    time_counted({});
    EXPECT_EQ(events, "<>");
}

TEST(Pilot, FindsTheTimeOfAnAccessWhateverTheClock) {
    for (const std::uint64_t tick : {1U, 1000U}) {
        FakeClock clock(20, tick);
        FakeWalk walk{&clock, 3};
        const ClockQuality quality = measure_clock(clock);
        const double ns = pilot_ns_per_access([&](std::size_t n) { return walk(n); }, clock, quality);
        EXPECT_NEAR(ns, 3, 0.3) << "tick " << tick;
    }
}

} // namespace
} // namespace memtest
