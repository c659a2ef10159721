#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

inline constexpr std::uint64_t kib = std::uint64_t{1} << 10U; ///< in bytes
inline constexpr std::uint64_t mib = std::uint64_t{1} << 20U; ///< in bytes

/// The bytes in a unit: K, M, G or T, each also with B or iB, or B alone. Powers of 1024, either case. std::nullopt for
/// other text.
[[nodiscard]] std::optional<std::uint64_t> bytes_in_unit(std::string_view unit);

/// "1.5", "1024": exact if ten digits are, else with the fewest decimals that give the same number of bytes once
/// fractions of a byte are cut off. @param unit in bytes
[[nodiscard]] std::string in_units(std::uint64_t bytes, std::uint64_t unit);

/// "512 B", "1.5 KiB", "5118 KiB", "1024 MiB": the largest of B, KiB and MiB in which the size is at least one, and
/// has at most two decimals.
[[nodiscard]] std::string human_size(std::uint64_t bytes);

/// The same rounded to three digits, up to TiB: "708 KiB", "1.5 GiB", "64 TiB". For people only.
[[nodiscard]] std::string rounded_size(double bytes);

/// From one size to another, rounded alike: "8 MiB", "8 to 24 MiB", "768 KiB to 1.5 MiB". For people only.
[[nodiscard]] std::string size_range(double from_bytes, double to_bytes);

/// Reads the output of human_size, and "32K" as the kernel writes it. std::nullopt for other text and for 2^64 bytes or
/// more.
[[nodiscard]] std::optional<std::uint64_t> parse_human_size(std::string_view text);

// Arithmetic on sizes that a user chose. A result that does not fit becomes the largest number. No machine has that
// much memory, so a later check refuses it.

/// a + b.
template<std::unsigned_integral Number>
[[nodiscard]] constexpr Number capped_sum(Number a, Number b) noexcept {
    constexpr Number largest = std::numeric_limits<Number>::max();
    return a > largest - b ? largest : static_cast<Number>(a + b);
}

/// a * b.
template<std::unsigned_integral Number>
[[nodiscard]] constexpr Number capped_product(Number a, Number b) noexcept {
    constexpr Number largest = std::numeric_limits<Number>::max();
    return b != 0 && a > largest / b ? largest : static_cast<Number>(a * b);
}

/// The number of units needed to hold these bytes. @param unit not 0
template<std::unsigned_integral Number>
[[nodiscard]] constexpr Number units_for(Number bytes, Number unit) noexcept {
    return bytes / unit + (bytes % unit != 0 ? 1 : 0);
}

/// The bytes, rounded up to whole units. @param unit not 0
template<std::unsigned_integral Number>
[[nodiscard]] constexpr Number rounded_up(Number bytes, Number unit) noexcept {
    return capped_product(units_for(bytes, unit), unit);
}

} // namespace memtest
