#include "memtest/machine/clock.hpp"

#include "memtest/machine/core_clock.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

/// Says that what happens between its readings takes so long, each after the other.
class ScriptedClock : public Clock {
public:
    explicit ScriptedClock(std::vector<std::uint64_t> spans_ns) : spans_ns_(std::move(spans_ns)) {}

    std::uint64_t now_ns() override {
        if (reading_++ % 2 == 1)
            now_ns_ += spans_ns_.at(reading_ / 2 - 1);
        return now_ns_;
    }

private:
    std::vector<std::uint64_t> spans_ns_;
    std::size_t reading_ = 0;
    std::uint64_t now_ns_ = 0;
};

TEST(CoreClock, IsThatOfTheMedianTrial) {
    if (!addition_takes_one_cycle)
        GTEST_SKIP() << "not known here";
    // 131072 additions each: once interrupted, once while the clock leaped.
    ScriptedClock clock({43'700, 90'000, 43'690, 38'000, 43'691});
    const auto ghz = measure_core_clock_ghz(clock, {.cost_ns = 0, .resolution_ns = 20});
    EXPECT_NEAR(ghz.value(), 131'072.0 / 43'691, 1e-9);
}

TEST(CoreClock, TakesLongerTrialsOnACoarseClock) {
    if (!addition_takes_one_cycle)
        GTEST_SKIP() << "not known here";
    ScriptedClock clock({40'000, 500'000, 500'000, 500'000, 500'000, 500'000});
    const auto ghz = measure_core_clock_ghz(clock, {.cost_ns = 0, .resolution_ns = 1000});
    EXPECT_NEAR(ghz.value(), 262'144.0 / 500'000, 1e-9) << "twice the additions, as the first took less than 0.5 ms";
}

} // namespace
} // namespace memtest
