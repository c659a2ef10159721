#pragma once

#include "memtest/insight/levels.hpp"
#include "memtest/measure/translation_sweep.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// What was measured at each number of pages, in ascending order.
using TranslationCurve = std::span<const TranslationPoint>;

/// A TLB as the cost of translation shows it.
struct Tlb {
    std::size_t entries_low = 0;  ///< the most pages with next to no miss
    std::size_t entries = 0;      ///< the best single figure: from the next page on, clearly more than some miss
    std::size_t entries_high = 0; ///< the fewest pages with clearly more misses
    double hit_ns = 0;            ///< what translation costs where this TLB serves it
    double miss_ns = 0;           ///< what a miss adds, at about twice the reach
    Confidence confidence = Confidence::low;
};

/// What translation costs at one number of pages.
struct CostAtPages {
    std::size_t pages = 0;
    double ns = 0;
};

/// What the cost of translation tells, from the nearest TLB on. No TLB at all is a valid answer: then the cost has no
/// edge.
struct Translation {
    std::vector<Tlb> tlbs; ///< at most two
    /// Behind the last of them, at twice its reach (or the most pages) and at the most pages: there is no single cost
    /// of a page walk. Empty without a TLB.
    std::vector<CostAtPages> beyond;
};

/// Finds the edges of the cost. An edge is a step of at least a cycle and three times the disagreement between rounds,
/// kept by the next two sizes, and at least doubles the cost within twice the pages: walks grow more slowly, as their
/// tables leave one cache after another. @param cycle_ns the length of a cycle of the core
[[nodiscard]] Translation read_translation(TranslationCurve curve, double cycle_ns);

/// The number of pages to measure next, so that the first edge is known to a page and the second to 5 %; nothing when
/// they are.
[[nodiscard]] std::optional<std::size_t> next_pages(TranslationCurve curve, double cycle_ns);

/// What translation adds to an access of a random sweep over this many pages: each TLB holds as many of them as it has
/// entries, and an access goes to any. Behind the last, between the two costs known, or the nearer of them.
[[nodiscard]] double cost_in_random_sweep_ns(const Translation& translation, double pages);

/// Whether an area of huge pages is translated in small ones, as a host does that maps a guest's huge pages by small
/// pages of its own.
/// @param first found on lines a huge page apart
/// @param in_small_pages measured on lines a small page apart, twice as many as its entries: in few huge pages
[[nodiscard]] bool splits_huge_pages(const Tlb& first, const TranslationPoint& in_small_pages);

} // namespace memtest
