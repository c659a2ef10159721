#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memtest {

/// How a number is printed: with so many decimals, or so many significant digits; by default as many as it takes.
struct Digits {
    int count = 0;
    bool significant = true;
};

constexpr Digits decimals(int count) {
    return {count, false};
}

constexpr Digits significant(int count) {
    return {count, true};
}

/// The number as text; empty where it is not known.
[[nodiscard]] std::string text_of(std::optional<double> number, Digits digits);

struct Member;

/// Something that a result says, typed: nothing where it is not known, yes or no, a count, a figure, text, a list, or
/// members with names.
class Value {
public:
    struct Figure {
        double number = 0;
        Digits digits = {};
    };
    using List = std::vector<Value>;
    using Members = std::vector<Member>;

    Value() = default;
    Value(bool yes) : data_(yes) {}
    template<std::integral Count>
    Value(Count count) : data_(static_cast<std::uint64_t>(count)) {} ///< @pre not negative
    Value(double number, Digits digits = {}) : data_(Figure{number, digits}) {}
    Value(std::optional<double> number, Digits digits = {}) {
        if (number)
            data_ = Figure{*number, digits};
    }
    Value(std::string text) : data_(std::move(text)) {}
    Value(std::string_view text) : data_(std::string(text)) {}
    Value(const char* text) : data_(std::string(text)) {}
    Value(List list) : data_(std::move(list)) {}
    Value(Members members) : data_(std::move(members)) {}

    [[nodiscard]] bool is_known() const { return data_.index() != 0; }
    /// The number of a count or a figure; nothing for all else.
    [[nodiscard]] std::optional<double> number() const;
    /// What it is, where it is that; else null.
    template<class Type>
    [[nodiscard]] const Type* as() const {
        return std::get_if<Type>(&data_);
    }
    template<class Type>
    [[nodiscard]] Type* as() {
        return std::get_if<Type>(&data_);
    }

    /// The member of that name; one that is not known where there is none.
    [[nodiscard]] const Value& operator[](std::string_view name) const;

    /// As JSON on one line. Bytes that are no UTF-8 are replaced, and a number that is not finite is null.
    [[nodiscard]] std::string json() const;
    /// As a field of CSV: empty where it is not known, the elements of a list with blanks between.
    [[nodiscard]] std::string text() const;

private:
    std::variant<std::monostate, bool, std::uint64_t, Figure, std::string, List, Members> data_;
};

/// A value with its name in JSON.
struct Member {
    std::string name;
    Value value;
};

/// Text as a string of JSON.
[[nodiscard]] std::string json_string(std::string_view text);

/// Members as lines of an object, indented, without a comma behind the last.
/// @param lists_in_lines a list takes a line for each element
[[nodiscard]] std::string member_lines(const Value::Members& members, std::string_view indent,
                                       bool lists_in_lines = false);

} // namespace memtest
