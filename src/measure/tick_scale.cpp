#include "memtest/measure/tick_scale.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/tick_counter.hpp"
#include "memtest/measure/statistics.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace memtest {
namespace {

/// Differences between readings with more and more work between, so that they take all values that there are.
std::vector<std::uint64_t> differences_between_readings() {
    constexpr std::size_t most_work = 256; // in additions
    constexpr std::size_t wanted = 4096;
    std::vector<std::uint64_t> differences;
    bool has_moved = false;
    for (std::size_t made = 0; made < wanted || !has_moved; ++made) {
        const std::uint64_t before = ticks_after(0);
        for (std::size_t work = made % most_work; work > 0; --work)
            asm volatile("" : "+r"(work));
        differences.push_back(ticks_after(0) - before);
        has_moved = has_moved || differences.back() > 0;
    }
    return differences;
}

void check_there_is_a_counter() {
    if (!has_tick_counter)
        throw usage_error("memtest tail reads the processor's own counter, which programs cannot do on this "
                          "architecture; it can on x86-64, aarch64, riscv64, ppc64le and s390x");
    int may_read = PR_TSC_ENABLE;
    if (prctl(PR_GET_TSC, &may_read) == 0 && may_read != PR_TSC_ENABLE)
        throw usage_error("memtest tail reads the processor's own counter, and this process may not (prctl "
                          "PR_SET_TSC); run it where that is allowed");
}

} // namespace

TickScale measure_ticks(Clock& clock) {
    check_there_is_a_counter();
    constexpr std::uint64_t long_enough_ns = 20'000'000; // the system's clock is right to 1 us or so
    const std::uint64_t start_ns = clock.now_ns();
    const std::uint64_t start = ticks_after(0);
    const double resolution = resolution_of(differences_between_readings());
    std::uint64_t ns = 0;
    while (ns < long_enough_ns)
        ns = clock.now_ns() - start_ns;
    return {.ns_per_tick = static_cast<double>(ns) / static_cast<double>(ticks_after(0) - start),
            .resolution_ticks = resolution};
}

double resolution_of(std::span<const std::uint64_t> differences) {
    constexpr double jitter = 1.5;     // of two readings, each rounded to a tick
    constexpr double fewest_ticks = 8; // of a step that the jitter does not hide
    constexpr double far = 4;          // times the smallest difference, beyond which the error of a step adds up
    std::vector<double> steps(differences.begin(), differences.end());
    std::erase(steps, 0.0);
    require(!steps.empty(), "a counter counts");
    const double least = *std::ranges::min_element(steps);
    std::erase_if(steps, [&](double step) { return step > far * least; });
    std::vector<double> smallest = steps;
    std::erase_if(smallest, [&](double step) { return step > least + jitter; });
    for (int parts = 1; least / parts >= fewest_ticks; ++parts) {
        const double step = mean_of(smallest) / parts;
        if (std::ranges::all_of(steps, [&](double other) { return std::abs(std::remainder(other, step)) <= jitter; }))
            return step;
    }
    std::uint64_t common = 0;
    for (const double step : steps)
        common = std::gcd(common, static_cast<std::uint64_t>(step));
    return static_cast<double>(common);
}

} // namespace memtest
