#include "memtest/insight/translation.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

/// How to infer the size of a TLB from the step that ends it.
struct Reading {
    double held;      ///< up to this share of the step, the TLB surely holds the pages
    double missing;   ///< from this share on, it counts as left
    double left;      ///< from this share on, it is surely left
    std::size_t over; ///< the step ends at this many times the pages at which misses begin
};

// A TLB has one set, or few that fill evenly, and ends where misses begin: with one page too many, least recently used
// replacement misses all pages, its approximations half of them.
constexpr Reading sharp_reading{.held = 0.02, .missing = 0.06, .left = 0.06, .over = 2};

// A TLB with random replacement, whose sets fill by chance, or which another thread uses, too: it cannot be told which,
// nor where it ends. On a Zen 5, whose first TLB has 96 entries, misses began at 80 pages beside a busy sibling.
constexpr Reading slow_reading{.held = 0.02, .missing = 0.06, .left = 0.7, .over = 4};

/// The largest gap between the sizes on both sides of the first and of the second edge, as a share; 0: none.
constexpr std::array exactness{0.0, 0.05};

constexpr std::size_t steady_sizes = 3; // the first size after a step, and the next two

double cost_ns(const TranslationPoint& point) {
    return smallest_of(point).translation_ns();
}

/// A step of the cost from one level to the next, as indices into the curve.
struct Step {
    std::size_t before = 0; ///< an index on the lower level
    std::size_t top = 0;    ///< the first index with at least twice its pages
    double low_ns = 0;      ///< the cost on either level
    double high_ns = 0;

    // If it ends a TLB (locate):
    std::size_t last_low = 0;   ///< the last index before the edge with hardly any of the step
    std::size_t edge = 0;       ///< the first index from which on the TLB counts as left
    std::size_t left = 0;       ///< the first index at which it surely is
    std::size_t first_high = 0; ///< the first index with nearly all of the step
    double fitted_entries = 0;  ///< the best estimate of a second TLB

    [[nodiscard]] double rise_ns() const { return high_ns - low_ns; }
};

/// The rise of the cost from this index to this many times its pages; std::nullopt if the curve ends before.
std::optional<Step> rise_at(TranslationCurve curve, std::size_t before, std::size_t times = 2) {
    const auto top = std::ranges::lower_bound(curve, times * curve[before].pages, {}, &TranslationPoint::pages);
    if (curve.end() - top < static_cast<std::ptrdiff_t>(steady_sizes))
        return std::nullopt;
    std::vector<double> lower;
    for (std::size_t i = before - std::min<std::size_t>(before, 2); i <= before; ++i)
        lower.push_back(cost_ns(curve[i]));
    return Step{.before = before,
                .top = static_cast<std::size_t>(top - curve.begin()),
                .low_ns = std::max(lower.back(), median(lower)), // a single low size does not make a step after it
                .high_ns = cost_ns(*std::ranges::min_element(TranslationCurve(top, steady_sizes), {}, cost_ns))};
}

bool is_enough(TranslationCurve curve, const Step& step, bool is_first, double cycle_ns) {
    std::vector<double> above_ns;
    for (const TranslationPoint& point : curve.subspan(step.top, steady_sizes))
        above_ns.push_back(disagreement_ns(point));
    // Page walks vary: with the rule for the first TLB, 3 of 24 runs on a Zen 3 lost the second one (tests/bench).
    const double noises = is_first ? 3 : 2;
    const double above = is_first ? std::ranges::max(above_ns) : median(above_ns);
    const double noise_ns = std::max(disagreement_ns(curve[step.before]), above);
    return step.rise_ns() >= std::max({cycle_ns, noises * noise_ns, step.low_ns});
}

/// The first step from this index on.
std::optional<Step> find_step(TranslationCurve curve, std::size_t from, double cycle_ns) {
    const bool is_first = from == 0;
    for (std::size_t i = from; i < curve.size(); ++i) {
        const auto step = rise_at(curve, i);
        if (!step || !is_enough(curve, *step, is_first, cycle_ns))
            continue;
        // The step begins after the last index on the lower level.
        std::size_t last = step->top - 1;
        while (last > i && cost_ns(curve[last]) >= step->low_ns + cycle_ns)
            --last;
        const auto whole = rise_at(curve, last);
        return whole && is_enough(curve, *whole, is_first, cycle_ns) ? whole : step;
    }
    return std::nullopt;
}

