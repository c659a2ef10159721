#pragma once

#include "memtest/measure/page_probe.hpp"
#include "support/generated_curve.hpp"

#include <cstdint>
#include <vector>

namespace memtest::test {

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
