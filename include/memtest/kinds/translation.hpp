#pragma once

#include "memtest/insight/translation_cost.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/result/result.hpp"

#include <span>
#include <vector>

namespace memtest {

/// Subtracts from a sweep what translation adds to it, so that the end of a TLB does not look like a cache. Warns in
/// the sweep if that is not known for its largest sizes, and leaves these out if the others reach memory.
/// @return whether that is the full cost: false if a TLB may be missing, for sizes of unknown cost, and for huge pages
/// that are split, of which it warns
/// @throws Error (usage) if the cost is unknown: the sweep is not in random order, is confined by --tlb-locality, or
/// has other pages, or the cost is most of an access. The sweep is then unchanged
[[nodiscard]] bool subtract_translation(Result& sweep, const Result& tlb);

/// What small pages cost compared with huge ones, without what comes from something other than translation.
[[nodiscard]] std::vector<TranslationCost> translation_costs(const Result& small_pages, const Result& huge_pages);

/// What `memtest translation` reports: the difference of two sweeps.
extern const KindOf<TranslationCost> translation_kind;

/// @param noise_is_told the sweeps give their noise; else it is assumed
[[nodiscard]] Findings translation_findings(std::span<const TranslationCost> costs, bool noise_is_told);

/// The cost that the answer quotes: of the first thread, at the largest size at which it is known; null if there is
/// none.
[[nodiscard]] const TranslationCost* quoted_cost(std::span<const TranslationCost> costs);

/// What huge pages save, and the remarks among the findings.
[[nodiscard]] Answer answer_of(std::span<const TranslationCost> costs, const Findings& findings);

} // namespace memtest
