#include "memtest/insight/tail.hpp"

#include "memtest/chain/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

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

TEST(Tail, BinsAreSixteenToADoublingAndEmptyOnesAreLeftOut) {
    const TailScale ns{.ns_per_tick = 1, .resolution_ns = 1};
    const auto bins = tail_bins({{128, 3}, {133, 4}, {134, 5}, {256, 8}}, ns);
    ASSERT_EQ(bins.size(), 3U);
    EXPECT_DOUBLE_EQ(bins[0].from_ns, 128);
    EXPECT_NEAR(bins[0].to_ns, 133.67, 0.01);
    EXPECT_EQ(bins[0].samples, 7U);
    EXPECT_DOUBLE_EQ(bins[0].slower_percent, 65);
    EXPECT_EQ(bins[1].samples, 5U);
    EXPECT_DOUBLE_EQ(bins[1].from_ns, bins[0].to_ns);
    EXPECT_DOUBLE_EQ(bins[1].slower_percent, 40);
    EXPECT_DOUBLE_EQ(bins[2].from_ns, 256);
    EXPECT_DOUBLE_EQ(bins[2].slower_percent, 0);
    EXPECT_DOUBLE_EQ(tail_bins({{0, 1}}, ns).front().to_ns, std::exp2(-15.0 / 16)) << "within the first step";
}

TEST(Tail, BinsOfGroupsAreOfAnAccess) {
    EXPECT_DOUBLE_EQ(tail_bins({{256, 1}}, tail_scale({.ns_per_tick = 0.5, .resolution_ticks = 1}, 64)).front().from_ns,
                     2);
}

constexpr double ns_per_tick = 0.4;

/// Stretches of a memory whose accesses take 100 to 130 ns, and longer at some moments.
/// @param extra_ns of an access at this moment, the next of the random numbers in hand
std::vector<Stretch> stretches_of(std::size_t count, const std::function<double(double at_ns, SplitMix64&)>& extra_ns) {
    SplitMix64 random(7);
    TailSamples samples{.cost_ticks = {0}};
    double at_ns = 0;
    for (std::size_t stretch = 0; stretch < count; ++stretch) {
        std::vector<std::uint64_t> readings;
        for (int sample = 0; sample <= 1024; ++sample) {
            readings.push_back(static_cast<std::uint64_t>(at_ns / ns_per_tick));
            at_ns += 180 + static_cast<double>(random.below(30)) + extra_ns(at_ns, random);
        }
        add_stretch(samples, readings, true, {.ns_per_tick = ns_per_tick, .resolution_ticks = 1});
        at_ns += 31'234; // to the next stretch
    }
    return samples.stretches;
}

/// What an access waits for a refresh that keeps the memory busy for a time at the end of each period.
double wait_ns(double at_ns, double period_ns, double busy_ns) {
    const double phase_ns = std::fmod(at_ns, period_ns);
    return phase_ns > period_ns - busy_ns ? period_ns - phase_ns : 0;
}

std::optional<Recurrence> found_in(const std::vector<Stretch>& stretches) {
    return find_recurrence(stretches, ns_per_tick, 195 / ns_per_tick);
}

TEST(Refresh, IsFoundAtItsPeriodWithWhatItAdds) {
    for (const double period_ns : {7800.0, 3900.0, 1950.0}) {
        const auto found =
            found_in(stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, period_ns, 350); }));
        ASSERT_TRUE(found.has_value()) << period_ns;
        EXPECT_NEAR(found->period_ns, period_ns, 0.01 * period_ns);
        EXPECT_LT(found->chance, 1e-9);
        EXPECT_GT(found->slower_ns, 100);
        EXPECT_LT(found->slower_ns, 350);
    }
}

TEST(Refresh, IsFoundWhereMostSlowAccessesHaveOtherCauses) {
    const auto found = found_in(stretches_of(400, [&](double at_ns, SplitMix64& random) {
        return random.below(25) == 0 ? 200.0 : wait_ns(at_ns, 7800, 120);
    }));
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->period_ns, 7800, 80);
}

TEST(Refresh, IsNotFoundInNoise) {
    EXPECT_EQ(found_in(stretches_of(400, [](double, SplitMix64&) { return 0; })), std::nullopt) << "no tail at all";
    EXPECT_EQ(found_in(stretches_of(400, [](double, SplitMix64& random) { return random.below(20) == 0 ? 250 : 0; })),
              std::nullopt);
}

TEST(Refresh, IsNotFoundInBurstsWithoutAPeriod) {
    double until_ns = 0;
    EXPECT_EQ(found_in(stretches_of(400,
                                    [&](double at_ns, SplitMix64& random) {
                                        if (random.below(100) == 0)
                                            until_ns = at_ns + static_cast<double>(random.below(4000));
                                        return at_ns < until_ns ? 150.0 : 0.0;
                                    })),
              std::nullopt);
}

TEST(Refresh, IsNotFoundWhereASlowAccessKeepsTheNextFromBeingSlow) {
    bool was_slow = false;
    EXPECT_EQ(found_in(stretches_of(400,
                                    [&](double, SplitMix64& random) {
                                        was_slow = !was_slow && random.below(15) == 0;
                                        return was_slow ? 150.0 : 0.0;
                                    })),
              std::nullopt);
}

TEST(Refresh, IsNotFoundWhereOnlyOneHalfOfTheRunShowsIt) {
    const auto with = stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, 7800, 350); });
    const auto without = stretches_of(100, [](double, SplitMix64& random) { return random.below(20) == 0 ? 250 : 0; });
    for (const auto& [first, second] : {std::pair(&with, &without), {&without, &with}}) {
        std::vector<Stretch> both = *first;
        both.insert(both.end(), second->begin(), second->end());
        EXPECT_EQ(found_in(both), std::nullopt);
    }
    std::vector<Stretch> both = with;
    both.insert(both.end(), with.begin(), with.end());
    EXPECT_TRUE(found_in(both).has_value());
}

TEST(Refresh, IsNotSoughtInShortStretchesOrFew) {
    auto stretches = stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, 7800, 350); });
    EXPECT_EQ(found_in({stretches.front()}), std::nullopt);
    for (Stretch& stretch : stretches)
        stretch.ticks /= 2;
    EXPECT_EQ(found_in(stretches), std::nullopt);
    EXPECT_EQ(found_in({}), std::nullopt);
    stretches = stretches_of(100, [&](double at_ns, SplitMix64&) { return wait_ns(at_ns, 7800, 350); });
    stretches[50].some_at_ticks.clear();
    stretches[51].slow.clear();
    EXPECT_TRUE(found_in(stretches).has_value()) << "a stretch without moments tells nothing";
}

} // namespace
} // namespace memtest
