#include "memtest/report/notice.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/insight/fleet.hpp"
#include "memtest/machine/relation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

namespace memtest {
namespace {

/// @throws std::exception for a value of another type, or out of its range
template<class Type>
Type checked(const Json& value) {
    Type thing{};
    return read_json(value, thing) ? thing : throw std::out_of_range("a value");
}

/// The values of a notice, by their names. A value that is missing, of another type or out of its range throws
/// std::exception.
class Values {
public:
    explicit Values(const Json& values) : values_(values) {}

    /// A list with at least one element.
    [[nodiscard]] const Json& operator[](const char* name) const {
        const Json& list = values_.at(name);
        static_cast<void>(list.at(0)); // throws otherwise
        return list;
    }
    [[nodiscard]] std::vector<int> ids(const char* name) const { return checked<std::vector<int>>(values_.at(name)); }
    [[nodiscard]] bool has(const char* name) const { return !member(values_, name).is_null(); }
    [[nodiscard]] bool is(const char* name) const { return has(name) && values_.at(name).get<bool>(); }
    [[nodiscard]] double number(const char* name) const {
        const auto number = values_.at(name).get<double>();
        return std::abs(number) <= highest ? number : throw std::out_of_range(name);
    }
    [[nodiscard]] std::uint64_t count(const char* name) const { return checked<std::uint64_t>(values_.at(name)); }
    [[nodiscard]] std::string text(const char* name) const { return values_.at(name).get<std::string>(); }
    [[nodiscard]] std::string size(const char* name) const { return rounded_size(number(name)); }
    /// Without its unit, and without an exponent.
    [[nodiscard]] std::string ns(const char* name) const { return text_of(number(name), significant(3)); }
    [[nodiscard]] std::string things(const char* name, std::string_view thing) const {
        return counted(count(name), thing);
    }

private:
    static constexpr double highest = 1e18; // of bytes

