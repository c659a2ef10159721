#include "memtest/insight/model.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace memtest {
namespace {

/// Seven equally likely values of a normal distribution: the medians of its sevenths.
constexpr std::array<double, 7> sevenths = {-1.4652, -0.7916, -0.3661, 0, 0.3661, 0.7916, 1.4652};

double even_miss_share(double capacity, double random_share, double size) {
    return size <= capacity ? 0 : 1 - random_share * capacity / size;
}

} // namespace

double miss_share(const CacheEdge& edge, double size_bytes) {
    if (edge.spread == 0)
        return even_miss_share(edge.capacity_bytes, edge.random_share, size_bytes);
    const double widest = std::exp2(edge.spread * sevenths.back());
    if (size_bytes <= edge.capacity_bytes / widest)
        return 0;
    double sum = 0;
    for (const double deviation : sevenths)
        sum += even_miss_share(edge.capacity_bytes * std::exp2(edge.spread * deviation), edge.random_share, size_bytes);
    return sum / static_cast<double>(sevenths.size());
}

double modelled_latency_ns(std::span<const ModelCache> caches, double memory_ns, double size_bytes) {
    if (caches.empty())
        return memory_ns;
    double latency = caches.front().latency_ns;
    for (std::size_t k = 0; k < caches.size(); ++k) {
        const double next = k + 1 < caches.size() ? caches[k + 1].latency_ns : memory_ns;
        latency += (next - caches[k].latency_ns) * miss_share(caches[k].edge, size_bytes);
    }
    return latency;
}

} // namespace memtest
