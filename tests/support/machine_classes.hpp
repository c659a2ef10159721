#pragma once

#include "memtest/measure/page_probe.hpp"
#include "support/generated_curve.hpp"
#include "support/plausible_machines.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memtest::test {

/// A class of machines whose levels barely show, and how one of it is drawn.
struct HardClass {
    std::string_view name;
    MachineSpec (*draw)(Random& random) = nullptr;
};

[[nodiscard]] std::span<const HardClass> hard_classes();

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

/// What two commands measure on one machine with pages of 4 KiB.
struct TranslatedMachine {
    GeneratedCurve sweep;                      ///< in random order, to 64 MiB, with the cost of translation
    std::vector<TranslationPoint> translation; ///< what `memtest tlb` measures
};

/// Two or three caches and memory, two TLBs, and page walks whose tables compete with the data for the caches; at four
/// sizes per doubling with 1 % of noise. The second TLB fills evenly, or its sets of eight fill by chance.
[[nodiscard]] TranslatedMachine draw_translated(std::uint64_t seed);

/// The sweep less the cost of translation, as `memtest levels SWEEP TLB` subtracts it.
[[nodiscard]] GeneratedCurve without_translation(const TranslatedMachine& machine);

} // namespace memtest::test
