#pragma once

#include "memtest/insight/level.hpp"

#include <optional>
#include <span>

namespace memtest::test {

/// The latency that the inferred levels have at a size. std::nullopt if no level was found, and beyond the last cache
/// if memory was not reached.
inline std::optional<double> modelled_latency_ns(const Hierarchy& hierarchy, double size_bytes) {
    const std::span<const Level> caches = hierarchy.caches;
    if (hierarchy.memory)
        return memtest::modelled_latency_ns(caches, hierarchy.memory->latency_ns, size_bytes);
    if (caches.empty() || size_bytes > caches.back().edge.capacity_bytes)
        return std::nullopt;
    return memtest::modelled_latency_ns(caches.first(caches.size() - 1), caches.back().latency_ns, size_bytes);
}

} // namespace memtest::test
