#pragma once

#include "memtest/result/notice.hpp"
#include "memtest/result/text_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memtest {

struct Result;

/// What a result says to a person.
struct Answer {
    std::string title{};    ///< over the table; empty: none
    TextTable table{};      ///< without rows: none
    std::string sentence{}; ///< under the table, or several with line ends between; empty: none
    std::vector<Notice> notes{};
};

/// The answer of a result of any kind, from its rows and description; empty if no row has a figure. The notes are
/// remarks: those of its file, or in a sweep what its levels are remarked on.
[[nodiscard]] Answer answer_of(const Result& result);

/// Adds the warnings of a result to the notes of its answer, and drops notes that another one makes needless.
void add_warnings(Answer& answer, const std::vector<Notice>& warnings);

/// As lines of at most this many columns: sentences wrap between words, with a hanging indent.
[[nodiscard]] std::string text_of(const Answer& answer, std::size_t columns);

} // namespace memtest
