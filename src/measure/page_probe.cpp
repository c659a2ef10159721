#include "memtest/measure/page_probe.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/machine/core_clock.hpp"
#include "memtest/measure/timing.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

/// Where the packed lines begin: behind the pages of the spread ones.
std::size_t packed_begin(const PageProbePlan& plan) {
    return rounded_up(PageChain::bytes_for(Layout::spread, plan.most_pages, plan.units), plan.units.page_bytes);
}

} // namespace

std::size_t memory_bytes_for(const PageProbePlan& plan) {
    return packed_begin(plan) + PageChain::bytes_for(Layout::packed, plan.most_pages, plan.units);
}

PageProbe::PageProbe(const PageProbePlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : interrupted_(interrupted), arena_(memory_bytes_for(plan), plan.pages, files, std::nullopt, interrupted),
      spread_(Layout::spread, arena_.memory().first(packed_begin(plan)), plan.units),
      packed_(Layout::packed, arena_.memory().subspan(packed_begin(plan)), plan.units), quality_(measure_clock(clock_)),
      seed_(plan.seed) {}

ThreadFacts PageProbe::facts(const SystemFiles& files) {
    return {.pages = arena_.granted(files), .core_ghz = measure_core_clock_ghz(clock_, quality_)};
}

std::optional<TranslationRound> PageProbe::measure(std::size_t pages, Layout first) {
    const std::uint64_t seed = stream_seed(seed_, round_++);
    std::optional<double> spread_ns;
    std::optional<double> packed_ns;
    const auto measure_spread = [&] { spread_ns = ns_per_access(spread_, pages, seed); };
    const auto measure_packed = [&] { packed_ns = ns_per_access(packed_, pages, seed); };
    if (first == Layout::spread)
        measure_spread();
    measure_packed();
    if (first == Layout::packed)
        measure_spread();
    if (!spread_ns || !packed_ns)
        return std::nullopt;
    return TranslationRound{.spread_ns = *spread_ns, .packed_ns = *packed_ns};
}

std::optional<double> PageProbe::ns_per_access(PageChain& chain, std::size_t lines, std::uint64_t seed) {
    constexpr unsigned batches = 8;
    constexpr double least_batch_ns = 250'000; // so that a round at one size takes some ms
    chain.link(lines, seed);
    require(chain.proven(), "a page chain is a single cycle through all its lines"); // and that is the warm-up
    const auto walk = [&chain](std::size_t accesses) { return chain.walk(accesses); };
    const double pilot_ns = pilot_ns_per_access(walk, clock_, quality_);
    // Whole laps: parts of a lap cost more or less, and the smallest batch would be the luckiest part.
    const double lap_ns = pilot_ns * static_cast<double>(lines);
    const auto laps = static_cast<std::uint64_t>(std::ceil(least_batch_ns / lap_ns));
    const TimingPlan plan{.accesses = batches * laps * lines, .batches = batches};
    const Timing timing =
        time_batches(plan, shortest_batch(plan, pilot_ns, quality_), walk, clock_, quality_, interrupted_);
    if (interrupted_ || timing.batch_ns.empty())
        return std::nullopt;
    return std::ranges::min(timing.batch_ns);
}

} // namespace memtest
