#pragma once

#include "memtest/measure/page_probe.hpp"

#include <span>

namespace memtest {

/// How many pages a second-level TLB holds, as the cost of translation shows it.
struct TlbEdge {
    double least_entries = 0; ///< the range of what fits about as well
    double entries = 0;       ///< the mean of all fits, weighed by how well they fit
    double most_entries = 0;
};

/// Fits the end of a second-level TLB to the cost of translation around it, by least squares of the relative error,
/// above three standard errors of its absolute value (Huber 1964):
///     cost = hit + miss share * walk * 2^(growth * doublings beyond the entries)
/// Sets that fill evenly or by chance, least recently used and random replacement, and any growth of the walks compete.
/// @param curve in ascending order, from the first TLB on @param hit_ns the cost while all pages are held
/// @param top place in the curve of the top of the step, before which the TLB ends
[[nodiscard]] TlbEdge fit_second_tlb(std::span<const TranslationPoint> curve, std::size_t top, double hit_ns,
                                     double cycle_ns);

} // namespace memtest
