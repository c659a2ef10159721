#pragma once

namespace memtest {

/// The latency of random chains through as many lines each.
struct PitchLatencies {
    double beside_ns = 0; ///< each line beside the next
    double pairs_ns = 0;  ///< one line of each pair
    double apart_ns = 0;  ///< one line of each two pairs
};

/// Whether the processor fetches lines in pairs, so that lines side by side look faster than memory is.
[[nodiscard]] bool fetches_pairs(const PitchLatencies& latencies);

} // namespace memtest
