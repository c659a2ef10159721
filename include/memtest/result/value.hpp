#pragma once

#include "memtest/base/words.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace memtest {

/// How a number is printed: with `count` decimals, or with `count` significant digits and no trailing zeros.
struct Digits {
    std::int8_t count = 10;
    bool significant = true;
};

constexpr Digits decimals(std::int8_t count) {
    return {count, false};
}

constexpr Digits significant(std::int8_t count) {
    return {count, true};
}

/// Those of a double that lose nothing of it.
inline constexpr Digits exact = significant(17);

class Value;

using List = std::vector<Value>;
using Member = std::pair<std::string, Value>;

/// Named values, in their order. A Value is not complete here, so all that needs one is defined elsewhere.
class Members {
public:
    Members() = default;
    Members(std::initializer_list<Member> members);

    /// The value of that name; null if there is none.
    [[nodiscard]] const Value& operator[](std::string_view name) const;
    /// Sets it, or adds it at the end.
    void set(std::string_view name, Value value);
    void set(const Members& others);
    void erase(std::string_view name);
    [[nodiscard]] bool contains(std::string_view name) const;

    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] auto begin() const { return members_.begin(); }
    [[nodiscard]] auto end() const { return members_.end(); }
    bool operator==(const Members& other) const;

private:
    std::vector<Member> members_;
};

/// Text, or what becomes text.
template<class Type>
concept Textual = std::is_convertible_v<const Type&, std::string_view>;

/// A typed value of a result: a cell of a row, a value of a notice, a member of a file. Null if unknown.
class Value {
public:
    Value() = default;
    Value(bool truth) : data_(truth) {}
    Value(List list) : data_(std::move(list)) {}
    Value(Members members) : data_(std::move(members)) {}
    template<Textual Type>
    Value(const Type& text) : data_(std::string(std::string_view(text))) {}
    /// A whole number below 0, and one with decimals, is a double; null if it is not finite.
    template<class Type>
    requires(std::is_arithmetic_v<Type> && !std::same_as<Type, bool>) Value(Type number) {
        if (std::integral<Type> && number >= Type{})
            data_ = static_cast<std::uint64_t>(number);
        else if (std::isfinite(static_cast<double>(number)))
            data_ = static_cast<double>(number);
    }
    template<class Type>
    Value(const std::optional<Type>& value) {
        if (value)
            *this = Value(*value);
    }
    template<std::ranges::range Type>
    requires(!Textual<Type> && !std::same_as<Type, List> && !std::same_as<Type, Members>) Value(const Type& values)
        : data_(List(values.begin(), values.end())) {}

    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
    [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
    [[nodiscard]] bool is_true() const { return is_bool() && std::get<bool>(data_); }
    [[nodiscard]] bool is_list() const { return std::holds_alternative<List>(data_); }
    [[nodiscard]] bool has_members() const { return std::holds_alternative<Members>(data_); }

    // The value if it is of that type, else std::nullopt, null or nothing at all.
    [[nodiscard]] std::optional<std::uint64_t> count() const;
    [[nodiscard]] std::optional<double> number() const; ///< counts too
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data_); }
    [[nodiscard]] const List& list() const;
    [[nodiscard]] const Members& members() const;

    /// An element of the list, or the member of that name; null if there is none.
    [[nodiscard]] const Value& operator[](std::size_t place) const;
    [[nodiscard]] const Value& operator[](int place) const { return (*this)[static_cast<std::size_t>(place)]; }
    [[nodiscard]] const Value& operator[](std::string_view name) const;
    [[nodiscard]] const Value& operator[](const char* name) const { return (*this)[std::string_view(name)]; }

    bool operator==(const Value& other) const;

private:
    std::variant<std::monostate, bool, std::uint64_t, double, std::string, List, Members> data_;
};

/// The number as text, without an exponent.
[[nodiscard]] std::string text_of(double number, Digits digits);

/// The number rounded to these digits; null if unknown or not finite.
[[nodiscard]] Value figure(std::optional<double> number, Digits digits = decimals(3));

/// The value as a field of CSV: empty for null, the elements of a list with blanks between.
[[nodiscard]] std::string text_of(const Value& value, Digits digits = {});

/// The same without unknown members, at any depth.
[[nodiscard]] Value without_nulls(const Value& value);

