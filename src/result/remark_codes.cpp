#include "memtest/base/text.hpp"
#include "memtest/machine/relation.hpp"
#include "memtest/result/code_entry.hpp"
#include "memtest/result/notice.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace memtest {
namespace {

using V = const NoticeValues&;

/// What to do where a shared cache may serve part of memory.
std::string sweep_further(V v) {
    return v.has("sweep_to_bytes")
               ? fmt::format("a shared cache may serve part of memory, so sweep to {}", v.size("sweep_to_bytes"))
               : "";
}

NoticeText level_not_shown(V v) {
    const std::string why = v.text("why");
    return {
        fmt::format("the system reports an {} of {}, which the curve does not show", v.text("level"), v.size("bytes")),
        why == "sweep_too_short"    ? "the sweep ends too soon, so use a larger --max-size"
        : why == "too_near_to_last" ? "it is near another cache, so use --points 8"
        : why == "no_trace"         ? sweep_further(v)
                                    : ""};
}

NoticeText memory_rises(V v) {
    return {fmt::format("the latency of memory rises from {} ns at {} to {} ns at {}", v.ns("low_ns"),
                        v.size("from_bytes"), v.ns("high_ns"), v.size("to_bytes")),
            v.is("in_small_pages") ? "page walks are part of it, and --pages thp avoids most of them" : ""};
}

NoticeText translation_untold(V v) {
    constexpr double gib = 1 << 30;
    const bool are_left_out = v.is("are_left_out");
    return {fmt::format("translation was measured to {}; larger sizes {}", v.size("told_to_bytes"),
                        are_left_out ? "are left out" : "may include more of it"),
            are_left_out || v.number("told_to_bytes") >= gib ? "" : "'memtest tlb --max-size 1024' measures to 1 GiB"};
}

/// Older files have only their number.
std::string sizes_named(V v) {
    return v.has("names") ? some_of(v.list("names")) : v.things("sizes", "size");
}

NoticeText withheld_costs(V v) {
    const std::string why = v.text("why");
    return {fmt::format("the cost at {} is not quoted: {}", sizes_named(v),
                        why == "at_end_of_level"
                            ? "a cache ends there, and pages of different sizes fill it differently"
                        : why == "above_walk" ? "it is far above the cost of a page walk"
                                              : "the size was disturbed"),
            why == "at_end_of_level" || why == "above_walk" ? "" : "measure again"};
}

NoticeText awake_differs(V v) {
    const double idle = v.number("idle_ns");
    const double awake = v.number("awake_ns");
    return fmt::format("{}without load an access takes {:.1f} ns while the load threads sleep and {:.1f} ns while they "
                       "are awake, {:.0f} % {}",
                       of_writes(v), idle, awake, 100 * std::abs(awake / idle - 1),
                       awake < idle ? "less: the package may slow its clocks while cores sleep"
                                    : "more: awake cores may share a power budget, or hardware threads a core");
}

/// The groups of the cores that are nearest to each other.
std::string nearest_groups(const Value& partings) {
    return partings.list().empty() ? "none" : joined(partings[0].list(), " ", ids_in);
}

NoticeText pairs_moved(V v) {
    const auto mode = [](const Value& values) {
        const NoticeValues m(values);
        return fmt::format("{} {:.0f} % ({:.0f} ns)", m.text("nearness"), m.number("percent"), m.number("latency_ns"));
    };
    return fmt::format("the hypervisor moves these processors: {} of {} changed within {:.0f} s, so no groups are "
                       "named; shares of the transfers by their latency: {}",
                       v.list("pairs").size(), v.things("of", "pair"), v.number("seconds"),
                       joined(v.list("modes"), ", ", mode));
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

NoticeText contradicted(V v) {
    const std::uint64_t others = v.count("others");
    return fmt::format("the system reports that {} and {} {}, but a transfer between them takes {:.0f} ns{}",
                       v.count("reader"), v.count("owner"), relation_in_words(v.text("relation"), v.text("last_cache")),
                       v.number("latency_ns"),
                       others == 0 ? ""
                                   : fmt::format("; {} of this relation disagree{} with it as well",
                                                 counted(others, "other pair"), others == 1 ? "s" : ""));
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
    return fmt::format("a sample is a group of loads ({}), and a percentile of groups is not one of single loads",
                       joined(v.list("groups"), ", ", group));
}

constexpr auto remark_entries = std::to_array<CodeEntry>({
    {Code::too_few_points, "too_few_points", "",
     [](V) -> NoticeText {
         return {"too few sizes to infer any level", "sweep from 512 B to several times the last cache"};
     }},
    {Code::no_edge, "no_edge", "",
     [](V) -> NoticeText {
         return {"the latency is the same at every size: the sweep stays inside one level, or a prefetcher hides the "
                 "others",
                 "use --random"};
     }},
    {Code::memory_not_reached, "memory_not_reached", "",
     [](V) -> NoticeText {
         return {"the sweep ends before memory", "sweep to at least eight times the last cache"};
     }},
    {Code::prefetched, "prefetched", "",
     [](V) -> NoticeText {
         return {"the prefetcher follows the stride and hides the levels far from the core", "use --random"};
     }},
    {Code::hidden_level, "hidden_level", "",
     [](V) -> NoticeText {
         return {"a rise is longer than one cache makes it, so a level may hide in it",
                 "--points 4 or more may show it"};
     }},
    {Code::only_a_foot, "only_a_foot", "",
     [](V) -> NoticeText {
         return {"a level of low confidence shows only as the foot of the next rise and may not exist",
                 "--points 8 or more would settle it"};
     }},
    {Code::many_disturbed, "disturbed", "",
     [](V) -> NoticeText {
         return {"many sizes were disturbed",
                 "claims of high confidence can be trusted, other levels may be wrong"};
     }},
    {Code::page_colours, "page_colours", "",
     [](V) -> NoticeText {
         return {"L1 may be larger than its range: with small pages, page colours blur its end like this",
                 "use --pages 2m or thp"};
     }},
    {Code::may_be_translation, "may_be_translation", "",
     [](V) -> NoticeText {
         return {"a level of low confidence ends where a TLB does and may not exist",
                 "give the result of memtest tlb as well, or sweep with --pages thp"};
     }},
    {Code::level_not_reported, "level_not_reported", "levels",
     [](V v) -> NoticeText {
         return fmt::format("the system does not report {}, which the curve clearly shows",
                            listed(v.list("levels")));
     }},
    {Code::levels_below_prefetching, "levels_below_prefetching", "from_bytes",
     [](V v) -> NoticeText {
         return {fmt::format("no level is inferred from {} on, where the prefetcher follows the stride",
                             v.size("from_bytes")),
                 "use --random for the levels"};
     }},
    {Code::level_much_smaller, "level_much_smaller", "level, sweep_to_bytes",
     [](V v) -> NoticeText {
         return {fmt::format("{} is much smaller than the system reports: it is shared or partitioned, or a virtual "
                             "machine reports its host's cache",
                             v.text("level")),
                 sweep_further(v)};
     }},
    {Code::level_not_shown, "level_not_shown", "level, bytes, why, sweep_to_bytes", level_not_shown},
    {Code::memory_rises, "memory_rises", "from_bytes, to_bytes, low_ns, high_ns, in_small_pages", memory_rises},
    {Code::page_walks_remain, "page_walks_remain", "",
     [](V) -> NoticeText {
         return std::string("huge pages are translated as small ones here, so page walks remain in the latencies; the "
                            "host of a virtual machine may split the pages");
     }},
    {Code::translation_untold, "translation_untold", "told_to_bytes, are_left_out", translation_untold},
    {Code::no_tlb_edge, "no_tlb_edge", "pages",
     [](V v) -> NoticeText {
         return fmt::format("no edge up to {} pages: no TLB ends there, or something other than translation takes the "
                            "time, as under an emulator",
                            v.count("pages"));
     }},
    {Code::no_second_tlb_edge, "no_second_tlb_edge", "pages",
     [](V v) -> NoticeText {
         return fmt::format("no second edge up to {} pages: page walks follow the first TLB, or a second one holds all "
                            "of these pages",
                            v.count("pages"));
     }},
    {Code::pages_not_quoted, "pages_not_quoted", "pages",
     [](V v) -> NoticeText {
         return {fmt::format("the cost at {} pages was disturbed and is not quoted", listed(v.list("pages"))),
                 "measure again"};
     }},
    {Code::huge_pages_split, "huge_pages_split", "",
     [](V) -> NoticeText {
         return std::string("the TLBs hold small parts of huge pages, as where the host of a virtual machine "
                            "splits them; 'memtest translation' shows what huge pages still save");
     }},
    {Code::huge_pages_slower, "huge_pages_slower", "sizes, names",
     [](V v) -> NoticeText {
         return {fmt::format("huge pages were slower at {} than noise explains, so something else differed",
                             sizes_named(v)),
                 "measure both again"};
     }},
    {Code::withheld_costs, "withheld_costs", "sizes, names, why", withheld_costs},
    {Code::noise_assumed, "noise_assumed", "",
     [](V) -> NoticeText {
         return {"some sizes do not record their noise, so an ordinary noise is assumed", "sweep with --stats"};
     }},
    {Code::several_curves, "several_curves", "write_percent, rows, of",
     [](V v) -> NoticeText {
         return {fmt::format("{}at {} of {} visits of the same load differ by more than a fifth in bandwidth or latency, "
                             "so the machine has several curves",
                             of_writes(v), v.count("rows"), v.things("of", "load")),
                 "measure again"};
     }},
    {Code::awake_differs, "awake_differs", "write_percent, idle_ns, awake_ns", awake_differs},
    {Code::pairs_left_out, "pairs_left_out", "left_out, of, within, minutes",
     [](V v) -> NoticeText {
         return {fmt::format("{} of {} pairs are left out: one pair stands for all within a {}, and one for all between "
                             "two",
                             v.count("left_out"), v.count("of"), v.text("within")),
                 fmt::format("--all-pairs measures every pair in about {:.0f} minutes", v.number("minutes"))};
     }},
    {Code::groups_changed, "groups_changed", "moments",
     [](V v) -> NoticeText {
         return fmt::format("two measurements disagree on the groups of cores ({}), so no groups are named; a "
                            "hypervisor that moves its virtual processors, or other work, causes this",
                            joined(v.list("moments"), ", then ", nearest_groups));
     }},
    {Code::pairs_moved, "pairs_moved", "pairs, of, seconds, modes", pairs_moved},
    {Code::contradicted_relation, "contradicted_relation", "reader, owner, relation, last_cache, latency_ns, others",
     contradicted},
    {Code::bimodal_pairs, "bimodal_pairs", "pairs",
     [](V v) -> NoticeText {
         return {fmt::format("the laps of {} fall into two groups, so other work may use the processors at times",
                             pairs_text(v.list("pairs"), "from")),
                 "measure again"};
     }},
    {Code::disturbed_pairs, "disturbed_pairs", "pairs",
     [](V v) -> NoticeText {
         const bool is_one = v.list("pairs").size() == 1;
         return {fmt::format("the pair{} {} {} disturbed", is_one ? "" : "s", pairs_text(v.list("pairs"), "to"),
                             is_one ? "was" : "were"),
                 "measure again"};
     }},
    {Code::grouped_samples, "grouped_samples", "groups", grouped_samples},
    {Code::short_stops_unseen, "short_stops_unseen", "",
     [](V) -> NoticeText {
         return std::string("on a virtual machine, a stop of less than 10 us by the hypervisor looks like a slow load");
     }},
    {Code::single_chain_slowed, "single_chain_slowed", "chains, times",
     [](V v) -> NoticeText {
         return {fmt::format("{} chains cannot be {:.1f} times as fast as one: something slowed the single chain",
                             v.count("chains"), v.number("times")),
                 "measure again"};
     }},
});

} // namespace

std::span<const CodeEntry> remark_codes() {
    return remark_entries;
}

} // namespace memtest
