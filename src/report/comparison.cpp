#include "memtest/report/comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;

/// Names the thread if there are several.
std::string label(const LevelChange& level, bool several_threads) {
    return several_threads ? fmt::format("{} of thread {}", level.name, level.thread) : level.name;
}

bool has_several_threads(const Comparison& comparison) {
    return !comparison.sizes.empty() && comparison.sizes.front().thread != comparison.sizes.back().thread;
}

/// The noise; std::nullopt if it is too large to be a bound.
std::optional<double> known_noise(const Change& change) {
    return change.noise_percent <= most_noise_percent ? std::optional(change.noise_percent) : std::nullopt;
}

/// With one decimal, and never as `-0.0`.
double to_print(double percent) {
    return std::round(percent * 10) / 10 + 0.0;
}

/// The cells of a row. @param thread if there are several
std::vector<std::string> change_cells(std::optional<int> thread, const std::string& where, const Change& change) {
    const auto noise = known_noise(change);
    std::vector<std::string> cells{where,
                                   fixed(change.base, 3),
                                   fixed(change.latest, 3),
                                   fmt::format("{:+.1f}", to_print(change.change_percent)),
                                   noise ? fixed(noise, 1) : ">100",
                                   std::string(word_of(change.verdict))};
    if (thread)
        cells.insert(cells.begin(), fmt::format("{}", *thread));
    return cells;
}

/// The levels, an empty line, and these sizes.
TextTable table_of_changes(const Comparison& comparison, std::span<const SizeChange> sizes) {
    const bool several = has_several_threads(comparison);
    TextTable table{.right = several ? "rlrrrrl" : "lrrrrl"};
    const auto begin = [&](const std::string& where, bool has_rows) {
        if (!has_rows)
            return;
        add_header(table, {where, "Base (ns)", "New (ns)", "Change (%)", "Noise (%)", "Verdict"});
        if (several)
            table.rows.back().insert(table.rows.back().begin(), "Thread");
    };
    const auto named = [&](int thread) { return several ? std::optional(thread) : std::nullopt; };
    begin("Level", !comparison.levels.empty());
    for (const LevelChange& level : comparison.levels)
        table.rows.push_back(change_cells(named(level.thread), level.name, level.change));
    begin("Size", !sizes.empty());
    for (const SizeChange& size : sizes)
        table.rows.push_back(change_cells(named(size.thread), rounded_size(size.size_bytes), size.change));
    return table;
}

/// A reason about the levels with a verdict, either lost or not; std::nullopt if there are none.
std::optional<Notice> about_levels(Code code, const Comparison& comparison, Verdict verdict, bool lost = false) {
    List changes;
    for (const LevelChange& level : comparison.levels) {
        if (level.change.verdict != verdict || level.lost != lost)
            continue;
        Members change = change_members(label(level, has_several_threads(comparison)), level.change);
        if (level.sizes == 1)
            change.set("one_size", true);
        changes.emplace_back(std::move(change));
    }
    return changes.empty() ? std::nullopt : std::optional(Notice(code, {{"changes", std::move(changes)}}));
}

Notice about_missing(const MissingSizes& missing, bool several_threads) {
    Members values{{"of_baseline", missing.of_baseline},
                   {"count", missing.sizes},
                   {"from_bytes", missing.from_bytes},
                   {"to_bytes", missing.to_bytes}};
    if (!missing.levels.empty())
        values.set("levels", missing.levels);
    if (several_threads)
        values.set("thread", missing.thread);
    return {Code::sizes_missing, std::move(values)};
}

std::vector<Notice> why_not_told(const Comparison& comparison) {
    if (!comparison.incomplete.empty())
        return {{Code::sweeps_incomplete, {{"sweeps", comparison.incomplete}}}};
    if (!comparison.enough_in_common)
        return {{Code::few_sizes_in_common, {{"count", comparison.sizes.size()}, {"of", comparison.sizes_in_all}}}};
    std::vector<Notice> reasons;
    const auto add = [&](std::optional<Notice> reason) {
        if (reason)
            reasons.push_back(*std::move(reason));
    };
    for (const MissingSizes& missing : comparison.missing)
        reasons.push_back(about_missing(missing, has_several_threads(comparison)));
    add(about_levels(Code::not_sure, comparison, Verdict::cannot_tell));
    add(about_levels(Code::near_next_level, comparison, Verdict::cannot_tell, true));
    if (comparison.capacity_shrunk)
        reasons.push_back({Code::only_neighbours_slower, {{"count", neighbours_that_hint}}});
    if (!comparison.disturbance.empty()) {
        const Notice disturbed =
            about_levels(Code::latest_disturbed, comparison, Verdict::slower).value_or(Notice(Code::latest_disturbed));
        reasons.push_back(with_value(disturbed, "how", comparison.disturbance));
    }
    if (!comparison.disturbed.empty())
        reasons.push_back({Code::baselines_disturbed, {{"names", comparison.disturbed}}});
    if (reasons.empty())
        reasons.emplace_back(Code::noise_hides_all);
    return reasons;
}

