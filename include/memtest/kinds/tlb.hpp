#pragma once

#include "memtest/insight/translation.hpp"
#include "memtest/result/answer.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <optional>

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
    bool is_guest = false; ///< of a virtual machine
};

/// The TLBs, the cost beyond them, and remarks.
[[nodiscard]] Findings tlb_findings(const TlbReport& report);

/// The TLBs and the cost of misses.
[[nodiscard]] Answer answer_of(const TlbReport& report);

/// What the points show. In a virtual machine another guest may use the second TLB, so that confidence in its end is at
/// most fair. @pre points in ascending order, at least one
[[nodiscard]] TlbReport read_tlb(TranslationCurve points, double page_bytes, const RunDescription& run);

/// Reads a stored result of `memtest tlb`. @throws Error (usage) if its numbers of pages do not ascend
[[nodiscard]] TlbReport read_tlb(const Result& tlb);

/// The same less what the remarks of the result deny: they come from all rounds of the run, of which the rows hold the
/// fastest. @throws Error like read_tlb
[[nodiscard]] TlbReport confirmed_tlb(const Result& tlb);

} // namespace memtest
