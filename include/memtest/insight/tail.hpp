#pragma once

#include "memtest/measure/tail_sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace memtest {

/// The unit of sample counts: the time of a tick per access, and its resolution.
struct TailScale {
    double ns_per_tick = 0;
    double resolution_ns = 0;

    /// Rounded to whole steps of the resolution, without digits beyond it; std::nullopt for less than half a step.
    [[nodiscard]] std::optional<double> rounded_ns(std::uint64_t ticks) const;
};

/// @param group accesses in a sample
[[nodiscard]] TailScale tail_scale(const TickScale& scale, std::size_t group);

/// The ticks that this share (above 0, at most 100) of the samples does not exceed, by the nearest rank. std::nullopt
/// if fewer than ten samples lie beyond: they would not repeat.
[[nodiscard]] std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent);

} // namespace memtest
