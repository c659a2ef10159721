#include "memtest/kinds/comparison.hpp"

#include "memtest/insight/judge.hpp"
#include "memtest/result/run_description.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memtest {
namespace {

constexpr std::string_view whole = "whole part";

/// The parts that one side has and the other lacks, and a file that is truncated.
std::vector<FigureChange> missing_parts(std::span<const Stated* const> baselines, const StoredFile& latest) {
    std::vector<FigureChange> rows;
    const auto add = [&](const std::string& part, std::string_view name, Why why) {
        rows.push_back({.part = part,
                        .name = std::string(name),
                        .quantity = Quantity::whole,
                        .verdict = Verdict::cannot_tell,
                        .why = why});
    };
    const auto is_cut = [](const StoredFile& file) { return std::ranges::any_of(file.results, &Result::cut); };
    std::size_t cut = 0;
    std::map<std::string, std::size_t> count; // of baselines that have it
    for (const Stated* base : baselines) {
        cut += is_cut(*base->file) ? 1U : 0U;
        for (const Result& part : base->file->results)
            ++count[part.part];
    }
    for (const auto& [part, baselines_with] : count) {
        if (2 * baselines_with > baselines.size() && std::ranges::count(latest.results, part, &Result::part) == 0)
            add(part, whole, Why::not_in_new);
    }
    for (const Result& part : latest.results) {
        if (2 * count[part.part] < baselines.size() || count[part.part] == 0)
            add(part.part, whole, Why::not_in_base);
    }
    if (is_cut(latest) || 2 * cut >= baselines.size())
        add("", is_cut(latest) ? "the file" : "the baseline", Why::incomplete);
    return rows;
}

/// Whether there is a row for a whole part, which one side lacks.
bool lack_part(std::span<const FigureChange> changes, std::string_view part) {
    return std::ranges::any_of(changes, [&](const FigureChange& row) { return row.name == whole && row.part == part; });
}

/// The caches of the latest file that no baseline has: seen from it, they are gone in each.
void add_new_levels(std::vector<FigureChange>& changes, std::span<const Stated> baselines, const Frame& of_bases,
                    const Stated& latest, double tolerance_percent) {
    const Frame frame = frame_of({&latest, 1});
    const auto has_more = [&](const auto& part) {
        const auto before = of_bases.find(part.first);
        return before != of_bases.end() && part.second.size() > before->second.size();
    };
    if (std::ranges::none_of(frame, has_more))
        return;
    const std::vector<Figure> figures = figures_in(latest, frame);
    std::map<std::pair<std::string, std::string>, std::size_t> gone_in; // baselines
    for (const Stated& base : baselines) {
        for (FigureChange& change : compare_figures({&figures, 1}, figures_in(base, frame), tolerance_percent)) {
            const bool is_shared = change.why == Why::shared && change.quantity == Quantity::level_latency;
            if ((change.why != Why::gone && !is_shared) || ++gone_in[{change.part, change.name}] < baselines.size())
                continue;
            std::erase_if(changes, [&](const FigureChange& one) { // the cache before it ended at another latency
                return one.part == change.part && one.name == change.cause && one.verdict != Verdict::worse;
            });
            if (is_shared) // it comes and goes with the guests
                continue;
            changes.push_back({.part = change.part,
                               .name = change.name,
                               .quantity = change.quantity,
                               .latest = change.base,
                               .verdict = Verdict::better,
                               .why = Why::appeared});
        }
    }
}

/// What differs between the runs of all parts, each once.
void add_differences(std::vector<Notice>& remarks, std::span<const StoredFile> baselines, const StoredFile& latest) {
    List found;
    for (const StoredFile& base : baselines) {
        for (const Result& part : base.results) {
            const auto now = std::ranges::find(latest.results, part.part, &Result::part);
            if (now == latest.results.end())
                continue;
            for (const Is sort : {Is::setting, Is::machine, Is::system}) {
                for (const Difference& difference : differences(part.run, now->run, sort)) {
                    if (difference.base == difference.latest) // in words: the number of threads
                        continue;
                    Members members{{"key", difference.key}, {"base", difference.base}, {"new", difference.latest}};
                    if (std::ranges::find(found, Value(members)) == found.end())
                        found.push_back(std::move(members));
                }
            }
        }
    }
    if (!found.empty())
        remarks.push_back({Code::runs_differ, {{"differences", std::move(found)}}});
}

/// The files that do not say in what order, or on what machine, they were measured.
void add_untold(std::vector<Notice>& remarks, std::span<const StoredFile> baselines, const StoredFile& latest) {
    List no_order;
    List no_machine;
    const auto add = [&](const StoredFile& file) {
        const Result& first = file.results.front();
        if (std::holds_alternative<std::vector<Row>>(first.rows) && !first.run.order)
            no_order.emplace_back(file.name);
        if (!first.run.cpu_model)
            no_machine.emplace_back(file.name);
    };
    std::ranges::for_each(baselines, add);
    add(latest);
    if (!no_order.empty()) // first: it may make the verdict, and the screen has room for two
        remarks.push_back({Code::order_not_told, {{"names", std::move(no_order)}}});
    if (!no_machine.empty())
        remarks.push_back({Code::machines_not_told_apart, {{"names", std::move(no_machine)}}});
}

/// The files in which a warning of a part is one of these.
template<class IsWanted>
List files_with(std::span<const StoredFile> baselines, const StoredFile& latest, const IsWanted& is_wanted) {
    List names;
    const auto add = [&](const StoredFile& file) {
        if (std::ranges::any_of(file.results,
                                [&](const Result& part) { return std::ranges::any_of(part.warnings, is_wanted); }))
            names.emplace_back(file.name);
    };
    std::ranges::for_each(baselines, add);
    add(latest);
    return names;
}

} // namespace

