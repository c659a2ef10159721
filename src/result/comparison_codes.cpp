#include "memtest/base/text.hpp"
#include "memtest/result/code_entry.hpp"

#include <fmt/format.h>

#include <array>

namespace memtest {
namespace {

using V = const NoticeValues&;

/// "kernel (usual: Linux 6.1, here: Linux 6.8)"
std::string settings_in(const List& differences) {
    return joined(differences, ", ", [](const Value& difference) {
        const NoticeValues d(difference);
        return fmt::format("{} (usual: {}, here: {})", d.text("key"), d.text("usual"), d.text("here"));
    });
}

NoticeText fleet_verdict(V v) {
    const std::uint64_t noisy = v.count("too_noisy");
    const std::string hidden =
        noisy == v.count("figures") ? "any difference" : fmt::format("any difference in {}", noisy);
    const std::string compared = fmt::format("{} compared{}", v.things("figures", "figure"),
                                             noisy == 0 ? "" : fmt::format(", and noise hides {}", hidden));
    const std::string verdict = v.text("verdict") == "cannot tell" ? "cannot tell: " : "";
    if (v.count("figures") == 0 && v.count("differ") == 0)
        return verdict + "no figure is free of doubt on enough machines of one kind";
    if (!verdict.empty())
        return verdict + compared;
    if (v.count("differ") == 0)
        return fmt::format("none of {} differs from the others of its kind; {}", v.things("judged", "machine"),
                           compared);
    return fmt::format("{} of {} {} kind; {}", v.count("differ"), v.things("judged", "machine"),
                       v.count("differ") == 1 ? "differs from the others of its" : "differ from the others of their",
                       compared);
}

/// "L2 latency, L3 is gone: its sizes take 100.0 ns", "tail is not in new".
std::string changes_in(const List& changes) {
    return some_of(changes, [](const Value& change) {
        const NoticeValues v(change);
        if (v.has("latest_ns"))
            return fmt::format("{} is {}: its sizes take {:.1f} ns", v.text("name"), v.text("why"),
                               v.number("latest_ns"));
        return v.has("why") ? fmt::format("{} is {}", v.text("name"), v.text("why")) : std::string(v.text("name"));
    });
}

NoticeText machines_not_compared(V v) {
    const bool is_one = v.list("names").size() == 1;
    return fmt::format(
        "{} {} not compared: {} kind has {}, and {} are needed{}", listed(v.list("names")), is_one ? "is" : "are",
        is_one ? "its" : "their", v.things("of_kind", "machine"), v.count("needed"),
        v.has("differences") ? "; it differs from the largest kind in " + settings_in(v.list("differences")) : "");
}

constexpr auto comparison_entries = std::to_array<CodeEntry>({
    {Code::runs_differ, "runs_differ", "differences",
     [](V v) -> NoticeText {
         return "the runs differ: " + joined(v.list("differences"), "; ", [](const Value& difference) {
                    const NoticeValues of(difference);
                    return fmt::format("{} ({} before, {} now)", of.text("key"), of.text("base"), of.text("new"));
                });
     }},
    {Code::part_not_measured, "part_not_measured", "reason, of_part",
     [](V v) -> NoticeText { return fmt::format("{} was not measured: {}", v.text("of_part"), v.text("reason")); }},
    {Code::machines_not_compared, "machines_not_compared", "of_kind, needed, differences, names",
     machines_not_compared},
    {Code::machines_unread, "machines_unread", "names",
     [](V v) -> NoticeText { return "no result can be read of " + listed(v.list("names")); }},
    {Code::machines_set_differently, "machines_set_differently", "differences, names",
     [](V v) -> NoticeText {
         const bool is_one = v.list("names").size() == 1;
         return fmt::format("{} {} from most machines of {} kind in {}", listed(v.list("names")),
                            is_one ? "differs" : "differ", is_one ? "its" : "their",
                            settings_in(v.list("differences")));
     }},
    {Code::verdict, "verdict", "verdict", [](V v) -> NoticeText { return v.text("verdict"); }},
    {Code::reason, "reason", "reason", [](V v) -> NoticeText { return v.text("reason"); }},
    {Code::nothing_changed, "nothing_changed", "tolerance_percent, judged, of",
     [](V v) -> NoticeText {
         const std::string change =
             fmt::format("changed by more than {:g} % and the noise", v.number("tolerance_percent"));
         return v.count("judged") == v.count("of") ? fmt::format("none of {} {}", v.things("of", "figure"), change)
                                                   : fmt::format("of {}, {} can be compared, and none of these {}",
                                                                 v.things("of", "figure"), v.count("judged"), change);
     }},
    {Code::changed, "changed", "changes", [](V v) -> NoticeText { return changes_in(v.list("changes")); }},
    {Code::noise_hides_all, "noise_hides_all", "",
     [](V) -> NoticeText {
         return {"noise would hide four times the tolerance in every figure", "measure again"};
     }},
    {Code::no_figure_in_common, "no_figure_in_common", "",
     [](V) -> NoticeText { return std::string("there is no figure to compare"); }},
    {Code::figures_missing, "figures_missing", "changes",
     [](V v) -> NoticeText { return changes_in(v.list("changes")); }},
    {Code::worse_once, "worse_once", "names",
     [](V v) -> NoticeText { return "worse in the last measurement only: " + listed(v.list("names")); }},
    {Code::fleet_verdict, "fleet_verdict", "verdict, machines, judged, figures, too_noisy, differ", fleet_verdict},
});

} // namespace

std::span<const CodeEntry> comparison_codes() {
    return comparison_entries;
}

} // namespace memtest
