#include "memtest/measure/load_team.hpp"

#include "memtest/base/units.hpp"

#include <gtest/gtest.h>

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

double lines_per_ns(const std::vector<LoadBatch>& batches) {
    double sum = 0;
    for (const LoadBatch& batch : batches)
        sum += batch.lines_per_ns.at(0) / static_cast<double>(batches.size());
    return sum;
}

TEST(LoadTeam, ItsLoadersRestWithoutAPauseAndRunWithOne) {
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    EXPECT_EQ(team.facts().size(), 2U);
    for (const bool loads : {false, true, false}) {
        const auto batches = team.visit(loads ? std::optional<std::size_t>(64) : std::nullopt, 0);
        ASSERT_EQ(batches.size(), 16U);
        for (const LoadBatch& batch : batches)
            EXPECT_GT(batch.ns_per_access, 0);
        EXPECT_EQ(lines_per_ns(batches) > 0, loads);
    }
}

TEST(LoadTeam, ALongPauseStaysBelowHalfOfThePeak) {
    constexpr std::size_t a_millisecond = std::size_t{1} << 22U; // or more for each 64 lines, which take less than one
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    const double peak = lines_per_ns(team.visit(0, 0));
    EXPECT_LT(lines_per_ns(team.visit(a_millisecond, 0)), peak / 2);
}

TEST(LoadTeam, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_TRUE(team.visit(0, 0).empty());
}

} // namespace
} // namespace memtest
