#pragma once

#include "memtest/insight/translation.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// What `memtest tlb` measures: the cost of translation by the number of pages in use.
extern const KindOf<TlbRow> tlb_kind;

/// Stands for an unknown core clock if only the rough length of a cycle matters.
inline constexpr double usual_ghz = 3;

/// A row with the minimum of its rounds.
[[nodiscard]] TlbRow tlb_row(const TranslationPoint& point, std::size_t page_bytes);

/// What the rows of `memtest tlb` show.
struct TlbReport {
    Translation translation;
    double page_bytes = 0;
    std::size_t most_pages = 0;
    std::optional<double> core_ghz = std::nullopt; ///< for costs in cycles
    bool splits_huge_pages = false;
};

/// The TLBs, the cost beyond them, and remarks.
[[nodiscard]] Findings tlb_findings(const TlbReport& report);

/// Reads a stored result of `memtest tlb`. @throws Error (usage) if its numbers of pages do not ascend
[[nodiscard]] TlbReport read_tlb(const Result& tlb);

/// What a stored result of `memtest tlb` shows, less what its remarks deny: they come from all rounds of the run, of
/// which the rows hold the fastest. @throws Error like read_tlb
[[nodiscard]] Findings stored_tlb_findings(const Result& tlb);

/// Subtracts from a sweep what translation adds to it, so that the end of a TLB does not look like a cache. Warns in
/// the sweep if that is not known for its largest sizes, and leaves these out if the others reach memory.
/// @return whether that is the full cost: false if a TLB may be missing, for sizes of unknown cost, and for huge pages
/// that are split, of which it warns
/// @throws Error (usage) if the cost is unknown: the sweep is not in random order, is confined by --tlb-locality, or
/// has other pages, or the cost is most of an access. The sweep is then unchanged
[[nodiscard]] bool subtract_translation(Result& sweep, const Result& tlb);

/// Withholds costs that come from something other than translation.
/// @param walk_ns the highest measured cost of a page walk, if known
void withhold_costs(std::vector<TranslationCost>& costs, const Result& small_pages, const Result& huge_pages,
                    const std::optional<WalkCost>& walk);

/// The cost in percent of the latency with huge pages, as `memtest translation` gives it everywhere.
[[nodiscard]] std::optional<double> cost_percent(const TranslationCost& cost);

/// What `memtest translation` reports: the difference of two sweeps.
extern const KindOf<TranslationCost> translation_kind;

/// @param noise_is_told the sweeps give their noise; else it is assumed
[[nodiscard]] Findings translation_findings(std::span<const TranslationCost> costs, bool noise_is_told);

} // namespace memtest
