#include "memtest/base/text.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/insight/fleet.hpp"
#include "memtest/report/code_entry.hpp"

#include <fmt/format.h>

#include <array>

namespace memtest {
namespace {

using V = const NoticeValues&;

NoticeText undecided_sizes(V v) {
    const auto of_reason = [&](std::string_view why) {
        std::string sizes;
        for (const Value& range : v.list("ranges")) {
            const NoticeValues r(range);
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
    return "sizes that differ but decide nothing: " + sentence;
}

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
    if (v.count("figures") == 0)
        return std::string("cannot tell: no figure is free of doubt on enough machines of one kind");
    if (v.text("verdict") == word_of(FleetVerdict::cannot_tell))
        return "cannot tell: " + compared;
    if (v.count("differ") == 0)
        return fmt::format("none of {} differs from the others of its kind; {}", v.things("judged", "machine"),
                           compared);
    return fmt::format("{} of {} {} kind; {}", v.count("differ"), v.things("judged", "machine"),
                       v.count("differ") == 1 ? "differs from the others of its" : "differ from the others of their",
                       compared);
}

/// "L2 (+10.0 %, noise 2.5 %), memory (+8.0 %, too noisy, one size)".
std::string changes_in(const List& changes) {
    return some_of(changes, [](const Value& change) {
        const NoticeValues v(change);
        const std::string noise =
            v.has("noise_percent") ? fmt::format("noise {:.1f} %", v.number("noise_percent")) : "too noisy";
        return fmt::format("{} ({:+.1f} %, {}{})", v.text("name"), v.number("change_percent"), noise,
                           v.is("one_size") ? ", one size" : "");
    });
}

/// "the new sweep has no L3 and no memory (3 sizes, 8 MiB to 64 MiB)".
NoticeText sizes_missing(V v) {
    const std::string range =
        (v.count("count") == 1 ? "" : fmt::format("{}, ", v.things("count", "size"))) + sizes_in(v);
    const std::string thread = v.has("thread") ? fmt::format(" on thread {}", v.count("thread")) : "";
    const std::string_view sweep = v.is("of_baseline") ? "a baseline" : "the new sweep";
    return v.has("levels")
               ? fmt::format("{} has no {}{} ({})", sweep, listed(v.list("levels"), " and no "), thread, range)
               : fmt::format("{} lacks {}{}", sweep, range, thread);
}

NoticeText machines_not_compared(V v) {
    const bool is_one = v.list("names").size() == 1;
    return fmt::format(
        "{} {} not compared: {} kind has {}, and {} are needed{}", listed(v.list("names")), is_one ? "is" : "are",
        is_one ? "its" : "their", v.things("of_kind", "machine"), v.count("needed"),
        v.has("differences") ? "; it differs from the largest kind in " + settings_in(v.list("differences")) : "");
}

NoticeText level_change(V v) {
    return fmt::format("base {:.3f} ns, new {:.3f} ns, change {:.1f} %, {}, {}", v.number("base_ns"),
                       v.number("new_ns"), v.number("change_percent"),
                       v.has("noise_percent") ? fmt::format("noise {:.1f} %", v.number("noise_percent")) : "too noisy",
                       v.text("verdict"));
}

constexpr auto entries = std::to_array<CodeEntry>({
    {Code::undecided_sizes, "undecided_sizes", "ranges", undecided_sizes},
    {Code::doubts_unrecorded, "doubts_unrecorded", "files",
     [](V v) -> NoticeText {
         const bool one = v.list("files").size() == 1;
         return fmt::format("{} {} not record what disturbed {} (made with --quiet or by another program), so the "
                            "verdict does not consider it",
                            listed(v.list("files")), one ? "does" : "do", one ? "its run" : "their runs");
     }},
    {Code::runs_differ, "runs_differ", "differences",
     [](V v) -> NoticeText {
         return "the runs differ: " + joined(v.list("differences"), "; ", [](const Value& difference) {
                    const NoticeValues of(difference);
                    return fmt::format("{} ({} before, {} now)", of.text("key"), of.text("base"), of.text("new"));
                });
     }},
    {Code::figures_not_counted, "figures_not_counted", "count",
     [](V v) -> NoticeText {
         const bool one = v.count("count") == 1;
         return fmt::format("noise hides {}, which {} too much from run to run to affect the verdict unless {} worse or "
                            "better",
                            v.things("count", "figure"), one ? "varies" : "vary", one ? "it is" : "they are");
     }},
    {Code::parts_left_out, "parts_left_out", "parts",
     [](V v) -> NoticeText { return fmt::format("not compared, as not all reports have them: {}", listed(v.list("parts"))); }},
    {Code::machines_not_compared, "machines_not_compared", "of_kind, needed, differences, names",
     machines_not_compared},
    {Code::machines_in_doubt, "machines_in_doubt", "names",
     [](V v) -> NoticeText {
         return {fmt::format("most figures of {} are in doubt and left out, as the {} or incomplete",
                             listed(v.list("names")),
                             v.list("names").size() == 1 ? "run was disturbed" : "runs were disturbed"),
                 "measure again on a quiet machine"};
     }},
    {Code::machines_set_differently, "machines_set_differently", "differences, names",
     [](V v) -> NoticeText {
         return fmt::format("{} {} from most machines of {} kind in {}", listed(v.list("names")),
                            v.list("names").size() == 1 ? "differs" : "differ", v.list("names").size() == 1 ? "its" : "their",
                            settings_in(v.list("differences")));
     }},
    {Code::level_change, "level_change", "those of an element of levels", level_change},
    {Code::verdict, "verdict", "verdict", [](V v) -> NoticeText { return v.text("verdict"); }},
    {Code::reason, "reason", "reason", [](V v) -> NoticeText { return v.text("reason"); }},
    {Code::nothing_changed, "nothing_changed", "thing, count, tolerance_percent, not_judged, of, of_part",
     [](V v) -> NoticeText {
         return fmt::format("no {} changed by more than both {:g} % and the noise{}",
                            v.has("count") ? v.things("count", v.text("thing")) : v.text("thing"),
                            v.number("tolerance_percent"),
                            v.has("not_judged")
                                ? fmt::format(", but {} of {} cannot be judged", v.count("not_judged"), v.count("of"))
                                : "");
     }},
    {Code::changed, "changed", "verdict, changes, of_part", [](V v) -> NoticeText { return changes_in(v.list("changes")); }},
    {Code::neighbours_changed, "neighbours_changed", "count, of_part",
     [](V v) -> NoticeText { return fmt::format("{} or more neighbouring sizes, but no level as a whole", v.count("count")); }},
    {Code::not_sure, "not_sure", "changes, of_part", [](V v) -> NoticeText { return changes_in(v.list("changes")) + " could not be judged"; }},
    {Code::near_next_level, "near_next_level", "changes, of_part",
     [](V v) -> NoticeText {
         return changes_in(v.list("changes")) + " came close to the latency of the next level, possibly because other "
                                          "processes fill the cache";
     }},
    {Code::only_neighbours_slower, "only_neighbours_slower", "count, of_part",
     [](V v) -> NoticeText {
         return fmt::format("{} or more neighbouring sizes are slower, but no level as a whole, as when others on this "
                            "machine fill a cache",
                            v.count("count"));
     }},
    {Code::noise_hides_all, "noise_hides_all", "", [](V) -> NoticeText { return std::string("noise hides any difference"); }},
    {Code::sweeps_incomplete, "sweeps_incomplete", "sweeps, of_part",
     [](V v) -> NoticeText { return listed(v.list("sweeps"), "; "); }},
    {Code::few_sizes_in_common, "few_sizes_in_common", "count, of, of_part",
     [](V v) -> NoticeText { return fmt::format("only {} of {} are in common", v.count("count"), v.things("of", "size")); }},
    {Code::sizes_missing, "sizes_missing", "of_baseline, levels, count, from_bytes, to_bytes, thread, of_part", sizes_missing},
    {Code::latest_disturbed, "latest_disturbed", "how, changes, of_part",
     [](V v) -> NoticeText {
         return fmt::format("{}the new sweep was disturbed: {}",
                            v.has("changes") ? changes_in(v.list("changes")) + " slower, but " : "", v.text("how"));
     }},
    {Code::baselines_disturbed, "baselines_disturbed", "names, of_part",
     [](V v) -> NoticeText { return "baselines were disturbed and may hide a rise: " + listed(v.list("names")); }},
    {Code::no_figure_in_common, "no_figure_in_common", "",
     [](V) -> NoticeText { return std::string("there is no figure in common"); }},
    {Code::figures_in_doubt, "figures_in_doubt", "doubt, names, how",
     [](V v) -> NoticeText {
         return fmt::format("{}{}{}: {}", v.text("doubt"),
                            v.text("doubt") == word_of(Doubt::unconfirmed) ? " by other parts" : "",
                            v.has("how") ? fmt::format(" ({})", v.text("how")) : "", some_of(v.list("names")));
     }},
    {Code::part_not_measured, "part_not_measured", "reason, of_part",
     [](V v) -> NoticeText { return "not measured: " + v.text("reason"); }},
    {Code::worse_once, "worse_once", "names",
     [](V v) -> NoticeText { return "worse in the last measurement only: " + listed(v.list("names")); }},
    {Code::fleet_verdict, "fleet_verdict", "verdict, machines, judged, figures, too_noisy, differ", fleet_verdict},
});

} // namespace

std::span<const CodeEntry> comparison_codes() {
    return entries;
}

} // namespace memtest
