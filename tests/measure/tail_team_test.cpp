#include "memtest/measure/tail_team.hpp"

#include "memtest/base/units.hpp"
#include "memtest/chain/walk.hpp"
#include "support/until.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace memtest {
namespace {

/// Threads that are not bound: they run on a machine with one processor, too.
TeamPlan plan_of(std::size_t threads) {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.largest_bytes = 4 * mib;
    plan.area_bytes = 4 * mib;
    plan.processors.resize(threads);
    plan.pinned = false;
    return plan;
}

constexpr TickScale scale{.ns_per_tick = 0.5, .resolution_ticks = 1};

class TailTeams : public testing::Test {
protected:
    void SetUp() override {
        if (!has_tick_counter)
            GTEST_SKIP() << "programs cannot read a counter here";
    }

    std::atomic<bool> interrupted{false};
};

std::uint64_t counted(const TailSamples& samples) {
    std::uint64_t all = samples.set_aside;
    for (const auto& [ticks, count] : samples.counts)
        all += count;
    return all;
}

TEST_F(TailTeams, AVisitSamplesStretchesAndCountsEachSampleOnce) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto samples = team.visit({.bytes = 2 * mib, .samples = 5000});
    ASSERT_TRUE(samples.has_value());
    EXPECT_GE(samples->made, 5000U);
    EXPECT_LT(samples->made, 5000U + 1024);
    EXPECT_EQ(counted(*samples), samples->made);
    EXPECT_GE(samples->batches.size(), 5U);
    EXPECT_EQ(samples->cost_ticks.size(), 1U);
    EXPECT_EQ(samples->group, 1U) << "a hop takes longer than half a ns";
}

TEST_F(TailTeams, ALargerGroupTakesLonger) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto fastest = [&](std::size_t group) {
        const auto samples = team.visit({.bytes = 2 * mib, .samples = 5000, .group = group});
        return samples->counts.empty() ? 0 : samples->counts.begin()->first;
    };
    EXPECT_TRUE(until([&] { return fastest(256) > 50 * fastest(1); })) << "some 256 times, with the readings taken off";
}

TEST_F(TailTeams, AStretchOfLongSamplesHasFewer) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    const auto fewest = [&](std::size_t group) {
        return team.visit({.bytes = 2 * mib, .samples = 2000, .group = group})->batches.size();
    };
    EXPECT_GE(fewest(4096), 62U) << "32 in each";
    EXPECT_TRUE(until([&] { return fewest(1) < 10; }));
}

TEST_F(TailTeams, AShortLapLeavesNoMomentsAsItsSlowLinesComeBackWithIt) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    EXPECT_TRUE(team.visit({.bytes = 16 * kib, .samples = 4000, .group = 1})->stretches.empty());
    EXPECT_TRUE(until(
        [&] { return !team.visit({.bytes = 2 * mib, .round = 1, .samples = 4000, .group = 1})->stretches.empty(); }));
}

TEST_F(TailTeams, ItsLoadersRunWithAPauseAndRestWithout) {
    TailTeam team(plan_of(2), {}, scale, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    const auto lines_per_ns = [&](std::optional<std::size_t> pause) {
        const auto samples = team.visit({.bytes = 2 * mib, .load = {.pause = pause}, .samples = 20'000});
        double sum = 0;
        for (const LoadBatch& batch : samples->batches)
            sum += batch.lines_per_ns.at(0);
        return sum;
    };
    EXPECT_EQ(lines_per_ns(std::nullopt), 0);
    EXPECT_TRUE(until([&] { return lines_per_ns(0) > 0; }));
}

TEST_F(TailTeams, WithALoaderBelowItsRateNoStretchCounts) {
    TailTeam team(plan_of(2), {}, scale, SystemFiles(), interrupted);
    const auto samples = team.visit({.bytes = 2 * mib, .load = {.pause = 0, .lines_per_ns = {1e6}}, .samples = 4000});
    EXPECT_EQ(samples->set_aside, samples->made);
}

TEST_F(TailTeams, AnInterruptedVisitGivesNothing) {
    TailTeam team(plan_of(1), {}, scale, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_EQ(team.visit({.bytes = 2 * mib, .samples = 4000}), std::nullopt);
}

} // namespace
} // namespace memtest
