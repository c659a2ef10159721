#pragma once

#include "memtest/base/words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memtest {

/// A typed value of a result; null if unknown.
using Json = nlohmann::ordered_json;

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

/// The number as text, without an exponent.
[[nodiscard]] std::string text_of(double number, Digits digits);

/// The number with these digits; null if unknown or not finite.
[[nodiscard]] Json figure(std::optional<double> number, Digits digits = decimals(3));

/// The value as a field of CSV: empty for null, the elements of a list with blanks between.
[[nodiscard]] std::string text_of(const Json& value, Digits digits = {});

/// On one line. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dumped(const Json& value);

/// The member of an object; null if there is none.
[[nodiscard]] const Json& member(const Json& object, std::string_view name);

/// The value if it is a number, else std::nullopt.
[[nodiscard]] std::optional<double> number_in(const Json& value);

/// A field of a structure, as a member of JSON.
template<class Object, class Type>
struct JsonField {
    const char* name = nullptr;
    Type Object::*field = nullptr;
    bool needed = false; ///< the object cannot be read without it
};

// Older compilers do not deduce these.
template<class Object, class Type>
JsonField(const char*, Type Object::*) -> JsonField<Object, Type>;
template<class Object, class Type>
JsonField(const char*, Type Object::*, bool) -> JsonField<Object, Type>;

/// The fields of a structure, in the order of JSON; specialised next to the structure's table.
template<class Object>
constexpr std::tuple<> json_fields{};

template<class Type>
[[nodiscard]] bool is_empty_list(const Type& thing) {
    if constexpr (requires { thing.empty(); } && !std::same_as<Type, std::string>)
        return thing.empty();
    else
        return false;
}

/// The value as JSON: an enumeration by its word, std::nullopt as null, a structure by its fields. In a structure, an
/// empty text and a size of 0 stand for unknown values. @param digits of the figures in it
template<class Type>
[[nodiscard]] Json json_of(const Type& thing, Digits digits = decimals(3)) {
    if constexpr (std::is_enum_v<Type>)
        return word_of(thing);
    else if constexpr (std::is_floating_point_v<Type>)
        return figure(thing, digits);
    else if constexpr (std::same_as<Type, Json> || std::is_arithmetic_v<Type> ||
                       std::is_convertible_v<Type, std::string_view>)
        return thing;
    else if constexpr (requires { thing.has_value(); })
        return thing ? json_of(*thing, digits) : Json();
    else if constexpr (requires { thing.begin(); }) {
        Json list = Json::array();
        for (const auto& element : thing)
            list.push_back(json_of(element, digits));
        return list;
    } else {
        Json object = Json::object();
        const auto add = [&](const auto& field) {
            const auto& value = thing.*field.field;
            using Part = std::decay_t<decltype(value)>;
            const bool is_known = field.needed ||
                                  !(std::same_as<Part, std::string> || std::same_as<Part, std::uint64_t>) ||
                                  value != Part{};
            object[field.name] = is_known ? json_of(value, digits) : Json();
        };
        std::apply([&](const auto&... fields) { (add(fields), ...); }, json_fields<Type>);
        return object;
    }
}

/// Reads what json_of writes. Unknown words in a list of words are skipped. @return false for any other value
template<class Type>
[[nodiscard]] bool read_json(const Json& value, Type& thing) {
    if constexpr (std::same_as<Type, bool>) {
        thing = value.is_boolean() && value.template get<bool>();
        return value.is_boolean();
    } else if constexpr (std::same_as<Type, std::string>) {
        if (value.is_string())
            thing = value.template get_ref<const std::string&>();
        return value.is_string();
    } else if constexpr (std::integral<Type>) {
        const bool is_count = value.is_number_integer() && value >= 0;
        const std::uint64_t number = is_count ? value.template get<std::uint64_t>() : 0;
        thing = static_cast<Type>(number);
        return is_count && number <= static_cast<std::uint64_t>(std::numeric_limits<Type>::max());
    } else if constexpr (std::is_floating_point_v<Type>) {
        thing = value.is_number() ? value.template get<double>() : -1;
        return value.is_number() && std::isfinite(thing);
    } else if constexpr (std::is_enum_v<Type>) {
        const auto known =
            value.is_string() ? value_of<Type>(value.template get_ref<const std::string&>()) : std::optional<Type>();
        thing = known.value_or(Type{});
        return known.has_value();
    } else if constexpr (requires { thing.has_value(); }) {
        return read_json(value, thing.emplace());
    } else if constexpr (requires { thing.begin(); }) {
        using Element = typename Type::value_type;
        return value.is_array() && std::ranges::all_of(value, [&](const Json& json) {
                   Element element{};
                   const bool is_read = read_json(json, element);
                   if (is_read)
                       thing.push_back(std::move(element));
                   return is_read || (std::is_enum_v<Element> && json.is_string());
               });
    } else {
        const auto read = [&](const auto& field) {
            auto part = thing.*field.field;
            if (!read_json(member(value, field.name), part) || (field.needed && is_empty_list(part)))
                return !field.needed;
            thing.*field.field = std::move(part);
            return true;
        };
        return value.is_object() &&
               std::apply([&](const auto&... fields) { return (read(fields) && ...); }, json_fields<Type>);
    }
}

} // namespace memtest
