#include "memtest/measure/random_check.hpp"

#include "memtest/machine/processors.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace memtest {
namespace {

TeamPlan backward_plan(std::size_t bytes) {
    TeamPlan plan;
    plan.largest_bytes = bytes;
    plan.processors = {allowed_processors().front()};
    return plan;
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
