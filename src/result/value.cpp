#include "memtest/result/value.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

namespace memtest {
namespace {

const Value null_value;
const List no_list;
const Members no_members;

/// How many decimals show a number with these digits.
int decimals_of(double number, Digits digits) {
    if (!digits.significant)
        return digits.count;
    const double magnitude = number == 0 ? 0 : std::floor(std::log10(std::abs(number)));
    return static_cast<int>(std::max(0.0, digits.count - 1 - magnitude));
}

} // namespace

Members::Members(std::initializer_list<Member> members) : members_(members) {}

std::size_t Members::size() const {
    return members_.size();
}

const Value& Members::operator[](std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &Member::first);
    return found == members_.end() ? null_value : found->second;
}

void Members::set(std::string_view name, Value value) {
    const auto found = std::ranges::find(members_, name, &Member::first);
    if (found != members_.end())
        found->second = std::move(value);
    else
        members_.emplace_back(name, std::move(value));
}

void Members::set(const Members& others) {
    for (const auto& [name, value] : others)
        set(name, value);
}

void Members::erase(std::string_view name) {
    std::erase_if(members_, [&](const Member& member) { return member.first == name; });
}

bool Members::contains(std::string_view name) const {
    return std::ranges::count(members_, name, &Member::first) > 0;
}

bool Members::operator==(const Members& other) const {
    return members_ == other.members_;
}

std::optional<std::uint64_t> Value::count() const {
    const auto* const count = std::get_if<std::uint64_t>(&data_);
    return count == nullptr ? std::nullopt : std::optional(*count);
}

std::optional<double> Value::number() const {
    if (const auto whole = count())
        return static_cast<double>(*whole);
    const auto* const number = std::get_if<double>(&data_);
    return number == nullptr ? std::nullopt : std::optional(*number);
}

const List& Value::list() const {
    const auto* const list = std::get_if<List>(&data_);
    return list == nullptr ? no_list : *list;
}

const Members& Value::members() const {
    const auto* const members = std::get_if<Members>(&data_);
    return members == nullptr ? no_members : *members;
}

const Value& Value::operator[](std::size_t place) const {
    return place < list().size() ? list()[place] : null_value;
}

const Value& Value::operator[](std::string_view name) const {
    return members()[name];
}

bool Value::operator==(const Value& other) const {
    if (data_.index() != other.data_.index() && number() && other.number())
        return *number() == *other.number(); // a file has 2 or 2.0
    return data_ == other.data_;
}

std::string text_of(double number, Digits digits) {
    std::string text = fixed(number, decimals_of(number, digits));
    if (digits.significant && text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    return text;
}

Value figure(std::optional<double> number, Digits digits) {
    if (!number || !std::isfinite(*number))
        return {};
    return parse_number<double>(text_of(*number, digits)).value_or(*number) + 0.0; // -0 becomes 0
}

Value without_nulls(const Value& value) {
    if (value.is_list()) {
        List known;
        for (const Value& element : value.list())
            known.push_back(without_nulls(element));
        return known;
    }
    if (!value.has_members())
        return value;
    Members known;
    for (const auto& [name, member] : value.members()) {
        if (!member.is_null())
            known.set(name, without_nulls(member));
    }
    return known;
}

std::string text_of(const Value& value, Digits digits) {
    if (value.text() != nullptr)
        return *value.text();
    if (const auto count = value.count())
        return fmt::format("{}", *count);
    if (const auto number = value.number())
        return text_of(*number, digits);
    if (value.is_bool())
        return value.is_true() ? "true" : "false";
    return joined(value.list(), " ", [&](const Value& element) { return text_of(element, digits); });
}

} // namespace memtest
