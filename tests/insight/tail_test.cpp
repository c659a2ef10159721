#include "memtest/insight/tail.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

/// 100000 samples of 1, 2, ... ticks.
TickCounts one_of_each() {
    TickCounts counts;
    for (std::uint64_t ticks = 1; ticks <= 100'000; ++ticks)
        counts[ticks] = 1;
    return counts;
}

TEST(Tail, APercentileIsTheLatencyThatSoManySamplesDoNotExceed) {
    const TickCounts counts = one_of_each();
    EXPECT_EQ(percentile(counts, 50), 50'000U);
    EXPECT_EQ(percentile(counts, 90), 90'000U);
    EXPECT_EQ(percentile(counts, 99), 99'000U);
    EXPECT_EQ(percentile(counts, 99.9), 99'900U);
    EXPECT_EQ(percentile(counts, 99.99), 99'990U);
}

TEST(Tail, EachSampleOfALatencyCounts) {
    const TickCounts counts{{100, 899}, {200, 90}, {700, 11}};
    EXPECT_EQ(percentile(counts, 50), 100U);
    EXPECT_EQ(percentile(counts, 89.9), 100U);
    EXPECT_EQ(percentile(counts, 90), 200U);
    EXPECT_EQ(percentile(counts, 98.9), 200U);
    EXPECT_EQ(percentile(counts, 99), 700U);
}

TEST(Tail, WithFewerThanTenSamplesBeyondAPercentileIsNotKnown) {
    EXPECT_EQ(percentile({{100, 1000}}, 99), 100U);
    EXPECT_EQ(percentile({{100, 999}}, 99), std::nullopt);
    EXPECT_EQ(percentile({}, 50), std::nullopt);
}

TEST(Tail, NothingIsFinerThanTheResolutionOfAnAccess) {
    const TickScale amd{.ns_per_tick = 0.3852, .resolution_ticks = 26}; // 10.015 ns
    const TailScale single = tail_scale(amd, 1);
    EXPECT_EQ(single.rounded_ns(26), 10.0);
    EXPECT_EQ(single.rounded_ns(38), 10.0) << "14.6 ns";
    EXPECT_EQ(single.rounded_ns(40), 20.0) << "15.4 ns";
    EXPECT_EQ(single.rounded_ns(1300), 501.0) << "50 steps, without digits that they do not have";
    EXPECT_EQ(single.rounded_ns(12), std::nullopt) << "less than half a step";
    const TailScale grouped = tail_scale(amd, 128);
    EXPECT_EQ(grouped.rounded_ns(26 * 16), 1.25) << "16 steps of 0.0782 ns";
    const TailScale arm = tail_scale({.ns_per_tick = 1000.0 / 24, .resolution_ticks = 1}, 1);
    EXPECT_EQ(arm.rounded_ns(3), 125.0) << "24 MHz";
    const TailScale fine = tail_scale({.ns_per_tick = 0.5, .resolution_ticks = 1}, 1);
    EXPECT_EQ(fine.rounded_ns(157), 78.5);
}

} // namespace
} // namespace memtest
