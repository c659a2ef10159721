#pragma once

#include "memtest/result/notice.hpp"
#include "memtest/result/text_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memtest {

struct Result;

/// What a person reads of a result.
struct Answer {
    std::string title{};                  ///< over the table; empty: none
    TextTable table{};                    ///< without rows: none
    std::vector<std::string> sentences{}; ///< under the table
    std::vector<Notice> notes{};
    bool is_beyond_caches = false; ///< of a sweep: it goes far beyond what it shows of the last cache
};

/// The answer of a result of any kind, from its rows and description; notes alone if no row has a figure. The notes are
/// the remarks of its file; in a sweep those on the levels that its rows show.
[[nodiscard]] Answer answer_of(const Result& result);

/// Adds warnings to the notes of an answer, and drops notes that another one makes needless.
void add_warnings(Answer& answer, const std::vector<Notice>& warnings);

/// The answer with the result's warnings.
[[nodiscard]] Answer answer_with_warnings(const Result& result);

/// As lines of at most this many columns: sentences wrap between words, with a hanging indent.
[[nodiscard]] std::string text_of(const Answer& answer, std::size_t columns);

} // namespace memtest
