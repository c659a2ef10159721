#include "memtest/measure/timing.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

// A clock that is read at both ends is wrong by up to its resolution at each: 0.2 % of such a batch.
constexpr double resolutions_per_batch = 1000;

// With a precision, batches start this short. A batch of a random walk is a sample: where half the accesses hit a cache
// and half miss it, its mean over n accesses scatters by about 1/sqrt(n), and the smallest of several batches lies low
// by twice that, here 1.6 %. It also is a whole lap through every chain of up to 1 MiB of 64-byte lines.
constexpr std::uint64_t shortest_precise_batch = std::uint64_t{1} << 14U;

std::uint64_t accesses_per_batch(const TimingPlan& plan, double ns_per_access, const ClockQuality& quality) {
    const double long_enough_ns = resolutions_per_batch * quality.resolution_ns;
    const auto long_enough = static_cast<std::uint64_t>(std::ceil(long_enough_ns / ns_per_access));
    const std::uint64_t wanted = plan.precision_percent ? std::min(shortest_precise_batch, plan.accesses / plan.batches)
                                                        : plan.accesses / plan.batches;
    return std::clamp<std::uint64_t>(std::max(wanted, long_enough), 1, plan.accesses);
}

// With a precision, no size is timed for less: in four sweeps on a shared machine five batches of an L1 size, 0.1 ms in
// all, once fell into one disturbance, agreed, and were 2.4 % too high. 5 ms cost a sweep of 41 sizes 0.2 s.
constexpr double least_timed_ns = 5e6;

/// When to ask next whether the estimate is settled: often at first, then at every sixteenth more, since asking costs
/// time in proportion to what there is.
std::size_t next_check(std::size_t batches) {
    return batches + std::max<std::size_t>(1, batches / 16);
}

} // namespace

Timing time_batches(const TimingPlan& plan, double ns_per_access, const WalkBy& walk, Clock& clock,
                    const ClockQuality& quality, const std::atomic<bool>& interrupted, const Counting& counting) {
    const std::uint64_t per_batch = accesses_per_batch(plan, ns_per_access, quality);
    const std::uint64_t batches = plan.accesses / per_batch;
    const std::uint64_t longer_by_one = plan.precision_percent ? 0 : plan.accesses % batches;
    const std::uint64_t in_each = plan.precision_percent ? per_batch : plan.accesses / batches;

    Timing timing;
    timing.batch_ns.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(batches, 4096)));
    double total_ns = 0;
    std::size_t check_at = 1;
    counting.start();
    for (std::uint64_t batch = 0; batch < batches && !interrupted.load(std::memory_order_relaxed); ++batch) {
        const std::uint64_t asked = in_each + (batch < longer_by_one ? 1 : 0);
        const std::uint64_t start = clock.now_ns();
        const std::uint64_t made = walk_in_portions(asked, walk, interrupted);
        const double ns = static_cast<double>(clock.now_ns() - start) - quality.cost_ns;
        if (made < asked)
            break;
        timing.accesses += made;
        if (ns > 0)
            timing.batch_ns.push_back(ns / static_cast<double>(made));
        total_ns += ns;

        if (plan.precision_percent && total_ns >= least_timed_ns && timing.batch_ns.size() >= check_at) {
            counting.stop();
            if (is_settled(timing.batch_ns, plan.estimate, *plan.precision_percent))
                return timing;
            check_at = next_check(timing.batch_ns.size());
            counting.start();
        }
    }
    counting.stop();
    timing.hit_limit = plan.precision_percent && !is_settled(timing.batch_ns, plan.estimate, *plan.precision_percent);
    timing.coarse = total_ns < resolutions_per_batch / 2 * quality.resolution_ns;
    return timing;
}

std::uint64_t walk_in_portions(std::uint64_t accesses, const WalkBy& walk, const std::atomic<bool>& interrupted) {
    constexpr std::uint64_t portion = std::uint64_t{1} << 22U; // less than a second even where each is a miss
    std::uint64_t made = 0;
    while (made < accesses && !interrupted.load(std::memory_order_relaxed))
        made += walk(static_cast<std::size_t>(std::min(portion, accesses - made)));
    return made;
}

double pilot_ns_per_access(const WalkBy& walk, Clock& clock, const ClockQuality& quality) {
    constexpr double resolutions = 20; // to 10 %, which is enough to choose a length
    for (std::size_t accesses = 64;; accesses *= 2) {
        const std::uint64_t start = clock.now_ns();
        const std::size_t made = walk(accesses);
        const double ns = static_cast<double>(clock.now_ns() - start) - quality.cost_ns;
        if (ns >= resolutions * quality.resolution_ns)
            return ns / static_cast<double>(made);
    }
}

} // namespace memtest
