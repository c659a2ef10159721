#include "memtest/measure/load_team.hpp"

#include "memtest/base/units.hpp"

#include <gtest/gtest.h>

#include <atomic>
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

TEST(LoadTeam, ItsLoadersRestWithoutAPauseAndRunWithOne) {
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    for (const bool loads : {false, true, false}) {
        const auto batches = team.visit(loads ? std::optional<std::size_t>(64) : std::nullopt, 0);
        ASSERT_EQ(batches.size(), 16U);
        double lines_per_ns = 0;
        for (const LoadBatch& batch : batches) {
            EXPECT_GT(batch.ns_per_access, 0);
            ASSERT_EQ(batch.lines_per_ns.size(), 1U);
            lines_per_ns += batch.lines_per_ns.front();
        }
        EXPECT_EQ(lines_per_ns > 0, loads);
    }
}

TEST(LoadTeam, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_TRUE(team.visit(0, 0).empty());
}

} // namespace
} // namespace memtest
