#pragma once

#include "memtest/insight/translation.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memtest {

/// A table for a terminal: cells in columns that are as wide as it takes, with two blanks between.
struct TextTable {
    std::vector<std::vector<std::string>> rows{}; ///< the header first
    std::string right{};                          ///< a letter for each column: 'r' for one with numbers, else 'l'
};

/// What a person reads last: the answer of a result, and what makes it doubtful.
struct Ending {
    std::string title{};    ///< over the table; empty: none
    TextTable table{};      ///< without rows: none
    std::string sentence{}; ///< under the table; empty: none
    std::vector<Notice> notes{};
};

/// The answer of a result of any kind that is measured, from its rows and description; notes say what its warnings and
/// remarks say. @param translation_is_off its cost was taken off a sweep
[[nodiscard]] Ending ending_of(const Result& result, bool translation_is_off = false);

/// What huge pages save, from the difference of two sweeps.
[[nodiscard]] Ending ending_of(std::span<const TranslationCost> costs, const Findings& findings);

/// The levels of each thread as a table.
[[nodiscard]] TextTable table_of(std::span<const LevelReport> reports);

/// As lines no wider than so many characters: sentences wrap at words, with a hanging indent.
[[nodiscard]] std::string text_of(const Ending& ending, std::size_t columns);

} // namespace memtest
