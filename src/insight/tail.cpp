#include "memtest/insight/tail.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {

std::optional<double> TailScale::rounded_ns(std::uint64_t ticks) const {
    const double steps = std::round(static_cast<double>(ticks) * ns_per_tick / resolution_ns);
    if (steps < 1)
        return std::nullopt;
    const double fraction = std::pow(10, -std::floor(std::log10(resolution_ns))); // of a ns, the last digit
    return fraction < 1 ? std::round(steps * resolution_ns) : std::round(steps * resolution_ns * fraction) / fraction;
}

TailScale tail_scale(const TickScale& scale, std::size_t group) {
    const auto accesses = static_cast<double>(group);
    return {.ns_per_tick = scale.ns_per_tick / accesses, .resolution_ns = scale.resolution_ns() / accesses};
}

std::uint64_t samples_in(const TickCounts& counts) {
    std::uint64_t samples = 0;
    for (const auto& [ticks, count] : counts)
        samples += count;
    return samples;
}

std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent) {
    constexpr std::uint64_t fewest_beyond = 10;
    const std::uint64_t samples = samples_in(counts);
    const auto rank = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(samples) - 1e-6));
    if (samples < rank + fewest_beyond)
        return std::nullopt;
    std::uint64_t below = 0;
    for (const auto& [ticks, count] : counts) {
        below += count;
        if (below >= rank)
            return ticks;
    }
    return std::nullopt;
}

std::vector<TailBin> tail_bins(const TickCounts& counts, const TailScale& scale) {
    constexpr double bins_per_doubling = 16;
    std::vector<TailBin> bins;
    const auto samples = static_cast<double>(samples_in(counts));
    std::uint64_t below = 0;
    for (const auto& [ticks, count] : counts) {
        // What took no longer than the readings is within the first step.
        const double ns = std::max(static_cast<double>(ticks) * scale.ns_per_tick, scale.resolution_ns / 2);
        const double place = std::floor(bins_per_doubling * std::log2(ns));
        const double from_ns = std::exp2(place / bins_per_doubling);
        if (bins.empty() || bins.back().from_ns < from_ns)
            bins.push_back({.from_ns = from_ns, .to_ns = std::exp2((place + 1) / bins_per_doubling)});
        below += count;
        bins.back().samples += count;
        bins.back().slower_percent = 100 * (samples - static_cast<double>(below)) / samples;
    }
    return bins;
}

} // namespace memtest
