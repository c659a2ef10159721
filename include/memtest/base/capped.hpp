#pragma once

#include <concepts>
#include <limits>

namespace memtest {

// Arithmetic on sizes that a user chose. A result that does not fit becomes the largest number. No machine has that
// much, so a later comparison refuses it.

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

/// The number of units that hold these bytes. @param unit not 0
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
