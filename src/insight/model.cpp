#include "memtest/insight/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace memtest {
namespace {

/// Seven equally likely values of a normal distribution: the medians of its sevenths.
constexpr std::array<double, 7> sevenths = {-1.4652, -0.7916, -0.3661, 0, 0.3661, 0.7916, 1.4652};

/// The share h = exp(-(1 - h) / held) of the lines, by Newton's method. @param held capacity over size, below 1
double solve_hits_once_per_lap(double held) {
    double hits = 0;
    double step = 1;
    while (step > 1e-9) { // from below, so every step goes up
        const double still_there = std::exp(-(1 - hits) / held);
        step = (still_there - hits) / (1 - still_there / held);
        hits += step;
    }
    return hits;
}

/// The same, interpolated: a fit asks for it some ten thousand times.
double hits_once_per_lap(double held) {
    constexpr std::size_t parts = 1024;
    static const std::array<double, parts + 1> table = [] {
        std::array<double, parts + 1> hits{};
        for (std::size_t i = 1; i < parts; ++i)
            hits[i] = solve_hits_once_per_lap(static_cast<double>(i) / parts);
        hits[parts] = 1;
        return hits;
    }();
    const double place = held * parts;
    const auto below = std::min(static_cast<std::size_t>(place), parts - 1);
    return std::lerp(table[below], table[below + 1], place - static_cast<double>(below));
}

double even_miss_share(const CacheEdge& edge, double capacity, double size) {
    if (size <= capacity)
        return 0;
    const double held = capacity / size;
    return 1 - edge.random_share * (edge.once_per_lap ? hits_once_per_lap(held) : held);
}

} // namespace

double miss_share(const CacheEdge& edge, double size_bytes) {
    if (edge.spread == 0)
        return even_miss_share(edge, edge.capacity_bytes, size_bytes);
    const double widest = std::exp2(edge.spread * sevenths.back());
    if (size_bytes <= edge.capacity_bytes / widest)
        return 0;
    double sum = 0;
    for (const double deviation : sevenths)
        sum += even_miss_share(edge, edge.capacity_bytes * std::exp2(edge.spread * deviation), size_bytes);
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
