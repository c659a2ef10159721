#include "memtest/machine/clock.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace memtest {

std::uint64_t MonotonicClock::now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

ClockQuality measure_clock(Clock& clock) {
    // Enough pairs that one of them is undisturbed; on a coarse clock enough steps that one of them is a single tick.
    constexpr int pairs_wanted = 1000;
    constexpr int steps_wanted = 20;
    std::uint64_t smallest_step = std::numeric_limits<std::uint64_t>::max();
    int pairs = 0;
    int steps = 0;
    const std::uint64_t start = clock.now_ns();
    std::uint64_t before = start;
    while (pairs < pairs_wanted || steps < steps_wanted) {
        const std::uint64_t now = clock.now_ns();
        ++pairs;
        if (now != before) {
            ++steps;
            smallest_step = std::min(smallest_step, now - before);
        }
        before = now;
    }
    const double mean_cost_ns = static_cast<double>(before - start) / pairs;
    const auto resolution_ns = static_cast<double>(smallest_step);
    // A fine clock's smallest step is the cost of reading it undisturbed; a coarse clock shows the cost on average
    // only.
    return {.cost_ns = std::min(mean_cost_ns, resolution_ns), .resolution_ns = resolution_ns};
}

} // namespace memtest
