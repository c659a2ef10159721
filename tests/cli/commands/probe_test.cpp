#include "memtest/cli/commands/probe.hpp"

#include "memtest/base/units.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TeamPlan plan_of(Order order, std::size_t largest_bytes) {
    TeamPlan plan;
    plan.shape.order = order;
    plan.largest_bytes = largest_bytes;
    return plan;
}

TEST(ChecksAfterASweep, MeasureAStrideInRandomOrderAndARandomOrderByItself) {
    for (const Order order : {Order::backward, Order::forward})
        EXPECT_EQ(checks_after(plan_of(order, mib), false, false), (ChecksAfter{true, true, false}));
    EXPECT_EQ(checks_after(plan_of(Order::random, mib), false, false), (ChecksAfter{true, false, true}));
    EXPECT_EQ(checks_after(plan_of(Order::random, mib - 1), false, false), (ChecksAfter{true, false, false}))
        << "the caches hold so little";
}

TEST(ChecksAfterASweep, MeasureNothingOnceInterrupted) {
    for (const Order order : {Order::backward, Order::random})
        EXPECT_EQ(checks_after(plan_of(order, mib), false, true), (ChecksAfter{true, false, false}));
}

TEST(ChecksAfterASweep, ClaimNothingOfTheProcessorInADisturbedRun) {
    EXPECT_EQ(checks_after(plan_of(Order::random, mib), true, false), (ChecksAfter{true, false, false}));
    EXPECT_EQ(checks_after(plan_of(Order::backward, mib), true, false), (ChecksAfter{true, true, false}))
        << "a stride that is followed lies lower, however busy the machine";
}

TEST(ChecksAfterASweep, LookForNoDisturbanceOfSizesThatBeganCold) {
    TeamPlan plan = plan_of(Order::random, mib);
    plan.warmup_laps = 0;
    EXPECT_FALSE(checks_after(plan, false, false).disturbances);
    plan.warmup_laps = 1;
    EXPECT_TRUE(checks_after(plan, false, false).disturbances);
}

} // namespace
} // namespace memtest
