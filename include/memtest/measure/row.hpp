#pragma once

#include "memtest/base/words.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/timing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memtest {

/// A remark on how a row was measured.
enum class Note {
    preempted, ///< the kernel took the processor away during a timed part
    migrated,  ///< the thread ended a timed part on another processor than it began it on
    faulted,   ///< pages were missing during a timed part
    bimodal,   ///< the batches of a visit fall into two groups
    single,    ///< without a precision: too few batches agree with the smallest one
    limit,     ///< the visits do not agree to the precision
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

/// Whether any of them casts doubt even on the smallest batch.
[[nodiscard]] inline bool any_disturbing(const std::vector<Note>& notes) {
    constexpr std::array disturbing{Note::bimodal, Note::single, Note::limit};
    return std::ranges::find_first_of(notes, disturbing) != notes.end();
}

/// What one thread measured in one visit.
struct Measurement {
    Timing timing;
    std::uint64_t start_ns = 0;           ///< of the timed part, by the system's monotonic clock
    std::size_t place_bytes = 0;          ///< from the start of the thread's area to its chains
    bool is_held = true;                  ///< the caches hold the lines, as far as the warm-up tells
    Disturbances before;                  ///< at the start of the timed part
    Disturbances after;                   ///< at its end
    std::vector<CounterReading> counters; ///< over the timed batches, in the order asked for
    std::optional<double> ghz_before;     ///< the core's clock right before the timed part, where it is known
    std::optional<double> ghz_after;      ///< and right after it
};

/// One visit of one thread to one size.
struct Visit {
    std::uint64_t start_ns = 0;                    ///< of the timed part, since the sweep began
    std::size_t place_bytes = 0;                   ///< from the start of the thread's area to its chains
    std::optional<double> core_ghz = std::nullopt; ///< the higher reading of before and after, where known
    std::vector<double> batch_ns;                  ///< ns per access; empty where the clock told nothing
};

/// One row of a sweep, measured or read from a file: one size on one thread, over all its visits.
struct Row {
    int thread = 0;
    std::uint64_t size_bytes = 0;
    std::optional<double> latency_ns = std::nullopt;     ///< the estimate; none where the clock told nothing
    std::optional<double> latency_cycles = std::nullopt; ///< the same, each visit by its own clock
    std::optional<double> min_ns = std::nullopt;         ///< over the batches, like the next three; see Summary
    std::optional<double> median_ns = std::nullopt;
    std::optional<double> mean_ns = std::nullopt;
    std::optional<double> spread_percent = std::nullopt; ///< within a visit
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree
    std::optional<std::uint64_t> visits_made = std::nullopt;
    std::optional<std::uint64_t> batches = std::nullopt; ///< of all visits
    /// Whether its visits agree, where it had all of them. What no cache holds has fewer: others move it on a quiet
    /// machine, too.
    bool is_settled = true;
    std::vector<Note> notes;
    std::vector<Visit> visits;                            ///< one for each round; not in every file
    std::vector<std::optional<double>> counts_per_access; ///< in the order asked for; std::nullopt if one never ran
};

/// Whether one thread's visits to a size agree to the precision asked for (is_settled); never without one.
[[nodiscard]] bool visits_agree(std::span<const Measurement> measurements, const TimingPlan& timing);

/// About how many visits in all one thread needs to a size; nothing where that is not known yet, or without a
/// precision.
[[nodiscard]] std::optional<double> visits_needed(std::span<const Measurement> measurements, const TimingPlan& timing);

/// Joins one thread's visits to one size, one in each round, into a row. Visits at a clock more than 2 % off the usual
/// do not count, unless they are half of all or more. The others count once each, however many batches they took. The
/// row's min is the lowest of their mins that repeats, its median and spread are the medians of theirs, its mean is the
/// mean of theirs. So the spread is that within a visit.
/// @param measurements at least one @param began_ns when the sweep began, by the clock of the measurements
[[nodiscard]] Row join_visits(int thread, std::size_t size_bytes, std::span<const Measurement> measurements,
                              const TimingPlan& timing, std::uint64_t began_ns);

} // namespace memtest
