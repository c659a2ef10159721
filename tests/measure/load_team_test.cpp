#include "memtest/measure/load_team.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "support/until.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {
namespace {

/// Two threads, not bound: they run on a machine with one processor, too.
TeamPlan small_plan() {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.largest_bytes = 4 * mib;
    plan.area_bytes = 4 * mib;
    plan.processors = {0, 1};
    plan.pinned = false;
    return plan;
}

/// The lines that the loader reads per ns in a visit.
double lines_per_ns(LoadTeam& team, std::optional<std::size_t> pause) {
    const auto batches = team.visit(pause, 0);
    EXPECT_EQ(batches.size(), 16U);
    double sum = 0;
    for (const LoadBatch& batch : batches) {
        EXPECT_GT(batch.ns_per_access, 0);
        sum += batch.lines_per_ns.at(0) / static_cast<double>(batches.size());
    }
    return sum;
}

TEST(LoadTeam, ItsLoadersRestWithoutAPauseAndRunWithOne) {
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    EXPECT_EQ(lines_per_ns(team, std::nullopt), 0);
    EXPECT_TRUE(until([&] { return lines_per_ns(team, 64) > 0; })) << "a busy machine may keep it away for a visit";
    EXPECT_EQ(lines_per_ns(team, std::nullopt), 0);
}

/// The time that this program has spent in its threads.
double seconds_used() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

TEST(LoadTeam, WithAnEndlessPauseItsLoadersAreBusyAndReadNothing) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan();
    plan.processors.assign(4, 0);
    LoadTeam team(plan, {}, SystemFiles(), interrupted);
    const auto most_used_in_visit = [&](std::optional<std::size_t> pause) {
        double most = 0;
        for (int visit = 0; visit < 5; ++visit) {
            const double before = seconds_used();
            EXPECT_EQ(lines_per_ns(team, pause), 0);
            most = std::max(most, seconds_used() - before);
        }
        return most;
    };
    static_cast<void>(most_used_in_visit(std::nullopt)); // links the chain
    EXPECT_TRUE(until([&] { return most_used_in_visit(endless_pause) > 1.2 * most_used_in_visit(std::nullopt); }));
}

TEST(LoadTeam, ALongPauseBoundsTheLoadHoweverBusyTheMachine) {
    constexpr std::size_t pause = std::size_t{1} << 22U; // takes 0.7 ms or more for each 64 lines: 1e-4 lines per ns
    constexpr double far_below_any_peak = 1e-3;
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    EXPECT_LT(lines_per_ns(team, pause), far_below_any_peak);
}

TEST(LoadTeam, TellsTheRateOfEachLoader) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan();
    plan.processors = {0, 1, 2};
    LoadTeam team(plan, {}, SystemFiles(), interrupted);
    for (const std::size_t loader : {0U, 1U}) {
        EXPECT_TRUE(until([&] {
            return std::ranges::any_of(team.visit(64, 0),
                                       [&](const LoadBatch& batch) { return batch.lines_per_ns.at(loader) > 0; });
        })) << loader;
    }
}

TEST(LoadTeam, SaysWhereItsWalkerLostTheProcessorAndNowhereElse) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan();
    plan.processors.assign(2, current_processor());
    plan.pinned = !refusal_to_pin().has_value();
    if (!plan.pinned)
        GTEST_SKIP() << "threads cannot be bound here";
    LoadTeam team(plan, {}, SystemFiles(), interrupted);
    const auto has = [](const std::vector<LoadBatch>& batches, bool preempted) {
        return std::ranges::count(batches, preempted, &LoadBatch::preempted) > 0;
    };
    EXPECT_TRUE(until([&] { return has(team.visit(64, 0), true); })) << "the loader runs there, too";
    EXPECT_TRUE(until([&] { return has(team.visit(std::nullopt, 0), false); })) << "the loader rests";
}

TEST(LoadTeam, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_TRUE(team.visit(0, 0).empty());
}

} // namespace
} // namespace memtest
