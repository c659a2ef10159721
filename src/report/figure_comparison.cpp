#include "memtest/report/figure_comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/figures.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// What differs between the runs of all parts, each once.
void add_differences(std::vector<Notice>& remarks, const std::vector<std::pair<const Result*, const Result*>>& pairs) {
    List found;
    for (const auto& [base, latest] : pairs) {
        for (const Is sort : {Is::setting, Is::machine, Is::system}) {
            for (const Difference& difference : differences(base->run, latest->run, sort)) {
                const Value members =
                    Members{{"key", difference.key}, {"base", difference.base}, {"new", difference.latest}};
                if (std::ranges::find(found, members) == found.end())
                    found.push_back(members);
            }
        }
    }
    if (!found.empty())
        remarks.push_back({Code::runs_differ, {{"differences", std::move(found)}}});
}

/// The part with this name; null if there is none.
const Result* part_of(const ReportResults& report, std::string_view name) {
    for (const Result* part : parts_of(report)) {
        if (part->part == name)
            return part;
    }
    return nullptr;
}

bool has_levels(const Result& part) {
    return part.kind == &sweep_kind && has_several_sizes(part);
}

/// Adds the levels of a sweep.
void add_levels(FigureComparison& whole, const Result& part, const Comparison& sweep) {
    const bool several = !sweep.sizes.empty() && sweep.sizes.front().thread != sweep.sizes.back().thread;
    for (const LevelChange& level : sweep.levels) {
        FigureChange& figure = whole.figures.emplace_back(FigureChange{
            .part = part.part,
            .name = fmt::format("{} latency{}", level.name, several ? fmt::format(" of thread {}", level.thread) : ""),
            .quantity = Quantity::level_latency,
            .subject = subject_of_level(part, level.name),
            .change = level.change});
        if (level.contested)
            figure.doubt = Doubt::contested;
        if (!sweep.incomplete.empty())
            figure.doubt = Doubt::incomplete;
        else if (sweep.verdict == Verdict::cannot_tell && level.change.verdict != Verdict::cannot_tell &&
                 (!sweep.disturbance.empty() || !sweep.disturbed.empty()))
            figure.doubt = Doubt::disturbed;
        if (figure.doubt != Doubt::none)
            figure.change.verdict = Verdict::cannot_tell;
    }
}

/// Whether levels of a sweep changed, and other parts of the report confirm none.
bool is_unconfirmed(const FigureComparison& whole, const std::string& part, Verdict verdict) {
    const auto any = [&](const auto& is_wanted) {
        return std::ranges::any_of(whole.figures, [&](const FigureChange& figure) {
            return figure.part == part && figure.quantity == Quantity::level_latency && is_wanted(figure);
        });
    };
    return any([](const FigureChange& figure) { return figure.doubt == Doubt::unconfirmed; }) &&
           !any([&](const FigureChange& figure) { return figure.change.verdict == verdict; });
}

/// Adds the verdict on a sweep whose levels are there, and why it cannot be told or what else changed.
void add_verdict(FigureComparison& whole, std::vector<Verdict>& verdicts, const std::string& part, Comparison sweep) {
    const bool unconfirmed = is_unconfirmed(whole, part, sweep.verdict);
    if (unconfirmed)
        sweep.verdict = sweep.verdict == Verdict::slower ? Verdict::cannot_tell : Verdict::no_difference;
    verdicts.push_back(sweep.verdict);
    if (sweep.verdict == Verdict::slower)
        whole.worse.insert({part});
    if (sweep.verdict == Verdict::no_difference)
        return;
    for (const Notice& reason : reasons_of(sweep)) {
        if (unconfirmed && reason.code == Code::noise_hides_all) // the doubt of its level is the reason
            continue;
        (sweep.verdict == Verdict::cannot_tell ? whole.unclear : whole.changed)
            .push_back(with_value(reason, "of_part", part));
    }
    whole.only_noisy = whole.only_noisy && (sweep.verdict != Verdict::cannot_tell || sweep.only_noisy());
}

/// The verdict on all: worse, unclear or better if any is.
Verdict joined_verdict(const std::vector<Verdict>& verdicts) {
    for (const Verdict verdict : {Verdict::slower, Verdict::cannot_tell, Verdict::faster}) {
        if (std::ranges::count(verdicts, verdict) > 0)
            return verdict;
    }
    return verdicts.empty() ? Verdict::cannot_tell : Verdict::no_difference;
}

/// Whether figures that cannot be told have no other reason than noise, from run to run or from part to part.
/// @param any_told some figure has a verdict, so that those that are not unclear do not matter
bool are_only_noisy(std::span<const FigureChange> figures, bool any_told) {
    return std::ranges::none_of(figures, [&](const FigureChange& figure) {
        const bool matters = is_unclear(figure) || (!any_told && decides(figure.quantity));
        return matters && figure.doubt != Doubt::none && figure.doubt != Doubt::unconfirmed;
    });
}

/// What casts doubt on all or some figures of a result, without the advice; empty if nothing does.
std::string cause_of_doubt(const Result& result) {
    const auto missed = std::ranges::find(result.warnings, Code::loads_missed, &Notice::code);
    return missed == result.warnings.end() ? disturbance_of(result) : missed->text;
}

