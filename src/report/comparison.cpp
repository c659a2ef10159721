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

// Noise above this is no longer a bound: it was computed from too little, or from values that disagree too much.
constexpr double most_noise_percent = 100;

/// The noise; std::nullopt if it is too large to be a bound.
std::optional<double> known_noise(const Change& change) {
    return change.noise_percent <= most_noise_percent ? std::optional(change.noise_percent) : std::nullopt;
}

constexpr std::string_view too_noisy = "too noisy";

std::string noise_in_words(const Change& change) {
    const auto noise = known_noise(change);
    return noise ? fmt::format("noise {:.1f} %", *noise) : std::string(too_noisy);
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
                                   noise ? fixed(noise, 1) : std::string(too_noisy),
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
        if (!table.rows.empty())
            table.rows.emplace_back();
        table.rows.push_back({where, "Base (ns)", "New (ns)", "Change (%)", "Noise (%)", "Verdict"});
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

/// The levels with a verdict, either lost or not, and by how much they changed.
std::string levels_with(const Comparison& comparison, Verdict verdict, bool lost = false) {
    std::string list;
    for (const LevelChange& level : comparison.levels)
        if (level.change.verdict == verdict && level.lost == lost)
            list += fmt::format("{}{} ({:+.1f} %, {}{})", list.empty() ? "" : ", ",
                                label(level, has_several_threads(comparison)), to_print(level.change.change_percent),
                                noise_in_words(level.change), level.sizes == 1 ? ", one size" : "");
    return list;
}

std::string changed_places(const Comparison& comparison) {
    const std::string levels = levels_with(comparison, comparison.verdict);
    return levels.empty() ? fmt::format("{} or more neighbouring sizes, but no level as a whole", neighbours_that_count)
                          : levels;
}

/// "the new sweep has no L3 and no memory (3 sizes, 8 MiB to 64 MiB)".
std::string what_is_missing(const MissingSizes& missing, bool several_threads) {
    const std::string range = (missing.sizes == 1 ? "" : fmt::format("{} sizes, ", missing.sizes)) +
                              size_range(missing.from_bytes, missing.to_bytes);
    const std::string thread = several_threads ? fmt::format(" on thread {}", missing.thread) : "";
    const std::string_view sweep = missing.of_baseline ? "a baseline" : "the new sweep";
    return missing.levels.empty()
               ? fmt::format("{} lacks {}{}", sweep, range, thread)
               : fmt::format("{} has no {}{} ({})", sweep, fmt::join(missing.levels, " and no "), thread, range);
}

std::string why_not_told(const Comparison& comparison) {
    if (!comparison.incomplete.empty())
        return fmt::format("{}; measure again", fmt::join(comparison.incomplete, "; "));
    if (!comparison.enough_in_common)
        return fmt::format("only {} of {} sizes are in common", comparison.sizes.size(), comparison.sizes_in_all);
    const std::string noisy = levels_with(comparison, Verdict::cannot_tell);
    const std::string lost = levels_with(comparison, Verdict::cannot_tell, true);
    std::vector<std::string> reasons;
    for (const MissingSizes& missing : comparison.missing)
        reasons.push_back(what_is_missing(missing, has_several_threads(comparison)));
    if (!noisy.empty())
        reasons.push_back(fmt::format("not sure of {}", noisy));
    if (!lost.empty())
        reasons.push_back(fmt::format(
            "close to the next level's latency, maybe because others on this machine fill the cache: {}", lost));
    if (comparison.capacity_shrunk)
        reasons.push_back(
            fmt::format("{} or more neighbouring sizes are slower, but no level as a whole, as when others "
                        "on this machine fill a cache",
                        neighbours_that_hint));
    const std::string slower = levels_with(comparison, Verdict::slower);
    if (!comparison.disturbance.empty())
        reasons.push_back(fmt::format("{}the new sweep was disturbed: {}",
                                      slower.empty() ? "" : fmt::format("{} slower, but ", slower),
                                      comparison.disturbance));
    if (!comparison.disturbed.empty())
        reasons.push_back(
            fmt::format("baselines were disturbed and may hide a rise: {}", fmt::join(comparison.disturbed, ", ")));
    const bool is_disturbed = !comparison.disturbance.empty() || !comparison.disturbed.empty();
    if (reasons.empty())
        reasons.emplace_back(too_noisy);
    return fmt::format("{}; measure again{}", fmt::join(reasons, "; "),
                       is_disturbed ? " when the machine is quiet" : "");
}

Json schema_of_level() {
    return object_schema({{"thread", schema_of_type<int>()},
                          {"level", schema_of_type<std::string>()},
                          {"base_ns", schema_of_type<double>()},
                          {"new_ns", schema_of_type<double>()},
                          {"change_percent", schema_of_type<double>()},
                          {"noise_percent", schema_of_type<double>()},
                          {"verdict", schema_of_type<Verdict>()}});
}

Finding level_finding(const LevelChange& level, bool several_threads) {
    const Change& change = level.change;
    const Json members{{"thread", level.thread},
                       {"level", level.name},
                       {"base_ns", figure(change.base)},
                       {"new_ns", figure(change.latest)},
                       {"change_percent", figure(to_print(change.change_percent), decimals(1))},
                       {"noise_percent", figure(known_noise(change), decimals(1))},
                       {"verdict", word_of(change.verdict)}};
    return {fmt::format("level {}", label(level, several_threads)),
            {Code::level_change, members},
            {{"levels", Json::array({members})}}};
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
    Json ranges = Json::array();
    Undecided before;
    for (const auto& [bytes, size] : sizes) {
        const bool goes_on = size.why == before.why && (size.change_percent < 0) == (before.change_percent < 0);
        before = size;
        if (size.why.empty())
            continue;
        if (!goes_on)
            ranges.push_back({{"from_bytes", bytes}, {"change_percent", 0}, {"why", size.why}});
        Json& range = ranges.back();
        range["to_bytes"] = bytes;
        if (std::abs(size.change_percent) > std::abs(range["change_percent"].get<double>()))
            range["change_percent"] = size.change_percent;
    }
    if (ranges.empty())
        return std::nullopt;
    return Notice(Code::undecided_sizes, {{"ranges", std::move(ranges)}});
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

/// What disturbed a sweep as a whole, without the advice; empty if nothing did.
std::string disturbance_of(const Result& sweep) {
    const auto said = std::ranges::find_if(sweep.warnings, is_disturbance);
    return said == sweep.warnings.end() ? "" : fact_of(*said);
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
        ranges.push_back({.name = level_name(ranges.size()),
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
     .findings = {{"levels", schema_of_level},
                  {"verdict", schema_of_type<Verdict>, false},
                  {"reason", schema_of_type<std::string>, false},
                  {"remarks"}},
     .rows = "sizes",
     .measured = false},
    {member_field<&SizeChange::thread, SizeChange>({.name = "Thread", .member = "thread", .type = Type::count}),
     {{.name = "Mem size (MiB)", .member = "", .digits = decimals(5), .highest = 1e14},
      [](const SizeChange& size) { return Json(size.size_bytes / mib); }},
     {{.name = "", .member = "size_bytes", .type = Type::count, .highest = 1.8e19},
      [](const SizeChange& size) { return Json(static_cast<std::uint64_t>(std::llround(size.size_bytes))); }},
     {{.name = "Base (ns)", .member = "base_ns"}, [](const SizeChange& size) { return Json(size.change.base); }},
     {{.name = "New (ns)", .member = "new_ns"}, [](const SizeChange& size) { return Json(size.change.latest); }},
     {{.name = "Change (%)", .member = "change_percent", .digits = decimals(1), .lowest = -1e12},
      [](const SizeChange& size) { return Json(to_print(size.change.change_percent)); }},
     {{.name = "Noise (%)", .member = "noise_percent", .digits = decimals(1)},
      [](const SizeChange& size) { return json_of(known_noise(size.change), significant(17)); }},
     {{.name = "Verdict", .member = "verdict", .type = Type::word},
      [](const SizeChange& size) { return Json(word_of(size.change.verdict)); }}});

std::string reason_of(const Comparison& comparison) {
    switch (comparison.verdict) {
    case Verdict::no_difference:
        return fmt::format("no {} changed by more than both {:g} % and the noise",
                           comparison.levels.empty() ? fmt::format("{} neighbouring sizes", neighbours_that_count)
                                                     : "level",
                           comparison.tolerance_percent);
    case Verdict::faster:
    case Verdict::slower:
        return changed_places(comparison);
    case Verdict::cannot_tell:
        break;
    }
    return why_not_told(comparison);
}

Findings comparison_findings(const Comparison& comparison) {
    Findings told{.told = true};
    for (const LevelChange& level : comparison.levels)
        told.list.push_back(level_finding(level, has_several_threads(comparison)));
    const std::string verdict(word_of(comparison.verdict));
    const std::string reason = reason_of(comparison);
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back({"reason", {Code::reason, {{"reason", reason}}}, {{"reason", reason}}});
    for (const Notice& notice : comparison_remarks(comparison))
        told.list.push_back(remark(notice));
    return told;
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

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    const std::string verdict = capitalised(std::string(word_of(comparison.verdict)));
    // A reason names files.
    const std::string sentence =
        fmt::format("{}{}: {}.", verdict, passed ? ", passed by --unclear pass" : "", escaped(reason_of(comparison)));
    std::string text = wrapped_line(sentence, columns, "  ");
    std::vector<SizeChange> sizes = comparison.sizes;
    if (!all)
        std::erase_if(sizes, [](const SizeChange& size) { return size.change.verdict == Verdict::no_difference; });
    if (const TextTable table = table_of_changes(comparison, sizes); !table.rows.empty())
        text += "\n" + aligned_text(table);
    if (sizes.size() < comparison.sizes.size())
        text += fmt::format("\n{} of {} sizes show no difference; --all prints them.\n",
                            comparison.sizes.size() - sizes.size(), comparison.sizes.size());
    const std::vector<Notice> notes = comparison_remarks(comparison);
    text += notes.empty() ? "" : "\n";
    for (const Notice& note : notes)
        text += wrapped_line(fmt::format("Note: {}.", sentence_of(note)), columns, "      ");
    return text;
}

} // namespace memtest
