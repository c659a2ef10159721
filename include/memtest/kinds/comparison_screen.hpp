#pragma once

#include "memtest/kinds/comparison.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// For people: a sentence with the verdict and its reason, and a table of what differs and of the levels. @param all
/// figures are in the table, and single sizes @param passed the sentence says that what is unclear passes
/// @param columns of the terminal, at which the sentence wraps; none: it is one line
[[nodiscard]] std::string comparison_table(const Comparison& comparison, bool all = false, bool passed = false,
                                           std::optional<std::size_t> columns = {});

// What comparisons and fleets share.

/// A row: the name, the base, the new value, the change, its noise, and the verdict or what else there is to say.
[[nodiscard]] std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name);

/// An answer for people.
struct Screen {
    std::string verdict;
    std::vector<std::string> header; ///< of rows like cells_of()
    std::vector<std::vector<std::string>> rows{};
    std::string legend{};     ///< a sentence on the rows
    std::size_t left_out = 0; ///< rows that only --all shows
    std::vector<Notice> notes{};
};

/// The first rows and notes, all of them if asked, and last the verdict: at most 20 lines where those are short. @param
/// columns of the terminal, at which sentences wrap; none: they are one line
[[nodiscard]] std::string text_of(const Screen& screen, bool all, std::optional<std::size_t> columns);

} // namespace memtest
