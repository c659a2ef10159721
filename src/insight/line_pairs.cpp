#include "memtest/insight/line_pairs.hpp"

namespace memtest {

bool fetches_pairs(const PitchLatencies& latencies) {
    constexpr double clearly = 1.1;
    // Of a pair fetched whole, nothing is gained where one line of it is used. A prefetcher of larger regions gains
    // there, too, and no size of line takes that off.
    const double gained = latencies.apart_ns - latencies.beside_ns;
    const double gained_by_pairs = latencies.pairs_ns - latencies.beside_ns;
    return latencies.apart_ns >= clearly * latencies.beside_ns && gained_by_pairs >= gained / 2;
}

} // namespace memtest
