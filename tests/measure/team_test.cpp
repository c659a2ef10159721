#include "memtest/measure/team.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/processors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace memtest {
namespace {

TeamPlan small_plan(std::size_t threads) {
    TeamPlan plan;
    plan.shape.order = Order::random;
    plan.timing = {.accesses = 20'000, .batches = 4};
    plan.memory_bytes = 1U << 20U;
    plan.processors = allowed_processors();
    plan.processors.resize(threads, plan.processors.front());
    return plan;
}

TEST(Team, MeasuresEverySizeOnEveryThread) {
    const std::atomic<bool> interrupted{false};
    Team team(small_plan(2), SystemFiles(), interrupted);
    for (const std::size_t size : {512U, 4096U, 4096U, 1U << 20U}) {
        const auto measurements = team.measure(size);
        ASSERT_EQ(measurements.size(), 2U);
        for (const Measurement& m : measurements) {
            ASSERT_FALSE(m.timing.batch_ns.empty());
            EXPECT_GT(m.timing.batch_ns.front(), 0);
            EXPECT_GT(m.ghz_before, 0);
            EXPECT_GT(m.ghz_after, 0);
        }
    }
}

TEST(Team, RunsOnTheProcessorsAskedFor) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan(1);
    plan.processors = {allowed_processors().back()};
    Team team(plan, SystemFiles(), interrupted);
    const auto measurements = team.measure(4096);
    EXPECT_EQ(measurements.at(0).before.processor, plan.processors[0]);
    EXPECT_EQ(measurements.at(0).after.processor, plan.processors[0]);
}

TEST(Team, MeasuresEveryShapeOfChain) {
    const std::atomic<bool> interrupted{false};
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (const unsigned parallel : {1U, 4U}) {
            for (const std::optional<unsigned> laps : {std::optional<unsigned>{}, {0U}, {2U}}) {
                TeamPlan plan = small_plan(1);
                plan.shape.order = order;
                plan.shape.parallel = parallel;
                plan.warmup_laps = laps;
                Team team(plan, SystemFiles(), interrupted);
                EXPECT_EQ(team.measure(64 * 1024).size(), 1U);
            }
        }
    }
}

TEST(Team, AThreadThatCannotStartIsAnErrorAndTheOthersGoHome) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan(2);
    plan.processors[1] = 5000;
    EXPECT_THROW(Team(plan, SystemFiles(), interrupted), Error);
}

TEST(Team, NotPinnedRunsWhereverTheSystemLetsIt) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan(2);
    plan.processors = {5000, 5001};
    plan.pinned = false;
    Team team(plan, SystemFiles(), interrupted);
    EXPECT_EQ(team.measure(4096).size(), 2U);
}

TEST(Team, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    Team team(small_plan(1), SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_TRUE(team.measure(512).empty());
}

TEST(Team, CountsOverTheTimedBatchesOfEverySize) {
    if (try_counter(Counter::page_faults) != 0 || try_counter(Counter::context_switches) != 0)
        GTEST_SKIP() << "this system does not count page faults and context switches";
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan(2);
    plan.counters = {Counter::page_faults, Counter::context_switches};
    Team team(plan, SystemFiles(), interrupted);
    for (const std::size_t size : {4096U, 1U << 20U}) {
        for (const Measurement& m : team.measure(size)) {
            EXPECT_EQ(m.timing.accesses, plan.timing.accesses);
            ASSERT_EQ(m.counters.size(), 2U);
            EXPECT_GT(m.counters[0].running_ns, 0U);
            EXPECT_GT(m.counters[1].running_ns, 0U);
        }
    }
}

/// How many times longer than its batches a counter was to count: 1, and a little for what lies between them.
double counted_per_timed(const Measurement& m) {
    double timed_ns = 0;
    for (const double ns_per_access : m.timing.batch_ns)
        timed_ns +=
            ns_per_access * static_cast<double>(m.timing.accesses) / static_cast<double>(m.timing.batch_ns.size());
    return static_cast<double>(m.counters.at(0).enabled_ns) / timed_ns;
}

// Longer than its batches it was also to count where the machine stood still between two of them, but not every time;
// and not where another thread ran: then the counter waits, and a batch goes on.
TEST(Team, DoesNotCountOverTheWarmUp) {
    if (try_counter(Counter::page_faults) != 0)
        GTEST_SKIP() << "this system does not count page faults";
    const std::atomic<bool> interrupted{false};
    constexpr std::size_t lines = 64;
    constexpr unsigned warmup_per_timed = 100;
    TeamPlan plan = small_plan(1);
    plan.counters = {Counter::page_faults};
    plan.timing.accesses = 100'000;
    plan.warmup_laps = static_cast<unsigned>(warmup_per_timed * plan.timing.accesses / lines);
    Team team(plan, SystemFiles(), interrupted);
    const auto measure = [&] { return team.measure(lines * plan.shape.line_bytes).at(0); };
    static_cast<void>(measure()); // after which the counter must not go on
    double smallest = warmup_per_timed;
    for (int time = 0; time < 10; ++time)
        smallest = std::min(smallest, counted_per_timed(measure()));
    EXPECT_LT(smallest, warmup_per_timed / 2.0);
}

TEST(Team, TakesMemoryFromTheNodesAskedForAndVerifiesThat) {
    const std::atomic<bool> interrupted{false};
    const SystemFiles files;
    TeamPlan plan = small_plan(2);
    plan.nodes.assign(2, read_numa_nodes(files).back().id);
    const Arena arena(plan.memory_bytes, plan.pages, files);
    const bool kernel_tells = numa_nodes_of(arena.memory()).has_value();
    const Team team(plan, files, interrupted);
    for (const ThreadFacts& facts : team.facts())
        EXPECT_EQ(facts.node_verified, kernel_tells);
}

TEST(Team, ANodeWithoutMemoryIsAnError) {
    const std::atomic<bool> interrupted{false};
    const SystemFiles files;
    TeamPlan plan = small_plan(1);
    const Arena arena(plan.memory_bytes, plan.pages, files);
    if (!numa_nodes_of(arena.memory()))
        GTEST_SKIP() << "this kernel does not know nodes";
    plan.nodes = {1000};
    EXPECT_THROW(Team(plan, files, interrupted), Error);
}

TEST(Team, SaysWhatPagesItsThreadsGot) {
    const std::atomic<bool> interrupted{false};
    TeamPlan plan = small_plan(1);
    plan.pages = PageKind::base;
    const Team team(plan, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().at(0).pages.page_bytes, base_page_bytes());
}

} // namespace
} // namespace memtest
