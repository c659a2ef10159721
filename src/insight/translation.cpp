#include "memtest/insight/translation.hpp"

#include "memtest/insight/compare.hpp"

#include <algorithm>
#include <cstddef>

namespace memtest {
namespace {

/// Whether the ratio of small over huge pages is at least twice that of each neighbour.
bool stands_alone(std::span<const TranslationCost> costs, std::size_t place) {
    const auto ratio = [&costs](std::size_t i) { return costs[i].small_pages_ns / costs[i].huge_pages_ns; };
    double beside = 0;
    if (place > 0 && costs[place - 1].thread == costs[place].thread)
        beside = ratio(place - 1);
    if (place + 1 < costs.size() && costs[place + 1].thread == costs[place].thread)
        beside = std::max(beside, ratio(place + 1));
    return beside > 0 && ratio(place) >= 2 * beside;
}

} // namespace

std::vector<TranslationCost> translation_costs(std::span<const SizeFigure> small_pages,
                                               std::span<const SizeFigure> huge_pages) {
    const std::vector<SizeFigure> baseline(huge_pages.begin(), huge_pages.end());
    const Comparison comparison = compare_sweeps({&baseline, 1}, small_pages, {}, 0);
    std::vector<TranslationCost> costs;
    for (const SizeChange& size : comparison.sizes) {
        const Change& change = size.change;
        costs.push_back({.thread = size.thread,
                         .size_bytes = size.size_bytes,
                         .small_pages_ns = change.latest_ns,
                         .huge_pages_ns = change.base_ns,
                         .reversed = change.verdict == Verdict::faster});
        if (change.verdict == Verdict::slower)
            costs.back().cost_ns = change.latest_ns - change.base_ns;
    }
    for (std::size_t place = 0; place < costs.size(); ++place)
        costs[place].doubtful = costs[place].cost_ns && stands_alone(costs, place);
    return costs;
}

} // namespace memtest
