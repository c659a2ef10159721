#include "memtest/insight/translation_cost.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace memtest {
namespace {

/// Whether the ratio of small over huge pages is at least twice that of each neighbour.
bool stands_alone(std::span<const TranslationCost> costs, std::size_t place) {
    const auto ratio = [&costs](std::size_t i) { return times_as_long(costs[i]); };
    double beside = 0;
    if (place > 0 && costs[place - 1].thread == costs[place].thread)
        beside = ratio(place - 1);
    if (place + 1 < costs.size() && costs[place + 1].thread == costs[place].thread)
        beside = std::max(beside, ratio(place + 1));
    return beside > 0 && ratio(place) >= 2 * beside;
}

} // namespace

std::vector<TranslationCost> translation_costs(const LatencyCurve& small_pages, const LatencyCurve& huge_pages) {
    constexpr double deviations_alone = 6; // few visits, and many sizes
    std::vector<TranslationCost> costs;
    std::vector<double> changes; // in standard deviations
    for (const auto& [key, there] : small_pages) {
        const auto same = huge_pages.find(key);
        if (same == huge_pages.end())
            continue;
        const LogPoint& base = same->second;
        const bool is_contested = there.contested || base.contested;
        const double noise = std::hypot(there.noise, base.noise);
        changes.push_back(is_contested ? 0 : (there.log_latency - base.log_latency) / noise);
        costs.push_back({.thread = key.first,
                         .size_bytes = base.size_bytes,
                         .small_pages_ns = std::exp(there.log_latency),
                         .huge_pages_ns = std::exp(base.log_latency),
                         .withheld = is_contested ? std::optional(Withheld::contested) : std::nullopt,
                         .noise = noise});
    }
    for (std::size_t place = 0; place < costs.size(); ++place) {
        TranslationCost& cost = costs[place];
        const double change = changes[place];
        const auto confirms = [&](std::size_t other) {
            return other < costs.size() && costs[other].thread == cost.thread && changes[other] * change > 0 &&
                   std::abs(changes[other]) > deviations;
        };
        const bool is_known = std::abs(change) > deviations_alone ||
                              (std::abs(change) > deviations && (confirms(place - 1) || confirms(place + 1)));
        if (is_known && change > 0)
            cost.cost_ns = cost.small_pages_ns - cost.huge_pages_ns;
        else if (!cost.withheld)
            cost.withheld = is_known && change < 0 ? Withheld::reversed : Withheld::explained_by_noise;
    }
    for (std::size_t place = 0; place < costs.size(); ++place) {
        if (costs[place].cost_ns && stands_alone(costs, place)) {
            costs[place].cost_ns.reset();
            costs[place].withheld = Withheld::disturbed;
        }
    }
    return costs;
}

std::pair<double, double> range_of_difference_ns(const TranslationCost& cost) {
    const double factor = std::exp(deviations * cost.noise);
    return {cost.small_pages_ns / factor - cost.huge_pages_ns,
            std::min(cost.small_pages_ns * factor - cost.huge_pages_ns, cost.small_pages_ns)};
}

double times_as_long(const TranslationCost& cost) {
    return cost.small_pages_ns / cost.huge_pages_ns;
}

bool differs_widely(const TranslationCost& cost) {
    constexpr double wide = 1.1;
    return std::max(times_as_long(cost), 1 / times_as_long(cost)) > wide;
}

void withhold_at_edges(TranslationCost& cost, std::span<const Hierarchy> sweeps) {
    const auto may_end = [&cost](const Hierarchy& sweep) {
        const double end = sweep.memory ? sweep.memory->from_bytes : std::numeric_limits<double>::max();
        return std::ranges::any_of(sweep.caches, [&cost, end](const Level& level) {
            return cost.size_bytes > level.capacity_low_bytes.value_or(level.to_bytes) &&
                   cost.size_bytes < level.capacity_high_bytes.value_or(end);
        });
    };
    const bool is_wide_noise = cost.withheld == Withheld::explained_by_noise && differs_widely(cost);
    const bool is_reversed = cost.withheld == Withheld::reversed;
    if ((cost.cost_ns || is_wide_noise || is_reversed) && std::ranges::any_of(sweeps, may_end)) {
        cost.withheld = Withheld::at_end_of_level;
        cost.cost_ns.reset();
    }
}

} // namespace memtest
