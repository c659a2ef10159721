#pragma once

#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// Core-to-core latencies of two processors at several moments.
struct PairMoments {
    int reader = 0;
    int owner = 0;
    std::vector<double> latencies_ns{};
};

/// The pairs, by reader and owner, whose latency changed as it does if a hypervisor moves the processors: two moments
/// took at least twice as long as two others, with a gap between. Other work makes a transfer less than twice as slow,
/// or leaves no gap.
[[nodiscard]] std::vector<std::pair<int, int>> moved_pairs(std::span<const PairMoments> pairs);

} // namespace memtest
