#include "memtest/insight/tail.hpp"

#include <cmath>

namespace memtest {
namespace {

std::uint64_t samples_in(const TickCounts& counts) {
    std::uint64_t samples = 0;
    for (const auto& [ticks, count] : counts)
        samples += count;
    return samples;
}

} // namespace

std::optional<double> TailScale::rounded_ns(std::uint64_t ticks) const {
    const double steps = std::round(static_cast<double>(ticks) * ns_per_tick / resolution_ns);
    if (steps < 1)
        return std::nullopt;
    const double fraction = std::pow(10, -std::floor(std::log10(resolution_ns))); // for the last digit of a ns
    return fraction < 1 ? std::round(steps * resolution_ns) : std::round(steps * resolution_ns * fraction) / fraction;
}

TailScale tail_scale(const TickScale& scale, std::size_t group) {
    const auto accesses = static_cast<double>(group);
    return {.ns_per_tick = scale.ns_per_tick / accesses, .resolution_ns = scale.resolution_ns() / accesses};
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

} // namespace memtest
