#pragma once

#include "memtest/base/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest {

/// A remark on how a row was measured.
enum class Note {
    preempted, ///< the kernel took the processor away during a timed part
    migrated,  ///< the thread ended a timed part on a different processor
    faulted,   ///< pages were missing during a timed part
    bimodal,   ///< the batches of a visit fall into two groups
    contested, ///< visits, or batches within visits, fall into two groups more than 1.5 times apart (contention_in)
    single,    ///< without a precision: fewer than two other batches agree with the min
    limit,     ///< the visits do not agree to the precision
    coarse,    ///< the clock is too coarse for so few accesses
};

template<>
inline constexpr std::array<Word<Note>, 8> word_table<Note>{{{Note::preempted, "preempted"},
                                                             {Note::migrated, "migrated"},
                                                             {Note::faulted, "faulted"},
                                                             {Note::bimodal, "bimodal"},
                                                             {Note::contested, "contested"},
                                                             {Note::single, "single"},
                                                             {Note::limit, "limit"},
                                                             {Note::coarse, "coarse"}}};

/// Whether any of them casts doubt even on the min.
[[nodiscard]] inline bool any_disturbing(const std::vector<Note>& notes) {
    constexpr std::array disturbing{Note::bimodal, Note::contested, Note::single, Note::limit};
    return std::ranges::find_first_of(notes, disturbing) != notes.end();
}

/// One visit of one thread to one size.
struct Visit {
    std::uint64_t start_ns = 0;                    ///< of the timed part, since the sweep began
    std::size_t place_bytes = 0;                   ///< from the start of the thread's area to its chains
    std::optional<double> core_ghz = std::nullopt; ///< the higher of the readings before and after, if known
    std::vector<double> batch_ns;                  ///< ns per access; empty if the clock was too coarse
};

/// One row of a sweep, measured or read from a file: one size on one thread, over all its visits.
struct Row {
    int thread = 0;
    std::uint64_t size_bytes = 0;
    std::optional<double> latency_ns = std::nullopt;     ///< the estimate; std::nullopt if the clock was too coarse
    std::optional<double> latency_cycles = std::nullopt; ///< the same, each visit by its own clock
    std::optional<double> min_ns = std::nullopt;         ///< over the batches, like the next three; see Summary
    std::optional<double> median_ns = std::nullopt;
    std::optional<double> mean_ns = std::nullopt;
    std::optional<double> spread_percent = std::nullopt; ///< within a visit
    std::optional<double> low_ns = std::nullopt;         ///< of a contested size: the median of its lower group
    std::optional<double> high_ns = std::nullopt;        ///< and of its higher one
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree
    std::optional<std::uint64_t> visits_made = std::nullopt;
    std::optional<std::uint64_t> batches = std::nullopt; ///< of all visits
    /// False if its visits or accesses are used up and do not agree. What no cache holds is given up before that: on a
    /// quiet machine, too, its visits disagree.
    bool is_settled = true;
    std::vector<Note> notes = {};
    std::vector<Visit> visits = {};                            ///< one for each round; not in every file
    std::vector<std::optional<double>> counts_per_access = {}; ///< as requested; std::nullopt if one never ran
};

} // namespace memtest
