#include "memtest/measure/tick_scale.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/tick_counter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace memtest {
namespace {

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

TEST(TickScale, ACounterIsCalibratedAgainstTheSystemsClockOrRefused) {
    MonotonicClock clock;
    if (!has_tick_counter) {
        EXPECT_THROW(static_cast<void>(measure_ticks(clock)), Error);
        return;
    }
    const TickScale scale = measure_ticks(clock);
    const std::uint64_t start_ns = clock.now_ns();
    const std::uint64_t start = ticks_after(0);
    while (clock.now_ns() < start_ns + 20'000'000) {
    }
    const double ns = scale.ns_per_tick * static_cast<double>(ticks_after(0) - start);
    EXPECT_NEAR(ns / static_cast<double>(clock.now_ns() - start_ns), 1, 0.2) << "busy machines take their time between";
    EXPECT_GT(scale.resolution_ns(), 0);
}

} // namespace
} // namespace memtest
