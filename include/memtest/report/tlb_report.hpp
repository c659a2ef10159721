#pragma once

#include "memtest/insight/tlb.hpp"
#include "memtest/report/table_report.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// Stands for an unknown core clock where only the size of a cycle matters.
inline constexpr double usual_ghz = 3;

inline constexpr std::array<TableColumn, 5> tlb_columns{{{"Pages", "pages"},
                                                         {"Reach (KiB)", "reach_kib"},
                                                         {"Spread (ns)", "spread_ns"},
                                                         {"Packed (ns)", "packed_ns"},
                                                         {"Translation (ns)", "translation_ns"}}};

inline constexpr TableKind tlb_table{.verb = "tlb", .columns = tlb_columns};

/// The fields of a row: the smallest of its rounds.
[[nodiscard]] std::vector<std::string> tlb_row(const TranslationPoint& point, std::size_t page_bytes);

/// What the rows tell, in words.
struct TlbReport {
    Translation translation;
    std::size_t page_bytes = 0;
    std::size_t most_pages = 0;
    std::optional<double> core_ghz = std::nullopt; ///< for costs in cycles
    bool splits_huge_pages = false;
};

/// The report's `# key: value` lines.
[[nodiscard]] KeyedLines tlb_lines(const TlbReport& report);

/// The same as members of a JSON document: `tlbs`, `beyond` and `remarks`, each null where there is no report.
[[nodiscard]] std::string tlb_members(const std::optional<TlbReport>& report);

} // namespace memtest