Finding level_finding(const LevelChange& level, bool several_threads) {
    const Change& change = level.change;
    const Members members{{"thread", level.thread},
                          {"level", level.name},
                          {"base_ns", figure(change.base)},
                          {"new_ns", figure(change.latest)},
                          {"change_percent", figure(to_print(change.change_percent), decimals(1))},
                          {"noise_percent", figure(known_noise(change), decimals(1))},
                          {"verdict", word_of(change.verdict)}};
    return {fmt::format("level {}", label(level, several_threads)),
            {Code::level_change, members},
            {{"levels", List{members}}}};
}

/// Why the change of a size decides nothing; empty if it does not differ.
std::string_view why_undecided(const SizeChange& size, double tolerance_percent) {
    const Verdict verdict = size.change.verdict;
    if (std::abs(size.change.change_percent) <= tolerance_percent || verdict == Verdict::no_difference)
        return "";
    return size.contested ? "contested" : verdict == Verdict::cannot_tell ? "noise" : "few";
}

/// The sizes that differ although the verdict is that nothing does: neighbouring ones together, with the largest
/// change, on whatever thread it is.
std::optional<Notice> undecided_sizes(const Comparison& comparison) {
    if (comparison.verdict != Verdict::no_difference)
        return std::nullopt;
    struct Undecided {
        std::string_view why;
        double change_percent = 0;
    };
    std::map<double, Undecided> sizes;
    for (const SizeChange& size : comparison.sizes) {
        const std::string_view why = why_undecided(size, comparison.tolerance_percent);
        Undecided& known = sizes[size.size_bytes];
        if (!why.empty() && std::abs(size.change.change_percent) > std::abs(known.change_percent))
            known = {why, to_print(size.change.change_percent)};
    }
    std::vector<Members> ranges;
    Undecided before;
    for (const auto& [bytes, size] : sizes) {
        const bool goes_on = size.why == before.why && (size.change_percent < 0) == (before.change_percent < 0);
        before = size;
        if (size.why.empty())
            continue;
        if (!goes_on)
            ranges.push_back({{"from_bytes", bytes}, {"change_percent", size.change_percent}, {"why", size.why}});
        Members& range = ranges.back();
        range.set("to_bytes", bytes);
        if (std::abs(size.change_percent) > std::abs(range["change_percent"].number().value_or(0)))
            range.set("change_percent", size.change_percent);
    }
    if (ranges.empty())
        return std::nullopt;
    return Notice(Code::undecided_sizes, {{"ranges", ranges}});
}

std::vector<Notice> comparison_remarks(const Comparison& comparison) {
    std::vector<Notice> remarks;
    if (auto undecided = undecided_sizes(comparison))
        remarks.push_back(std::move(*undecided));
    if (!comparison.unrecorded.empty())
        remarks.push_back({Code::doubts_unrecorded, {{"files", comparison.unrecorded}}});
    for (const std::string& base : comparison.unnamed)
        remarks.push_back({Code::machines_not_told_apart, {{"base", base}, {"latest", comparison.latest}}});
    return remarks;
}

/// The levels of all baselines, from the lowest and so least disturbed latency of the first thread at every size.
std::vector<SizeRange> level_ranges(std::span<const Result> baselines) {
    const int thread = curves_of(baselines.front()).front().thread;
    std::vector<CurvePoint> points;
    for (const Result& sweep : baselines) {
        for (const ThreadCurve& curve : curves_of(sweep)) {
            if (curve.thread == thread)
                points.insert(points.end(), curve.points.begin(), curve.points.end());
        }
    }
    const std::vector<CurvePoint> curve = make_curve(std::move(points));
    const Hierarchy hierarchy = read_levels(curve, baselines.front());
    std::vector<SizeRange> ranges;
    for (const Level& level : hierarchy.caches)
        ranges.push_back({.name = level_name(level.number),
                          .from_bytes = level.from_bytes,
                          .to_bytes = level.to_bytes,
                          .open_ended = !level.capacity_high_bytes});
    if (hierarchy.memory)
        ranges.push_back(
            {.name = "memory", .from_bytes = hierarchy.memory->from_bytes, .to_bytes = hierarchy.memory->to_bytes});
    return ranges;
}

} // namespace

