#pragma once

#include "memtest/base/code.hpp"
#include "memtest/result/value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memtest {

/// The values of a notice, by their names. What is missing is null, an empty text or list, 0 or, for a number, NaN.
class NoticeValues {
public:
    explicit NoticeValues(const Members& values) : values_(values) {}
    explicit NoticeValues(const Value& values) : values_(values.members()) {}

    [[nodiscard]] const Value& operator[](std::string_view name) const { return values_[name]; }
    [[nodiscard]] const List& list(std::string_view name) const { return values_[name].list(); }
    [[nodiscard]] bool has(std::string_view name) const { return !values_[name].is_null(); }
    [[nodiscard]] bool is(std::string_view name) const { return values_[name].is_true(); }
    [[nodiscard]] double number(std::string_view name) const;
    [[nodiscard]] std::uint64_t count(std::string_view name) const { return values_[name].count().value_or(0); }
    [[nodiscard]] std::string text(std::string_view name) const { return text_of(values_[name]); }

    /// The pattern with values in place of `{name}`, and of `{name:form}` as
    /// - `size`, of bytes; `ns`, without the unit and an exponent; or a number in a form of fmt, such as `.1f`
    /// - `list` of names or numbers; `some`, of them the first few; or `ids`
    /// - the singular of a thing, where the name is `part/whole`: "2 of 12 sizes"; of lists it is how many there are
    /// - `one|many`: the first of these words for a count of 1 or a list of one, else the second
    /// - `writes`: "writes 50 %: "; empty unless loads of several shares of writes were measured
    [[nodiscard]] std::string filled(std::string_view pattern) const;

private:
    [[nodiscard]] std::string in_form(std::string_view name, std::string_view form) const;

    const Members& values_;
};

/// What a notice says, and what to do about it.
struct NoticeText {
    std::string fact;
    std::string advice = {};
};

/// The word and values of a code in files, and what it says: patterns or, where the values decide, a function.
struct CodeEntry {
    using Text = NoticeText (*)(const NoticeValues& v);

    constexpr CodeEntry(Code its_code, std::string_view its_word, std::string_view its_values,
                        std::string_view its_fact, std::string_view its_advice = "")
        : code(its_code), word(its_word), values(its_values), fact(its_fact), advice(its_advice) {}
    constexpr CodeEntry(Code its_code, std::string_view its_word, std::string_view its_values, Text its_text)
        : code(its_code), word(its_word), values(its_values), text(its_text) {}

    Code code;
    std::string_view word;
    std::string_view values; ///< their names
    std::string_view fact = {};
    std::string_view advice = {}; ///< empty if there is nothing to do
    Text text = nullptr;
};

/// Those of warnings and remarks.
[[nodiscard]] std::span<const CodeEntry> warning_codes();

/// Those of findings and verdicts.
[[nodiscard]] std::span<const CodeEntry> finding_codes();

/// All of them.
[[nodiscard]] std::span<const CodeEntry> code_entries();

// What several texts are made of.

[[nodiscard]] std::string ids_in(const Value& list);
/// The pattern filled with the values of each element.
[[nodiscard]] std::string each_filled(const List& list, std::string_view between, std::string_view pattern);
/// "A", "A or B", "A, B or C": with " or " between the last two.
[[nodiscard]] std::string listed(std::span<const std::string> names, std::string_view last_between);
/// The first few, and how many more there are.
[[nodiscard]] std::string some_of(const List& list, std::string (*text_of_one)(const Value&));

} // namespace memtest