std::vector<FigureChange> changes_of(std::span<const Stated* const> baselines, const Stated& latest,
                                     double tolerance_percent) {
    std::vector<std::vector<Figure>> bases;
    for (const Stated* base : baselines)
        bases.push_back(base->figures);
    std::vector<FigureChange> changes = missing_parts(baselines, *latest.file);
    const std::size_t parts = changes.size();
    for (FigureChange& figure : compare_figures(bases, latest.figures, tolerance_percent)) {
        if (!lack_part(std::span(changes).first(parts), figure.part)) // else the row of the part says it
            changes.push_back(std::move(figure));
    }
    return changes;
}

bool Comparison::only_noisy() const {
    return unclear.empty() && !figures.empty() && std::ranges::none_of(figures, is_lost) &&
           std::ranges::none_of(figures, may_be_worse);
}

Comparison compare(std::span<const StoredFile> baselines, const StoredFile& latest, double tolerance_percent) {
    std::vector<Stated> bases(baselines.begin(), baselines.end());
    Stated now(latest);
    const Frame frame = frame_of(bases);
    now.figures = figures_in(now, frame);
    std::vector<const Stated*> all;
    for (Stated& base : bases) {
        base.figures = figures_in(base, frame);
        all.push_back(&base);
    }
    Comparison comparison{.figures = changes_of(all, now, tolerance_percent), .tolerance_percent = tolerance_percent};
    add_new_levels(comparison.figures, bases, frame, now, tolerance_percent);
    for (const auto& [part, reason] : latest.missing) {
        if (lack_part(comparison.figures, part))
            comparison.remarks.push_back(
                {Code::part_not_measured, {{"of_part", part_in_words(part)}, {"reason", reason}}});
    }
    comparison.verdict = verdict_of(comparison.figures);
    if (List names = files_with(baselines, latest, is_disturbance); !names.empty())
        comparison.remarks.push_back({Code::files_disturbed,
                                      {{"names", std::move(names)},
                                       {"of_memory", std::ranges::count(comparison.figures, Quantity::memory_latency,
                                                                        &FigureChange::quantity) > 0}}});
    add_differences(comparison.remarks, baselines, latest);
    const auto is_prefetched = [](const Notice& warning) { return warning.code == Code::prefetcher_follows_stride; };
    if (List names = files_with(baselines, latest, is_prefetched); !names.empty())
        comparison.remarks.push_back({Code::prefetched_files, {{"names", std::move(names)}}});
    add_untold(comparison.remarks, baselines, latest);
    return comparison;
}

} // namespace memtest