/// Keeps what disturbed a part of the new run, or else of a baseline.
void add_disturbance(FigureComparison& comparison, const std::string& part, const Result& base, const Result& latest) {
    const std::string of_latest = cause_of_doubt(latest);
    if (std::string how = of_latest.empty() ? cause_of_doubt(base) : of_latest; !how.empty())
        comparison.disturbances.emplace(part, std::move(how));
}

} // namespace

FigureComparison compare_by_figures(std::span<const Result> baselines, const Result& latest, double tolerance_percent) {
    const PeakBandwidths peaks =
        latest.kind->facts.verb == "loaded" ? peak_bandwidths(baselines.front()) : PeakBandwidths();
    const auto figures_of_part = [&](const Result& result) { // which may also be a file of its own
        std::vector<Figure> figures = figures_in(result, peaks);
        for (Figure& figure : figures)
            figure.part.clear();
        return figures;
    };
    std::vector<std::vector<Figure>> figures;
    std::vector<std::pair<const Result*, const Result*>> pairs;
    for (const Result& base : baselines) {
        figures.push_back(figures_of_part(base));
        pairs.emplace_back(&base, &latest);
    }
    FigureComparison comparison{.figures = compare_figures(figures, figures_of_part(latest), tolerance_percent),
                                .tolerance_percent = tolerance_percent};
    comparison.verdict = verdict_of(comparison.figures);
    comparison.only_noisy = !comparison.figures.empty() &&
                            are_only_noisy(comparison.figures, std::ranges::any_of(comparison.figures, is_told));
    add_differences(comparison.remarks, pairs);
    for (const auto& [base, now] : pairs)
        add_disturbance(comparison, "", *base, *now);
    return comparison;
}

FigureComparison compare_reports(std::span<const ReportResults> baselines, const ReportResults& latest,
                                 double tolerance_percent) {
    FigureComparison comparison{.tolerance_percent = tolerance_percent};
    std::vector<std::pair<std::string, Comparison>> sweeps; // by part
    std::set<std::string> by_figures;
    std::set<std::string> left_out;
    std::vector<std::pair<const Result*, const Result*>> pairs;
    for (const Result* part : parts_of(latest)) {
        std::vector<Result> bases;
        for (const ReportResults& base : baselines) {
            if (const Result* const found = part_of(base, part->part)) {
                bases.push_back(*found);
                pairs.emplace_back(found, part);
            }
        }
        if (bases.size() < baselines.size())
            left_out.insert(part->part);
        else if (has_levels(*part) && std::ranges::all_of(bases, has_levels))
            add_levels(comparison, *part,
                       sweeps.emplace_back(part->part, compare_results(bases, *part, tolerance_percent)).second);
        else
            by_figures.insert(part->part);
    }
    for (const ReportResults& base : baselines) {
        for (const Result* part : parts_of(base)) {
            if (part_of(latest, part->part) == nullptr)
                left_out.insert(part->part);
        }
    }
    const PeakBandwidths peaks =
        baselines.front().loaded ? peak_bandwidths(*baselines.front().loaded) : PeakBandwidths();
    const auto figures_to_compare = [&](const ReportResults& report) {
        std::vector<Figure> figures = figures_in(report, peaks);
        std::erase_if(figures, [&](const Figure& figure) {
            return !by_figures.contains(figure.part) &&
                   (figure.quantity != Quantity::saving || left_out.contains("huge") || left_out.contains("sweep"));
        });
        return figures;
    };
    std::vector<std::vector<Figure>> figures;
    for (const ReportResults& base : baselines)
        figures.push_back(figures_to_compare(base));
    const std::vector<FigureChange> of_others = compare_figures(figures, figures_to_compare(latest), tolerance_percent);
    const std::size_t levels = comparison.figures.size();
    comparison.figures.insert(comparison.figures.end(), of_others.begin(), of_others.end());
    withdraw_unconfirmed(comparison.figures);
    std::vector<Verdict> verdicts;
    for (auto& [part, sweep] : sweeps)
        add_verdict(comparison, verdicts, part, std::move(sweep));
    const auto changes = std::span(comparison.figures).subspan(levels);
    if (const Verdict verdict = verdict_of(changes);
        verdict != Verdict::cannot_tell || std::ranges::any_of(changes, is_unclear)) // else they have no say
        verdicts.push_back(verdict);
    for (const FigureChange& change : changes) {
        if (change.change.verdict == Verdict::slower && decides(change.quantity))
            comparison.worse.insert({change.part, change.name});
    }
    comparison.only_noisy = comparison.only_noisy && !comparison.figures.empty() &&
                            are_only_noisy(changes, std::ranges::any_of(comparison.figures, is_told));
    comparison.verdict = joined_verdict(verdicts);
    if (!left_out.empty())
        comparison.remarks.push_back({Code::parts_left_out, {{"parts", left_out}}});
    add_differences(comparison.remarks, pairs);
    for (const auto& [base, now] : pairs)
        add_disturbance(comparison, now->part, *base, *now);
    return comparison;
}

} // namespace memtest