    const Json& values_;
};

std::string alternatives(const Json& list, std::string_view between) {
    return joined(list, between, [](const Json& element) { return text_of(element); });
}

std::string ids_in(const Json& list) {
    return format_ids(checked<std::vector<int>>(list));
}

/// The groups of the cores that are nearest to each other.
std::string nearest_groups(const Json& partings) {
    return partings.empty() ? "none" : joined(partings.at(0), " ", ids_in);
}

// Sentences of several parts.

std::string others_used(const Values& v) {
    return fmt::format(
        "other processes used {:.0f} % of the CPUs; results may be off, measure again on a quiet machine",
        v.number("percent"));
}

std::string unsettled(const Values& v) {
    const std::string thing = v.text("things");
    return fmt::format("{} of {} did not settle; measure again on a quiet machine", v.count("count"),
                       counted(v.count("of"), thing.substr(0, thing.size() - 1)));
}

/// "8 MiB", "8 to 24 MiB".
std::string sizes_in(const Values& range) {
    return size_range(range.number("from_bytes"), range.number("to_bytes"));
}

std::string contested(const Values& v) {
    const auto range = [](const Json& values) {
        const Values r(values);
        return fmt::format("{} ({} to {} ns)", sizes_in(r), r.ns("low_ns"), r.ns("high_ns"));
    };
    const std::string ranges = joined(v["ranges"], ", ", range);
    return fmt::format("visits fell into two groups at {}: {}; no single figure is right there", ranges,
                       v.is("virtual") ? "other guests use the cache, or the host moved this processor to another L3"
                                       : "others use the cache");
}

std::string undecided_sizes(const Values& v) {
    const auto of_reason = [&](std::string_view why) {
        std::string sizes;
        for (const Json& range : v["ranges"]) {
            const Values r(range);
            if (r.text("why") == why)
                sizes +=
                    fmt::format("{}{} ({:+.1f} %)", sizes.empty() ? "" : ", ", sizes_in(r), r.number("change_percent"));
        }
        return sizes;
    };
    std::string sentence;
    for (const auto& [why, words] : {std::pair("few", "one disturbance may explain so few sizes"),
                                     {"contested", "which other users of the cache contest"},
                                     {"noise", "which noise explains"}}) {
        if (const std::string sizes = of_reason(why); !sizes.empty())
            sentence += fmt::format("{}{}, {}", sentence.empty() ? "" : "; ", sizes, words);
    }
    return sentence.empty() ? "" : "sizes that differ but decide nothing: " + sentence;
}

/// "P-core 0-5, E-core 6-13"
std::string kinds_text(const Json& kinds) {
    return joined(kinds, ", ", [](const Json& kind) {
        return fmt::format("{} {}", kind.at("name").get<std::string>(), ids_in(kind.at("processors")));
    });
}

std::string several_kinds(const Values& v) {
    const Json& others = v["others"];
    return fmt::format("this machine has several kinds of cores, and {} {}{}; --cpu {} measures another",
                       kinds_text(v["measured"]), v["measured"].size() > 1 ? "are measured" : "is measured",
                       v.has("load") ? fmt::format(", under load by {}", kinds_text(v["load"])) : "",
                       joined(others, " or ", [](const Json& kind) { return kind.at("name").get<std::string>(); }));
}

std::string of_writes(const Values& v) {
    return v.has("write_percent") ? fmt::format("writes {} %: ", v.count("write_percent")) : "";
}

std::string load_batches(const Values& v) {
    const double load = v.number("load_percent");
    const std::string where =
        load > 0 ? fmt::format("at {:.1f} % load", load)
                 : fmt::format("without load, the load threads {},", v.is("awake") ? "awake" : "asleep");
    return fmt::format("{}{} {} of {} batches were set aside: other processes ran on the processors; leave the "
                       "processors to this run, or name others with --load-cpu",
                       of_writes(v), where, v.count("set_aside"), v.count("of"));
}

std::string sweep_further(const Values& v) {
    return v.has("sweep_to_bytes")
               ? fmt::format("; a shared cache may serve part of memory, so sweep to {}", v.size("sweep_to_bytes"))
               : "";
}

std::string level_not_shown(const Values& v) {
    const std::string why = v.text("why");
    return fmt::format("the system reports an {} of {}, which the curve does not show{}{}", v.text("level"),
                       v.size("bytes"),
                       why == "sweep_too_short"    ? "; the sweep ends too soon, so use a larger --max-size"
                       : why == "too_near_to_last" ? "; it is near another cache, so use --points 8"
                                                   : "",
                       why == "no_trace" ? sweep_further(v) : "");
}

std::string awake_differs(const Values& v) {
    const double idle = v.number("idle_ns");
    const double awake = v.number("awake_ns");
    return fmt::format("{}without load an access takes {:.1f} ns while the load threads sleep and {:.1f} ns while they "
                       "are awake, {:.0f} % {}",
                       of_writes(v), idle, awake, 100 * std::abs(awake / idle - 1),
                       awake < idle ? "less: the package may slow its clocks while cores sleep"
                                    : "more: awake cores may share a power budget, or hardware threads a core");
}

std::string relation_in_words(std::string_view word, std::string_view last_cache) {
    switch (value_of<Relation>(word).value_or(Relation::different_packages)) {
    case Relation::same_core:
        return "are on one core";
    case Relation::same_last_cache:
        return fmt::format("share an {}", last_cache);
    case Relation::same_package:
        return "are in one package and share no cache";
    case Relation::different_packages:
        break;
    }
    return "are in different packages";
}

std::string contradicted(const Values& v) {
    const std::uint64_t others = v.count("others");
    return fmt::format("the system reports that {} and {} {}, but a transfer between them takes {:.0f} ns{}",
                       v.count("reader"), v.count("owner"), relation_in_words(v.text("relation"), v.text("last_cache")),
                       v.number("latency_ns"),
                       others == 0 ? ""
                                   : fmt::format("; {} of this relation disagree{} with it as well",
                                                 counted(others, "other pair"), others == 1 ? "s" : ""));
}

std::string recurring(const Values& v) {
    const double chance = v.number("chance");
    return fmt::format("{}: slow loads recur every {:.2f} us{}, and take {:.0f} ns longer than the median (chance of a "
                       "false alarm: {})",
                       row_name(v.number("size_bytes"), v.number("load_percent")), v.number("period_ns") / 1000,
                       v.is("refresh") ? ", as DRAM refresh does" : "", v.number("slower_ns"),
                       chance < 1e-12 ? "less than 1e-12" : fmt::format("{:.0e}", chance));
}

std::string pairs_text(const Json& pairs, std::string_view between) {
    return joined(pairs, ", ", [&](const Json& pair) {
        return fmt::format("{} {} {}", checked<int>(pair.at(0)), between, checked<int>(pair.at(1)));
    });
}

std::string level(const Values& v) {
    const auto size = [&](const char* name, double unit) {
        return v.has(name) ? rounded_size(v.number(name) * unit) : "";
    };
    const std::string low = size("capacity_low_kib", kib);
    const std::string high = size("capacity_high_kib", kib);
    std::string words;
    if (v.has("confidence"))
        words = low.empty() ? "capacity not known, "
                            : fmt::format("capacity {}{}{}, ", high.empty() ? "at least " : "", low,
                                          high.empty() || low == high ? "" : " to " + high);
    if (v.has("capacity_best_kib"))
        words += fmt::format("best estimate {}, ", size("capacity_best_kib", kib));
    words += fmt::format("latency {:.2f} ns", v.number("latency_ns"));
    if (v.has("latency_cycles"))
        words += fmt::format(", {:.1f} cycles", v.number("latency_cycles"));
    words += fmt::format(", from {} to {}", size("from_mib", mib), size("to_mib", mib));
    if (v.has("confidence"))
        words += fmt::format(", confidence {}", v.text("confidence"));
    if (v.has("reported_kib"))
        words += fmt::format(", reported {}", size("reported_kib", kib));
    return words;
}

std::string tlb(const Values& v) {
    const std::uint64_t low = v.count("entries_low");
    const std::uint64_t high = v.count("entries_high");
    return fmt::format(
        "{} (reach {}){}{}, confidence {}",
        low + 1 == high ? fmt::format("{} entries", v.count("entries"))
                        : fmt::format("{} to {} entries, best estimate {}", low, high, v.count("entries")),
        rounded_size(v.number("reach_kib") * kib),
        v.text("level") == "L1" ? "" : fmt::format(", +{:.1f} ns", v.number("hit_ns")),
        v.text("level") != "L1" && v.has("hit_cycles") ? fmt::format(" ({:.0f} cycles)", v.number("hit_cycles")) : "",
        v.text("confidence"));
}

std::string page_walks(const Values& v) {
    const Json& beyond = v["beyond"];
    const auto ns = [](const Json& cost) { return cost.at("translation_ns").get<double>(); };
    return fmt::format("+{:.1f} ns at twice the reach, +{:.1f} ns at {} pages", ns(beyond.at(0)), ns(beyond.back()),
                       beyond.back().at("pages").get<std::uint64_t>());
}

std::string idle_latency(const Values& v) {
    std::vector<std::string> figures;
    for (const auto& [name, when] :
         {std::pair("idle_latency_ns", ""), std::pair("awake_latency_ns", " with the load threads awake"),
          std::pair("idle_latency_at_end_ns", " at the end")}) {
        if (v.has(name))
            figures.push_back(fmt::format("{:.1f} ns{}", v.number(name), when));
    }
    return of_writes(v) + joined(figures, ", ", std::identity());
}

std::string load_point(const Values& v) {
    return fmt::format("{:.1f} GB/s at {:.1f} ns{}", v.number("bandwidth_gb_s"), v.number("latency_ns"),
                       v.has("times") ? fmt::format(" ({:.2f} times {})", v.number("times"),
                                                    v.is("awake") ? "that with the load threads awake" : "idle")
                                      : "");
}

std::string knee(const Values& v) {
    if (!v.has("bandwidth_gb_s"))
        return of_writes(v) + fmt::format("none: every load takes more than {:g} times the {}", v.number("most_times"),
                                          v.is("awake") ? "latency with the load threads awake" : "idle latency");
    return of_writes(v) + load_point(v) +
           (v.is("is_peak") ? ", the peak: the load threads may be too few to fill the memory's queues" : "");
}

/// "strides up to 2 KiB forward and 1 KiB backward"; empty if not known.
std::string strides_followed(const Json& in_pages) {
    const Values v(in_pages);
    if (!v.has("forward_bytes") || !v.has("backward_bytes"))
        return "";
    const double forward = v.number("forward_bytes");
    const double backward = v.number("backward_bytes");
    if (forward == 0 && backward == 0)
        return "no strides";
    if (forward == backward)
        return fmt::format("strides up to {}{}", rounded_size(forward),
                           v.is("longest_tried") ? ", the longest tried" : "");
    const auto one_way = [](double bytes, std::string_view way) {
        return bytes == 0 ? fmt::format("none {}", way) : fmt::format("{} {}", rounded_size(bytes), way);
    };
    return fmt::format("strides up to {} and {}",
                       one_way(std::max(forward, backward), forward > backward ? "forward" : "backward"),
                       one_way(std::min(forward, backward), forward > backward ? "backward" : "forward"));
}

std::string prefetchers(const Values& v) {
    std::vector<std::string> known;
    std::vector<std::string> unknown;
    const auto add = [&](const char* name, std::string_view yes, std::string_view no, std::string_view whether) {
        const std::string answer = v.text(name);
        if (answer == "unknown")
            unknown.emplace_back(whether);
        else
            known.emplace_back(answer == "yes" ? yes : no);
    };
    const std::string small = v.has("strides") ? strides_followed(v["strides"].front()) : "";
    const std::string huge = v.has("strides") ? strides_followed(v["strides"].back()) : "";
    if (small.empty())
        unknown.emplace_back("how long a stride it follows");
    else
        known.push_back(fmt::format("follows {}{}", small,
                                    huge.empty() || huge == small ? "" : fmt::format(" (in huge pages {})", huge)));
    if (v.has("starts_after_hops"))
        known.push_back(fmt::format("starts after {}", v.things("starts_after_hops", "hop")));
    add("crosses_pages", "crosses small pages", "stays within small pages", "whether it crosses small pages");
    add("fetches_pairs", "fetches pairs of lines", "does not fetch pairs of lines",
        "whether it fetches pairs of lines");
    if (v.text("fetches_next_line") == "yes")
        known.emplace_back("fetches the next line");
    add("learns_laps", "learns laps", "does not learn laps", "whether it learns laps");
    add("follows_addresses", "follows addresses in data", "does not follow addresses in data",
        "whether it follows addresses in data");
    const std::string not_known = "not known: " + joined(unknown, ", ", std::identity());
    if (known.empty())
        return "this run does not show what the prefetchers follow; measure again on a quiet machine";
    return "this processor " + joined(known, "; ", std::identity()) + (unknown.empty() ? "" : "; " + not_known);
}

std::string range_text(const Json& range) {
    return fmt::format("{:.1f} to {:.1f} ns", range.at(0).get<double>(), range.at(1).get<double>());
}

/// "kernel (usual: Linux 6.1, here: Linux 6.8)"
std::string settings_in(const Json& differences) {
    return joined(differences, ", ", [](const Json& difference) {
        const Values d(difference);
        return fmt::format("{} (usual: {}, here: {})", d.text("key"), d.text("usual"), d.text("here"));
    });
}

std::string fleet_verdict(const Values& v) {
    const std::uint64_t noisy = v.count("too_noisy");
    const std::string hidden =
        noisy == v.count("figures") ? "any difference" : fmt::format("any difference in {}", noisy);
    const std::string compared = fmt::format("{} compared{}", v.things("figures", "figure"),
                                             noisy == 0 ? "" : fmt::format(", and noise hides {}", hidden));
    if (v.count("figures") == 0)
        return "cannot tell: no figure is free of doubt on enough machines of one kind";
    if (v.text("verdict") == word_of(FleetVerdict::cannot_tell))
        return "cannot tell: " + compared;
    if (v.count("differ") == 0)
        return fmt::format("none of {} differs from the others of its kind; {}", v.things("judged", "machine"),
                           compared);
    return fmt::format("{} of {} {} kind; {}", v.count("differ"), v.things("judged", "machine"),
                       v.count("differ") == 1 ? "differs from the others of its" : "differ from the others of their",
                       compared);
}

/// The first few, and how many more there are.
template<class TextOf>
std::string few_of(const Json& list, const TextOf& text_of_one) {
    constexpr std::size_t most = 4;
    const auto is_long = list.size() > most + 1;
    const std::vector<Json> shown(list.begin(), list.begin() + static_cast<int>(is_long ? most : list.size()));
    return joined(shown, ", ", text_of_one) + (is_long ? fmt::format(" and {} more", list.size() - most) : "");
}

/// Some of them; a table or another list has all.
std::string some_of(const Json& names) {
    return few_of(names, [](const Json& name) { return text_of(name); });
}

/// "L2 (+10.0 %, noise 2.5 %), memory (+8.0 %, too noisy, one size)".
std::string changes_in(const Json& changes) {
    return few_of(changes, [](const Json& change) {
        const Values v(change);
        const std::string noise =
            v.has("noise_percent") ? fmt::format("noise {:.1f} %", v.number("noise_percent")) : "too noisy";
        return fmt::format("{} ({:+.1f} %, {}{})", v.text("name"), v.number("change_percent"), noise,
                           v.is("one_size") ? ", one size" : "");
    });
}

/// "the new sweep has no L3 and no memory (3 sizes, 8 MiB to 64 MiB)".
std::string sizes_missing(const Values& v) {
    const std::string range =
        (v.count("count") == 1 ? "" : fmt::format("{}, ", v.things("count", "size"))) + sizes_in(v);
    const std::string thread = v.has("thread") ? fmt::format(" on thread {}", v.count("thread")) : "";
    const std::string_view sweep = v.is("of_baseline") ? "a baseline" : "the new sweep";
    return v.has("levels")
               ? fmt::format("{} has no {}{} ({})", sweep, alternatives(v["levels"], " and no "), thread, range)
               : fmt::format("{} lacks {}{}", sweep, range, thread);
}

std::string machines_not_compared(const Values& v) {
    const bool is_one = v["names"].size() == 1;
    return fmt::format(
        "{} {} not compared: {} kind has {}, and {} are needed{}", alternatives(v["names"], ", "),
        is_one ? "is" : "are", is_one ? "its" : "their", v.things("of_kind", "machine"), v.count("needed"),
        v.has("differences") ? "; it differs from the largest kind in " + settings_in(v["differences"]) : "");
}

std::string level_change(const Values& v) {
    return fmt::format("base {:.3f} ns, new {:.3f} ns, change {:.1f} %, {}, {}", v.number("base_ns"),
                       v.number("new_ns"), v.number("change_percent"),
                       v.has("noise_percent") ? fmt::format("noise {:.1f} %", v.number("noise_percent")) : "too noisy",
                       v.text("verdict"));
}

/// The word and values of a code in files, and its sentence.
struct CodeEntry {
    Code code;
    std::string_view word;
    std::string_view values;
    std::string (*sentence)(const Values& v);
};

using V = const Values&;

constexpr auto entries = std::to_array<CodeEntry>({
    {Code::unknown, "unknown", "text", [](V v) { return v.text("text"); }},

    {Code::busy_machine, "busy_machine", "",
     [](V) -> std::string {
         return "other processes are using the CPUs; results may be off, measure again on a quiet machine";
     }},
    {Code::others_used, "others_used", "percent", others_used},
    {Code::cpu_quota, "cpu_quota", "processors, threads",
     [](V v) {
         const double processors = v.number("processors");
         return fmt::format("the control group (cpu.max or cpu.cfs_quota_us) allows {:.3g} processor{} for {}; the kernel stops the run in "
                            "each period that uses up this quota, so results may be off; raise the quota",
                            processors, processors == 1 ? "" : "s", v.things("threads", "thread"));
     }},
    {Code::throttled, "throttled", "periods",
     [](V v) {
         return fmt::format("the kernel stopped this process in {} that used up its quota (control group); results may be off, "
                            "raise the quota and measure again",
                            v.things("periods", "period"));
     }},
    {Code::unsettled, "unsettled", "count, of, things", unsettled},

    {Code::processors_moved, "processors_moved", "changed, of",
     [](V v) {
         return fmt::format("the hypervisor moved these processors: {} of {} changed their core-to-core latency during "
                            "the run, and latency and bandwidth depend on the placement of the moment; repeat the run, "
                            "or pin the guest's processors",
                            v.count("changed"), v.things("of", "pair"));
     }},

    {Code::little_memory, "little_memory", "bytes, caches, option, least_bytes",
     [](V v) {
         return fmt::format("{} is less than {} times the last cache, so the cache serves some of the accesses; use "
                            "--{} of at least {}",
                            v.size("bytes"), v.count("caches"), v.text("option"), v.size("least_bytes"));
     }},
    {Code::several_kinds, "several_kinds", "measured, load, others", several_kinds},
    {Code::memory_clock_moved, "memory_clock_moved", "lowest_ghz, highest_ghz, governor",
     [](V v) {
         return fmt::format("the memory clock moved between {:.3f} and {:.3f} GHz during the run, under the governor '{}' of "
                            "devfreq; set 'performance' in /sys/class/devfreq",
                            v.number("lowest_ghz"), v.number("highest_ghz"), v.text("governor"));
     }},
    {Code::frequency_governor, "frequency_governor", "processor, governor",
     [](V v) {
         return fmt::format("processor {} uses the frequency governor '{}', so results vary with its clock; set "
                            "'performance' (cpupower frequency-set -g performance), or read --cycles",
                            v.count("processor"), v.text("governor"));
     }},
    {Code::other_line_size, "other_line_size", "line_bytes, cache, processor, given_bytes",
     [](V v) {
         return fmt::format("the system reports lines of {} bytes for {} of processor {}, not {}; use --line-size {}",
                            v.count("line_bytes"), v.text("cache"), v.count("processor"), v.count("given_bytes"),
                            v.count("line_bytes"));
     }},
    {Code::threads_share_cores, "threads_share_cores", "threads, cores, most_threads",
     [](V v) {
         return fmt::format("{} threads run on {} and share caches and load units; use at most {} threads, or name "
                            "processors of different cores with --cpu",
                            v.count("threads"), v.things("cores", "physical core"), v.count("most_threads"));
     }},
    {Code::not_pinned, "not_pinned", "reason",
     [](V v) {
         return fmt::format("the system does not allow threads to be pinned to processors ({}), so they may move away "
                            "from their caches; repeat the run and compare, or allow sched_setaffinity (seccomp)",
                            v.text("reason"));
     }},
    {Code::memory_file_on_disk, "memory_file_on_disk", "file",
     [](V v) {
         return fmt::format("{} is on a disk, so its memory is the page cache, which is written back during the run; "
                            "use a file on tmpfs, hugetlbfs or DAX",
                            v.text("file"));
     }},
    {Code::prefetcher_follows_stride, "prefetcher_follows_stride",
     "order, from_bytes, last_bytes, strided_ns, random_ns",
     [](V v) {
         return fmt::format(
             "the prefetcher follows the stride from {} on: at {} the {} scan takes {:.1f} ns and a short "
             "random check {:.0f} ns; use --random for the latency and the levels",
             v.size("from_bytes"), v.size("last_bytes"), v.text("order"), v.number("strided_ns"),
             v.number("random_ns"));
     }},
    {Code::prefetching_unchecked, "prefetching_unchecked", "reason",
     [](V v) {
         return fmt::format("memtest could not check whether the prefetcher follows the stride: {}", v.text("reason"));
     }},
    {Code::learned_laps, "learned_laps", "first_ns, later_ns",
     [](V v) {
         return fmt::format(
             "this processor learns the order of a random walk: a repeated lap takes {:.1f} ns per access "
             "instead of {:.1f}, and sizes that are walked many times look faster than they are; use --orders 7",
             v.number("later_ns"), v.number("first_ns"));
     }},
    {Code::followed_addresses, "followed_addresses", "pointer_ns, index_ns",
     [](V v) {
         return fmt::format("this processor follows addresses in the data that it fetches: an access by pointer takes "
                            "{:.1f} ns, and by index {:.1f}; use --index",
                            v.number("pointer_ns"), v.number("index_ns"));
     }},
    {Code::core_clock_moved, "core_clock_moved", "lowest_ghz, highest_ghz",
     [](V v) {
         return fmt::format("the core clock moved between {:.3f} and {:.3f} GHz during the run, and cache latencies in "
                            "ns vary with it; compare cycles (--cycles), or fix the frequency",
                            v.number("lowest_ghz"), v.number("highest_ghz"));
     }},
    {Code::awake_lost, "awake_lost", "processors",
     [](V v) {
         return fmt::format("processor{} {} did not stay awake: taken offline, or out of the cpuset; measure again",
                            v["processors"].size() == 1 ? "" : "s", ids_in(v["processors"]));
     }},
    {Code::counter_unsettled, "counter_unsettled", "",
     [](V) -> std::string {
         return "two calibrations of the processor's counter never agreed, so every figure may be off; measure again "
                "on "
                "a quiet machine";
     }},
    {Code::disturbed_size, "disturbed_size", "bytes, ns, larger_bytes, larger_ns",
     [](V v) {
         return fmt::format("{} took {:.1f} ns per access, and the larger {} took {:.1f} ns: something else filled the "
                            "caches; measure again, or use more --visits",
                            v.size("bytes"), v.number("ns"), v.size("larger_bytes"), v.number("larger_ns"));
     }},
    {Code::disturbed_sizes, "disturbed_sizes", "count, of",
     [](V v) {
         return fmt::format("the latency at {} of {} was disturbed", v.count("count"), v.things("of", "size"));
     }},
    {Code::contested_sizes, "contested_sizes", "ranges, virtual", contested},
    {Code::load_batches_set_aside, "load_batches_set_aside",
     "write_percent, load_percent, awake, set_aside, of", load_batches},
    {Code::no_figure_under_load, "no_figure_under_load", "write_percent",
     [](V v) {
         return of_writes(v) + "nothing under load could be measured: other processes run on the processors; leave the "
                               "processors to this run, or name others with --load-cpu";
     }},
    {Code::samples_set_aside, "samples_set_aside", "bytes, load_percent",
     [](V v) {
         return fmt::format("all samples of {} at {:g} % load were set aside: other processes ran on the processors; "
                            "leave the processors to this run",
                            v.size("bytes"), v.number("load_percent"));
     }},
    {Code::loads_missed, "loads_missed", "rows, of, by_percent",
     [](V v) {
         return fmt::format("at {} of {} the load threads missed their target by up to {:.0f} % of their peak; --stats "
                            "prints the achieved load; repeat the run",
                            v.count("rows"), v.things("of", "load"), v.number("by_percent"));
     }},
    {Code::measured_again, "measured_again", "sizes, from_bytes, to_bytes, visits",
     [](V v) {
         return v.count("sizes") == 1
                    ? fmt::format("{} measured again, in up to {} visits", v.size("from_bytes"), v.count("visits"))
                    : fmt::format("{} sizes from {} to {} measured again, in up to {} visits", v.count("sizes"),
                                  v.size("from_bytes"), v.size("to_bytes"), v.count("visits"));
     }},
    {Code::parts_measured_again, "parts_measured_again", "parts",
     [](V v) { return fmt::format("measured again: {}", alternatives(v["parts"], ", ")); }},
    {Code::machines_not_told_apart, "machines_not_told_apart", "base, latest",
     [](V v) {
         return fmt::format("the machines of {} and {} could not be told apart: not both files name the processor",
                            v.text("base"), v.text("latest"));
     }},

    {Code::too_few_points, "too_few_points", "",
     [](V) -> std::string {
         return "too few sizes to infer any level; sweep from 512 B to several times the last cache";
     }},
    {Code::no_edge, "no_edge", "",
     [](V) -> std::string {
         return "the latency is the same at every size: the sweep stays inside one level, or a prefetcher hides the "
                "others; use --random";
     }},
    {Code::memory_not_reached, "memory_not_reached", "",
     [](V) -> std::string { return "the sweep ends before memory; sweep to at least eight times the last cache"; }},
    {Code::prefetched, "prefetched", "",
     [](V) -> std::string {
         return "the prefetcher follows the stride and hides the levels far from the core; use --random";
     }},
    {Code::hidden_level, "hidden_level", "",
     [](V) -> std::string {
         return "a rise is longer than one cache makes it, so a level may hide in it; --points 4 or more may show it";
     }},
    {Code::only_a_foot, "only_a_foot", "",
     [](V) -> std::string {
         return "a level of low confidence shows only as the foot of the next rise and may not exist; --points 8 or more "
                "would settle it";
     }},
    {Code::many_disturbed, "disturbed", "",
     [](V) -> std::string {
         return "many sizes were disturbed, so levels may be wrong; measure again on a quiet machine";
     }},
    {Code::page_colours, "page_colours", "",
     [](V) -> std::string {
         return "L1 may be larger than its range: with small pages, page colours blur its end like this; use --pages "
                "2m "
                "or thp";
     }},
    {Code::may_be_translation, "may_be_translation", "",
     [](V) -> std::string {
         return "a level of low confidence ends where a TLB does and may not exist; give the result of memtest tlb as "
                "well, or sweep with --pages thp";
     }},
    {Code::levels_below_prefetching, "levels_below_prefetching", "from_bytes",
     [](V v) {
         return fmt::format(
             "no level is inferred from {} on, where the prefetcher follows the stride; use --random for "
             "the levels",
             v.size("from_bytes"));
     }},
    {Code::level_much_smaller, "level_much_smaller", "level, sweep_to_bytes",
     [](V v) {
         return fmt::format("{} is much smaller than the system reports: it is shared or partitioned, or a virtual "
                            "machine reports its host's cache{}",
                            v.text("level"), sweep_further(v));
     }},
    {Code::level_not_shown, "level_not_shown", "level, bytes, why, sweep_to_bytes", level_not_shown},
    {Code::memory_rises, "memory_rises", "from_bytes, to_bytes, low_ns, high_ns, in_small_pages",
     [](V v) {
         return fmt::format("the latency of memory rises from {} ns at {} to {} ns at {}{}", v.ns("low_ns"),
                            v.size("from_bytes"), v.ns("high_ns"), v.size("to_bytes"),
                            v.is("in_small_pages") ? "; page walks are part of it, and --pages thp avoids most of them"
                                                   : "");
     }},

    {Code::page_walks_remain, "page_walks_remain", "",
     [](V) {
         return std::string("huge pages are translated as small ones here, so page walks remain in the latencies; the host "
                            "of a virtual machine may split the pages");
     }},
    {Code::translation_untold, "translation_untold", "told_to_bytes, are_left_out",
     [](V v) {
         return fmt::format("translation was measured to {}; larger sizes {}", v.size("told_to_bytes"),
                            v.is("are_left_out")                   ? "are left out"
                            : v.number("told_to_bytes") >= 1 << 30 ? "may include more of it"
                                             : "may include more of it: 'memtest tlb --max-size 1024' measures to 1 GiB");
     }},
    {Code::no_tlb_edge, "no_tlb_edge", "pages",
     [](V v) {
         return fmt::format("no edge up to {} pages: no TLB ends there, or something other than translation takes the "
                            "time, as under an emulator",
                            v.count("pages"));
     }},
    {Code::no_second_tlb_edge, "no_second_tlb_edge", "pages",
     [](V v) {
         return fmt::format("no second edge up to {} pages: page walks follow the first TLB, or a second one holds all "
                            "of these pages",
                            v.count("pages"));
     }},
    {Code::pages_not_quoted, "pages_not_quoted", "pages",
     [](V v) {
         return fmt::format("the cost at {} pages was disturbed and is not quoted; measure again",
                            alternatives(v["pages"], ", "));
     }},
    {Code::huge_pages_split, "huge_pages_split", "",
     [](V) -> std::string {
         return "huge pages are translated as small ones and save no page walks: the host of a virtual machine may "
                "split them";
     }},
    {Code::huge_pages_slower, "huge_pages_slower", "sizes, names",
     [](V v) {
         return fmt::format("huge pages were slower at {} than noise explains, so something else differed; measure both "
                            "again",
                            v.has("names") ? some_of(v["names"]) : v.things("sizes", "size"));
     }},
    {Code::withheld_costs, "withheld_costs", "sizes, why",
     [](V v) {
         const std::string why = v.text("why");
         return fmt::format("the cost at {} is not quoted: {}", v.things("sizes", "size"),
                            why == "at_end_of_level"
                                ? "a cache ends there, and pages of different sizes fill it differently"
                            : why == "above_walk" ? "it is far above the cost of a page walk"
                                                  : "the size was disturbed; measure again");
     }},
    {Code::noise_assumed, "noise_assumed", "",
     [](V) -> std::string {
         return "some sizes do not record their noise, so an ordinary noise is assumed; sweep with --stats";
     }},
    {Code::several_curves, "several_curves", "write_percent, rows, of",
     [](V v) {
         return fmt::format("{}at {} of {} visits of the same load differ by more than a fifth in bandwidth or latency, "
                            "so the machine has several curves; measure again",
                            of_writes(v), v.count("rows"), v.things("of", "load"));
     }},
    {Code::awake_differs, "awake_differs", "write_percent, idle_ns, awake_ns", awake_differs},
    {Code::pairs_left_out, "pairs_left_out", "left_out, of, within, minutes",
     [](V v) {
         return fmt::format("{} of {} pairs are left out: one pair stands for all within a {}, and one for all between two; "
                            "--all-pairs measures every pair in about {:.0f} minutes",
                            v.count("left_out"), v.count("of"), v.text("within"), v.number("minutes"));
     }},
    {Code::groups_changed, "groups_changed", "moments",
     [](V v) {
         return fmt::format("two measurements disagree on the groups of cores ({}), so no groups are named; a "
                            "hypervisor that moves its virtual processors, or other work, causes this",
                            joined(v["moments"], ", then ", nearest_groups));
     }},
    {Code::pairs_moved, "pairs_moved", "pairs, of, seconds, modes",
     [](V v) {
         const auto mode = [](const Json& values) {
             const Values m(values);
             return fmt::format("{} {:.0f} % ({:.0f} ns)", m.text("nearness"), m.number("percent"),
                                m.number("latency_ns"));
         };
         return fmt::format("the hypervisor moves these processors: {} of {} changed within {:.0f} s, so no groups are "
                            "named; shares of the transfers by their latency: {}",
                            v["pairs"].size(), v.things("of", "pair"), v.number("seconds"), joined(v["modes"], ", ", mode));
     }},
    {Code::contradicted_relation, "contradicted_relation", "reader, owner, relation, last_cache, latency_ns, others", contradicted},
    {Code::bimodal_pairs, "bimodal_pairs", "pairs",
     [](V v) {
         return fmt::format("the laps of {} fall into two groups, so other work may use the processors at times; "
                            "measure again",
                            pairs_text(v["pairs"], "from"));
     }},
    {Code::disturbed_pairs, "disturbed_pairs", "pairs",
     [](V v) {
         return v["pairs"].size() == 1
                    ? fmt::format("the pair {} was disturbed; measure again", pairs_text(v["pairs"], "to"))
                    : fmt::format("the pairs {} were disturbed; measure again", pairs_text(v["pairs"], "to"));
     }},
    {Code::grouped_samples, "grouped_samples", "groups",
     [](V v) {
         const auto group = [](const Json& row) {
             const Values of_row(row);
             return fmt::format("{} at {}", of_row.count("loads"),
                                row_name(of_row.number("size_bytes"), of_row.number("load_percent")));
         };
         return fmt::format("a sample is a group of loads ({}), and a percentile of groups is not one of single loads",
                            joined(v["groups"], ", ", group));
     }},
    {Code::recurring_slowness, "recurring_slowness", "size_bytes, load_percent, period_ns, refresh, slower_ns, chance", recurring},
    {Code::short_stops_unseen, "short_stops_unseen", "",
     [](V) -> std::string {
         return "on a virtual machine, a stop of less than 10 us by the hypervisor looks like a slow load";
     }},
    {Code::single_chain_slowed, "single_chain_slowed", "chains, times",
     [](V v) {
         return fmt::format("{} chains cannot be {:.1f} times as fast as one: something slowed the single chain; "
                            "measure again",
                            v.count("chains"), v.number("times"));
     }},
    {Code::undecided_sizes, "undecided_sizes", "ranges", undecided_sizes},
    {Code::doubts_unrecorded, "doubts_unrecorded", "files",
     [](V v) {
         const bool one = v["files"].size() == 1;
         return fmt::format("{} {} not record what disturbed {} (made with --quiet or by another program), so the "
                            "verdict does not consider it",
                            alternatives(v["files"], ", "), one ? "does" : "do", one ? "its run" : "their runs");
     }},
    {Code::runs_differ, "runs_differ", "differences",
     [](V v) {
         return "the runs differ: " + joined(v["differences"], "; ", [](const Json& difference) {
                    const Values of(difference);
                    return fmt::format("{} ({} before, {} now)", of.text("key"), of.text("base"), of.text("new"));
                });
     }},
    {Code::figures_not_counted, "figures_not_counted", "count",
     [](V v) {
         const bool one = v.count("count") == 1;
         return fmt::format("noise hides {}, which {} too much from run to run to affect the verdict unless {} worse or "
                            "better",
                            v.things("count", "figure"), one ? "varies" : "vary", one ? "it is" : "they are");
     }},
    {Code::parts_left_out, "parts_left_out", "parts",
     [](V v) { return fmt::format("not compared, as not all reports have them: {}", alternatives(v["parts"], ", ")); }},

    {Code::machines_not_compared, "machines_not_compared", "of_kind, needed, differences, names",
     machines_not_compared},
    {Code::machines_in_doubt, "machines_in_doubt", "names",
     [](V v) {
         return fmt::format("most figures of {} are in doubt and left out, as the {} or incomplete; measure again on a quiet "
                            "machine",
                            alternatives(v["names"], ", "),
                            v["names"].size() == 1 ? "run was disturbed" : "runs were disturbed");
     }},
    {Code::machines_set_differently, "machines_set_differently", "differences, names",
     [](V v) {
         return fmt::format("{} {} from most machines of {} kind in {}", alternatives(v["names"], ", "),
                            v["names"].size() == 1 ? "differs" : "differ", v["names"].size() == 1 ? "its" : "their",
                            settings_in(v["differences"]));
     }},
    {Code::level, "level", "those of a row of levels", level},
    {Code::tlb, "tlb", "level, entries_low, entries, entries_high, reach_kib, hit_ns, miss_ns, hit_cycles, confidence",
     tlb},
    {Code::page_walks, "page_walks", "beyond", page_walks},
    {Code::costs_known, "costs_known", "known, of, within_noise",
     [](V v) {
         const std::uint64_t within_noise = v.count("within_noise");
         return fmt::format("known at {} of {}{}", v.count("known"), v.things("of", "size"),
                            within_noise == 0 ? "" : fmt::format("; noise explains the difference at {}", within_noise));
     }},
    {Code::idle_latency, "idle_latency", "write_percent, idle_latency_ns, awake_latency_ns, idle_latency_at_end_ns",
     idle_latency},
    {Code::peak, "peak", "write_percent, bandwidth_gb_s, latency_ns, times, awake",
     [](V v) { return of_writes(v) + load_point(v); }},
    {Code::knee, "knee", "write_percent, bandwidth_gb_s, latency_ns, times, awake, most_times, is_peak", knee},
    {Code::core_groups, "core_groups", "processors, kinds, within_ns, between_ns",
     [](V v) {
         std::size_t group = 0;
         const auto name_of = [&](const Json& ids) {
             return ids_in(ids) + (v.has("kinds") ? fmt::format(" ({})", text_of(v["kinds"].at(group++))) : "");
         };
         return fmt::format("{}; a transfer takes {} within a group and {} between groups",
                            joined(v["processors"], " ", name_of), range_text(v["within_ns"]),
                            range_text(v["between_ns"]));
     }},
    {Code::no_core_groups, "no_core_groups", "lowest_ns, highest_ns",
     [](V v) {
         return fmt::format("none; transfers take {:.1f} to {:.1f} ns without a gap", v.number("lowest_ns"),
                            v.number("highest_ns"));
     }},
    {Code::prefetchers, "prefetchers",
     "strides, crosses_pages, starts_after_hops, fetches_pairs, fetches_next_line, learns_laps, follows_addresses", prefetchers},
    {Code::counter, "counter", "resolution_ns, readings_ns",
     [](V v) {
         return fmt::format("steps of {} ns; two readings cost {:.1f} ns, which is subtracted",
                            text_of(v.number("resolution_ns"), significant(3)), v.number("readings_ns"));
     }},
    {Code::level_change, "level_change", "those of an element of levels", level_change},
    {Code::verdict, "verdict", "verdict", [](V v) { return v.text("verdict"); }},
    {Code::reason, "reason", "reason", [](V v) { return v.text("reason"); }},
    {Code::nothing_changed, "nothing_changed", "thing, count, tolerance_percent, not_judged, of, of_part",
     [](V v) {
         return fmt::format("no {} changed by more than both {:g} % and the noise{}",
                            v.has("count") ? v.things("count", v.text("thing")) : v.text("thing"),
                            v.number("tolerance_percent"),
                            v.has("not_judged")
                                ? fmt::format(", but {} of {} cannot be judged", v.count("not_judged"), v.count("of"))
                                : "");
     }},
    {Code::changed, "changed", "verdict, changes, of_part", [](V v) { return changes_in(v["changes"]); }},
    {Code::neighbours_changed, "neighbours_changed", "count, of_part",
     [](V v) { return fmt::format("{} or more neighbouring sizes, but no level as a whole", v.count("count")); }},
    {Code::not_sure, "not_sure", "changes, of_part", [](V v) { return changes_in(v["changes"]) + " could not be judged"; }},
    {Code::near_next_level, "near_next_level", "changes, of_part",
     [](V v) {
         return changes_in(v["changes"]) + " came close to the latency of the next level, possibly because other "
                                          "processes fill the cache";
     }},
    {Code::only_neighbours_slower, "only_neighbours_slower", "count, of_part",
     [](V v) {
         return fmt::format("{} or more neighbouring sizes are slower, but no level as a whole, as when others on this "
                            "machine fill a cache",
                            v.count("count"));
     }},
    {Code::noise_hides_all, "noise_hides_all", "", [](V) { return std::string("noise hides any difference"); }},
    {Code::sweeps_incomplete, "sweeps_incomplete", "sweeps, of_part",
     [](V v) { return alternatives(v["sweeps"], "; "); }},
    {Code::few_sizes_in_common, "few_sizes_in_common", "count, of, of_part",
     [](V v) { return fmt::format("only {} of {} are in common", v.count("count"), v.things("of", "size")); }},
    {Code::sizes_missing, "sizes_missing", "of_baseline, levels, count, from_bytes, to_bytes, thread, of_part", sizes_missing},
    {Code::latest_disturbed, "latest_disturbed", "how, changes, of_part",
     [](V v) {
         return fmt::format("{}the new sweep was disturbed: {}",
                            v.has("changes") ? changes_in(v["changes"]) + " slower, but " : "", v.text("how"));
     }},
    {Code::baselines_disturbed, "baselines_disturbed", "names, of_part",
     [](V v) { return "baselines were disturbed and may hide a rise: " + alternatives(v["names"], ", "); }},
    {Code::no_figure_in_common, "no_figure_in_common", "",
     [](V) { return std::string("there is no figure in common"); }},
    {Code::figures_in_doubt, "figures_in_doubt", "doubt, names, how",
     [](V v) {
         return fmt::format("{}{}{}: {}", v.text("doubt"),
                            v.text("doubt") == word_of(Doubt::unconfirmed) ? " by other parts" : "",
                            v.has("how") ? fmt::format(" ({})", v.text("how")) : "", some_of(v["names"]));
     }},
    {Code::part_not_measured, "part_not_measured", "reason, of_part",
     [](V v) { return "not measured: " + v.text("reason"); }},
    {Code::worse_once, "worse_once", "names",
     [](V v) { return "worse in the last measurement only: " + alternatives(v["names"], ", "); }},
    {Code::fleet_verdict, "fleet_verdict", "verdict, machines, judged, figures, too_noisy, differ", fleet_verdict},
});

const CodeEntry& entry_of(Code code) {
    return *std::ranges::find(entries, code, &CodeEntry::code);
}

/// Of a verdict; it may be about a part of a report.
bool is_reason(Code code) {
    return code >= Code::nothing_changed && code <= Code::worse_once;
}

/// std::nullopt if a value is missing, as in a damaged file.
std::optional<std::string> made_sentence(const Notice& notice) {
    try {
        const Values values(notice.values);
        const std::string sentence = entry_of(notice.code).sentence(values);
        const bool is_of_part = is_reason(notice.code) && values.has("of_part");
        const std::string of_part = is_of_part ? values.text("of_part") + ": " : "";
        return sentence.empty() ? std::nullopt : std::optional(of_part + sentence);
    } catch (const std::exception&) { // of a value that is missing, or of another type or size
        return std::nullopt;
    }
}

} // namespace

std::string row_name(double size_bytes, double load_percent) {
    return rounded_size(size_bytes) + (load_percent >= 100 ? " under full load"
                                       : load_percent > 0  ? fmt::format(" under {:.0f} % load", load_percent)
                                                           : "");
}

std::string_view word_of(Code code) {
    return entry_of(code).word;
}

Code code_called(std::string_view word) {
    const auto* const found = std::ranges::find(entries, word, &CodeEntry::word);
    return found == std::end(entries) ? Code::unknown : found->code;
}

std::vector<CodeText> code_texts() {
    std::vector<CodeText> texts;
    for (const CodeEntry& entry : entries)
        texts.push_back({entry.word, entry.values});
    return texts;
}

std::string sentence_of(const Notice& notice) {
    if (const auto sentence = made_sentence(notice))
        return escaped(*sentence);
    const std::string text = escaped(text_of(member(notice.values, "text")));
    return text.empty() ? std::string(word_of(notice.code)) : text;
}

std::string fact_of(const Notice& notice) {
    const std::string sentence = sentence_of(notice);
    return sentence.substr(0, sentence.find("; "));
}

Json json_of(const Notice& notice) {
    Json object = Json::object();
    object["code"] = word_of(notice.code);
    for (const auto& [name, value] : notice.values.items())
        object[name] = value;
    object["text"] = sentence_of(notice);
    return object;
}

Notice notice_in(const Json& value) {
    if (!value.is_object())
        return {Code::unknown, {{"text", text_of(value)}}};
    const std::string word = text_of(member(value, "code"));
    Notice notice(code_called(word), value);
    notice.values.erase("code");
    if (notice.code != Code::unknown && made_sentence(notice))
        notice.values.erase("text");
    return notice;
}

bool is_on_others(const Notice& warning) {
    constexpr std::array on_others{Code::busy_machine, Code::others_used, Code::cpu_quota, Code::throttled};
    return std::ranges::find(on_others, warning.code) != on_others.end();
}

bool is_on_plan(const Notice& warning) {
    constexpr std::array on_plan{Code::frequency_governor, Code::other_line_size,     Code::threads_share_cores,
                                 Code::not_pinned,         Code::memory_file_on_disk, Code::little_memory,
                                 Code::several_kinds};
    return std::ranges::find(on_plan, warning.code) != on_plan.end();
}

bool is_disturbance(const Notice& warning) {
    return is_on_others(warning) || warning.code == Code::processors_moved;
}

bool is_on_whole_result(const Notice& warning) {
    return is_disturbance(warning) || warning.code == Code::unsettled;
}

} // namespace memtest
