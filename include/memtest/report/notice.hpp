#pragma once

#include "memtest/report/json.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// What a result may say about itself. Programs judge by the code and its values; people read the sentence.
enum class Code {
    unknown, ///< from a file: a code of another version, or a sentence without a known code

    // Warnings on the result as a whole.
    busy_machine, ///< before the run
    others_used,  ///< while it ran
    cpu_quota,    ///< below the number of threads
    throttled,    ///< while it ran
    unsettled,
    processors_moved, ///< while it ran

    // Other warnings.
    little_memory,
    several_kinds,
    memory_clock_moved,
    frequency_governor,
    other_line_size,
    threads_share_cores,
    not_pinned,
    memory_file_on_disk,
    prefetcher_follows_stride,
    prefetching_unchecked,
    learned_laps,
    followed_addresses,
    core_clock_moved,
    awake_lost,
    counter_unsettled,
    disturbed_size,
    disturbed_sizes,
    contested_sizes,
    load_batches_set_aside,
    no_figure_under_load,
    samples_set_aside,
    loads_missed,
    measured_again,
    parts_measured_again,
    machines_not_told_apart,

    // Remarks on levels.
    too_few_points,
    no_edge,
    memory_not_reached,
    prefetched,
    hidden_level,
    only_a_foot,
    many_disturbed,
    page_colours,
    may_be_translation,
    levels_below_prefetching,
    level_much_smaller,
    level_not_shown,
    memory_rises,
    translation_untold,
    page_walks_remain,

    // Remarks on other results.
    no_tlb_edge,
    no_second_tlb_edge,
    pages_not_quoted,
    huge_pages_split,
    huge_pages_slower,
    withheld_costs,
    noise_assumed,
    several_curves,
    awake_differs,
    pairs_left_out,
    groups_changed,
    pairs_moved,
    contradicted_relation,
    bimodal_pairs,
    disturbed_pairs,
    grouped_samples,
    recurring_slowness,
    short_stops_unseen,
    single_chain_slowed,
    undecided_sizes,
    doubts_unrecorded,
    runs_differ,
    parts_left_out,
    figures_not_counted,
    machines_not_compared,
    machines_in_doubt,
    machines_set_differently,

    // Findings.
    level,
    tlb,
    page_walks,
    costs_known,
    idle_latency,
    peak,
    knee,
    core_groups,
    no_core_groups,
    prefetchers,
    counter,
    level_change,
    verdict,
    reason,
    // the reasons of a verdict
    nothing_changed,
    changed,
    neighbours_changed,
    not_sure,
    near_next_level,
    only_neighbours_slower,
    noise_hides_all,
    sweeps_incomplete,
    few_sizes_in_common,
    sizes_missing,
    latest_disturbed,
    baselines_disturbed,
    no_figure_in_common,
    figures_in_doubt,
    part_not_measured,
    worse_once,
    fleet_verdict,
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

/// The code of a word; unknown for any other text.
[[nodiscard]] Code code_called(std::string_view word);

/// A code as the manual lists it.
struct CodeText {
    std::string_view word;
    std::string_view values; ///< their names
};

/// All codes.
[[nodiscard]] std::vector<CodeText> code_texts();

/// The sentence for people, without a full stop: what is known, then "; " and what to do about it. Where the code is
/// not known or a value is missing, the sentence of the file.
[[nodiscard]] std::string sentence_of(const Notice& notice);

/// A row of the latency distribution: "64 MiB under full load".
[[nodiscard]] std::string row_name(double size_bytes, double load_percent);

/// The same without what to do about it.
[[nodiscard]] std::string fact_of(const Notice& notice);

/// As files have it: `code`, the values, and the sentence as `text`.
[[nodiscard]] Json json_of(const Notice& notice);

/// Reads what json_of writes. Anything else is an unknown code.
[[nodiscard]] Notice notice_in(const Json& value);

// What programs ask of a warning.

/// Whether other processes used the machine, or a quota held this one back, before the run or during it.
[[nodiscard]] bool is_on_others(const Notice& warning);

/// Whether something outside the measurement is known to have changed its figures: others, or moved processors.
[[nodiscard]] bool is_disturbance(const Notice& warning);

/// Whether it is known before the first row, and so says nothing about how the run went.
[[nodiscard]] bool is_on_plan(const Notice& warning);

/// Whether it casts doubt on the result as a whole.
[[nodiscard]] bool is_on_whole_result(const Notice& warning);

} // namespace memtest