/// Finds the indices of a step that ends a TLB. @param from the first index on its lower level
void locate(Step& step, TranslationCurve curve, std::size_t from, const Reading& reading) {
    // A climb of less than a cycle before the step may be its beginning, so the cost comes from the whole level.
    std::vector<double> lower;
    for (std::size_t i = from; i <= step.before; ++i)
        lower.push_back(cost_ns(curve[i]));
    if (const auto longer = rise_at(curve, step.before, reading.over))
        step = *longer;
    step.low_ns = median(std::move(lower));
    const double next_to_none_ns = 0.1 * step.rise_ns(); // all but this counts as the whole step
    const auto reaches = [&](std::size_t place, double share) {
        return cost_ns(curve[place]) >= step.low_ns + share * step.rise_ns();
    };
    step.edge = step.top;
    while (step.edge > from + 1 && reaches(step.edge - 1, reading.missing))
        --step.edge;
    step.last_low = step.edge - 1;
    while (step.last_low > from && reaches(step.last_low, reading.held))
        --step.last_low;
    step.left = step.edge;
    while (step.left < step.top && !reaches(step.left, reading.left))
        ++step.left;
    step.first_high = step.edge;
    while (step.first_high < step.top && cost_ns(curve[step.first_high]) < step.high_ns - next_to_none_ns)
        ++step.first_high;
}

/// Whether the edge is as steep as sets make it that overflow one by one: one page too many makes the pages of one set
/// miss, and the sets are a power of two. Entries that another thread takes for part of the time are of any number: 79
/// to 93 of the 96 of a Zen 5 seemed to end to a page beside a busy sibling, with a tenth of the step (tests/bench).
bool ends_with_a_set(TranslationCurve curve, const Step& step) {
    constexpr double least = 0.4; // approximations of least recently used replacement miss half of the pages
    const std::size_t entries = curve[step.edge].pages - 1;
    const std::size_t most_sets = std::size_t{1} << static_cast<unsigned>(std::countr_zero(entries));
    const std::size_t ways = entries / most_sets;
    const double share = (cost_ns(curve[step.edge]) - step.low_ns) / step.rise_ns();
    return share >= least * static_cast<double>(ways + 1) / static_cast<double>(entries + 1);
}

/// Whether the edge is the number of entries: known to a page, and soon followed by misses of nearly all accesses.
bool is_exact(TranslationCurve curve, const Step& step) {
    constexpr double slow = 1.5;
    const std::size_t edge = curve[step.edge].pages;
    return curve[step.last_low].pages + 1 == edge &&
           static_cast<double>(curve[step.first_high].pages) <= slow * static_cast<double>(edge) &&
           ends_with_a_set(curve, step);
}

/// Places the edge of the step that ends a second TLB where the walks after it, which grow, leave it.
void fit(Step& step, TranslationCurve curve, std::size_t from, double cycle_ns) {
    const TlbEdge fitted = fit_second_tlb(curve.subspan(from), step.top - from, step.low_ns, cycle_ns);
    const auto first_above = [&](double pages) {
        const auto place = std::ranges::find_if(
            curve.begin() + static_cast<std::ptrdiff_t>(from) + 1, curve.end() - 1,
            [pages](const TranslationPoint& point) { return static_cast<double>(point.pages) > pages; });
        return static_cast<std::size_t>(place - curve.begin());
    };
    step.fitted_entries = fitted.entries;
    step.last_low = first_above(fitted.least_entries) - 1;
    step.edge = first_above(fitted.entries);
    step.left = first_above(fitted.most_entries);
    step.first_high = std::max(step.first_high, step.edge);
}

/// The steps that end TLBs, from the first on.
std::vector<Step> find_steps(TranslationCurve curve, double cycle_ns) {
    std::vector<Step> steps;
    std::size_t from = 0;
    while (steps.size() < exactness.size()) {
        auto step = find_step(curve, from, cycle_ns);
        if (!step)
            break;
        if (steps.empty())
            locate(*step, curve, from, sharp_reading);
        if (!steps.empty() || !is_exact(curve, *step))
            locate(*step, curve, from, slow_reading);
        if (!steps.empty())
            fit(*step, curve, from, cycle_ns);
        steps.push_back(*step);
        from = step->first_high;
    }
    return steps;
}

