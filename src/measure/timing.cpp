#include "memtest/measure/timing.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/walk.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace memtest {
namespace {

// Each of the two clock readings is wrong by up to the resolution: together 0.2 % of such a batch.
constexpr double resolutions_per_batch = 1000;

// With a precision, a batch has at least this many accesses. A batch of a random walk is a sample: if half the accesses
// hit a cache, its mean over n accesses scatters by about 1/sqrt(n). The min of several batches is low by twice that,
// here 1.6 %. Such a batch is also a whole lap through any chain of up to 1 MiB of 64-byte lines.
constexpr std::uint64_t fewest_precise_accesses = std::uint64_t{1} << 14U;

// But it need not be longer than this. Where accesses take so long, nearly all miss and few scatter; and beside a busy
// process, whose slices are of some milliseconds, a batch of 3 ms always holds one: 256 MiB took 570 ns instead of 230.
constexpr double long_enough_batch_ns = 5e5;

// Nor is it shorter. A virtual machine's clock jumps now and then: by 2 us in some of 200 batches of 17 us, so that one
// min in six was too low.
constexpr double shortest_precise_batch_ns = 1e5;

// With a precision, a visit is timed for at least this long. Longer visits gain nothing: disturbances outlast any
// visit, but not the time to the next. In four sweeps on a shared machine five batches of 0.1 ms in all once agreed and
// were 2.4 % too high.
constexpr double least_timed_ns = 5e6;
constexpr std::size_t least_batches = 3;

std::uint64_t batches_of(const TimingPlan& plan, std::uint64_t shortest_batch) {
    const std::uint64_t most = plan.accesses / shortest_batch;
    return plan.precision_percent ? std::max<std::uint64_t>(1, most) : std::clamp<std::uint64_t>(most, 1, plan.batches);
}

/// Differences between readings with more and more work between, so that they take all possible values.
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

/// Simultaneous readings of the clock and a counter.
struct Moment {
    double ns = 0;
    std::uint64_t ticks = 0;
};

/// Reads the counter between two readings of the clock, a few times: the closest pair counts, since the thread may lose
/// its processor between them.
Moment read_both(Clock& clock, const std::function<std::uint64_t()>& read_ticks) {
    constexpr int trials = 5;
    Moment moment;
    double least_ns = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        const std::uint64_t before = clock.now_ns();
        const std::uint64_t ticks = read_ticks();
        const auto between_ns = static_cast<double>(clock.now_ns() - before);
        if (between_ns < least_ns)
            moment = {.ns = static_cast<double>(before) + between_ns / 2, .ticks = ticks};
        least_ns = std::min(least_ns, between_ns);
    }
    return moment;
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

std::uint64_t walk_in_portions(std::uint64_t accesses, const WalkBy& walk, const std::atomic<bool>& interrupted) {
    constexpr std::uint64_t portion = std::uint64_t{1} << 20U; // less than a second even if each is a slow miss
    std::uint64_t made = 0;
    while (made < accesses && !interrupted.load(std::memory_order_relaxed))
        made += walk(static_cast<std::size_t>(std::min(portion, accesses - made)));
    return made;
}

std::uint64_t shortest_batch(const TimingPlan& plan, double ns_per_access, const ClockQuality& quality) {
    const double resolved_ns = resolutions_per_batch * quality.resolution_ns;
    const double shortest_ns = plan.precision_percent ? std::max(resolved_ns, shortest_precise_batch_ns) : resolved_ns;
    const auto accesses = static_cast<std::uint64_t>(std::max(1.0, std::ceil(shortest_ns / ns_per_access)));
    const auto enough = static_cast<std::uint64_t>(std::ceil(long_enough_batch_ns / ns_per_access));
    return plan.precision_percent ? std::max(accesses, std::min(fewest_precise_accesses, enough)) : accesses;
}

TimingPlan share_of_visit(const TimingPlan& left, std::uint64_t shortest_batch) {
    const std::uint64_t most = left.precision_percent ? left.visits : std::min(left.visits, left.batches);
    const std::uint64_t visits =
        std::clamp<std::uint64_t>(left.accesses / shortest_batch, 1, std::max<std::uint64_t>(1, most));
    TimingPlan share = left;
    share.accesses = left.accesses / visits;
    share.batches = std::max(1U, left.batches / static_cast<unsigned>(visits));
    share.visits = 1;
    return share;
}

Timing time_batches(const TimingPlan& plan, std::uint64_t shortest_batch, const WalkBy& walk, Clock& clock,
                    const ClockQuality& quality, const std::atomic<bool>& interrupted) {
    const std::uint64_t batches = batches_of(plan, shortest_batch);
    const std::uint64_t longer_by_one = plan.accesses % batches;

    Timing timing;
    timing.batch_ns.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(batches, 1024)));
    double total_ns = 0;
    const auto is_long_enough = [&] {
        return plan.precision_percent && total_ns >= least_timed_ns &&
               (timing.batch_ns.size() >= least_batches || total_ns >= least_batches * least_timed_ns);
    };
    for (std::uint64_t batch = 0; batch < batches && !is_long_enough(); ++batch) {
        const std::uint64_t asked = plan.accesses / batches + (batch < longer_by_one ? 1 : 0);
        const std::uint64_t start = clock.now_ns();
        const std::uint64_t made = walk_in_portions(asked, walk, interrupted);
        const double ns = static_cast<double>(clock.now_ns() - start) - quality.cost_ns;
        if (made < asked)
            break;
        timing.accesses += made;
        if (ns > 0)
            timing.batch_ns.push_back(ns / static_cast<double>(made));
        total_ns += ns;
    }
    timing.coarse = total_ns < resolutions_per_batch / 2 * quality.resolution_ns;
    return timing;
}

