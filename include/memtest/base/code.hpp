#pragma once

namespace memtest {

/// What a result may say about itself. Programs judge by the code and its values; people read the sentence.
enum class Code {
    unknown, ///< from a file: a code of another version

    // Warnings on the result as a whole.
    busy_machine, ///< before the run
    others_used,  ///< while it ran
    cpu_quota,    ///< below the number of threads
    throttled,    ///< while it ran
    unsettled,
    processors_moved, ///< while it ran
    time_was_up,

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
    parts_measured_again,
    prefetched_files, ///< sweeps that are compared
    machines_not_told_apart,
    order_not_told,
    files_disturbed,
    lines_skipped,

    // Remarks on levels.
    too_few_points,     ///< for any level
    no_edge,            ///< one latency throughout
    memory_not_reached, ///< the sweep ends inside a cache or too soon after the last one
    prefetched,         ///< the prefetcher follows the stride: what lies beyond is not the memory's latency
    hidden_level,       ///< a rise is longer than one cache causes, but shows too little to infer a level in it
    only_a_foot,        ///< a level has no plateau, only the foot of the rise after it
    many_disturbed,
    page_colours,       ///< the first cache ends as a larger one does whose page colours fill by chance
    may_be_translation, ///< a level ends where a TLB does, and may be its shoulder
    level_not_reported, ///< the system reports caches, but not all that the curve shows
    levels_below_prefetching,
    level_much_smaller,
    level_not_shown,
    memory_rises,
    memory_above_sizes,
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
    single_chain_slowed,
    runs_differ,
    part_not_measured,
    machines_not_compared,
    machines_unread,
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
    verdict,
    reason,
    // the reasons of a verdict
    nothing_changed,
    figures_compared,
    changed,
    noise_hides_all,
    no_figure_in_common,
    figures_missing,
    may_be_worse,
    memory_not_compared,
    worse_once,
    fleet_verdict,
};

} // namespace memtest
