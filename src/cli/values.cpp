#include "memtest/cli/values.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h> // join, which moved here with fmt 11

#include <cmath>
#include <limits>
#include <optional>

namespace memtest {
namespace {

constexpr std::string_view digits = "0123456789";

/// A decimal number without sign or exponent (from_chars takes both).
bool is_plain_decimal(std::string_view text) {
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == std::string_view::npos ? "0" : text.substr(point + 1);
    const auto is_digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of(digits) == std::string_view::npos;
    };
    return (whole.empty() ? point != std::string_view::npos : is_digits(whole)) && is_digits(fraction);
}

/// 0 or infinity for a number beyond a double's range.
double value_of_decimal(std::string_view number) {
    const bool below_one = number.find_first_not_of('0') == number.find('.');
    return parse_number<double>(number).value_or(below_one ? 0.0 : std::numeric_limits<double>::infinity());
}

} // namespace

Error refused(const Argument& argument, std::string_view accepted) {
    return usage_error(fmt::format("--{} {}: give {}", argument.name, shown(argument.value), accepted));
}

std::size_t parse_size(const Argument& argument, std::size_t unit_bytes) {
    constexpr std::string_view accepted = "a size above 0, such as 64, 1.5K, 512KiB, 4M or 2G";
    const std::size_t number_end = std::min(argument.value.find_first_not_of("0123456789."), argument.value.size());
    const std::string_view number = argument.value.substr(0, number_end);
    const std::string_view suffix = argument.value.substr(number_end);
    const auto unit = suffix.empty() ? std::optional<std::uint64_t>(unit_bytes) : bytes_in_unit(suffix);
    if (!is_plain_decimal(number) || !unit)
        throw refused(argument, accepted);

    constexpr std::uint64_t largest = std::numeric_limits<std::size_t>::max();
    const std::string at_most = fmt::format("at most {} MiB", largest / mib);
    std::uint64_t bytes = 0;
    if (number.find('.') == std::string_view::npos) {
        const auto count = parse_number<std::uint64_t>(number);
        if (!count || *count > largest / *unit)
            throw refused(argument, at_most);
        bytes = *count * *unit;
    } else {
        const double exact = value_of_decimal(number) * static_cast<double>(*unit);
        if (exact >= static_cast<double>(largest))
            throw refused(argument, at_most);
        if (*unit == 1 && exact != std::floor(exact))
            throw refused(argument, "a whole number of bytes");
        bytes = static_cast<std::uint64_t>(exact);
    }
    if (bytes == 0)
        throw refused(argument, accepted);
    return static_cast<std::size_t>(bytes);
}

std::uint64_t parse_count(const Argument& argument, std::uint64_t smallest, std::uint64_t largest) {
    const auto count = parse_number<std::uint64_t>(argument.value);
    if (!count || *count < smallest || *count > largest)
        throw refused(argument, fmt::format("a whole number from {} to {}", smallest, largest));
    return *count;
}

double parse_percent(const Argument& argument, double largest) {
    const auto number = is_plain_decimal(argument.value) ? parse_number<double>(argument.value) : std::nullopt;
    if (!number || *number <= 0 || *number > largest)
        throw refused(argument, fmt::format("a number of percent above 0 and at most {:g}", largest));
    return *number;
}

Error not_one_of(const Argument& argument, const std::vector<std::string_view>& accepted) {
    return refused(argument, fmt::format("one of {}", fmt::join(accepted, ", ")));
}

} // namespace memtest
