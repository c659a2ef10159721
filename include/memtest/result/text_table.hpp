#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A table for people. All rows that are not empty have the same length.
struct TextTable {
    std::vector<std::vector<std::string>> rows{}; ///< the header first; an empty one stands for an empty line
    std::string right{};                          ///< a letter for each column: 'r' for numbers, else 'l'
};

/// A line of cells two blanks apart, padded to the widths of their columns, with its line end.
[[nodiscard]] std::string aligned_line(std::span<const std::string> cells, std::string_view right,
                                       std::span<const std::size_t> widths);

/// A table of numbers, but for its first column. @param header of its columns
[[nodiscard]] TextTable table_of_numbers(std::vector<std::string> header);

/// Breaks the first cells at blanks, so that the table fits into the columns of a terminal. Words are not split.
void fit_names(TextTable& table, std::size_t columns);

/// For a terminal: columns as wide as their cells. Empty without rows.
[[nodiscard]] std::string aligned_text(const TextTable& table);

/// In Markdown that is aligned as text, too. Empty without a row below the header.
[[nodiscard]] std::string markdown_table(const TextTable& table);

} // namespace memtest
