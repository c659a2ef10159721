#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/result/code_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>

namespace memtest {
namespace {

using V = const NoticeValues&;

NoticeText level(V v) {
    const auto size = [&](const char* name, double unit) {
        return v.has(name) ? rounded_size(v.number(name) * unit) : "";
    };
    const std::string low = size("capacity_low_kib", kib);
    const std::string high = size("capacity_high_kib", kib);
    const auto confidence = [&](const char* name) {
        return v.has(name) ? fmt::format(" (confidence {})", v.text(name)) : "";
    };
    if (!v.has("latency_ns"))
        return {"no plateau, reported " + size("reported_kib", kib)};
    std::string words;
    if (v.has("capacity_confidence"))
        words = low.empty() ? "capacity not known, "
                            : fmt::format("capacity {}{}{}{}{}, ", high.empty() ? "at least " : "", low,
                                          high.empty() || low == high ? "" : " to " + high,
                                          v.has("capacity_best_kib") ? ", best " + size("capacity_best_kib", kib) : "",
                                          confidence("capacity_confidence"));
    words +=
        v.filled("latency {latency_ns:.2f} ns") +
        v.filled(v.has("latency_cycles") ? ", {latency_cycles:.1f} cycles" : "") +
        fmt::format("{}, from {} to {}", confidence("latency_confidence"), size("from_mib", mib), size("to_mib", mib));
    if (v.has("reported_kib"))
        words += ", reported " + size("reported_kib", kib);
    return {words};
}

NoticeText tlb(V v) {
    const bool is_first = v.text("level") == "L1";
    return {v.filled(v.count("entries_low") + 1 == v.count("entries_high")
                         ? "{entries} entries"
                         : "{entries_low} to {entries_high} entries, best estimate {entries}") +
            fmt::format(" (reach {})", rounded_size(v.number("reach_kib") * kib)) +
            v.filled(is_first ? "" : ", +{hit_ns:.1f} ns") +
            v.filled(is_first || !v.has("hit_cycles") ? "" : " ({hit_cycles:.0f} cycles)") +
            v.filled(", confidence {confidence}")};
}

NoticeText page_walks(V v) {
    const std::size_t count = v.list("beyond").size();
    const std::string near =
        count < 2 ? "" : NoticeValues(v["beyond"][0]).filled("+{translation_ns:.1f} ns at twice the reach, ");
    return {near + NoticeValues(v["beyond"][std::max<std::size_t>(count, 1) - 1])
                       .filled("+{translation_ns:.1f} ns at {pages} pages")};
}

NoticeText idle_latency(V v) {
    std::vector<std::string> figures;
    for (const auto& [name, pattern] :
         {std::pair("idle_latency_ns", "{idle_latency_ns:.1f} ns"),
          std::pair("awake_latency_ns", "{awake_latency_ns:.1f} ns with the load threads awake"),
          std::pair("idle_latency_at_end_ns", "{idle_latency_at_end_ns:.1f} ns at the end")}) {
        if (v.has(name))
            figures.push_back(v.filled(pattern));
    }
    return {v.filled("{write_percent:writes}") + joined(figures, ", ", std::identity())};
}

NoticeText load_point(V v) {
    return {v.filled("{write_percent:writes}{bandwidth_gb_s:.1f} GB/s at {latency_ns:.1f} ns") +
            v.filled(!v.has("times") ? ""
                     : v.is("awake") ? " ({times:.2f} times that with the load threads awake)"
                                     : " ({times:.2f} times idle)")};
}

NoticeText knee(V v) {
    if (!v.has("bandwidth_gb_s"))
        return {v.filled("{write_percent:writes}none: every load takes more than {most_times:g} times the ") +
                (v.is("awake") ? "latency with the load threads awake" : "idle latency")};
    return {load_point(v).fact +
            (v.is("is_peak") ? ", the peak: the load threads may be too few to fill the memory's queues" : "")};
}

/// How far strides in one direction are followed.
struct Way {
    std::string_view name;
    double bytes;
    bool is_open; ///< longer ones may be followed
};

/// The directions of which something is known.
std::vector<Way> ways_in(const Value& in_pages) {
    const NoticeValues v(in_pages);
    std::vector<Way> ways;
    for (const Way& way : {Way{"forward", v.number("forward_bytes"), v.is("forward_open")},
                           Way{"backward", v.number("backward_bytes"), v.is("backward_open")}}) {
        if (v.has(fmt::format("{}_bytes", way.name)))
            ways.push_back(way);
    }
    return ways;
}

/// "strides up to 2 KiB forward and at least 1 KiB backward"; empty if nothing is known.
std::string strides_followed(const Value& in_pages) {
    std::vector<Way> ways = ways_in(in_pages);
    if (ways.empty())
        return "";
    const bool is_same = ways.size() == 2 && ways[0].bytes == ways[1].bytes;
    if (ways[0].bytes == 0 && (is_same || ways.size() == 1))
        return is_same ? "no strides" : fmt::format("no strides {}", ways[0].name);
    if (is_same)
        return fmt::format("strides up to {}{}{}", ways[0].is_open || ways[1].is_open ? "at least " : "",
                           rounded_size(ways[0].bytes),
                           NoticeValues(in_pages).is("longest_tried") ? ", the longest tried" : "");
    std::ranges::sort(ways, std::greater(), &Way::bytes);
    return "strides up to " + joined(ways, " and ", [](const Way& way) {
               return fmt::format("{}{} {}", way.is_open ? "at least " : "",
                                  way.bytes == 0 ? "none" : rounded_size(way.bytes), way.name);
           });
}

NoticeText prefetchers(V v) {
    std::vector<std::string> does;
    std::vector<std::string> does_not;
    std::vector<std::string> unknown;
    const auto add = [&](const char* name, std::string_view yes, std::string_view no, std::string_view whether) {
        const std::string answer = v.text(name);
        if (answer == "yes")
            does.emplace_back(yes);
        else if (answer == "no")
            does_not.emplace_back(no);
        else if (answer == "unknown")
            unknown.emplace_back(whether);
    };
    const List& strides = v.list("strides"); // in small pages, and last in the largest
    const std::string small = strides.empty() ? "" : strides_followed(strides.front());
    std::string huge = strides.empty() ? "" : strides_followed(strides.back());
    if (small.empty() && huge.empty()) {
        unknown.emplace_back("how long a stride it follows");
    } else {
        const bool is_any = std::ranges::any_of(strides, [](const Value& in_pages) {
            return std::ranges::any_of(ways_in(in_pages), [](const Way& way) { return way.bytes > 0; });
        });
        constexpr std::string_view noun = "strides ";
        if (small.starts_with(noun) && huge.starts_with(noun) && huge != small)
            huge.erase(0, noun.size());
        does.push_back(fmt::format(
            "follows {}{}{}", small.empty() ? huge + " in huge pages" : small,
            small.empty() || huge.empty() || huge == small ? "" : fmt::format(" (in huge pages {})", huge),
            !is_any ? ""
            : small.empty()
                ? ", in clearly less than half the time of random lines"
                : ", in clearly less than half the time of random lines (a quarter for strides of a page or "
                  "more in small pages)"));
    }
    if (v.has("starts_after_hops"))
        does.push_back(fmt::format("prefetches from access {} on", v.count("starts_after_hops") + 1));
    const bool fetches_next = v.text("fetches_next_line") == "yes";
    add("fetches_pairs",
        fetches_next ? "fetches the other line of an aligned pair and the next line, also across pairs"
                     : "fetches the other line of an aligned pair",
        "fetch the other line of an aligned pair in both directions",
        "whether it fetches the other line of an aligned pair");
    if (fetches_next && v.text("fetches_pairs") != "yes")
        does.emplace_back("fetches the next line, also across pairs");
    add("learns_laps", "learns a repeated order", "learn a repeated order", "whether it learns a repeated order");
    add("follows_addresses", "follows addresses in data", "follow addresses in data",
        "whether it follows addresses in data");
    if (!does_not.empty())
        does.push_back("does not " + listed(does_not, " or "));
    if (does.empty())
        return {"this run does not show what the prefetchers follow", "measure again on a quiet machine"};
    if (!unknown.empty())
        does.push_back("this run does not show " + listed(unknown, " or "));
    return {"this processor " + joined(does, "; ", std::identity())};
}

/// Few figures by their names; of more "6 disturbed and 12 too noisy".
std::string not_compared(const List& figures) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> names;
    std::map<std::string, std::size_t> whys;
    for (const Value& figure : figures) {
        names.push_back(text_of(figure["name"]));
        ++whys[text_of(figure["why"])];
    }
    if (names.size() > most_named) {
        names.clear();
        for (const auto& [why, count] : whys)
            names.push_back(fmt::format("{} {}", count, why));
    }
    return listed(names, " and ");
}

NoticeText core_groups(V v) {
    std::size_t group = 0;
    const auto name_of = [&](const Value& ids) {
        return ids_in(ids) + (v.has("kinds") ? fmt::format(" ({})", text_of(v["kinds"][group++])) : "");
    };
    const auto range = [](const Value& both) {
        const auto ns = [&](int place) { return text_of(both[place].number().value_or(0), decimals(1)); };
        return fmt::format("{} to {} ns", ns(0), ns(1));
    };
    return {fmt::format("{}; a transfer takes {} within a group and {} between groups",
                        joined(v.list("processors"), " ", name_of), range(v["within_ns"]), range(v["between_ns"]))};
}

/// In what machines differ: "kernel (usual: Linux 6.1, here: Linux 6.8)"
std::string settings_in(V v) {
    return each_filled(v.list("differences"), ", ", "{key} (usual: {usual}, here: {here})");
}

NoticeText machines_not_compared(V v) {
    return {v.filled("{names:list} {names:is|are} not compared: {names:its|their} kind has {of_kind} "
                     "{of_kind:machine|machines}, and {needed} are needed") +
            (v.has("differences") ? "; it differs from the largest kind in " + settings_in(v) : "")};
}

/// "L2 latency, L3 is gone: its sizes take 100.0 ns", "tail is not in new".
NoticeText changes(V v) {
    return {some_of(v.list("changes"), [](const Value& change) {
        const NoticeValues of(change);
        return of.filled(!of.has("why")        ? "{name}"
                         : of.has("latest_ns") ? "{name} is {why}: its sizes take {latest_ns:.1f} ns"
                         : of.has("noise_percent") && of.number("noise_percent") >= 100
                             ? "{name} is {why} ({noise_percent:.0f} %)"
                         : of.has("noise_percent") ? "{name} is {why} ({noise_percent:.1f} %)"
                                                   : "{name} is {why}");
    })};
}

NoticeText fleet_verdict(V v) {
    const std::uint64_t noisy = v.count("too_noisy");
    const std::string compared =
        v.filled("{figures} {figures:figure|figures} compared") +
        v.filled(noisy == 0                    ? ""
                 : noisy == v.count("figures") ? ", and noise hides any difference"
                                               : ", and noise hides any difference in {too_noisy}");
    const std::string verdict =
        v.text("verdict") == "cannot tell"
            ? "cannot tell: "
            : v.filled(v.count("unread") == 0 ? "" : "no result can be read from {unread} {unread:file|files}; ");
    if (v.count("figures") == 0 && v.count("differ") == 0)
        return {verdict + "no figure is free of doubt on enough machines of one kind"};
    if (v.text("verdict") == "cannot tell")
        return {verdict + compared};
    return {
        verdict +
        v.filled(v.count("differ") == 0
                     ? "none of {judged} {judged:machine|machines} differs from the others of its kind; "
                     : "{differ} of {judged} {judged:machine|machines} {differ:differs from the others of its|differ "
                       "from the others of their} kind; ") +
        compared};
}

constexpr auto finding_entries = std::to_array<CodeEntry>({
    {Code::level, "level", "those of a row of levels", level},
    {Code::tlb, "tlb", "level, entries_low, entries, entries_high, reach_kib, hit_ns, miss_ns, hit_cycles, confidence",
     tlb},
    {Code::page_walks, "page_walks", "beyond", page_walks},
    {Code::costs_known, "costs_known", "known, of, within_noise",
     [](V v) -> NoticeText {
         return {v.filled("known at {known/of:size}") +
                 v.filled(v.count("within_noise") == 0 ? "" : "; noise explains the difference at {within_noise}")};
     }},
    {Code::idle_latency, "idle_latency", "write_percent, idle_latency_ns, awake_latency_ns, idle_latency_at_end_ns",
     idle_latency},
    {Code::peak, "peak", "write_percent, bandwidth_gb_s, latency_ns, times, awake", load_point},
    {Code::knee, "knee", "write_percent, bandwidth_gb_s, latency_ns, times, awake, most_times, is_peak", knee},
    {Code::core_groups, "core_groups", "processors, kinds, within_ns, between_ns", core_groups},
    {Code::no_core_groups, "no_core_groups", "lowest_ns, highest_ns",
     "none; transfers take {lowest_ns:.1f} to {highest_ns:.1f} ns without a gap"},
    {Code::prefetchers, "prefetchers",
     "strides, starts_after_hops, fetches_pairs, fetches_next_line, learns_laps, follows_addresses", prefetchers},
    {Code::counter, "counter", "resolution_ns, readings_ns",
     "steps of {resolution_ns:ns} ns; two readings cost {readings_ns:.1f} ns, which is subtracted"},

    // Of comparisons.
    {Code::files_disturbed, "files_disturbed", "names, of_memory",
     [](V v) -> NoticeText {
         return {v.filled("{names:list} {names:was|were} disturbed while measured") +
                     (v.is("of_memory") ? ", which makes memory noisy" : ""),
                 "measure again when the machine is quiet"};
     }},
    {Code::runs_differ, "runs_differ", "differences",
     [](V v) -> NoticeText {
         return {"the runs differ: " + each_filled(v.list("differences"), "; ", "{key} ({base} before, {new} now)")};
     }},
    {Code::part_not_measured, "part_not_measured", "reason, of_part", "{of_part} was not measured: {reason}"},
    {Code::machines_not_compared, "machines_not_compared", "of_kind, needed, differences, names",
     machines_not_compared},
    {Code::machines_unread, "machines_unread", "names", "no result can be read from {names:list}"},
    {Code::machines_set_differently, "machines_set_differently", "differences, names",
     [](V v) -> NoticeText {
         return {v.filled("{names:list} {names:differs|differ} from most machines of {names:its|their} kind in ") +
                 settings_in(v)};
     }},
    {Code::verdict, "verdict", "verdict", "{verdict}"},
    {Code::reason, "reason", "reason", "{reason}"},
    {Code::nothing_changed, "nothing_changed", "tolerance_percent, noise_percent, noisiest",
     [](V v) -> NoticeText {
         const bool hides_more = v.number("noise_percent") > v.number("tolerance_percent");
         return {v.filled("no compared figure changed by more than both {tolerance_percent:g} % and its noise") +
                 (hides_more ? v.filled(", which hides up to {noise_percent:.1f} % of {noisiest}") : "")};
     }},
    {Code::figures_compared, "figures_compared", "judged, of, names, without, also",
     [](V v) -> NoticeText {
         const std::string without = not_compared(v.list("without"));
         return {v.filled("{judged/of:figure} {judged:was|were} compared") +
                 (without.empty() ? "" : (v.is("also") ? "; also not compared: " : "; not compared: ") + without)};
     }},
    {Code::changed, "changed", "changes", changes},
    {Code::noise_hides_all, "noise_hides_all", "but_capacities",
     [](V v) -> NoticeText {
         return {fmt::format("noise would hide four times the tolerance in every figure{}",
                             v.is("but_capacities") ? " but capacities" : ""),
                 "measure again"};
     }},
    {Code::no_figure_in_common, "no_figure_in_common", "", "there is no figure to compare"},
    {Code::figures_missing, "figures_missing", "changes",
     [](V v) -> NoticeText {
         const bool lacks_base = std::ranges::any_of(v.list("changes"), [](const Value& change) {
             return text_of(change["why"]) == word_of(Why::not_in_base);
         });
         return {changes(v).fact, lacks_base ? "measure the baseline again" : ""};
     }},
    {Code::may_be_worse, "may_be_worse", "changes",
     [](V v) -> NoticeText {
         return {some_of(v.list("changes"), [](const Value& change) { return text_of(change["name"]); }) +
                     " may be worse, but noise is too large to tell",
                 "measure again"};
     }},
    {Code::memory_not_compared, "memory_not_compared", "changes, disturbed",
     [](V v) -> NoticeText {
         return {changes(v).fact, v.is("disturbed") ? "measure again" : "measure again, or give more baselines"};
     }},
    {Code::worse_once, "worse_once", "names", "worse in the last measurement only: {names:list}"},
    {Code::fleet_verdict, "fleet_verdict", "verdict, machines, judged, figures, too_noisy, differ, unread",
     fleet_verdict},
});

} // namespace

std::span<const CodeEntry> finding_codes() {
    return finding_entries;
}

} // namespace memtest
