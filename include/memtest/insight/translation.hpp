#pragma once

#include "memtest/insight/latency_curve.hpp"
#include "memtest/insight/levels.hpp"
#include "memtest/measure/page_probe.hpp"

#include <array>
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
    /// The points that are not quoted as such a cost: their rounds disagree by half of the latency, or it is far above
    /// that of the neighbouring points.
    std::vector<std::size_t> disturbed_pages{};
};

/// Finds the edges of the cost. The first-level TLB ends where misses begin, at 6 % of the step; unless that is known
/// to a page, and as steep as sets make it, its range reaches to 70 % of it. The second-level one, whose sets may fill
/// by chance, is fitted (fit_second_tlb). An edge is a step of at least a cycle and three times the disagreement
/// between rounds that lasts for the next two sizes, and at least doubles the cost within twice the pages. Page walks
/// grow more slowly, as their tables leave one cache after another. @param cycle_ns of the core
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

/// Why the cost of translation at a size is not quoted; reversed: huge pages were slower than noise explains.
enum class Withheld { explained_by_noise, contested, reversed, at_end_of_level, above_walk, disturbed };

template<>
inline constexpr std::array<Word<Withheld>, 6> word_table<Withheld>{{{Withheld::explained_by_noise, "noise"},
                                                                     {Withheld::contested, "contested"},
                                                                     {Withheld::reversed, "huge slower"},
                                                                     {Withheld::at_end_of_level, "level ends"},
                                                                     {Withheld::above_walk, "above walk"},
                                                                     {Withheld::disturbed, "disturbed"}}};

/// The cost of address translation for an access at one size on one thread.
struct TranslationCost {
    int thread = 0;
    double size_bytes = 0;
    double small_pages_ns = 0;
    double huge_pages_ns = 0;
    std::optional<double> cost_ns = std::nullopt; ///< small minus huge; std::nullopt if withheld
    std::optional<Withheld> withheld = std::nullopt;
};

/// Compares two sweeps of one machine, with small and with huge pages, at every row that both have, by thread and size.
/// A cost exceeds three standard deviations of its noise at a size and one beside it, or six at one alone. Huge pages
/// reach so much further that their own cost of translation is neglected. A size is disturbed whose ratio of the
/// latencies is at least twice that at the sizes beside it: page walks grow slowly, so something else differed.
[[nodiscard]] std::vector<TranslationCost> translation_costs(const LatencyCurve& small_pages,
                                                             const LatencyCurve& huge_pages);

/// The most that a page walk was measured to cost, in as much memory as this or less.
struct WalkCost {
    double ns = 0;
    double to_bytes = 0;
};

/// Withholds a cost that is that of something else: inside the range in which a level of either sweep may end, at more
/// than one and a half times the most that a walk was measured to cost in so much memory.
/// @param sweeps both, of its thread @param walk where it was measured
void withhold_cost(TranslationCost& cost, std::span<const Hierarchy> sweeps, const std::optional<WalkCost>& walk);

} // namespace memtest
