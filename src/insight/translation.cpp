#include "memtest/insight/translation.hpp"

#include <cstddef>

namespace memtest {

std::vector<TranslationCost> translation_costs(Curve small_pages, Curve huge_pages) {
    std::vector<TranslationCost> costs;
    for (std::size_t i = 0, j = 0; i < small_pages.size() && j < huge_pages.size();) {
        const CurvePoint& small = small_pages[i];
        const CurvePoint& huge = huge_pages[j];
        if (small.size_bytes == huge.size_bytes) {
            const double cost = small.latency_ns - huge.latency_ns;
            costs.push_back({small.size_bytes, small.latency_ns, huge.latency_ns, cost, 100 * cost / huge.latency_ns});
        }
        const bool small_is_behind = small.size_bytes <= huge.size_bytes;
        const bool huge_is_behind = huge.size_bytes <= small.size_bytes;
        i += small_is_behind ? 1 : 0;
        j += huge_is_behind ? 1 : 0;
    }
    return costs;
}

} // namespace memtest