double pilot_ns_per_access(const WalkBy& walk, Clock& clock, const ClockQuality& quality) {
    constexpr double resolutions = 20; // to 10 %, which is accurate enough to choose a length
    constexpr int trials = 3;          // so that one in which the thread lost its processor does not count
    double quickest = std::numeric_limits<double>::infinity();
    std::size_t accesses = 64;
    for (int trial = 0; trial < trials;) {
        const std::uint64_t start = clock.now_ns();
        const std::size_t made = walk(accesses);
        const std::uint64_t passed = clock.now_ns() - start;
        const double ns = static_cast<double>(passed) - quality.cost_ns;
        if (ns < resolutions * quality.resolution_ns) {
            if (passed == 0 && static_cast<double>(made) * impossible_ns > resolutions * quality.resolution_ns)
                throw standing_clock();
            accesses *= 2;
            continue;
        }
        quickest = std::min(quickest, ns / static_cast<double>(made));
        ++trial;
    }
    return quickest;
}

TickScale measure_ticks(Clock& clock) {
    check_there_is_a_counter();
    TickScale scale = measure_tick_rate(clock, [] { return ticks_after(0); });
    scale.resolution_ticks = resolution_of(differences_between_readings());
    return scale;
}

TickScale measure_tick_rate(Clock& clock, const std::function<std::uint64_t()>& read_ticks) {
    constexpr double long_enough_ns = 20e6; // the system's clock is right to 1 us or so
    constexpr double agreement = 1e-3;
    constexpr int most_trials = 10;
    double last_ns_per_tick = 0;
    for (int trial = 0; trial < most_trials; ++trial) {
        const Moment start = read_both(clock, read_ticks);
        Moment end = start;
        while (end.ns - start.ns < long_enough_ns)
            end = read_both(clock, read_ticks);
        if (end.ticks == start.ticks)
            throw usage_error("memtest tail reads the processor's own counter, which stands still on this machine");
        const double ns_per_tick = (end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
        if (std::abs(ns_per_tick - last_ns_per_tick) <= agreement * ns_per_tick)
            return {.ns_per_tick = ns_per_tick};
        last_ns_per_tick = ns_per_tick;
    }
    return {.ns_per_tick = last_ns_per_tick, .is_settled = false};
}

double resolution_of(std::span<const std::uint64_t> differences) {
    constexpr double jitter = 1.5;     // of two readings, each rounded to a tick
    constexpr double fewest_ticks = 8; // of a step that the jitter does not hide
    constexpr double far = 4;          // times the smallest difference; beyond that the error of a step adds up
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
