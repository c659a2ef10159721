#include "memtest/cli/commands/sweep.hpp"

#include "memtest/base/units.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TeamPlan plan_of(Order order, std::size_t largest_bytes) {
    TeamPlan plan;
    plan.shape.order = order;
    plan.largest_bytes = largest_bytes;
    return plan;
}

TEST(CheckAfterASweep, MeasuresAStrideInRandomOrderAndARandomOrderByItself) {
    for (const Order order : {Order::backward, Order::forward})
        EXPECT_EQ(check_after(plan_of(order, mib), false, false), CheckAfter::prefetching);
    EXPECT_EQ(check_after(plan_of(Order::random, mib), false, false), CheckAfter::foreseen_chains);
    EXPECT_EQ(check_after(plan_of(Order::random, mib - 1), false, false), CheckAfter::none)
        << "the caches hold so little";
}

TEST(CheckAfterASweep, MeasuresNothingOnceInterrupted) {
    for (const Order order : {Order::backward, Order::random})
        EXPECT_EQ(check_after(plan_of(order, mib), false, true), CheckAfter::none);
}

TEST(CheckAfterASweep, ClaimsNothingOfTheProcessorInADisturbedRun) {
    EXPECT_EQ(check_after(plan_of(Order::random, mib), true, false), CheckAfter::none);
    EXPECT_EQ(check_after(plan_of(Order::backward, mib), true, false), CheckAfter::prefetching)
        << "a stride that is followed lies lower, however busy the machine";
}

} // namespace
} // namespace memtest
