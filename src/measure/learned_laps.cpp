#include "memtest/measure/learned_laps.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <future>
#include <limits>

namespace memtest {
namespace {

constexpr std::uint64_t cycles = 3;
constexpr int later_laps = 5;
constexpr std::size_t most_lines = std::size_t{1} << 14U; // some milliseconds a lap

double lap_ns(const FreshCycle& cycle, Clock& clock) {
    const std::uint64_t start_ns = clock.now_ns();
    const std::size_t made = cycle.walk(static_cast<std::size_t>(cycle.lap));
    return static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(made);
}

} // namespace

std::optional<LapTimes> time_laps(const FreshCycle& cycle, Clock& clock, const std::atomic<bool>& interrupted) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    LapTimes times{.first_ns = unknown, .later_ns = unknown};
    for (std::uint64_t seed = 1; seed <= cycles; ++seed) {
        cycle.link(seed);
        for (int lap = 0; lap <= later_laps; ++lap) {
            if (!cycle.flush() || interrupted.load(std::memory_order_relaxed))
                return std::nullopt;
            const double ns = lap_ns(cycle, clock);
            if (lap == 0)
                times.first_ns = std::min(times.first_ns, ns);
            if (lap == later_laps)
                times.later_ns = std::min(times.later_ns, ns);
        }
    }
    return times;
}

std::optional<LapTimes> quick_lap_times(const TeamPlan& plan, const SystemFiles& files,
                                        const std::atomic<bool>& interrupted) {
    const std::size_t lines = std::min(most_lines, plan.largest_bytes / plan.shape.line_bytes);
    const std::size_t bytes = lines * plan.shape.line_bytes;
    const auto measure = [&] { // where the team's first thread ran
        const Seat seat = taken(seat_of(plan, 0));
        const Arena arena(bytes, plan.pages, files, seat.node);
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
