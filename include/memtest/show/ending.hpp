#pragma once

#include "memtest/insight/translation.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/result.hpp"
#include "memtest/result/text_table.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// What a person reads last: the answer that a result gives, and what makes it doubtful.
struct Ending {
    std::string title{};    ///< over the table; empty: none
    TextTable table{};      ///< without rows: none
    std::string sentence{}; ///< under the table; empty: none
    std::vector<Notice> notes{};
};

/// The answer that a measured result of any kind gives, from its rows and description; notes repeat its warnings and
/// remarks. @param translation_is_off the cost of translation was subtracted from a sweep
[[nodiscard]] Ending ending_of(const Result& result, bool translation_is_off = false);

/// What huge pages save, from the difference of two sweeps.
[[nodiscard]] Ending ending_of(std::span<const TranslationCost> costs, const Findings& findings);

/// The TLBs and the cost of page walks as a table.
[[nodiscard]] TextTable table_of(const TlbReport& report);

/// The levels of each thread as a table.
[[nodiscard]] TextTable table_of(std::span<const LevelReport> reports);

/// As lines of at most this many columns: sentences wrap between words, with a hanging indent.
[[nodiscard]] std::string text_of(const Ending& ending, std::size_t columns);

} // namespace memtest
