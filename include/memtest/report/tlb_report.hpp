#pragma once

#include "memtest/insight/tlb.hpp"
#include "memtest/report/run_lines.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// Taken for the clock of a core whose own is not known, where only the size of a cycle matters.
inline constexpr double usual_ghz = 3;

/// The line that names the columns of `memtest tlb`, without its line end: `levels` knows such a file by it.
inline constexpr std::string_view tlb_header = "Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)";

/// A row of `memtest tlb`, with its line end: the smallest of its rounds.
[[nodiscard]] std::string tlb_row(const TranslationPoint& point, std::size_t page_bytes);

/// What the rows tell, in words.
struct TlbReport {
    Translation translation;
    std::size_t page_bytes = 0;
    std::size_t most_pages = 0;
    std::optional<double> core_ghz = std::nullopt; ///< to give costs in cycles
    bool splits_huge_pages = false;
};

/// The report's `# key: value` lines.
[[nodiscard]] KeyedLines tlb_lines(const TlbReport& report);

} // namespace memtest
