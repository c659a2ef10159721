#include "memtest/measure/load_team.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "support/until.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
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

/// The processor time of each thread of this program, in seconds, by its id.
std::map<int, double> seconds_of_threads() {
    std::map<int, double> seconds;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        const int id = std::stoi(thread.path().filename());
        timespec used{};
        clock_gettime(-8 * id - 2, &used); // how the kernel numbers the clocks of threads
        seconds[id] = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    }
    return seconds;
}

/// The processors that the loader keeps busy in visits. The busiest two threads are the walker and the loader: nobody
/// takes from either more than from the other.
double processors_kept_busy(LoadTeam& team, std::optional<std::size_t> pause) {
    const auto start = std::chrono::steady_clock::now();
    const auto before = seconds_of_threads();
    for (int visit = 0; visit < 5; ++visit)
        EXPECT_EQ(lines_per_ns(team, pause), 0);
    std::vector<double> used;
    for (const auto& [id, seconds] : seconds_of_threads())
        used.push_back(seconds - before.at(id));
    std::ranges::sort(used, std::greater());
    return used.at(1) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(LoadTeam, WithAnEndlessPauseItsLoadersAreBusyAndReadNothing) {
    constexpr double clearly_busy = 0.2; // of a processor: one that sleeps takes a hundredth to wake
    const std::atomic<bool> interrupted{false};
    LoadTeam team(small_plan(), {}, SystemFiles(), interrupted);
    EXPECT_TRUE(until([&] { return processors_kept_busy(team, std::nullopt) < clearly_busy; }));
    EXPECT_TRUE(until([&] { return processors_kept_busy(team, endless_pause) > clearly_busy; }))
        << "a busy machine may keep it away for some visits";
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