/// A field of a structure, as a member.
template<class Object, class Type>
struct MemberField {
    const char* name = nullptr;
    Type Object::*field = nullptr;
    bool needed = false; ///< the object cannot be read without it
};

// Older compilers do not deduce these.
template<class Object, class Type>
MemberField(const char*, Type Object::*) -> MemberField<Object, Type>;
template<class Object, class Type>
MemberField(const char*, Type Object::*, bool) -> MemberField<Object, Type>;

/// The fields of a structure, in the order of files; specialised next to the structure's table.
template<class Object>
constexpr std::tuple<> member_fields{};

template<class Type>
[[nodiscard]] bool is_empty_list(const Type& thing) {
    if constexpr (requires { thing.empty(); } && !std::same_as<Type, std::string>)
        return thing.empty();
    else
        return false;
}

/// The thing as a value: an enumeration by its word, std::nullopt as null, a structure by its fields. In a structure,
/// an empty text and a size of 0 stand for unknown values. @param digits of the figures in it
template<class Type>
[[nodiscard]] Value as_value(const Type& thing, Digits digits = decimals(3)) {
    if constexpr (std::is_enum_v<Type>)
        return word_of(thing);
    else if constexpr (std::is_floating_point_v<Type>)
        return figure(thing, digits);
    else if constexpr (std::same_as<Type, Value> || std::same_as<Type, Members> || std::is_arithmetic_v<Type> ||
                       Textual<Type>)
        return thing;
    else if constexpr (requires { thing.has_value(); })
        return thing ? as_value(*thing, digits) : Value();
    else if constexpr (requires { thing.begin(); }) {
        List list;
        for (const auto& element : thing)
            list.push_back(as_value(element, digits));
        return list;
    } else {
        Members members;
        const auto add = [&](const auto& field) {
            const auto& value = thing.*field.field;
            using Part = std::decay_t<decltype(value)>;
            const bool is_known = field.needed ||
                                  !(std::same_as<Part, std::string> || std::same_as<Part, std::uint64_t>) ||
                                  value != Part{};
            members.set(field.name, is_known ? as_value(value, digits) : Value());
        };
        std::apply([&](const auto&... fields) { (add(fields), ...); }, member_fields<Type>);
        return members;
    }
}

/// Reads what as_value makes. Unknown words in a list of words are skipped. @return false for any other value
template<class Type>
[[nodiscard]] bool read_value(const Value& value, Type& thing) {
    if constexpr (std::same_as<Type, bool>) {
        thing = value.is_true();
        return value.is_bool();
    } else if constexpr (std::same_as<Type, std::string>) {
        if (value.text() != nullptr)
            thing = *value.text();
        return value.text() != nullptr;
    } else if constexpr (std::integral<Type>) {
        const auto number = value.count();
        thing = static_cast<Type>(number.value_or(0));
        return number && *number <= static_cast<std::uint64_t>(std::numeric_limits<Type>::max());
    } else if constexpr (std::is_floating_point_v<Type>) {
        const auto number = value.number();
        thing = number.value_or(-1);
        return number.has_value();
    } else if constexpr (std::is_enum_v<Type>) {
        const auto known = value.text() == nullptr ? std::optional<Type>() : value_of<Type>(*value.text());
        thing = known.value_or(Type{});
        return known.has_value();
    } else if constexpr (requires { thing.has_value(); }) {
        return read_value(value, thing.emplace());
    } else if constexpr (requires { thing.begin(); }) {
        using Element = typename Type::value_type;
        return value.is_list() && std::ranges::all_of(value.list(), [&](const Value& one) {
                   Element element{};
                   const bool is_read = read_value(one, element);
                   if (is_read)
                       thing.push_back(std::move(element));
                   return is_read || (std::is_enum_v<Element> && one.text() != nullptr);
               });
    } else {
        const auto read = [&](const auto& field) {
            auto part = thing.*field.field;
            if (!read_value(value[field.name], part) || (field.needed && is_empty_list(part)))
                return !field.needed;
            thing.*field.field = std::move(part);
            return true;
        };
        return value.has_members() &&
               std::apply([&](const auto&... fields) { return (read(fields) && ...); }, member_fields<Type>);
    }
}

} // namespace memtest
