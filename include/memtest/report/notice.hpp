#pragma once

#include "memtest/report/json.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace memtest {

/// What a result may say of itself. Programs judge by the code and its values; people read the sentence.
enum class Code {
    unknown, ///< of a file: a code of another version, or a sentence that no code is known for

    // Warnings on the result as a whole.
    busy_machine, ///< before the run
    others_used,  ///< while it ran: percent
    unsettled,    ///< count, of, things

    // Other warnings.
    little_memory,             ///< bytes, caches, option
    frequency_governor,        ///< processor, governor
    other_line_size,           ///< line_bytes, cache, processor, given_bytes
    threads_share_cores,       ///< threads, cores, most_threads
    not_pinned,                ///< reason
    memory_file_on_disk,       ///< file
    prefetcher_follows_stride, ///< order, from_bytes, strided_ns, random_ns
    prefetching_unchecked,     ///< reason
    learned_laps,              ///< first_ns, later_ns
    core_clock_moved,          ///< lowest_ghz, highest_ghz
    disturbed_size,            ///< bytes, ns, larger_bytes, larger_ns
    disturbed_sizes,           ///< count, of
    contested_sizes,           ///< from_bytes, to_bytes, low_ns, high_ns
    load_batches_set_aside,    ///< write_percent, load_percent, awake, set_aside, of, absent
    load_not_measured,         ///< steps
    samples_set_aside,         ///< bytes, load_percent
    measured_again,            ///< sizes, from_bytes, to_bytes, visits

    // Remarks on levels.
    too_few_points,
    no_edge,
    memory_not_reached,
    prefetched,
    hidden_level,
    only_a_foot,
    many_disturbed,
    page_colours,
    levels_below_prefetching, ///< from_bytes
    level_much_smaller,       ///< level, sweep_to_bytes
    level_not_shown,          ///< level, bytes, sweep_to_bytes

    // Remarks on other results.
    no_tlb_edge,          ///< pages
    no_second_tlb_edge,   ///< pages
    pages_not_quoted,     ///< pages
    huge_pages_split,     ///< by the host
    huge_pages_slower,    ///< sizes
    doubtful_costs,       ///< sizes
    noise_assumed,        ///< of sweeps that do not record theirs
    awake_differs,        ///< write_percent, idle_ns, awake_ns
    pairs_left_out,       ///< left_out, of, within, minutes
    contradicted_relation, ///< reader, owner, relation, cache, latency_ns, others
    bimodal_pairs,        ///< pairs
    disturbed_pairs,      ///< pairs
    grouped_samples,      ///< groups
    recurring_slowness,   ///< row, period_ns, refresh, slower_ns, chance
    short_stops_unseen,   ///< on a virtual machine

    // Findings.
    level,        ///< as its row
    tlb,          ///< level, entries_low, entries, entries_high, reach_kib, hit_ns, hit_cycles, confidence
    page_walks,   ///< beyond
    costs_known,  ///< known, of
    idle_latency, ///< idle_latency_ns, awake_latency_ns, idle_latency_at_end_ns
    peak,         ///< bandwidth_gb_s, latency_ns, times, awake
    knee,         ///< the same, times_unloaded, is_peak, and why there is none
    core_groups,  ///< processors, within_ns, between_ns
    no_core_groups, ///< lowest_ns, highest_ns
    counter,      ///< resolution_ns, readings_ns
    level_change, ///< as its member
    verdict,      ///< verdict
    reason,       ///< reason
};

/// A code with its values.
struct Notice {
    Notice() = default;
    explicit Notice(Code its_code) : code(its_code) {}
    Notice(Code its_code, Json its_values) : code(its_code), values(std::move(its_values)) {}

    Code code = Code::unknown;
    Json values = Json::object();

    bool operator==(const Notice&) const = default;
};

/// The word for a code in files.
[[nodiscard]] std::string_view word_of(Code code);

/// The sentence for people, without a full stop: what is known, then what to do about it behind "; ". That of a file
/// where the code is not known, or a value is missing.
[[nodiscard]] std::string sentence_of(const Notice& notice);

/// The same without what to do about it.
[[nodiscard]] std::string fact_of(const Notice& notice);

/// As files have it: `code`, the values, and the sentence as `text`.
[[nodiscard]] Json json_of(const Notice& notice);

/// Reads what json_of writes. Anything else is an unknown code.
[[nodiscard]] Notice notice_in(const Json& value);

// What programs ask of a warning.

/// Whether others used the machine, before the run or while it ran.
[[nodiscard]] bool is_on_others(const Notice& warning);

/// Whether it casts doubt on the result as a whole.
[[nodiscard]] bool is_on_whole_result(const Notice& warning);

} // namespace memtest