const KindOf<SizeChange> compare_kind(
    {.verb = "compare",
     .findings = {{"levels"}, {"verdict", false}, {"reason", false}, {"reasons"}, {"remarks"}},
     .rows = "sizes",
     .measured = false},
    {member_field<&SizeChange::thread, SizeChange>(
         {.name = "Thread", .member = "thread", .meaning = "number of the thread, from 0", .type = Type::count}),
     {{.name = "Mem size (MiB)",
       .member = "",
       .meaning = "size of the memory that is walked",
       .digits = decimals(5),
       .highest = 1e14},
      [](const SizeChange& size) { return Value(size.size_bytes / mib); }},
     {{.name = "", .member = "size_bytes", .meaning = "the exact size", .type = Type::count, .highest = 1.8e19},
      [](const SizeChange& size) { return Value(static_cast<std::uint64_t>(std::llround(size.size_bytes))); }},
     {{.name = "Base (ns)", .member = "base_ns", .meaning = "median of the baselines"},
      [](const SizeChange& size) { return Value(size.change.base); }},
     {{.name = "New (ns)", .member = "new_ns", .meaning = "of the last file"},
      [](const SizeChange& size) { return Value(size.change.latest); }},
     {{.name = "Change (%)",
       .member = "change_percent",
       .meaning = "from the baselines to the last file",
       .digits = decimals(1),
       .lowest = -1e12},
      [](const SizeChange& size) { return Value(to_print(size.change.change_percent)); }},
     {{.name = "Noise (%)",
       .member = "noise_percent",
       .meaning = "the largest rise that noise alone explains",
       .digits = decimals(1)},
      [](const SizeChange& size) { return as_value(known_noise(size.change), exact); }},
     {{.name = "Verdict",
       .member = "verdict",
       .meaning = "slower, faster, no difference or cannot tell",
       .type = Type::word},
      [](const SizeChange& size) { return Value(word_of(size.change.verdict)); }}});

Members change_members(const std::string& name, const Change& change) {
    return {{"name", name},
            {"change_percent", figure(to_print(change.change_percent), decimals(1))},
            {"noise_percent", figure(known_noise(change), decimals(1))}};
}

std::vector<Notice> reasons_of(const Comparison& comparison) {
    if (comparison.verdict == Verdict::cannot_tell)
        return why_not_told(comparison);
    if (comparison.verdict == Verdict::no_difference) {
        Members values{{"thing", "level"}, {"tolerance_percent", comparison.tolerance_percent}};
        if (comparison.levels.empty())
            values.set({{"thing", "neighbouring size"}, {"count", neighbours_that_count}});
        return {{Code::nothing_changed, std::move(values)}};
    }
    const Notice reason = about_levels(Code::changed, comparison, comparison.verdict)
                              .value_or(Notice(Code::neighbours_changed, {{"count", neighbours_that_count}}));
    return {with_value(reason, "verdict", word_of(comparison.verdict))};
}

std::string what_to_do(const std::vector<Notice>& reasons) {
    constexpr std::array no_help{Code::nothing_changed, Code::changed, Code::neighbours_changed,
                                 Code::few_sizes_in_common, Code::no_figure_in_common};
    const auto is_no_help = [&](const Notice& reason) { return std::ranges::count(no_help, reason.code) > 0; };
    const auto tells_disturbance = [](const Notice& reason) { // what disturbed the new run is in `how`
        return reason.code == Code::baselines_disturbed || reason.values.contains("how");
    };
    if (std::ranges::all_of(reasons, is_no_help))
        return "";
    return std::ranges::any_of(reasons, tells_disturbance) ? "measure again when the machine is quiet"
                                                           : "measure again";
}

Finding reason_finding(const std::vector<Notice>& reasons) {
    const std::string advice = what_to_do(reasons);
    std::string reason = joined(reasons, "; ", sentence_of) + (advice.empty() ? "" : "; " + advice);
    List list;
    for (const Notice& notice : reasons)
        list.emplace_back(members_of(notice));
    return {"reason", {Code::reason, {{"reason", reason}}}, {{"reason", reason}, {"reasons", std::move(list)}}};
}

