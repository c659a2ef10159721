#include "memtest/measure/page_probe.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/timing.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

constexpr std::size_t block_pages = 16;

double smallest_to_quartile(const TranslationPoint& point, double TranslationRound::*layout) {
    std::vector<double> latencies;
    for (const TranslationRound& round : point.rounds)
        latencies.push_back(round.*layout);
    std::ranges::sort(latencies);
    return quantile(latencies, 0.25) - latencies.front();
}

/// @return whether all rounds were made
bool measure_rounds(TranslationProbe& probe, std::span<TranslationPoint> points, unsigned rounds,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up = nullptr) {
    return measure_in_rounds(
        points.size(), rounds,
        [&](std::size_t place, unsigned round) {
            const auto measured = probe.measure(points[place].pages, round % 2 == 0 ? Layout::spread : Layout::packed);
            if (measured)
                points[place].rounds.push_back(*measured);
            return measured.has_value();
        },
        phrase_sink, time_is_up);
}

/// Where the packed lines begin: after the pages of the spread ones.
std::size_t packed_begin(const PageProbePlan& plan) {
    return rounded_up(page_chain_bytes(Layout::spread, plan.most_pages, plan.units), plan.units.page_bytes);
}

} // namespace

ChainShape page_chain_shape(Layout layout, const PageProbePlan& plan, std::uint64_t seed) {
    ChainShape shape{.order = Order::random,
                     .link = plan.link,
                     .line_bytes = page_chain_bytes(layout, 1, plan.units),
                     .seed = seed,
                     .orders = plan.orders};
    if (layout == Layout::packed)
        shape.tlb_locality_bytes = block_pages * plan.units.base_page_bytes;
    return shape;
}

std::size_t page_chain_bytes(Layout layout, std::size_t nodes, const PageUnits& units) {
    if (layout == Layout::packed)
        return nodes * units.line_bytes;
    const std::size_t apart = units.page_bytes > units.base_page_bytes ? units.base_page_bytes : 0;
    return nodes * (units.page_bytes + apart + units.line_bytes);
}

std::optional<TranslationRound>
measure_round(Layout first, const std::function<std::optional<double>(Layout layout)>& ns_per_access) {
    const bool spread_first = first == Layout::spread;
    const auto first_ns = ns_per_access(first);
    const auto second_ns = ns_per_access(spread_first ? Layout::packed : Layout::spread);
    if (!first_ns || !second_ns)
        return std::nullopt;
    return TranslationRound{.spread_ns = spread_first ? *first_ns : *second_ns,
                            .packed_ns = spread_first ? *second_ns : *first_ns};
}

TranslationRound smallest_of(const TranslationPoint& point) {
    require(!point.rounds.empty(), "the smallest is of at least one round");
    return {.spread_ns = std::ranges::min(point.rounds, {}, &TranslationRound::spread_ns).spread_ns,
            .packed_ns = std::ranges::min(point.rounds, {}, &TranslationRound::packed_ns).packed_ns};
}

double disagreement_ns(const TranslationPoint& point) {
    return smallest_to_quartile(point, &TranslationRound::spread_ns) +
           smallest_to_quartile(point, &TranslationRound::packed_ns);
}

std::vector<std::size_t> numbers_of_pages(std::size_t most) {
    constexpr std::size_t page = 64; // to use a schedule of sizes, which must be farther apart than numbers
    std::vector<std::size_t> numbers =
        sweep_sizes({.first_bytes = 4 * page, .last_bytes = most * page, .line_bytes = page, .points_per_doubling = 4});
    for (std::size_t& number : numbers)
        number /= page;
    return numbers;
}

std::vector<TranslationPoint> sweep_translation(TranslationProbe& probe, const std::vector<std::size_t>& pages,
                                                unsigned rounds, const NextPages& next_pages,
                                                const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    std::vector<TranslationPoint> points;
    for (const std::size_t count : pages)
        points.push_back({.pages = count, .rounds = {}});
    bool whole = measure_rounds(probe, points, rounds, phrase_sink, time_is_up);
    while (whole) {
        const auto next = next_pages(points);
        if (!next)
            break;
        const auto place = std::ranges::lower_bound(points, *next, {}, &TranslationPoint::pages);
        require(place == points.end() || place->pages != *next, "a further number of pages is a new one");
        TranslationPoint& point = *points.insert(place, {.pages = *next, .rounds = {}});
        whole = measure_rounds(probe, {&point, 1}, rounds, [](const std::string& /*phrase*/) {});
    }
    std::erase_if(points, [](const TranslationPoint& point) { return point.rounds.empty(); });
    return points;
}

std::size_t memory_bytes_for(const PageProbePlan& plan) {
    return packed_begin(plan) + page_chain_bytes(Layout::packed, plan.most_pages, plan.units);
}

PageProbe::PageProbe(const PageProbePlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : interrupted_(interrupted), plan_(plan),
      arena_(memory_bytes_for(plan), plan.pages, files, std::nullopt, interrupted), quality_(measure_clock(clock_)) {}

ThreadFacts PageProbe::facts(const SystemFiles& files) {
    return {.pages = arena_.granted(files), .core_ghz = measure_core_clock_ghz(clock_, quality_)};
}

std::optional<TranslationRound> PageProbe::measure(std::size_t pages, Layout first) {
    const std::uint64_t seed = stream_seed(plan_.seed, round_++);
    return measure_round(first, [&](Layout layout) { return ns_per_access(layout, pages, seed); });
}

std::optional<double> PageProbe::ns_per_access(Layout layout, std::size_t lines, std::uint64_t seed) {
    constexpr unsigned batches = 8;
    // Lets a round at one size take some ms, and lets a coarse clock time all batches, too.
    const double least_batch_ns = std::max(250'000.0, 1000 * quality_.resolution_ns);
    const std::size_t begin = layout == Layout::spread ? 0 : packed_begin(plan_);
    Chains chain(arena_.memory().subspan(begin), page_chain_shape(layout, plan_, seed));
    if (!chain.grow_to(page_chain_bytes(layout, lines, plan_.units), interrupted_))
        return std::nullopt;
    require(chain.proven(), "a page chain is a single cycle through all its lines"); // which also is the warm-up
    const auto walk = [&chain](std::size_t accesses) { return chain.walk(accesses); };
    const double pilot_ns = pilot_ns_per_access(walk, clock_, quality_);
    // Whole laps: parts of a lap cost more or less, and the min batch would be the luckiest part.
    const double lap_ns = pilot_ns * static_cast<double>(lines);
    const auto laps = static_cast<std::uint64_t>(std::ceil(least_batch_ns / lap_ns));
    const TimingPlan plan{.accesses = batches * laps * lines, .batches = batches};
    const Timing timing =
        time_batches(plan, shortest_batch(plan, pilot_ns, quality_), walk, clock_, quality_, interrupted_);
    check_pinned_to(plan_.processor);
    if (timing.batch_ns.empty())
        return std::nullopt;
    return std::ranges::min(timing.batch_ns);
}

} // namespace memtest
