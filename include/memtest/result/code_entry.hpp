#pragma once

#include "memtest/base/units.hpp"
#include "memtest/result/code.hpp"
#include "memtest/result/value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
    [[nodiscard]] std::string size(std::string_view name) const { return rounded_size(number(name)); }
    /// Without its unit, and without an exponent.
    [[nodiscard]] std::string ns(std::string_view name) const { return text_of(number(name), significant(3)); }
    [[nodiscard]] std::string things(std::string_view name, std::string_view thing) const;

private:
    const Members& values_;
};

/// What a notice says, and what to do about it.
struct NoticeText {
    NoticeText(std::string its_fact, std::string its_advice = "")
        : fact(std::move(its_fact)), advice(std::move(its_advice)) {}

    std::string fact;
    std::string advice;
};

/// The word and values of a code in files, and its text.
struct CodeEntry {
    Code code;
    std::string_view word;
    std::string_view values;
    NoticeText (*text)(const NoticeValues& v);
};

// The codes of each sort; together all of them.

[[nodiscard]] std::span<const CodeEntry> warning_codes();
[[nodiscard]] std::span<const CodeEntry> remark_codes();
[[nodiscard]] std::span<const CodeEntry> finding_codes();
[[nodiscard]] std::span<const CodeEntry> comparison_codes();

// What several texts are made of.

[[nodiscard]] std::string ids_in(const Value& list);
/// "8 MiB", "8 to 24 MiB".
[[nodiscard]] std::string sizes_in(const NoticeValues& range);
/// The elements as text.
[[nodiscard]] std::string listed(const List& list, std::string_view between = ", ");
/// The first few, and how many more there are.
[[nodiscard]] std::string some_of(const List& list, std::string (*text_of_one)(const Value&));
[[nodiscard]] std::string some_of(const List& names);
/// "writes 50 %: "; empty unless loads of several shares of writes were measured.
[[nodiscard]] std::string of_writes(const NoticeValues& v);

} // namespace memtest
