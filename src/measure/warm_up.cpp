#include "memtest/measure/warm_up.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memtest {
namespace {

// Two laps that take no longer have few lines, or are in the core's own caches.
constexpr double brief_ns = 1.5e6;

// How long a walk is watched. On a Xeon (Emerald Rapids) whose L3 others used, 16 MiB slowed down from 46 to 75 ns
// within 13 ms and to 130 within 150; 8 MiB stayed at 34.
constexpr double watch_ns = 12e6;

// If a walk slows down by more, the caches do not hold its lines.
constexpr double slower = 1.05;

// From flushed lines two laps are walked, or as many whole ones as fit into this time: part of a lap leaves nothing
// that the rest of it meets. In a private cache a walk finds lines again up to four times the cache's size. With 32 MiB
// and a memory latency of 80 ns, a lap there takes 170 ms.
constexpr double longest_lap_ns = warmup_bound_ms * 1e6;

// In a shared cache hardly any are found again if one lap takes longer.
constexpr double longest_shared_lap_ns = 40e6;

// Fills the TLBs and most L2 caches, whose evictions cost time, too, and measures the pace.
constexpr double pilot_ns = 4e6;

// A walk from linked lines if they cannot be flushed: what linking left was gone after 60 to 150 ms.
constexpr double unflushed_ns = 100e6;
constexpr std::uint64_t unflushed_laps = 16;

/// Walks, and measures the time.
class TimedWalk {
public:
    TimedWalk(const WarmedChains& chains, Clock& clock, const std::atomic<bool>& interrupted)
        : chains_(chains), clock_(clock), interrupted_(interrupted), start_ns_(clock.now_ns()) {}

    /// Walks on to this many laps or this time since the start, whichever comes first.
    void walk_to(std::uint64_t laps, double ns) {
        while (made_ < laps * chains_.lap && goes_on(ns))
            walk(std::min(portion, laps * chains_.lap - made_));
    }

    /// ns per access from now on, up to this time since the start, but at least over one portion: the median over
    /// portions, as the thread may lose its processor.
    [[nodiscard]] double ns_per_access_to(double ns) {
        std::vector<double> pace_ns;
        do {
            const double from_ns = elapsed_ns();
            const std::uint64_t from = made_;
            walk(portion);
            pace_ns.push_back((elapsed_ns() - from_ns) / static_cast<double>(made_ - from));
        } while (goes_on(ns));
        return median(std::move(pace_ns));
    }

    [[nodiscard]] double elapsed_ns() const { return static_cast<double>(clock_.now_ns() - start_ns_); }

private:
    static constexpr std::uint64_t portion = std::uint64_t{1} << 13U; // about a millisecond if each is a miss

    [[nodiscard]] bool goes_on(double ns) const {
        const bool has_time = elapsed_ns() < ns && static_cast<double>(made_) * impossible_ns < ns;
        return has_time && !interrupted_.load(std::memory_order_relaxed);
    }

    void walk(std::uint64_t accesses) { made_ += chains_.walk(static_cast<std::size_t>(accesses)); }

    const WarmedChains& chains_;
    Clock& clock_;
    const std::atomic<bool>& interrupted_;
    std::uint64_t start_ns_;
    std::uint64_t made_ = 0;
};

/// Whether the walk keeps its pace from the first quarter of the watch to the last.
bool keeps_its_pace(TimedWalk& walk) {
    const double first_ns = walk.ns_per_access_to(watch_ns / 4);
    static_cast<void>(walk.ns_per_access_to(watch_ns * 3 / 4));
    return walk.ns_per_access_to(watch_ns) <= slower * first_ns;
}

} // namespace

Fit CacheFit::of(std::size_t bytes) const {
    constexpr unsigned often = 2; // once may be an accident
    const auto found = not_held_.find(bytes);
    if (!smaller_fits_ || (found != not_held_.end() && found->second >= often))
        return Fit::taken;
    return last_cache_bytes_ > 0 && bytes > last_cache_bytes_ ? Fit::too_small : Fit::unknown;
}

void CacheFit::note(std::size_t bytes, Start start) {
    const Fit known = of(bytes);
    const bool was_found_out = known == Fit::unknown && start == Start::flushed;
    if (was_found_out)
        ++not_held_[bytes];
    if (was_found_out || known == Fit::taken)
        smaller_fits_ = false;
}

void walk_laps(unsigned laps, Start start, const WarmedChains& chains, const std::atomic<bool>& interrupted) {
    if (start == Start::flushed)
        chains.flush();
    walk_in_portions(laps * chains.lap, chains.walk, interrupted);
}

Start walk_to_steady_state(const WarmedChains& chains, Fit fit, Clock& clock, const std::atomic<bool>& interrupted) {
    if (fit == Fit::unknown) {
        TimedWalk brief(chains, clock, interrupted);
        brief.walk_to(warmup_laps, brief_ns);
        if (brief.elapsed_ns() < brief_ns)
            return Start::linked;
        TimedWalk watched(chains, clock, interrupted);
        if (keeps_its_pace(watched))
            return Start::linked;
    }
    if (!chains.flush()) {
        TimedWalk(chains, clock, interrupted).walk_to(unflushed_laps, unflushed_ns);
        return Start::flushed;
    }
    TimedWalk cold(chains, clock, interrupted);
    const double lap_ns = cold.ns_per_access_to(pilot_ns) * static_cast<double>(chains.lap);
    const double longest_ns = fit == Fit::too_small ? longest_lap_ns : longest_shared_lap_ns;
    const double laps = std::min(static_cast<double>(warmup_laps), longest_ns / lap_ns);
    cold.walk_to(static_cast<std::uint64_t>(laps), longest_ns);
    return Start::flushed;
}

Start walk_to_steady_state(const WarmedChains& chains, std::size_t bytes, CacheFit& fit, Clock& clock,
                           const std::atomic<bool>& interrupted) {
    const Start start = walk_to_steady_state(chains, fit.of(bytes), clock, interrupted);
    fit.note(bytes, start);
    return start;
}

} // namespace memtest
