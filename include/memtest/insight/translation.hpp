#pragma once

#include "memtest/insight/levels.hpp"
#include "memtest/measure/page_probe.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The points of a sweep over numbers of pages, in ascending order.
using TranslationCurve = std::span<const TranslationPoint>;

/// A TLB as the cost of translation shows it.
struct Tlb {
    std::size_t entries_low = 0;  ///< the least it may hold: of a first TLB, the most pages with hardly a miss
    std::size_t entries = 0;      ///< the best single figure; a first TLB misses clearly more with one page more
    std::size_t entries_high = 0; ///< a number of pages that it surely does not hold
    double hit_ns = 0;            ///< the cost of translation by this TLB
    double miss_ns = 0;           ///< the additional cost of a miss, at about twice the reach
    Confidence confidence = Confidence::low;
};

/// The cost of translation at one number of pages.
struct CostAtPages {
    std::size_t pages = 0;
    double ns = 0;
};

/// The TLBs that the cost of translation shows, nearest first. None is a valid answer: the cost then has no edge.
struct Translation {
    std::vector<Tlb> tlbs; ///< at most two
    /// The cost after the last TLB, at twice its reach (or the most pages) and at the most pages, since page walks have
    /// no single cost; or at the nearest undisturbed points. Empty without a TLB.
    std::vector<CostAtPages> beyond;
    /// The cost at each undisturbed point of more pages than the last TLB has entries, or at the most pages if all are
    /// disturbed. Empty without a TLB.
    std::vector<CostAtPages> walks{};
    /// The points that are not quoted as such a cost: their rounds disagree by half of the latency, it is 1.5 times
    /// that of more pages, or far above that of the neighbouring points.
    std::vector<std::size_t> disturbed_pages{};
};

/// Finds the edges of the cost. The first-level TLB ends where misses begin, at 6 % of the step; unless that is known
/// to a page, and as steep as sets make it, its range reaches to 70 % of it. The second-level one, whose sets may fill
/// by chance, is fitted (fit_second_tlb). An edge is a step of at least a cycle and three times the disagreement
/// between rounds that lasts for the next two sizes, and at least doubles the cost within twice the pages. Page walks
/// grow more slowly, as their tables leave one cache after another. They differ from round to round: after a second
/// TLB twice the disagreement is enough, and that of the three sizes is their median. @param cycle_ns of the core
[[nodiscard]] Translation read_translation(TranslationCurve curve, double cycle_ns);

/// How many pages a second-level TLB holds, as the cost of translation shows it.
struct TlbEdge {
    double least_entries = 0; ///< the range of what fits about as well
    double entries = 0;       ///< the mean of all fits, weighed by how well they fit
    double most_entries = 0;
};

/// In tlb_edge.cpp. Fits the end of a second-level TLB to the cost of translation around it, by least squares of the
/// relative error, above three standard errors of its absolute value (Huber 1964):
///     cost = hit + miss share * walk * 2^(growth * doublings beyond the entries)
/// Sets that fill evenly or by chance, least recently used and random replacement, and any growth of the walks compete.
/// @param curve in ascending order, from the first TLB on @param hit_ns the cost while all pages are held
/// @param top place in the curve of the top of the step, before which the TLB ends
[[nodiscard]] TlbEdge fit_second_tlb(TranslationCurve curve, std::size_t top, double hit_ns, double cycle_ns);

/// The next number of pages to measure, until the first edge is known to a page and the second to 5 %; then
/// std::nullopt.
[[nodiscard]] std::optional<std::size_t> next_pages(TranslationCurve curve, double cycle_ns);

/// The cost of translation for an access of a random sweep over this many pages. Each TLB holds as many pages as it has
/// entries, and an access goes to any page. After the last TLB, interpolates between the costs at the points, and uses
/// the nearest one outside of them.
[[nodiscard]] double cost_in_random_sweep_ns(const Translation& translation, double pages);

/// Whether huge pages are translated as small ones, as by a host that maps a guest's huge pages with small pages.
/// @param first found on lines a huge page apart
/// @param in_small_pages measured on lines a small page apart, twice as many as its entries, in few huge pages
[[nodiscard]] bool splits_huge_pages(const Tlb& first, const TranslationPoint& in_small_pages);

/// Lowers the confidence in levels that end within half a doubling of the reach of a usual TLB, and remarks on them: of
/// 64 to 96 or 1024 to 4096 entries, where the rise is less than 10 ns, and the level is not a reported cache.
/// @pre the sweep includes the cost of translation @param page_bytes that the sweep was made in
void doubt_translation(Hierarchy& hierarchy, double page_bytes);

} // namespace memtest