Findings comparison_findings(const Comparison& comparison) {
    Findings told{.told = true};
    for (const LevelChange& level : comparison.levels)
        told.list.push_back(level_finding(level, has_several_threads(comparison)));
    const std::string verdict(word_of(comparison.verdict));
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back(reason_finding(reasons_of(comparison)));
    for (const Notice& notice : comparison_remarks(comparison))
        told.list.push_back(remark(notice));
    return told;
}

std::string disturbance_of(const Result& result) {
    const auto said = std::ranges::find_if(result.warnings, is_disturbance);
    return said == result.warnings.end() ? "" : said->text;
}

Comparison compare_results(std::span<const Result> baselines, const Result& latest, double tolerance_percent) {
    std::vector<std::vector<SizeFigure>> figures;
    std::vector<std::string> incomplete;
    std::vector<std::string> unrecorded;
    const auto take = [&](const Result& sweep) {
        figures.push_back(figures_of(sweep));
        if (const auto reason = why_incomplete(sweep))
            incomplete.push_back(fmt::format("{} {}", sweep.name, *reason));
        if (!sweep.run.version && std::ranges::count(unrecorded, sweep.name) == 0)
            unrecorded.push_back(sweep.name);
    };
    std::ranges::for_each(baselines, take);
    take(latest);
    Comparison comparison = compare_sweeps(std::span(figures).first(baselines.size()), figures.back(),
                                           level_ranges(baselines), tolerance_percent, std::move(incomplete));
    comparison.unrecorded = std::move(unrecorded);
    comparison.latest = latest.name;
    std::vector<std::string> disturbed;
    for (const Result& base : baselines) {
        if (!state_processors(base.run, latest.run) && std::ranges::count(comparison.unnamed, base.name) == 0)
            comparison.unnamed.push_back(base.name);
        if (!disturbance_of(base).empty())
            disturbed.push_back(base.name);
    }
    take_back_disturbed(comparison, disturbance_of(latest), std::move(disturbed), baselines.size());
    return comparison;
}

std::string omission_text(const std::vector<std::string>& omitted, std::optional<std::size_t> columns) {
    const std::string words = capitalised(fmt::format("{}; --all prints them.", fmt::join(omitted, ", and ")));
    return omitted.empty() ? "" : "\n" + wrapped_line(words, columns, "  ");
}

std::string notes_text(const std::vector<Notice>& notes, std::optional<std::size_t> columns) {
    std::string text = notes.empty() ? "" : "\n";
    for (const Notice& note : notes)
        text += wrapped_line(fmt::format("Note: {}.", sentence_of(note)), columns, "      ");
    return text;
}

std::string with_verdict(const std::string& verdict, const std::string& rest, bool is_terminal) {
    constexpr std::ptrdiff_t lines_of_a_screen = 20;
    const bool is_long = is_terminal && std::ranges::count(rest, '\n') > lines_of_a_screen;
    return verdict + rest + (is_long ? "\n" + verdict : "");
}

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    const std::string verdict = capitalised(std::string(word_of(comparison.verdict)));
    const std::string sentence =
        wrapped_line(fmt::format("{}{}: {}.", verdict, passed ? ", passed by --unclear pass" : "",
                                 sentence_of(reason_finding(reasons_of(comparison)).notice)),
                     columns, "  ");
    std::vector<SizeChange> sizes = comparison.sizes;
    const auto erase = [&](Verdict left_out) {
        return std::erase_if(sizes, [&](const SizeChange& size) { return size.change.verdict == left_out; });
    };
    std::vector<std::string> omitted;
    if (const std::size_t alike = all ? 0 : erase(Verdict::no_difference); alike > 0)
        omitted.push_back(fmt::format("{} of {} sizes show no difference", alike, comparison.sizes.size()));
    const bool is_told = comparison.verdict != Verdict::cannot_tell;
    if (const std::size_t hidden = all || !is_told ? 0 : erase(Verdict::cannot_tell); hidden > 0)
        omitted.push_back(fmt::format("{} cannot be told", hidden));
    std::string text;
    if (const TextTable table = table_of_changes(comparison, sizes); !table.rows.empty())
        text += "\n" + aligned_text(table);
    text += omission_text(omitted, columns) + notes_text(comparison_remarks(comparison), columns);
    return with_verdict(sentence, text, columns.has_value());
}

} // namespace memtest
