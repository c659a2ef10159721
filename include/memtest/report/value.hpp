#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace memtest {

/// How a number is printed: with so many decimals, or so many significant digits; by default as many as it takes.
struct Digits {
    std::int8_t count = 0;
    bool significant = true;
};

constexpr Digits decimals(std::int8_t count) {
    return {count, false};
}

constexpr Digits significant(std::int8_t count) {
    return {count, true};
}

/// The number as text; empty where it is not known.
[[nodiscard]] std::string text_of(std::optional<double> number, Digits digits);

struct Member;

/// Something that a result says, typed: nothing where it is not known, yes or no, a count, a figure, text, a list, or
/// members with names. Copies share what does not fit into a few bytes, and nothing changes it.
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
    Value(std::string text) : data_(share(std::move(text))) {}
    Value(std::string_view text) : data_(share(std::string(text))) {}
    Value(const char* text) : data_(share(std::string(text))) {}
    Value(List list) : data_(share(std::move(list))) {}
    Value(Members members) : data_(share(std::move(members))) {}

    [[nodiscard]] bool is_known() const { return data_.index() != 0; }
    /// The number of a count or a figure; nothing for all else.
    [[nodiscard]] std::optional<double> number() const;
    /// What it is, where it is that; else null.
    template<class Type>
    [[nodiscard]] const Type* as() const {
        if constexpr (std::is_arithmetic_v<Type> || std::is_same_v<Type, Figure>) {
            return std::get_if<Type>(&data_);
        } else {
            const auto* shared = std::get_if<std::shared_ptr<const Type>>(&data_);
            return shared == nullptr ? nullptr : shared->get();
        }
    }

    /// The member of that name; one that is not known where there is none.
    [[nodiscard]] const Value& operator[](std::string_view name) const;

    /// As JSON on one line. Bytes that are no UTF-8 are replaced, and a number that is not finite is null.
    [[nodiscard]] std::string json() const;
    /// As a field of CSV: empty where it is not known, the elements of a list with blanks between.
    [[nodiscard]] std::string text() const;

private:
    template<class Type>
    static std::shared_ptr<const Type> share(Type&& thing) {
        return std::make_shared<const Type>(std::forward<Type>(thing));
    }

    std::variant<std::monostate, bool, std::uint64_t, Figure, std::shared_ptr<const std::string>,
                 std::shared_ptr<const List>, std::shared_ptr<const Members>>
        data_;
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
