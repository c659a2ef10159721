#pragma once

#include "memtest/base/words.hpp"
#include "memtest/insight/latency_curve.hpp"
#include "memtest/insight/level.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// Why the cost of translation at a size is not quoted; reversed: huge pages were slower than noise explains.
enum class Withheld { explained_by_noise, contested, reversed, at_end_of_level, disturbed };

template<>
inline constexpr std::array<Word<Withheld>, 5> word_table<Withheld>{{{Withheld::explained_by_noise, "noise"},
                                                                     {Withheld::contested, "contested"},
                                                                     {Withheld::reversed, "huge slower"},
                                                                     {Withheld::at_end_of_level, "level ends"},
                                                                     {Withheld::disturbed, "disturbed"}}};

/// The cost of address translation for an access at one size on one thread.
struct TranslationCost {
    int thread = 0;
    double size_bytes = 0;
    double small_pages_ns = 0;
    double huge_pages_ns = 0;
    std::optional<double> cost_ns = std::nullopt; ///< small minus huge; std::nullopt if withheld
    std::optional<Withheld> withheld = std::nullopt;
    double noise = 0; ///< of the ratio of the latencies, as a share: one standard deviation
};

/// Compares two sweeps of one machine, with small and with huge pages, at every row that both have, by thread and size.
/// A cost exceeds three standard deviations of its noise at a size and one beside it, or six at one alone. Huge pages
/// reach so much further that their own cost of translation is neglected. A size is disturbed whose ratio of the
/// latencies is at least twice that at the sizes beside it: page walks grow slowly, so something else differed.
[[nodiscard]] std::vector<TranslationCost> translation_costs(const LatencyCurve& small_pages,
                                                             const LatencyCurve& huge_pages);

/// Small minus huge, down and up by three standard deviations of their ratio, and at most small.
[[nodiscard]] std::pair<double, double> range_of_difference_ns(const TranslationCost& cost);

/// By how many times small pages took longer.
[[nodiscard]] double times_as_long(const TranslationCost& cost);

/// Whether the latencies differ by more than a tenth: then they are not called the same, although noise may explain it.
[[nodiscard]] bool differs_widely(const TranslationCost& cost);

/// Withholds a cost, or a wide or reversed difference, inside the range in which a level of either sweep may end: pages
/// of different sizes fill it differently. @param sweeps both, of its thread
void withhold_at_edges(TranslationCost& cost, std::span<const Hierarchy> sweeps);

} // namespace memtest
