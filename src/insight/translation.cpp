#include "memtest/insight/translation.hpp"

#include "memtest/insight/compare.hpp"

namespace memtest {

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
    return costs;
}

} // namespace memtest
