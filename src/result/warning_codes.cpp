#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/translation_cost.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/code_entry.hpp"
#include "memtest/result/notice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace memtest {
namespace {

using V = const NoticeValues&;

constexpr std::string_view on_a_quiet_machine = "measure again on a quiet machine";
constexpr std::string_view leave_the_processors = "leave the processors to this run, or name others with --load-cpu";
constexpr std::string_view measure_again = "measure again";

NoticeText several_kinds(V v) {
    constexpr std::string_view kind = "{name} {processors:ids}"; // "P-core 0-5"
    return {fmt::format("this machine has several kinds of cores, and {} {}{}",
                        each_filled(v.list("measured"), ", ", kind), v.filled("{measured:is|are} measured"),
                        v.has("load") ? ", under load by " + each_filled(v.list("load"), ", ", kind) : ""),
            fmt::format("--cpu {} measures another", each_filled(v.list("others"), " or ", "{name}"))};
}

/// "2 of 12 rows"
std::string counted_things(V v) {
    const std::string things = v.text("things");
    return counted_of(v.count("count"), v.count("of"), things.substr(0, std::max<std::size_t>(things.size(), 1) - 1));
}

NoticeText contested(V v) {
    const auto range = [](const Value& values) {
        const NoticeValues r(values);
        return size_range(r.number("from_bytes"), r.number("to_bytes")) +
               r.filled(" (medians from {low_ns:ns} to {high_ns:ns} ns)");
    };
    return {fmt::format(
        "visits fell into two groups at {}: {}; no single figure is right there", joined(v.list("ranges"), ", ", range),
        v.is("beyond_caches") ? "caches hold little of these sizes, so memory or translation was slower at some moments"
        : v.is("private")     ? "something else used the cache of this core, or pages collide in it"
        : v.is("virtual") ? "other guests or processes use the cache, or the host moved this processor to another core"
                          : "others use the cache")};
}

NoticeText load_batches(V v) {
    const std::string where = v.number("load_percent") > 0 ? v.filled("at {load_percent:.1f} % load")
                              : v.is("awake")              ? "without load, the load threads awake,"
                                                           : "without load, the load threads asleep,";
    return {v.filled("{write_percent:writes}") + where +
                v.filled(" {set_aside} of {of} batches were set aside: other processes ran on the processors"),
            std::string(leave_the_processors)};
}

/// What to do where a shared cache may serve part of memory.
std::string sweep_further(V v) {
    return v.has("sweep_to_bytes")
               ? v.filled("a shared cache may serve part of memory, so sweep to {sweep_to_bytes:size} (--max-size)")
               : "";
}

NoticeText level_not_shown(V v) {
    const std::string why = v.text("why");
    const bool is_short = why == "sweep_too_short";
    const bool may_be_taken = v.is("in_guest") && why != "too_near_to_last";
    return {v.filled("the system reports an {level} of {bytes:size}, but the curve shows no plateau of it") +
                (may_be_taken ? "; other guests or processes may fill it" : "") +
                (may_be_taken && is_short ? ", or the sweep ends too soon" : ""),
            is_short && may_be_taken    ? "a larger --max-size tells"
            : is_short                  ? "the sweep ends too soon, so use a larger --max-size"
            : why == "too_near_to_last" ? "it is near another cache, so use --points 8"
            : why == "no_trace"         ? sweep_further(v)
                                        : ""};
}

NoticeText translation_untold(V v) {
    constexpr double gib = 1 << 30;
    const bool are_left_out = v.is("are_left_out");
    return {v.filled("translation was measured to {told_to_bytes:size}; larger sizes ") +
                (are_left_out ? "are left out" : "may include more of it"),
            are_left_out || v.number("told_to_bytes") >= gib ? "" : "'memtest tlb --max-size 1024' measures to 1 GiB"};
}

NoticeText withheld_costs(V v) {
    const auto why = value_of<Withheld>(v.text("why"));
    const bool is_of_level = why == Withheld::at_end_of_level;
    return {v.filled("the cost at {names:some} is not quoted: ") +
                (why == Withheld::contested ? "others contest the cache there"
                 : is_of_level              ? "a level ends there, and pages of different sizes fill it differently"
                                            : "the size was disturbed"),
            std::string(is_of_level ? "" : measure_again)};
}

NoticeText awake_differs(V v) {
    const double ratio = v.number("awake_ns") / v.number("idle_ns");
    return {v.filled("{write_percent:writes}without load an access takes {idle_ns:.1f} ns while the load threads sleep "
                     "and {awake_ns:.1f} ns while they are awake, ") +
            fmt::format("{:.0f} % {}", 100 * std::abs(ratio - 1),
                        ratio < 1 ? "less: the package may slow its clocks while cores sleep"
                                  : "more: awake cores may share a power budget, or hardware threads a core")};
}

/// The groups of the cores that are nearest to each other.
std::string nearest_groups(const Value& partings) {
    return partings.list().empty() ? "none" : joined(partings[0].list(), " ", ids_in);
}

NoticeText contradicted(V v) {
    const auto relation = value_of<Relation>(v.text("relation"));
    const std::string_view words = relation == Relation::same_core         ? "are on one core"
                                   : relation == Relation::same_last_cache ? "share an {last_cache}"
                                   : relation == Relation::same_package    ? "are in one package and share no cache"
                                                                           : "are in different packages";
    const std::string_view others = v.count("others") == 0 ? ""
                                                           : "; {others} other {others:pair|pairs} of this relation "
                                                             "{others:disagrees|disagree} with it as well";
    return {v.filled("the system reports that {reader} and {owner} ") + v.filled(words) +
            v.filled(", but a transfer between them takes {latency_ns:.0f} ns") + v.filled(others)};
}

std::string pairs_text(const List& pairs, std::string_view between) {
    return joined(pairs, ", ", [&](const Value& pair) {
        return fmt::format("{} {} {}", text_of(pair[0]), between, text_of(pair[1]));
    });
}

NoticeText grouped_samples(V v) {
    const auto group = [](const Value& row) {
        const NoticeValues of_row(row);
        return fmt::format("{} at {}", of_row.count("loads"),
                           row_name(of_row.number("size_bytes"), of_row.number("load_percent")));
    };
    return {fmt::format("in some rows a sample is the mean of a group of loads: {}",
                        joined(v.list("groups"), ", ", group))};
}

constexpr auto warning_entries = std::to_array<CodeEntry>({
    {Code::unknown, "unknown", "text", "{text}"},

    // Warnings.
    {Code::busy_machine, "busy_machine", "", "other processes were using the CPUs", on_a_quiet_machine},
    {Code::others_used, "others_used", "percent", "other processes used {percent:.0f} % of the CPUs",
     on_a_quiet_machine},
    {Code::cpu_quota, "cpu_quota", "processors, threads",
     "the control group (cpu.max or cpu.cfs_quota_us) allowed {processors:.3g} {processors:processor|processors} for "
     "{threads} {threads:thread|threads}",
     "the kernel stops the run in each period that uses up this quota, so results may be off; raise the quota"},
    {Code::throttled, "throttled", "periods",
     "the kernel stopped this process in {periods} {periods:period|periods} that used up its quota (control group)",
     "results may be off, raise the quota and measure again"},
    {Code::unsettled, "unsettled", "count, of, things",
     [](V v) -> NoticeText {
         return {counted_things(v) + " did not settle",
                 v.count("count") == v.count("of")
                     ? std::string(measure_again)
                     : v.filled("trust the {things} without a note, which --stats shows")};
     }},
    {Code::processors_moved, "processors_moved", "changed, of",
     "the hypervisor moved processors: the core-to-core latency of {changed/of:pair} changed",
     "repeat the run, or pin them on the host"},
    {Code::time_was_up, "time_was_up", "seconds, count, of, things",
     [](V v) -> NoticeText {
         return {v.filled("the limit of {seconds:g} s left ") + counted_things(v) + " less exact",
                 "raise --max-time"};
     }},
    {Code::little_memory, "little_memory", "bytes, caches, option, least_bytes",
     "{bytes:size} is less than {caches} times the last cache, so the cache serves some of the accesses",
     "use --{option} of at least {least_bytes:size}"},
    {Code::several_kinds, "several_kinds", "measured, load, others", several_kinds},
    {Code::memory_clock_moved, "memory_clock_moved", "lowest_ghz, highest_ghz, governor",
     "the memory clock moved between {lowest_ghz:.3f} and {highest_ghz:.3f} GHz during the run, under the governor "
     "'{governor}' of devfreq",
     "set 'performance' in /sys/class/devfreq"},
    {Code::frequency_governor, "frequency_governor", "processor, governor",
     "processor {processor} uses the frequency governor '{governor}', so results vary with its clock",
     "set 'performance' (cpupower frequency-set -g performance), or read --cycles"},
    {Code::other_line_size, "other_line_size", "line_bytes, cache, processor, given_bytes",
     "the system reports lines of {line_bytes} bytes for {cache} of processor {processor}, not {given_bytes}",
     "use --line-size {line_bytes}"},
    {Code::threads_share_cores, "threads_share_cores", "threads, cores, most_threads",
     "{threads} threads run on {cores} physical {cores:core|cores} and share caches and load units",
     "use at most {most_threads} threads, or name processors of different cores with --cpu"},
    {Code::not_pinned, "not_pinned", "reason",
     "the system does not allow threads to be pinned to processors ({reason}), so they may move away from their caches",
     "repeat the run and compare, or allow sched_setaffinity (seccomp)"},
    {Code::memory_file_on_disk, "memory_file_on_disk", "file",
     "{file} is on a disk, so its memory is the page cache, which is written back during the run",
     "use a file on tmpfs, hugetlbfs or DAX"},
    {Code::prefetcher_follows_stride, "prefetcher_follows_stride",
     "order, from_bytes, last_bytes, strided_ns, random_ns",
     "the prefetcher follows the stride from {from_bytes:size} on: at {last_bytes:size} the {order} scan takes "
     "{strided_ns:.1f} ns and a random one {random_ns:.0f} ns",
     "use --random for the latency and the levels"},
    {Code::prefetching_unchecked, "prefetching_unchecked", "reason",
     "memtest could not check whether the prefetcher follows the stride: {reason}"},
    {Code::learned_laps, "learned_laps", "first_ns, later_ns",
     "this processor learns the order of a random walk: a repeated lap takes {later_ns:.1f} ns per access instead of "
     "{first_ns:.1f}, and sizes that are walked many times look faster than they are",
     "use --orders 7"},
    {Code::followed_addresses, "followed_addresses", "pointer_ns, index_ns",
     "this processor follows addresses in the data that it fetches: an access by pointer takes {pointer_ns:.1f} ns, "
     "and by index {index_ns:.1f}",
     "use --index"},
    {Code::core_clock_moved, "core_clock_moved", "lowest_ghz, highest_ghz",
     "the core clock moved between {lowest_ghz:.3f} and {highest_ghz:.3f} GHz during the run, and cache latencies in "
     "ns vary with it",
     "compare cycles (--cycles), or fix the frequency"},
    {Code::awake_lost, "awake_lost", "processors",
     "{processors:processor|processors} {processors:ids} did not stay awake: taken offline, or out of the cpuset",
     measure_again},
    {Code::counter_unsettled, "counter_unsettled", "",
     "two calibrations of the processor's counter never agreed, so every figure may be off",
     "measure again on a quiet machine"},
    {Code::disturbed_size, "disturbed_size", "bytes, ns, larger_bytes, larger_ns",
     "{bytes:size} took {ns:.1f} ns per access, and the larger {larger_bytes:size} took {larger_ns:.1f} ns: other "
     "work disturbed the smaller size",
     measure_again},
    {Code::disturbed_sizes, "disturbed_sizes", "count, of",
     "{count/of:size} {count:was|were} disturbed"},
    {Code::contested_sizes, "contested_sizes", "ranges, virtual, beyond_caches, private", contested},
    {Code::load_batches_set_aside, "load_batches_set_aside", "write_percent, load_percent, awake, set_aside, of",
     load_batches},
    {Code::no_figure_under_load, "no_figure_under_load", "write_percent",
     "{write_percent:writes}nothing under load could be measured: other processes ran on the processors",
     leave_the_processors},
    {Code::samples_set_aside, "samples_set_aside", "bytes, load_percent",
     "all samples of {bytes:size} at {load_percent:g} % load were set aside: other processes ran on the processors",
     "leave the processors to this run"},
    {Code::loads_missed, "loads_missed", "rows, of, by_percent",
     "in {rows/of:loaded row} the load was over a tenth of the peak off what the row says",
     "--stats prints the achieved load; repeat the run"},
    {Code::parts_measured_again, "parts_measured_again", "tries, parts, worse_at_first",
     [](V v) -> NoticeText {
         return {std::string(v.list("parts").size() > 1 ? "measured up to" : "measured") +
                 v.filled(" {tries} times: {parts:list}") +
                 v.filled(v.list("worse_at_first").empty() ? "" : " (worse at first: {worse_at_first:some})")};
     }},
    {Code::prefetched_files, "prefetched_files", "names",
     "in {names:list} a prefetcher follows the stride and hides larger caches and memory, which are not compared",
     "compare sweeps with --random"},
    {Code::machines_not_told_apart, "machines_not_told_apart", "names",
     "{names:list} {names:does|do} not name the processor, so the machines may differ"},
    {Code::order_not_told, "order_not_told", "names",
     [](V v) -> NoticeText {
         if (!v.has("names")) // of a single file
             return {"the order of the walk is not known, and in a stride prefetchers hide levels",
                     "sweep in random order (lat_mem_rd: -t)"};
         return {v.filled("{names:list} {names:does|do} not state the order of the walk"),
                 "compare only sweeps in the same pages and order (lat_mem_rd: a stride; with -t: random)"};
     }},
    {Code::lines_skipped, "lines_skipped", "lines, first",
     "skipped {lines} {lines:line that is|lines that are} no row, such as `{first}`"},

    // Remarks.
    {Code::too_few_points, "too_few_points", "bytes, latency_ns, in_small_pages",
     [](V v) -> NoticeText {
         const bool has_walks = v.is("in_small_pages");
         if (v.has("bytes"))
             return {v.filled("an access to {bytes:size} takes {latency_ns:ns} ns") +
                         (has_walks ? ", page walks included" : "") + "; one size shows no level",
                     has_walks ? "--pages thp avoids most walks" : ""};
         return {"too few sizes to infer any level", "sweep from 512 B to several times the last cache"};
     }},
    {Code::no_edge, "no_edge", "",
     "the latency is the same at every size: the sweep stays inside one level, or a prefetcher hides the others",
     "use --random"},
    {Code::memory_not_reached, "memory_not_reached", "", "the sweep ends before memory",
     "sweep to at least eight times the last cache"},
    {Code::prefetched, "prefetched", "", "a prefetcher follows the walk and hides the levels far from the core",
     "sweep in random order (memtest: --random; lat_mem_rd: -t)"},
    {Code::hidden_level, "hidden_level", "points",
     [](V v) -> NoticeText {
         return {"a rise is longer than one cache makes it, so a level may hide in it",
                 v.filled(v.has("points") ? "{points} sizes per doubling (memtest: --points) may show it" : "")};
     }},
    {Code::only_a_foot, "only_a_foot", "points",
     [](V v) -> NoticeText {
         return {"a level of low confidence shows only as the foot of the next rise and may not exist",
                 v.filled(v.has("points") ? "{points} sizes per doubling (memtest: --points) would settle it" : "")};
     }},
    {Code::many_disturbed, "disturbed", "sizes, of", "{sizes/of:size} {sizes:was|were} disturbed",
     "levels of less than high confidence are approximate; measure again"},
    {Code::page_colours, "page_colours", "",
     "L1 may be larger than its range: with small pages, page colours blur its end like this",
     "use --pages 2m or thp"},
    {Code::may_be_translation, "may_be_translation", "",
     "a level of low confidence ends where a TLB does and may not exist",
     "give the result of memtest tlb as well, or sweep with --pages thp"},
    {Code::level_not_reported, "level_not_reported", "levels",
     "the system does not report {levels:list}, which the curve clearly shows"},
    {Code::levels_below_prefetching, "levels_below_prefetching", "from_bytes",
     "no level is inferred from {from_bytes:size} on, where the prefetcher follows the stride",
     "use --random for the levels"},
    {Code::level_much_smaller, "level_much_smaller", "level, sweep_to_bytes", [](V v) -> NoticeText {
         return {v.filled("{level} is much smaller than the system reports: it is shared or partitioned, or a virtual "
                          "machine reports its host's cache"),
                 sweep_further(v)};
     }},
    {Code::level_not_shown, "level_not_shown", "level, bytes, why, sweep_to_bytes, in_guest", level_not_shown},
    {Code::memory_rises, "memory_rises", "from_bytes, to_bytes, low_ns, high_ns, in_small_pages, in_guest",
     [](V v) -> NoticeText {
         return {v.filled("a miss of all caches takes {low_ns:ns} ns at {from_bytes:size} and {high_ns:ns} ns at "
                          "{to_bytes:size}"),
                 v.is("in_small_pages") ? "page walks are part of it, and --pages thp avoids most of them"
                 : v.is("in_guest")     ? "page walks of the host may be part of it; the sweep has the latency of each size"
                                        : "the sweep has the latency of each size"};
     }},
    {Code::memory_above_sizes, "memory_above_sizes", "latency_ns, slowest_ns",
     "the latency of memory, {latency_ns:ns} ns, is an estimate: caches serve part of even the slowest size, "
     "{slowest_ns:ns} ns",
     "sweep to a larger size"},
    {Code::page_walks_remain, "page_walks_remain", "",
     "huge pages are translated as small ones here, so page walks remain in the latencies; the host of a virtual "
     "machine may split the pages"},
    {Code::translation_untold, "translation_untold", "told_to_bytes, are_left_out", translation_untold},
    {Code::no_tlb_edge, "no_tlb_edge", "pages",
     "no edge up to {pages} pages: no TLB ends there, or something other than translation takes the time, as under an "
     "emulator"},
    {Code::no_second_tlb_edge, "no_second_tlb_edge", "pages",
     "no second edge up to {pages} pages: page walks follow the first TLB, a second one holds all of these pages, or "
     "noise hides its end"},
    {Code::pages_not_quoted, "pages_not_quoted", "pages",
     "the cost at {pages:list} pages was disturbed and does not count", measure_again},
    {Code::huge_pages_split, "huge_pages_split", "",
     "the TLBs hold small parts of huge pages, as where the host of a virtual machine splits them; 'memtest "
     "translation' shows what huge pages still save"},
    {Code::huge_pages_slower, "huge_pages_slower", "sizes, names",
     "huge pages were slower at {names:some} than noise explains, so something else differed", "measure both again"},
    {Code::withheld_costs, "withheld_costs", "sizes, names, why", withheld_costs},
    {Code::noise_assumed, "noise_assumed", "",
     "some sizes do not record their noise, so an ordinary noise is assumed", "sweep with --stats"},
    {Code::several_curves, "several_curves", "write_percent, rows, of",
     "{write_percent:writes}at {rows/of:load} the visits differ by more than a fifth in bandwidth or latency, so the "
     "curve changed while it was measured",
     measure_again},
    {Code::awake_differs, "awake_differs", "write_percent, idle_ns, awake_ns", awake_differs},
    {Code::pairs_left_out, "pairs_left_out", "left_out, of, within, minutes",
     "{left_out} of {of} pairs are left out: one pair stands for all within a {within}, and one for all between two",
     "--all-pairs measures every pair in about {minutes:.0f} minutes"},
    {Code::groups_changed, "groups_changed", "moments", [](V v) -> NoticeText {
         return {fmt::format("two measurements disagree on the groups of cores ({}), so no groups are named; a "
                             "hypervisor that moves its virtual processors, or other work, causes this",
                             joined(v.list("moments"), ", then ", nearest_groups))};
     }},
    {Code::pairs_moved, "pairs_moved", "pairs, of, seconds",
     "the hypervisor moves these processors: {pairs/of:pair} changed within {seconds:.0f} s, so "
     "no groups are named"},
    {Code::contradicted_relation, "contradicted_relation", "reader, owner, relation, last_cache, latency_ns, others",
     contradicted},
    {Code::bimodal_pairs, "bimodal_pairs", "pairs", [](V v) -> NoticeText {
         return {fmt::format("the laps of {} fall into two groups, so other work may use the processors at times",
                             pairs_text(v.list("pairs"), "from")),
                 std::string(measure_again)};
     }},
    {Code::disturbed_pairs, "disturbed_pairs", "pairs", [](V v) -> NoticeText {
         return {fmt::format("the {} {} {} disturbed", v.filled("{pairs:pair|pairs}"),
                             pairs_text(v.list("pairs"), "to"), v.filled("{pairs:was|were}")),
                 std::string(measure_again)};
     }},
    {Code::grouped_samples, "grouped_samples", "groups", grouped_samples},
    {Code::single_chain_slowed, "single_chain_slowed", "chains, times",
     "{chains} chains cannot be {times:.1f} times as fast as one: something slowed the single chain", measure_again},
});

} // namespace

std::span<const CodeEntry> warning_codes() {
    return warning_entries;
}

} // namespace memtest
