#include "memtest/measure/quick_checks.hpp"

#include "memtest/base/units.hpp"
#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <future>
#include <limits>

namespace memtest {
namespace {

// A million lines of 64 bytes are 64 MiB: more than most caches hold, and linked in some 20 ms.
constexpr std::size_t most_nodes = std::size_t{1} << 20U;

constexpr std::uint64_t cycles = 3;
constexpr int first_later_lap = 3;
constexpr int later_laps = 5;
constexpr std::size_t most_lines = std::size_t{1} << 14U; // some milliseconds a lap

double lap_ns(const FreshCycle& cycle, Clock& clock) {
    const std::uint64_t start_ns = clock.now_ns();
    const std::size_t made = cycle.walk(static_cast<std::size_t>(cycle.lap));
    return static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(made);
}

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

std::optional<LapTimes> time_laps(const FreshCycle& cycle, Clock& clock, const std::atomic<bool>& interrupted) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    LapTimes times{.first_ns = unknown, .later_ns = 0};
    for (std::uint64_t seed = 1; seed <= cycles; ++seed) {
        cycle.link(seed);
        double later_ns = unknown;
        for (int lap = 0; lap <= later_laps; ++lap) {
            if (!cycle.flush() || interrupted.load(std::memory_order_relaxed))
                return std::nullopt;
            const double ns = lap_ns(cycle, clock);
            if (lap == 0)
                times.first_ns = std::min(times.first_ns, ns);
            if (lap >= first_later_lap)
                later_ns = std::min(later_ns, ns);
        }
        times.later_ns = std::max(times.later_ns, later_ns);
    }
    return times;
}

std::optional<LapTimes> quick_lap_times(const TeamPlan& plan, const SystemFiles& files,
                                        const std::atomic<bool>& interrupted) {
    const std::size_t lines = std::min(most_lines, plan.largest_bytes / plan.shape.line_bytes);
    const std::size_t bytes = lines * plan.shape.line_bytes;
    const auto measure = [&] { // where the team's first thread ran
        const Placement placement = bound_to(placement_of(plan, 0));
        const Arena arena = area_of(placement, bytes, plan.pages, files);
        std::optional<Chains> chains;
        MonotonicClock clock;
        return time_laps({.lap = lines,
                          .link =
                              [&](std::uint64_t seed) {
                                  chains.emplace(arena.memory(), ChainShape{.order = Order::random,
                                                                            .line_bytes = plan.shape.line_bytes,
                                                                            .seed = seed});
                                  chains->grow_to(bytes);
                              },
                          .walk = [&](std::size_t accesses) { return chains->walk(accesses); },
                          .flush = [&] { return chains->flush(); }},
                         clock, interrupted);
    };
    return std::async(std::launch::async, measure).get();
}

bool are_learned(const LapTimes& laps) {
    return laps.later_ns < 0.8 * laps.first_ns;
}

} // namespace memtest