/// @param to_a_page the edge of the TLB is sharp, and sure if known to a page
Confidence confidence_in(TranslationCurve curve, const Step& step, bool to_a_page) {
    constexpr double same = 0.1; // page colours alone change the latency of the same number of lines by as much
    const TranslationPoint& low = curve[step.last_low];
    const auto packed_ns = [](const TranslationPoint& point) { return smallest_of(point).packed_ns; };
    const auto [least, most] =
        std::ranges::minmax_element(curve.subspan(step.last_low, step.edge - step.last_low + 1), {}, packed_ns);
    const double least_ns = packed_ns(*least);
    const double most_ns = packed_ns(*most);
    if (most_ns - least_ns > same * least_ns || same * most_ns > step.rise_ns() / 2)
        return Confidence::low;
    const double octaves = doublings(static_cast<double>(low.pages), static_cast<double>(curve[step.left].pages));
    // Between the two, misses depend on the order of the walk, which differs in each round.
    const double noise_ns = std::max(disagreement_ns(low), disagreement_ns(curve[step.first_high]));
    const bool is_sharp = to_a_page ? is_exact(curve, step) : octaves <= 0.5;
    return is_sharp && noise_ns <= same * step.rise_ns() ? Confidence::high : Confidence::fair;
}

/// See Translation::disturbed_pages.
bool is_disturbed_at(TranslationCurve curve, std::size_t place) {
    const auto spread_ns = [&curve](std::size_t i) { return smallest_of(curve[i]).spread_ns; };
    constexpr double half = 0.5;
    if (disagreement_ns(curve[place]) >= half * spread_ns(place))
        return true;
    for (std::size_t larger = place + 1; larger < curve.size(); ++larger) { // translation costs more there
        if (spread_ns(place) >= (1 + half) * spread_ns(larger))
            return true;
    }
    if (curve.size() == 1)
        return false;
    const std::size_t before = place == 0 ? 1 : place - 1;
    const std::size_t after = place + 1 == curve.size() ? place - 1 : place + 1;
    return towers_over(spread_ns(place), spread_ns(before), spread_ns(after));
}

/// Its range ends at points that were not disturbed, if there are any.
Tlb tlb_of(TranslationCurve curve, const Step& step, bool is_first) {
    const auto held = static_cast<double>(curve[step.edge - 1].pages);
    const auto missed = static_cast<double>(curve[step.edge].pages);
    const double middle = std::sqrt(held * (missed - 1)); // 72 if 73 is missed
    std::size_t low = step.last_low;
    while (low > 0 && is_disturbed_at(curve, low))
        --low;
    std::size_t high = step.left;
    while (high + 1 < curve.size() && is_disturbed_at(curve, high))
        ++high;
    return {.entries_low = curve[low].pages,
            .entries = static_cast<std::size_t>(is_first ? middle : std::round(step.fitted_entries)),
            .entries_high = curve[high].pages,
            .hit_ns = step.low_ns,
            .miss_ns = step.rise_ns(),
            .confidence = confidence_in(curve, step, is_first)};
}

/// The cost at the undisturbed points from this many pages on, or else at the most pages.
std::vector<CostAtPages> costs_from(TranslationCurve curve, std::size_t pages) {
    std::vector<CostAtPages> costs;
    for (std::size_t place = 0; place < curve.size(); ++place) {
        if (curve[place].pages >= pages && !is_disturbed_at(curve, place))
            costs.push_back({.pages = curve[place].pages, .ns = cost_ns(curve[place])});
    }
    if (costs.empty())
        costs.push_back({.pages = curve.back().pages, .ns = cost_ns(curve.back())});
    return costs;
}

/// The cost after the last TLB, at twice its reach and, if these are others, at the most pages. @param walks not empty
std::vector<CostAtPages> costs_beyond(const std::vector<CostAtPages>& walks, const Tlb& last) {
    const std::size_t twice = std::max(2 * last.entries, last.entries_high);
    const auto at_twice = std::ranges::lower_bound(walks, twice, {}, &CostAtPages::pages);
    if (walks.end() - at_twice < 2)
        return {walks.back()};
    return {*at_twice, walks.back()};
}

