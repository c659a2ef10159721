#include "memtest/base/text.hpp"
#include "memtest/result/code_entry.hpp"

#include <fmt/format.h>

#include <array>

namespace memtest {
namespace {

using V = const NoticeValues&;

constexpr const char* on_a_quiet_machine = "results may be off, measure again on a quiet machine";
constexpr const char* leave_the_processors = "leave the processors to this run, or name others with --load-cpu";

/// "P-core 0-5, E-core 6-13"
std::string kinds_text(const List& kinds) {
    return joined(kinds, ", ", [](const Value& kind) {
        return fmt::format("{} {}", text_of(kind["name"]), ids_in(kind["processors"]));
    });
}

NoticeText several_kinds(V v) {
    const List& measured = v.list("measured");
    return {fmt::format("this machine has several kinds of cores, and {} {}{}", kinds_text(measured),
                        measured.size() > 1 ? "are measured" : "is measured",
                        v.has("load") ? fmt::format(", under load by {}", kinds_text(v.list("load"))) : ""),
            fmt::format("--cpu {} measures another",
                        joined(v.list("others"), " or ", [](const Value& kind) { return text_of(kind["name"]); }))};
}

NoticeText contested(V v) {
    const auto range = [](const Value& values) {
        const NoticeValues r(values);
        return fmt::format("{} ({} to {} ns)", sizes_in(r), r.ns("low_ns"), r.ns("high_ns"));
    };
    return fmt::format(
        "visits fell into two groups at {}: {}; no single figure is right there", joined(v.list("ranges"), ", ", range),
        v.is("virtual") ? "other guests or processes use the cache, or the host moved this processor to another L3"
                        : "others use the cache");
}

NoticeText load_batches(V v) {
    const double load = v.number("load_percent");
    const std::string where =
        load > 0 ? fmt::format("at {:.1f} % load", load)
                 : fmt::format("without load, the load threads {},", v.is("awake") ? "awake" : "asleep");
    return {fmt::format("{}{} {} of {} batches were set aside: other processes ran on the processors", of_writes(v),
                        where, v.count("set_aside"), v.count("of")),
            leave_the_processors};
}

NoticeText disturbed_size(V v) {
    return {
        fmt::format("{} took {:.1f} ns per access, and the larger {} took {:.1f} ns: something else filled the caches",
                    v.size("bytes"), v.number("ns"), v.size("larger_bytes"), v.number("larger_ns")),
        "measure again, or use more --visits"};
}

constexpr auto warning_entries = std::to_array<CodeEntry>({
    {Code::unknown, "unknown", "text", [](V v) -> NoticeText { return v.text("text"); }},

    {Code::busy_machine, "busy_machine", "",
     [](V) -> NoticeText {
         return {"other processes were using the CPUs before the run", on_a_quiet_machine};
     }},
    {Code::others_used, "others_used", "percent",
     [](V v) -> NoticeText {
         return {fmt::format("other processes used {:.0f} % of the CPUs", v.number("percent")), on_a_quiet_machine};
     }},
    {Code::cpu_quota, "cpu_quota", "processors, threads",
     [](V v) -> NoticeText {
         const double processors = v.number("processors");
         return {fmt::format("the control group (cpu.max or cpu.cfs_quota_us) allowed {:.3g} processor{} for {}", processors,
                             processors == 1 ? "" : "s", v.things("threads", "thread")),
                 "the kernel stops the run in each period that uses up this quota, so results may be off; raise the "
                 "quota"};
     }},
    {Code::throttled, "throttled", "periods",
     [](V v) -> NoticeText {
         return {fmt::format("the kernel stopped this process in {} that used up its quota (control group)",
                             v.things("periods", "period")),
                 "results may be off, raise the quota and measure again"};
     }},
    {Code::unsettled, "unsettled", "count, of, things",
     [](V v) -> NoticeText {
         const std::string things = v.text("things");
         const std::string thing = things.substr(0, things.empty() ? 0 : things.size() - 1);
         return {fmt::format("{} of {} did not settle", v.count("count"), v.things("of", thing)),
                 fmt::format("trust the {} without a note, which --stats shows", things)};
     }},
    {Code::processors_moved, "processors_moved", "changed, of",
     [](V v) -> NoticeText {
         return {fmt::format("the hypervisor moved these processors: {} of {} changed their core-to-core latency during "
                             "the run, and latency and bandwidth depend on the placement of the moment",
                             v.count("changed"), v.things("of", "pair")),
                 "repeat the run, or pin the guest's processors"};
     }},

    {Code::time_was_up, "time_was_up", "seconds, count, of, things",
     [](V v) -> NoticeText {
         const std::string things = v.text("things");
         return {fmt::format("{:g} s were too short: {} of {} {} were measured less often than usual",
                             v.number("seconds"), v.count("count"), v.count("of"), things),
                 "a larger --max-time allows more"};
     }},

    {Code::little_memory, "little_memory", "bytes, caches, option, least_bytes",
     [](V v) -> NoticeText {
         return {fmt::format("{} is less than {} times the last cache, so the cache serves some of the accesses",
                             v.size("bytes"), v.count("caches")),
                 fmt::format("use --{} of at least {}", v.text("option"), v.size("least_bytes"))};
     }},
    {Code::several_kinds, "several_kinds", "measured, load, others", several_kinds},
    {Code::memory_clock_moved, "memory_clock_moved", "lowest_ghz, highest_ghz, governor",
     [](V v) -> NoticeText {
         return {fmt::format("the memory clock moved between {:.3f} and {:.3f} GHz during the run, under the governor "
                             "'{}' of devfreq",
                             v.number("lowest_ghz"), v.number("highest_ghz"), v.text("governor")),
                 "set 'performance' in /sys/class/devfreq"};
     }},
    {Code::frequency_governor, "frequency_governor", "processor, governor",
     [](V v) -> NoticeText {
         return {fmt::format("processor {} uses the frequency governor '{}', so results vary with its clock",
                             v.count("processor"), v.text("governor")),
                 "set 'performance' (cpupower frequency-set -g performance), or read --cycles"};
     }},
    {Code::other_line_size, "other_line_size", "line_bytes, cache, processor, given_bytes",
     [](V v) -> NoticeText {
         return {fmt::format("the system reports lines of {} bytes for {} of processor {}, not {}", v.count("line_bytes"),
                             v.text("cache"), v.count("processor"), v.count("given_bytes")),
                 fmt::format("use --line-size {}", v.count("line_bytes"))};
     }},
    {Code::threads_share_cores, "threads_share_cores", "threads, cores, most_threads",
     [](V v) -> NoticeText {
         return {fmt::format("{} threads run on {} and share caches and load units", v.count("threads"),
                             v.things("cores", "physical core")),
                 fmt::format("use at most {} threads, or name processors of different cores with --cpu",
                             v.count("most_threads"))};
     }},
    {Code::not_pinned, "not_pinned", "reason",
     [](V v) -> NoticeText {
         return {fmt::format("the system does not allow threads to be pinned to processors ({}), so they may move away "
                             "from their caches",
                             v.text("reason")),
                 "repeat the run and compare, or allow sched_setaffinity (seccomp)"};
     }},
    {Code::memory_file_on_disk, "memory_file_on_disk", "file",
     [](V v) -> NoticeText {
         return {fmt::format("{} is on a disk, so its memory is the page cache, which is written back during the run",
                             v.text("file")),
                 "use a file on tmpfs, hugetlbfs or DAX"};
     }},
    {Code::prefetcher_follows_stride, "prefetcher_follows_stride",
     "order, from_bytes, last_bytes, strided_ns, random_ns",
     [](V v) -> NoticeText {
         return {fmt::format("the prefetcher follows the stride from {} on: at {} the {} scan takes {:.1f} ns and a "
                             "random one {:.0f} ns",
                             v.size("from_bytes"), v.size("last_bytes"), v.text("order"), v.number("strided_ns"),
                             v.number("random_ns")),
                 "use --random for the latency and the levels"};
     }},
    {Code::prefetching_unchecked, "prefetching_unchecked", "reason",
     [](V v) -> NoticeText {
         return fmt::format("memtest could not check whether the prefetcher follows the stride: {}", v.text("reason"));
     }},
    {Code::learned_laps, "learned_laps", "first_ns, later_ns",
     [](V v) -> NoticeText {
         return {fmt::format("this processor learns the order of a random walk: a repeated lap takes {:.1f} ns per access "
                             "instead of {:.1f}, and sizes that are walked many times look faster than they are",
                             v.number("later_ns"), v.number("first_ns")),
                 "use --orders 7"};
     }},
    {Code::followed_addresses, "followed_addresses", "pointer_ns, index_ns",
     [](V v) -> NoticeText {
         return {fmt::format("this processor follows addresses in the data that it fetches: an access by pointer takes "
                             "{:.1f} ns, and by index {:.1f}",
                             v.number("pointer_ns"), v.number("index_ns")),
                 "use --index"};
     }},
    {Code::core_clock_moved, "core_clock_moved", "lowest_ghz, highest_ghz",
     [](V v) -> NoticeText {
         return {fmt::format("the core clock moved between {:.3f} and {:.3f} GHz during the run, and cache latencies in "
                             "ns vary with it",
                             v.number("lowest_ghz"), v.number("highest_ghz")),
                 "compare cycles (--cycles), or fix the frequency"};
     }},
    {Code::awake_lost, "awake_lost", "processors",
     [](V v) -> NoticeText {
         return {fmt::format("processor{} {} did not stay awake: taken offline, or out of the cpuset",
                             v.list("processors").size() == 1 ? "" : "s", ids_in(v["processors"])),
                 "measure again"};
     }},
    {Code::counter_unsettled, "counter_unsettled", "",
     [](V) -> NoticeText {
         return {"two calibrations of the processor's counter never agreed, so every figure may be off",
                 "measure again on a quiet machine"};
     }},
    {Code::disturbed_size, "disturbed_size", "bytes, ns, larger_bytes, larger_ns", disturbed_size},
    {Code::disturbed_sizes, "disturbed_sizes", "count, of",
     [](V v) -> NoticeText {
         return fmt::format("the latency at {} of {} was disturbed", v.count("count"), v.things("of", "size"));
     }},
    {Code::contested_sizes, "contested_sizes", "ranges, virtual", contested},
    {Code::load_batches_set_aside, "load_batches_set_aside", "write_percent, load_percent, awake, set_aside, of",
     load_batches},
    {Code::no_figure_under_load, "no_figure_under_load", "write_percent",
     [](V v) -> NoticeText {
         return {of_writes(v) + "nothing under load could be measured: other processes ran on the processors",
                 leave_the_processors};
     }},
    {Code::samples_set_aside, "samples_set_aside", "bytes, load_percent",
     [](V v) -> NoticeText {
         return {fmt::format("all samples of {} at {:g} % load were set aside: other processes ran on the processors",
                             v.size("bytes"), v.number("load_percent")),
                 "leave the processors to this run"};
     }},
    {Code::loads_missed, "loads_missed", "rows, of, by_percent",
     [](V v) -> NoticeText {
         return {fmt::format("at {} of {} the load threads missed their target by up to {:.0f} % of their peak",
                             v.count("rows"), v.things("of", "load"), v.number("by_percent")),
                 "--stats prints the achieved load; repeat the run"};
     }},
    {Code::parts_measured_again, "parts_measured_again", "parts",
     [](V v) -> NoticeText { return fmt::format("measured again: {}", listed(v.list("parts"))); }},
    {Code::machines_not_told_apart, "machines_not_told_apart", "base, latest",
     [](V v) -> NoticeText {
         return fmt::format("{} and {} may be of different machines: not both files name the processor",
                            v.text("base"), v.text("latest"));
     }},
    {Code::lines_skipped, "lines_skipped", "lines, first",
     [](V v) -> NoticeText {
         return fmt::format("skipped {} that {} no row, such as `{}`", v.things("lines", "line"),
                            v.count("lines") == 1 ? "is" : "are", v.text("first"));
     }},
});

} // namespace

std::span<const CodeEntry> warning_codes() {
    return warning_entries;
}

} // namespace memtest
