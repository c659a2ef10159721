#pragma once

#include "support/generated_curve.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memtest::test {

/// How the lines of a cache fall on its sets, and what else is special about it.
enum class Filling {
    coloured, ///< pages of 64 lines fall on them by chance
    hashed,   ///< each line does
    sectors,  ///< hashed pairs of lines, fetched together
    victim,   ///< hashed; it holds only what the cache before it evicted
};

/// A class of machines whose second and third cache fill like that.
struct UnevenClass {
    std::string_view name;
    Filling filling = Filling::hashed;
    int ways = 8;
};

[[nodiscard]] std::span<const UnevenClass> uneven_classes();

/// A curve of a machine of the class, with 1 % of noise: one even first cache, and one or two that are simulated, with
/// least-recently-used, tree, random or aging replacement.
[[nodiscard]] GeneratedCurve draw_uneven(const UnevenClass& drawn, int sizes_per_doubling, std::uint64_t seed);

} // namespace memtest::test
