#include "memtest/base/text.hpp"
#include "memtest/result/code_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

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
        return fmt::format("not shown, reported {}", size("reported_kib", kib));
    std::string words;
    if (v.has("capacity_confidence"))
        words = low.empty() ? "capacity not known, "
                            : fmt::format("capacity {}{}{}{}{}, ", high.empty() ? "at least " : "", low,
                                          high.empty() || low == high ? "" : " to " + high,
                                          v.has("capacity_best_kib") ? ", best " + size("capacity_best_kib", kib) : "",
                                          confidence("capacity_confidence"));
    words += fmt::format("latency {:.2f} ns", v.number("latency_ns"));
    if (v.has("latency_cycles"))
        words += fmt::format(", {:.1f} cycles", v.number("latency_cycles"));
    words +=
        fmt::format("{}, from {} to {}", confidence("latency_confidence"), size("from_mib", mib), size("to_mib", mib));
    if (v.has("reported_kib"))
        words += fmt::format(", reported {}", size("reported_kib", kib));
    return words;
}

NoticeText tlb(V v) {
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

NoticeText page_walks(V v) {
    const List& beyond = v.list("beyond");
    const auto ns = [&](std::size_t place) { return NoticeValues(v["beyond"][place]).number("translation_ns"); };
    const std::size_t last = beyond.empty() ? 0 : beyond.size() - 1;
    return fmt::format("+{:.1f} ns at twice the reach, +{:.1f} ns at {} pages", ns(0), ns(last),
                       text_of(v["beyond"][last]["pages"]));
}

NoticeText idle_latency(V v) {
    std::vector<std::string> figures;
    for (const auto& [name, when] :
         {std::pair("idle_latency_ns", ""), std::pair("awake_latency_ns", " with the load threads awake"),
          std::pair("idle_latency_at_end_ns", " at the end")}) {
        if (v.has(name))
            figures.push_back(fmt::format("{:.1f} ns{}", v.number(name), when));
    }
    return of_writes(v) + joined(figures, ", ", std::identity());
}

std::string load_point(V v) {
    return fmt::format("{:.1f} GB/s at {:.1f} ns{}", v.number("bandwidth_gb_s"), v.number("latency_ns"),
                       v.has("times") ? fmt::format(" ({:.2f} times {})", v.number("times"),
                                                    v.is("awake") ? "that with the load threads awake" : "idle")
                                      : "");
}

NoticeText knee(V v) {
    if (!v.has("bandwidth_gb_s"))
        return of_writes(v) + fmt::format("none: every load takes more than {:g} times the {}", v.number("most_times"),
                                          v.is("awake") ? "latency with the load threads awake" : "idle latency");
    return of_writes(v) + load_point(v) +
           (v.is("is_peak") ? ", the peak: the load threads may be too few to fill the memory's queues" : "");
}

/// "strides up to 2 KiB forward and 1 KiB backward"; empty if not known.
std::string strides_followed(const Value& in_pages) {
    const NoticeValues v(in_pages);
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

NoticeText prefetchers(V v) {
    std::vector<std::string> known;
    std::vector<std::string> unknown;
    const auto add = [&](const char* name, std::string_view yes, std::string_view no, std::string_view whether) {
        const std::string answer = v.text(name);
        if (answer == "unknown")
            unknown.emplace_back(whether);
        else
            known.emplace_back(answer == "yes" ? yes : no);
    };
    const List& strides = v.list("strides"); // in small pages, and last in the largest
    const std::string small = strides.empty() ? "" : strides_followed(strides.front());
    const std::string huge = strides.empty() ? "" : strides_followed(strides.back());
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
        return {"this run does not show what the prefetchers follow", "measure again on a quiet machine"};
    return "this processor " + joined(known, "; ", std::identity()) + (unknown.empty() ? "" : "; " + not_known);
}

std::string range_text(const Value& range) {
    const auto ns = [&](int place) { return text_of(range[place].number().value_or(0), decimals(1)); };
    return fmt::format("{} to {} ns", ns(0), ns(1));
}

constexpr auto finding_entries = std::to_array<CodeEntry>({
    {Code::level, "level", "those of a row of levels", level},
    {Code::tlb, "tlb", "level, entries_low, entries, entries_high, reach_kib, hit_ns, miss_ns, hit_cycles, confidence",
     tlb},
    {Code::page_walks, "page_walks", "beyond", page_walks},
    {Code::costs_known, "costs_known", "known, of, within_noise",
     [](V v) -> NoticeText {
         const std::uint64_t within_noise = v.count("within_noise");
         return fmt::format("known at {} of {}{}", v.count("known"), v.things("of", "size"),
                            within_noise == 0 ? ""
                                              : fmt::format("; noise explains the difference at {}", within_noise));
     }},
    {Code::idle_latency, "idle_latency", "write_percent, idle_latency_ns, awake_latency_ns, idle_latency_at_end_ns",
     idle_latency},
    {Code::peak, "peak", "write_percent, bandwidth_gb_s, latency_ns, times, awake",
     [](V v) -> NoticeText { return of_writes(v) + load_point(v); }},
    {Code::knee, "knee", "write_percent, bandwidth_gb_s, latency_ns, times, awake, most_times, is_peak", knee},
    {Code::core_groups, "core_groups", "processors, kinds, within_ns, between_ns",
     [](V v) -> NoticeText {
         std::size_t group = 0;
         const auto name_of = [&](const Value& ids) {
             return ids_in(ids) + (v.has("kinds") ? fmt::format(" ({})", text_of(v["kinds"][group++])) : "");
         };
         return fmt::format("{}; a transfer takes {} within a group and {} between groups",
                            joined(v.list("processors"), " ", name_of), range_text(v["within_ns"]),
                            range_text(v["between_ns"]));
     }},
    {Code::no_core_groups, "no_core_groups", "lowest_ns, highest_ns",
     [](V v) -> NoticeText {
         return fmt::format("none; transfers take {:.1f} to {:.1f} ns without a gap", v.number("lowest_ns"),
                            v.number("highest_ns"));
     }},
    {Code::prefetchers, "prefetchers",
     "strides, crosses_pages, starts_after_hops, fetches_pairs, fetches_next_line, learns_laps, follows_addresses",
     prefetchers},
    {Code::counter, "counter", "resolution_ns, readings_ns",
     [](V v) -> NoticeText {
         return fmt::format("steps of {} ns; two readings cost {:.1f} ns, which is subtracted",
                            text_of(v.number("resolution_ns"), significant(3)), v.number("readings_ns"));
     }},
});

} // namespace

std::span<const CodeEntry> finding_codes() {
    return finding_entries;
}

} // namespace memtest
