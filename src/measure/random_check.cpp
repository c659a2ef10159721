#include "memtest/measure/random_check.hpp"

#include "memtest/base/capped.hpp"

#include <algorithm>

namespace memtest {
namespace {

// A million lines of 64 bytes are 64 MiB: more than most caches hold, and linked in some 20 ms.
constexpr std::size_t most_nodes = std::size_t{1} << 20U;

} // namespace

TeamPlan random_check_plan(const TeamPlan& plan) {
    TeamPlan check = plan;
    const std::size_t lines = plan.largest_bytes / plan.shape.line_bytes;
    check.area_bytes = plan.largest_bytes;
    check.shape.order = Order::random;
    check.shape.line_bytes *= units_for(lines, most_nodes);
    check.warmup_laps = std::nullopt;
    check.counters.clear();
    return check;
}

std::optional<double> quick_random_latency_ns(const TeamPlan& plan, const SystemFiles& files,
                                              const std::atomic<bool>& interrupted) {
    Team team(random_check_plan(plan), files, interrupted);
    const auto measured =
        team.visit({.bytes = plan.largest_bytes, .left = {.accesses = std::uint64_t{1} << 17U, .batches = 8}});
    if (measured.empty() || measured.front().timing.batch_ns.empty())
        return std::nullopt;
    return std::ranges::min(measured.front().timing.batch_ns);
}

} // namespace memtest
