#pragma once

#include <cstdint>

namespace memtest {

/// SplitMix64: the same numbers from the same seed on every machine and with every standard library.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix64 {
public:
    explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] constexpr std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// Uniform over 0 .. bound-1, without bias; bound must not be 0.
    /// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        Product product = multiply(next(), bound);
        if (product.low < bound) {
            const std::uint64_t threshold = (0 - bound) % bound;
            while (product.low < threshold)
                product = multiply(next(), bound);
        }
        return product.high;
    }

private:
    struct Product {
        std::uint64_t high;
        std::uint64_t low;
    };

    /// The full 128-bit product, in halves because 32-bit targets have no wider integer.
    static constexpr Product multiply(std::uint64_t a, std::uint64_t b) noexcept {
        constexpr std::uint64_t mask = 0xffffffffU;
        const std::uint64_t low_low = (a & mask) * (b & mask);
        const std::uint64_t high_low = (a >> 32U) * (b & mask);
        const std::uint64_t low_high = (a & mask) * (b >> 32U);
        const std::uint64_t middle = (low_low >> 32U) + (high_low & mask) + low_high;
        return {.high = (a >> 32U) * (b >> 32U) + (high_low >> 32U) + (middle >> 32U),
                .low = (middle << 32U) | (low_low & mask)};
    }

    std::uint64_t state_;
};

/// The seed of one of several independent streams drawn from one run's seed.
[[nodiscard]] constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) noexcept {
    return SplitMix64(seed + stream * 0xd1342543de82ef95U).next();
}

} // namespace memtest
