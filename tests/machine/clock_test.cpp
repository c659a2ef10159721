#include "memtest/machine/clock.hpp"

#include "memtest/machine/core_clock.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(Clock, TheMonotonicOneNeverGoesBack) {
    MonotonicClock clock;
    std::uint64_t before = clock.now_ns();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = clock.now_ns();
        EXPECT_GE(now, before);
        before = now;
    }
}

TEST(Clock, OfAFineOneTheCostIsTheSmallestStep) {
    FakeClock clock(25);
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.cost_ns, 25);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 25);
}

TEST(Clock, OfACoarseOneTheResolutionIsATickAndTheCostFarBelow) {
    FakeClock clock(100, 10'000'000);
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 10'000'000);
    EXPECT_NEAR(quality.cost_ns, 100, 10);
}

TEST(CoreClock, IsAPlausibleFrequencyOrNotKnown) {
    MonotonicClock clock;
    const auto ghz = measure_core_clock_ghz(clock, measure_clock(clock));
    ASSERT_EQ(ghz.has_value(), addition_takes_one_cycle);
    if (!ghz)
        return;
    EXPECT_GT(*ghz, 0.01); // an emulator
    EXPECT_LT(*ghz, 10.0); // no chain of additions is faster than any core's clock: it was not timed if this fails
}

} // namespace
} // namespace memtest
