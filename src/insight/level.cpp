#include "memtest/insight/level.hpp"

namespace memtest {

double modelled_latency_ns(std::span<const Level> caches, double behind_ns, double size_bytes) {
    if (caches.empty())
        return behind_ns;
    double latency = caches.front().latency_ns;
    for (std::size_t k = 0; k < caches.size(); ++k) {
        const double next = k + 1 < caches.size() ? caches[k + 1].latency_ns : behind_ns;
        latency += (next - caches[k].latency_ns) * miss_share(caches[k].edge, size_bytes);
    }
    return latency;
}

} // namespace memtest
