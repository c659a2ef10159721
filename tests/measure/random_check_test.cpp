#include "memtest/measure/random_check.hpp"

#include "memtest/machine/processors.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <optional>

namespace memtest {
namespace {

TeamPlan backward_plan(std::size_t bytes) {
    TeamPlan plan;
    plan.largest_bytes = bytes;
    plan.processors = {allowed_processors().front()};
    return plan;
}

TEST(RandomCheck, WalksASampleOfTheLinesOfTheWholeSizeInRandomOrderAndWarm) {
    TeamPlan plan = backward_plan(std::size_t{1} << 30U);
    plan.area_bytes = 2 * plan.largest_bytes;
    plan.warmup_laps = 0;
    plan.counters = {Counter::cycles};
    const TeamPlan check = random_check_plan(plan);
    EXPECT_EQ(check.shape.order, Order::random);
    EXPECT_EQ(check.shape.line_bytes, 1024U) << "a million lines";
    EXPECT_EQ(check.area_bytes, plan.largest_bytes);
    EXPECT_EQ(check.warmup_laps, std::nullopt);
    EXPECT_TRUE(check.counters.empty());
    EXPECT_EQ(check.processors, plan.processors);
    EXPECT_EQ(random_check_plan(backward_plan(100'032)).shape.line_bytes, 64U);
}

TEST(RandomCheck, MeasuresAreasOfAnySize) {
    const std::atomic<bool> interrupted{false};
    for (const std::size_t bytes : {std::size_t{512}, std::size_t{100'032}, (std::size_t{64} << 20U) + 64}) {
        const auto ns = quick_random_latency_ns(backward_plan(bytes), SystemFiles(), interrupted);
        ASSERT_TRUE(ns.has_value());
        EXPECT_GT(*ns, 0);
    }
}

TEST(RandomCheck, GivesNothingWhenInterrupted) {
    const std::atomic<bool> interrupted{true};
    EXPECT_FALSE(quick_random_latency_ns(backward_plan(4096), SystemFiles(), interrupted).has_value());
}

} // namespace
} // namespace memtest
