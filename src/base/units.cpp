#include "memtest/base/units.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace memtest {

std::optional<std::uint64_t> bytes_in_unit(std::string_view unit) {
    const std::string lower = lower_case(unit);
    std::uint64_t bytes = 1;
    for (const std::string prefix : {"", "k", "m", "g", "t"}) {
        if (lower == prefix + "b" || (bytes > 1 && (lower == prefix || lower == prefix + "ib")))
            return bytes;
        bytes *= kib;
    }
    return std::nullopt;
}

std::string in_units(std::uint64_t bytes, std::uint64_t unit) {
    const auto exact = static_cast<double>(bytes);
    const auto unit_bytes = static_cast<double>(unit);
    std::string text = fmt::format("{:.10g}", exact / unit_bytes);
    const bool is_exact = parse_number<double>(text) == exact / unit_bytes && text.find('e') == std::string::npos;
    for (int decimals = 0; !is_exact; ++decimals) {
        text = fmt::format("{:.{}f}", exact / unit_bytes, decimals);
        if (std::floor(parse_number<double>(text).value() * unit_bytes) == exact)
            break;
    }
    return text;
}

std::string human_size(std::uint64_t bytes) {
    constexpr std::size_t most_read = 2; // decimals that a person still reads
    for (const auto& [unit, name] : {std::pair(mib, "MiB"), std::pair(kib, "KiB")}) {
        const std::string text = in_units(bytes, unit);
        const std::size_t point = text.find('.');
        if (bytes >= unit && (point == std::string::npos || text.size() - point <= 1 + most_read))
            return fmt::format("{} {}", text, name);
    }
    return fmt::format("{} B", bytes);
}

std::string rounded_size(double bytes) {
    constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1023.5 && unit + 1 < units.size(); ++unit)
        bytes /= 1024;
    return fmt::format("{:.{}g} {}", bytes, bytes < 999.5 ? 3 : 4, units.at(unit));
}

std::string size_range(double from_bytes, double to_bytes) {
    std::string from = rounded_size(from_bytes);
    std::string to = rounded_size(to_bytes);
    if (from == to)
        return to;
    const std::string unit = to.substr(to.rfind(' '));
    if (from.ends_with(unit))
        from.resize(from.size() - unit.size());
    return fmt::format("{} to {}", from, to);
}

std::optional<std::uint64_t> parse_human_size(std::string_view text) {
    constexpr double beyond = 18446744073709551616.0; // 2^64
    const auto count = take_number<double>(text);
    const auto unit = bytes_in_unit(trimmed(text));
    if (!count || !unit || !(*count >= 0 && *count * static_cast<double>(*unit) < beyond))
        return std::nullopt;
    return static_cast<std::uint64_t>(*count * static_cast<double>(*unit));
}

} // namespace memtest
