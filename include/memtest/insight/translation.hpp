#pragma once

#include "memtest/insight/curve.hpp"

#include <vector>

namespace memtest {

/// What address translation adds to an access at one size.
struct TranslationCost {
    double size_bytes = 0;
    double small_pages_ns = 0;
    double huge_pages_ns = 0;
    double cost_ns = 0;      ///< small less huge; below zero where noise exceeds the cost
    double cost_percent = 0; ///< of the latency with huge pages
};

/// Compares two sweeps of one machine, with small and with huge pages, at every size that both have, in ascending
/// order. With huge pages the TLB reaches so much further that what remains of translation is left out of account.
[[nodiscard]] std::vector<TranslationCost> translation_costs(Curve small_pages, Curve huge_pages);

} // namespace memtest
