#pragma once

#include "memtest/measure/note.hpp"
#include "memtest/measure/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// One visit of one thread to one size.
struct Visit {
    std::uint64_t start_ns = 0;                    ///< of the timed part, since the sweep began
    std::size_t place_bytes = 0;                   ///< from the start of the thread's area to its chains
    std::optional<double> core_ghz = std::nullopt; ///< the higher reading of before and after, where known
    std::vector<double> batch_ns;                  ///< ns per access; empty where the clock told nothing
};

/// One row of the result: one size on one thread, over all its visits.
struct Row {
    int thread = 0;
    std::size_t size_bytes = 0;
    std::optional<double> latency_ns = std::nullopt;     ///< the estimate; none where the clock told nothing
    std::optional<double> latency_cycles = std::nullopt; ///< the same, each visit by its own clock
    std::optional<Summary> summary = std::nullopt;       ///< in ns
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree
    /// Whether its visits agree, where it had all of them. What no cache holds has fewer: others move it on a quiet
    /// machine, too.
    bool is_settled = true;
    std::vector<Note> notes;
    std::vector<Visit> visits;                            ///< one for each round, from the first
    std::vector<std::optional<double>> counts_per_access; ///< in the order asked for; nothing where one never ran
};

[[nodiscard]] std::size_t batches_of(const Row& row);

} // namespace memtest