/// The cost of an access after the last TLB. Walks grow in steps, as their tables leave one cache after the other, and
/// a second TLB that was not found is such a step: a line from twice the reach to the most pages missed the latency of
/// the last cache by 14 to 32 % on 7 of 60 generated machines.
double cost_beyond_ns(const Translation& translation, double pages) {
    const std::vector<CostAtPages>& walks = translation.walks;
    const auto above = std::ranges::find_if(
        walks, [pages](const CostAtPages& cost) { return static_cast<double>(cost.pages) >= pages; });
    if (above == walks.begin() || above == walks.end())
        return above == walks.end() ? walks.back().ns : above->ns;
    const CostAtPages& below = *std::prev(above);
    const auto log_pages = [](const CostAtPages& cost) { return std::log2(static_cast<double>(cost.pages)); };
    const double way = (std::log2(pages) - log_pages(below)) / (log_pages(*above) - log_pages(below));
    return std::lerp(below.ns, above->ns, way);
}

} // namespace

Translation read_translation(TranslationCurve curve, double cycle_ns) {
    Translation translation;
    const std::vector<Step> steps = find_steps(curve, cycle_ns);
    for (const Step& step : steps)
        translation.tlbs.push_back(tlb_of(curve, step, translation.tlbs.empty()));
    if (!steps.empty()) {
        translation.walks = costs_from(curve, translation.tlbs.back().entries + 1);
        translation.beyond = costs_beyond(translation.walks, translation.tlbs.back());
    }
    for (std::size_t place = 0; place < curve.size(); ++place) {
        if (is_disturbed_at(curve, place))
            translation.disturbed_pages.push_back(curve[place].pages);
    }
    return translation;
}

std::optional<std::size_t> next_pages(TranslationCurve curve, double cycle_ns) {
    const std::vector<Step> steps = find_steps(curve, cycle_ns);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const std::size_t held = curve[steps[k].edge - 1].pages;
        const std::size_t missed = curve[steps[k].edge].pages;
        if (missed - held > 1 && static_cast<double>(missed) > (1 + exactness.at(k)) * static_cast<double>(held))
            return held + (missed - held) / 2;
    }
    return std::nullopt;
}

double cost_in_random_sweep_ns(const Translation& translation, double pages) {
    double cost_ns = 0;
    for (std::size_t place = 0; place < translation.tlbs.size(); ++place) {
        const Tlb& tlb = translation.tlbs[place];
        const bool is_last = place + 1 == translation.tlbs.size();
        const double behind_ns = is_last ? cost_beyond_ns(translation, pages) : translation.tlbs[place + 1].hit_ns;
        const double misses = std::max(0.0, 1 - static_cast<double>(tlb.entries) / pages);
        cost_ns += misses * (behind_ns - tlb.hit_ns);
    }
    return cost_ns;
}

bool splits_huge_pages(const Tlb& first, const TranslationPoint& in_small_pages) {
    return cost_ns(in_small_pages) >= first.hit_ns + first.miss_ns / 2;
}

void doubt_translation(Hierarchy& hierarchy, double page_bytes) {
    constexpr double near = 0.5;        // doublings
    constexpr double most_step_ns = 10; // for a second-level TLB's hits, or for short walks
    constexpr std::array<std::pair<double, double>, 2> usual{{{64, 96}, {1024, 4096}}};
    const auto is_reach = [&](double bytes) {
        return std::ranges::any_of(usual, [&](const auto& entries) {
            const auto [least, most] = entries;
            return doublings(bytes, least * page_bytes) <= near && doublings(most * page_bytes, bytes) <= near;
        });
    };
    bool found = false;
    for (std::size_t k = 0; k < hierarchy.caches.size(); ++k) {
        Level& level = hierarchy.caches[k];
        const bool is_last = k + 1 == hierarchy.caches.size();
        if (is_last && !hierarchy.memory)
            break;
        const double after_ns = is_last ? hierarchy.memory->latency_ns : hierarchy.caches[k + 1].latency_ns;
        const double bytes = level.edge.capacity_bytes;
        if (!is_reach(bytes) || after_ns - level.latency_ns >= most_step_ns || level.reported_bytes)
            continue;
        level.capacity_confidence = level.latency_confidence = Confidence::low;
        found = true;
    }
    if (found)
        hierarchy.remarks.push_back(Code::may_be_translation);
}

} // namespace memtest
