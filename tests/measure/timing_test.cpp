#include "memtest/measure/timing.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/walk.hpp"

#include "support/fake_clock.hpp"
#include "support/test.hpp"

#include <numeric>

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
            plan, ns_per_access > 0 ? shortest_batch(plan, ns_per_access, quality) : 1,
            [this](std::size_t n) { return walk(n); }, clock, quality, interrupted);
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
}

TEST_F(TimeBatches, MakesNoMoreBatchesThanAskedFor) {
    EXPECT_EQ(time({.accesses = 100, .batches = 32}, 1000).batch_ns.size(), 4U) << "long enough for the clock";
    EXPECT_EQ(time({.accesses = 100, .batches = 32}, 1e6).batch_ns.size(), 32U);
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
    const ClockQuality quality_of_coarse = measure_clock(coarse);
    const Timing timing = time_batches({.accesses = 10'000'000}, shortest_batch({}, 2, quality_of_coarse), walk_by,
                                       coarse, quality_of_coarse, interrupted);
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

TEST_F(TimeBatches, ALongBatchEndsSoonWhenInterruptedAndDoesNotCount) {
    std::uint64_t made = 0;
    const auto interrupting = [&](std::size_t n) {
        made += n;
        clock.advance(n);
        interrupted = true;
        return n;
    };
    const Timing timing = time_batches({.accesses = 1'000'000'000'000'000, .batches = 1}, 25'000, interrupting, clock,
                                       quality, interrupted);
    EXPECT_TRUE(timing.batch_ns.empty());
    EXPECT_LT(made, 100'000'000U);
}

TEST_F(TimeBatches, ASingleAccessIsTimed) {
    const Timing timing = time({.accesses = 1, .batches = 32}, 100);
    ASSERT_EQ(timing.batch_ns.size(), 1U);
    EXPECT_DOUBLE_EQ(timing.batch_ns[0], 100);
}

TEST_F(TimeBatches, WithAPrecisionAreHalfAMillisecondAtMostSoThatSomeMissOtherProcesses) {
    const Timing timing = time({.accesses = any_number_of_accesses, .precision_percent = 2}, 200);
    EXPECT_EQ(timing.batch_ns.size(), 10U);
    EXPECT_NEAR(static_cast<double>(timing.accesses), 25'000, 100);
    EXPECT_EQ(shortest_batch({}, 30, {.resolution_ns = 1}), 34U) << "1000 ns, rounded up";
    EXPECT_EQ(shortest_batch({.precision_percent = 2}, 30, quality), 16384U) << "many samples of hits and misses";
}

TEST_F(TimeBatches, WithAPrecisionAreFiveMillisecondsWhereTheyAreShort) {
    const Timing timing = time({.accesses = any_number_of_accesses, .precision_percent = 2}, 1);
    EXPECT_GE(timing.accesses, 5'000'000U) << "of 1 ns each";
    EXPECT_LT(timing.accesses, 5'100'000U);
    EXPECT_EQ(timing.batch_ns.size(), 50U) << "of 0.1 ms each";
}

TEST_F(TimeBatches, WithAPrecisionAreOneOfAnyLengthWhereItIsLong) {
    const Timing timing = time_batches(
        {.accesses = any_number_of_accesses, .precision_percent = 2}, 200'000,
        [this](std::size_t n) { return walk(n); }, clock, quality, interrupted);
    EXPECT_EQ(timing.batch_ns.size(), 25U) << "of 0.2 ms";
    walk.ns_per_access = 100;
    EXPECT_EQ(time_batches(
                  {.accesses = any_number_of_accesses, .precision_percent = 2}, 200'000,
                  [this](std::size_t n) { return walk(n); }, clock, quality, interrupted)
                  .batch_ns.size(),
              1U)
        << "of 20 ms";
}

TEST_F(TimeBatches, WithAPrecisionMakeNoMoreAccessesThanTheLimitAndShareThemEvenly) {
    EXPECT_EQ(time({.accesses = 450'000, .precision_percent = 2}, 1).accesses, 450'000U);
    EXPECT_EQ(walk.asked, (std::vector<std::size_t>(4, 112'500)));
}

TEST_F(TimeBatches, EndsBetweenBatchesWhenInterrupted) {
    const auto interrupting = [&](std::size_t n) {
        clock.advance(n);
        interrupted = true;
        return n;
    };
    EXPECT_EQ(time_batches({}, 25'000, interrupting, clock, quality, interrupted).batch_ns.size(), 1U);
}

TEST_F(TimeBatches, CountsTheAccessesThatWereMadeNotThoseAskedFor) {
    const auto rounding_up = [&](std::size_t n) {
        clock.advance(2 * (n + 10));
        return n + 10;
    };
    const Timing timing = time_batches({}, 12'500, rounding_up, clock, quality, interrupted);
    for (const double ns : timing.batch_ns)
        EXPECT_DOUBLE_EQ(ns, 2);
    EXPECT_EQ(timing.accesses, TimingPlan{}.accesses + 10 * timing.batch_ns.size());
}

// --- the share of a visit

/// The shares of visits one after the other, until all is used up.
std::vector<std::uint64_t> shares(TimingPlan left, std::uint64_t shortest) {
    std::vector<std::uint64_t> accesses;
    while (left.visits > 0 && left.accesses > 0) {
        const TimingPlan share = share_of_visit(left, shortest);
        accesses.push_back(share.accesses);
        left.accesses -= share.accesses;
        left.batches -= share.batches;
        --left.visits;
    }
    return accesses;
}

using Shares = std::vector<std::uint64_t>;

TEST(ShareOfVisit, IsEvenAndAllSharesTogetherAreAll) {
    EXPECT_EQ(shares({.accesses = 1'000'001, .visits = 4}, 1000), (Shares{250'000, 250'000, 250'000, 250'001}));
    EXPECT_EQ(shares({.accesses = 1'000'001, .visits = 1}, 1000), (Shares{1'000'001}));
}

TEST(ShareOfVisit, IsNeverTooShortForTheClock) {
    EXPECT_EQ(shares({.accesses = 1000, .visits = 4}, 400), (Shares{500, 500}));
    EXPECT_EQ(shares({.accesses = 1000, .visits = 4}, 600), (Shares{1000}));
    EXPECT_EQ(shares({.accesses = 1, .visits = 4}, 600), (Shares{1}));
}

TEST(ShareOfVisit, HasABatchOfThoseAskedFor) {
    EXPECT_EQ(shares({.accesses = 1000, .batches = 1, .visits = 4}, 1), (Shares{1000}));
    EXPECT_EQ(shares({.accesses = 1000, .batches = 2, .visits = 4}, 1), (Shares{500, 500}));
    EXPECT_EQ(share_of_visit({.accesses = 1000, .batches = 32, .visits = 4}, 1).batches, 8U);
    EXPECT_EQ(shares({.accesses = 1000, .batches = 1, .visits = 4, .precision_percent = 2}, 1).size(), 4U)
        << "with a precision their number is not asked for";
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

TEST(Pilot, IsNotFooledByAProcessorThatWasTakenAway) {
    FakeClock clock(20);
    FakeWalk walk{&clock, 3};
    const ClockQuality quality = measure_clock(clock);
    for (const int when : {0, 3, 4, 5}) { // the walks are 64, 128 and three of 256 accesses
        int walks = 0;
        const auto walk_by = [&](std::size_t n) {
            if (walks++ == when)
                clock.advance(4'000'000);
            return walk(n);
        };
        EXPECT_NEAR(pilot_ns_per_access(walk_by, clock, quality), 3, 0.3) << when;
    }
}

/// Differences between readings of a counter that steps by so many ticks, which a hypervisor may scale.
std::vector<std::uint64_t> differences(double step_ticks) {
    const auto reading = [&](double ticks) {
        return static_cast<std::uint64_t>(std::floor(ticks / step_ticks) * step_ticks);
    };
    std::vector<std::uint64_t> all;
    double at = 12345;
    for (int i = 0; i < 4096; ++i) {
        const double before = at;
        at += 41.3 + 0.71 * (i % 256);
        all.push_back(reading(at) - reading(before));
    }
    return all;
}

TEST(TickScale, TheResolutionIsTheStepOfTheReadingsAndNotTheCostOfOne) {
    EXPECT_DOUBLE_EQ(resolution_of(differences(26)), 26) << "as on an AMD EPYC: 100 MHz, counted in ticks of 2.6 GHz";
    EXPECT_DOUBLE_EQ(resolution_of(differences(40)), 40) << "25 MHz, counted in ns";
    EXPECT_NEAR(resolution_of(differences(25.93)), 25.93, 0.3) << "scaled by a hypervisor";
    auto interrupted = differences(25.93);
    interrupted.push_back(1'000'003);
    EXPECT_NEAR(resolution_of(interrupted), 25.93, 0.3) << "the error of a step adds up in a long difference";
    EXPECT_DOUBLE_EQ(resolution_of(differences(1)), 1);
    EXPECT_DOUBLE_EQ(resolution_of(differences(2)), 2) << "even counts alone";
}

TEST(TickScale, OfACoarseCounterItIsATick) {
    EXPECT_DOUBLE_EQ(resolution_of(std::vector<std::uint64_t>{0, 0, 1, 0, 2, 0, 0, 1, 3}), 1) << "24 MHz";
}

constexpr double ns_per_tick = 0.4;

/// A counter that runs by a fake clock.
std::uint64_t ticks_of(FakeClock& clock) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(clock.now_ns()) / ns_per_tick));
}

TEST(TickScale, IsTheRateThatTwoTrialsOfTwentyMillisecondsAgreeOn) {
    FakeClock clock(50);
    const std::uint64_t start_ns = clock.now_ns();
    const TickScale scale = measure_tick_rate(clock, [&] { return ticks_of(clock); });
    EXPECT_NEAR(scale.ns_per_tick, ns_per_tick, 1e-4 * ns_per_tick);
    EXPECT_TRUE(scale.is_settled);
    EXPECT_EQ(scale.resolution_ticks, 0) << "is not measured";
    EXPECT_NEAR(static_cast<double>(clock.now_ns() - start_ns), 40e6, 1e5);
}

TEST(TickScale, IsRightWhereverTheProcessorIsTakenAwayOnce) {
    for (int when = 0; when < 500; ++when) { // a trial takes some 134 readings of the counter
        FakeClock clock(50'000);
        int readings = 0;
        const TickScale scale = measure_tick_rate(clock, [&] {
            const bool is_now = readings++ == when / 2;
            if (is_now && when % 2 == 0)
                clock.advance(5'000'000);
            const std::uint64_t ticks = ticks_of(clock);
            if (is_now && when % 2 == 1)
                clock.advance(5'000'000);
            return ticks;
        });
        ASSERT_NEAR(scale.ns_per_tick, ns_per_tick, 1e-3 * ns_per_tick) << when;
        ASSERT_TRUE(scale.is_settled) << when;
    }
}

TEST(TickScale, IsRightWhereTheProcessorIsTakenAwayInAllButOneOfFiveReadings) {
    for (const int quiet : {0, 2, 4}) {
        FakeClock clock(50);
        int readings = 0;
        const TickScale scale = measure_tick_rate(clock, [&] {
            const std::uint64_t ticks = ticks_of(clock);
            if (readings++ % 5 != quiet)
                clock.advance(static_cast<std::uint64_t>(100'000 * (1 + readings * 37 % 11)));
            return ticks;
        });
        EXPECT_NEAR(scale.ns_per_tick, ns_per_tick, 1e-4 * ns_per_tick) << quiet;
        EXPECT_TRUE(scale.is_settled) << quiet;
    }
}

TEST(TickScale, OfACounterThatRunsFasterAndFasterIsNotSettled) {
    FakeClock clock(5'000);
    const TickScale scale = measure_tick_rate(clock, [&] { return clock.now_ns() / 1000 * clock.now_ns(); });
    EXPECT_FALSE(scale.is_settled);
    EXPECT_GT(scale.ns_per_tick, 0);
}

TEST(TickScale, ACounterThatStandsStillIsRefused) {
    FakeClock clock(5'000);
    EXPECT_THROW(static_cast<void>(measure_tick_rate(clock, [] { return 7; })), Error);
}

TEST(TickScale, ACounterIsCalibratedAgainstTheSystemsClockOrRefused) {
    MonotonicClock clock;
    if (!has_tick_counter) {
        EXPECT_THROW(static_cast<void>(measure_ticks(clock)), Error);
        return;
    }
    const TickScale scale = measure_ticks(clock);
    EXPECT_GT(scale.ns_per_tick, 0);
    EXPECT_GT(scale.resolution_ns(), 0);
}

} // namespace
} // namespace memtest
