#include "memtest/report/comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
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

void append_row(std::string& text, int thread, std::string_view where, const Change& change) {
    const auto noise = known_noise(change);
    text += fmt::format("{:>6}  {:>10}  {:>10.3f}  {:>10.3f}  {:>+10.1f}  {:>9}  {}\n", thread, where, change.base_ns,
                        change.latest_ns, to_print(change.change_percent),
                        noise ? fixed(noise, 1) : std::string(too_noisy), word_of(change.verdict));
}

/// Begins a table if it has rows.
void append_header(std::string& text, std::string_view where, bool has_rows) {
    if (has_rows)
        text += fmt::format("\n{:>6}  {:>10}  {:>10}  {:>10}  {:>10}  {:>9}  {}\n", "Thread", where, "Base (ns)",
                            "New (ns)", "Change (%)", "Noise (%)", "Verdict");
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
    const auto size = [](double bytes) { return human_size(static_cast<std::uint64_t>(bytes)); };
    const std::string range = missing.sizes == 1 ? size(missing.from_bytes)
                                                 : fmt::format("{} sizes, {} to {}", missing.sizes,
                                                               size(missing.from_bytes), size(missing.to_bytes));
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

Finding level_finding(const LevelChange& level, bool several_threads) {
    const Change& change = level.change;
    const Json members{{"thread", level.thread},
                       {"level", level.name},
                       {"base_ns", figure(change.base_ns)},
                       {"new_ns", figure(change.latest_ns)},
                       {"change_percent", figure(to_print(change.change_percent), decimals(1))},
                       {"noise_percent", figure(known_noise(change), decimals(1))},
                       {"verdict", word_of(change.verdict)}};
    return {fmt::format("level {}", label(level, several_threads)),
            {Code::level_change, members},
            {{"levels", Json::array({members})}}};
}

/// What disturbed a sweep as a whole, without the advice; empty if nothing did.
std::string disturbance_of(const Result& sweep) {
    const auto said = std::ranges::find_if(sweep.warnings, is_on_others);
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
     .findings = {{"levels"}, {.name = "verdict", .is_list = false}, {.name = "reason", .is_list = false}},
     .rows = "sizes",
     .measured = false},
    {member_field<&SizeChange::thread, SizeChange>({.name = "Thread", .member = "thread", .type = Type::count}),
     {{.name = "Mem size (MiB)", .member = "", .digits = decimals(5), .highest = 1e14},
      [](const SizeChange& size) { return Json(size.size_bytes / mib); }},
     {{.name = "", .member = "size_bytes", .type = Type::count, .highest = 1.8e19},
      [](const SizeChange& size) { return Json(static_cast<std::uint64_t>(std::llround(size.size_bytes))); }},
     {{.name = "Base (ns)", .member = "base_ns"}, [](const SizeChange& size) { return Json(size.change.base_ns); }},
     {{.name = "New (ns)", .member = "new_ns"}, [](const SizeChange& size) { return Json(size.change.latest_ns); }},
     {{.name = "Change (%)", .member = "change_percent", .digits = decimals(1), .lowest = -1e12},
      [](const SizeChange& size) { return Json(to_print(size.change.change_percent)); }},
     {{.name = "Noise (%)", .member = "noise_percent", .digits = decimals(1)},
      [](const SizeChange& size) { return json_of(known_noise(size.change), significant(17)); }},
     {{.name = "Verdict", .member = "verdict", .type = Type::word},
      [](const SizeChange& size) { return Json(word_of(size.change.verdict)); }}});

Findings comparison_findings(const Comparison& comparison) {
    Findings told{.told = true};
    for (const LevelChange& level : comparison.levels)
        told.list.push_back(level_finding(level, has_several_threads(comparison)));
    const std::string verdict(word_of(comparison.verdict));
    const std::string reason = reason_of(comparison);
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back({"reason", {Code::reason, {{"reason", reason}}}, {{"reason", reason}}});
    return told;
}

Comparison compare_results(std::span<const Result> baselines, const Result& latest, double tolerance_percent) {
    std::vector<std::vector<SizeFigure>> figures;
    std::vector<std::string> incomplete;
    const auto take = [&](const Result& sweep) {
        figures.push_back(figures_of(sweep));
        if (const auto reason = why_incomplete(sweep))
            incomplete.push_back(fmt::format("{} {}", sweep.name, *reason));
    };
    std::ranges::for_each(baselines, take);
    take(latest);
    Comparison comparison = compare_sweeps(std::span(figures).first(baselines.size()), figures.back(),
                                           level_ranges(baselines), tolerance_percent, std::move(incomplete));
    std::vector<std::string> disturbed;
    for (const Result& base : baselines) {
        if (!disturbance_of(base).empty())
            disturbed.push_back(base.name);
    }
    take_back_disturbed(comparison, disturbance_of(latest), std::move(disturbed), baselines.size());
    return comparison;
}

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    std::string verdict(word_of(comparison.verdict));
    verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
    // A reason names files.
    const std::string sentence =
        fmt::format("{}{}: {}.", verdict, passed ? ", passed by --unclear pass" : "", escaped(reason_of(comparison)));
    std::string text = (columns ? wrapped(sentence, *columns, "  ") : sentence) + "\n";
    append_header(text, "Level", !comparison.levels.empty());
    for (const LevelChange& level : comparison.levels)
        append_row(text, level.thread, level.name, level.change);
    std::vector<SizeChange> sizes = comparison.sizes;
    if (!all)
        std::erase_if(sizes, [](const SizeChange& size) { return size.change.verdict == Verdict::no_difference; });
    append_header(text, "Size", !sizes.empty());
    for (const SizeChange& size : sizes)
        append_row(text, size.thread, human_size(static_cast<std::uint64_t>(size.size_bytes)), size.change);
    if (sizes.size() < comparison.sizes.size())
        text += fmt::format("\n{} of {} sizes show no difference; --all prints them.\n",
                            comparison.sizes.size() - sizes.size(), comparison.sizes.size());
    return text;
}

} // namespace memtest
