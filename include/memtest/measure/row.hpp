#pragma once

#include "memtest/base/words.hpp"
#include "memtest/measure/statistics.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// What is worth knowing about how a row came about.
enum class Note {
    preempted, ///< the kernel took the processor away during the timed part
    migrated,  ///< the thread ended on another processor than it began on
    faulted,   ///< pages were missing during the timed part
    bimodal,   ///< the batches fall into two groups
    single,    ///< too few batches agree with the reported smallest one
    limit,     ///< the accesses were used up before the precision was reached
    coarse,    ///< the clock is too coarse for so few accesses
};

template<>
inline constexpr std::array<Word<Note>, 7> word_table<Note>{{{Note::preempted, "preempted"},
                                                             {Note::migrated, "migrated"},
                                                             {Note::faulted, "faulted"},
                                                             {Note::bimodal, "bimodal"},
                                                             {Note::single, "single"},
                                                             {Note::limit, "limit"},
                                                             {Note::coarse, "coarse"}}};

/// One line of the result: one size on one thread.
struct Row {
    int thread = 0;
    std::size_t size_bytes = 0;
    std::optional<double> latency_ns =
        std::nullopt;                              ///< the estimate over all batches; none where the clock told nothing
    std::optional<Summary> summary = std::nullopt; ///< in ns
    double core_ghz = 0;                           ///< the core's clock, the mean over the size
    double lowest_ghz = 0;                         ///< of its readings before and after
    double highest_ghz = 0;
    std::optional<double> placement_percent = std::nullopt; ///< spread of the estimate between several mappings
    std::vector<Note> notes;
    std::vector<double> batch_ns;
    std::vector<std::optional<double>> counts_per_access; ///< in the order asked for; nothing where one never ran
};

/// The latency in cycles of the core's clock; none where the latency is not known.
[[nodiscard]] std::optional<double> cycles_of(const Row& row);

} // namespace memtest
