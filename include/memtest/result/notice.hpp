#pragma once

#include "memtest/base/code.hpp"
#include "memtest/result/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A code with its values, and what it says to people.
struct Notice {
    Notice() = default;
    explicit Notice(Code its_code) : Notice(its_code, Members()) {}
    /// Makes the text.
    Notice(Code its_code, Members its_values);

    Code code = Code::unknown;
    Members values;
    std::string text;   ///< what is known: a sentence without a full stop
    std::string advice; ///< what to do about it; empty if there is nothing to do

    bool operator==(const Notice&) const = default;
};

/// With one more value. Makes the text anew.
[[nodiscard]] Notice with_value(const Notice& notice, std::string_view name, Value value);

/// The word for a code in files.
[[nodiscard]] std::string_view word_of(Code code);

/// The code of a word; unknown for any other text.
[[nodiscard]] Code code_called(std::string_view word);

/// The text, and what to do about it after "; ".
[[nodiscard]] std::string sentence_of(const Notice& notice);

/// A row of the latency distribution: "64 MiB under full load".
[[nodiscard]] std::string row_name(double size_bytes, double load_percent);

/// As files have it: `code`, the values, `text` and, if there is one, `advice`.
[[nodiscard]] Members members_of(const Notice& notice);

/// For programs alone: `code` and the values.
[[nodiscard]] Members code_and_values(const Notice& notice);

/// All of them by either of these.
[[nodiscard]] List list_of(const std::vector<Notice>& notices, Members (*members)(const Notice&));

/// Reads what these make. The text is that of the file; if it has none, as in CSV, it is made anew. Of an unknown code,
/// it is the word.
[[nodiscard]] Notice notice_in(const Value& value);

// What programs ask of a warning.

/// Whether other work or the system is known to have changed figures: other processes before the run or during it, a
/// quota, moved processors.
[[nodiscard]] bool is_disturbance(const Notice& warning);

/// Whether it is known before the first row, and so says nothing about how the run went.
[[nodiscard]] bool is_on_plan(const Notice& warning);

} // namespace memtest
