#pragma once

#include "memtest/insight/latency_curve.hpp"

#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// The cost of address translation for an access at one size on one thread.
struct TranslationCost {
    int thread = 0;
    double size_bytes = 0;
    double small_pages_ns = 0;
    double huge_pages_ns = 0;
    std::optional<double> cost_ns = std::nullopt; ///< small less huge; none where noise explains it, or it is negative
    bool reversed = false;                        ///< huge pages were slower, and noise does not explain it
    /// The ratio of the latencies is at least twice that at the sizes beside it. Page walks grow slowly, so something
    /// else differed.
    bool doubtful = false;
};

/// Compares two sweeps of one machine, with small and with huge pages, at every row that both have, by thread and size.
/// Noise is judged as in compare_sweeps. Huge pages reach so much further that their own cost of translation is
/// neglected.
[[nodiscard]] std::vector<TranslationCost> translation_costs(std::span<const SizeFigure> small_pages,
                                                             std::span<const SizeFigure> huge_pages);

} // namespace memtest
