#include "memtest/report/figure_comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/figures.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// What figures of one table have in common: their part, or all parts with chains side by side, whose figures say how
/// many.
std::string group_of(const FigureChange& figure) {
    const bool is_of_chains = !figure.part.empty() && section_of_part(figure.part) == "parallel";
    return is_of_chains ? "parallel" : figure.part;
}

std::string title_of(const std::string& group) {
    return group == "tlb" ? "TLB" : capitalised(group);
}

std::string named(const FigureChange& figure) {
    return figure.part.empty() ? figure.name : fmt::format("{} {}", group_of(figure), figure.name);
}

/// Whether noise hides the figure, and it counts only if it is worse or better.
bool is_not_counted(const FigureChange& figure) {
    return figure.change.verdict == Verdict::cannot_tell && figure.doubt == Doubt::none && decides(figure.quantity) &&
           !repeats(figure.quantity);
}

/// Never as `-0.0`.
double printed_change(const Change& change, double steps) {
    return std::round(change.change_percent * steps) / steps + 0.0;
}

std::string change_text(const Change& change) {
    const double percent = printed_change(change, 10);
    return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0);
}

// Noise above this is no longer a bound.
constexpr double most_bound_percent = 100;

std::string noise_text(const Change& change) {
    return change.noise_percent <= most_bound_percent ? fmt::format("{:.1f} %", change.noise_percent) : ">100 %";
}

bool has_both(const Change& change) {
    return change.base > 0 && change.latest > 0;
}

std::vector<const FigureChange*> those_with(const FigureComparison& comparison,
                                            const std::function<bool(const FigureChange&)>& is_wanted) {
    std::vector<const FigureChange*> wanted;
    for (const FigureChange& figure : comparison.figures) {
        if (is_wanted(figure))
            wanted.push_back(&figure);
    }
    return wanted;
}

Json schema_of_verdict() {
    Json words = Json::array();
    for (const auto& [verdict, word] : word_table<Verdict>)
        words.push_back(word_for_figures(verdict));
    return {{"enum", std::move(words)}};
}

/// A reason about figures, if there are any.
void add_changes(std::vector<Notice>& reasons, Code code, const std::vector<const FigureChange*>& figures) {
    Json changes = Json::array();
    for (const FigureChange* figure : figures)
        changes.push_back(change_members(named(*figure), figure->change));
    if (!changes.empty())
        reasons.push_back({code, {{"changes", std::move(changes)}}});
}

std::vector<Notice> why_not_told(const FigureComparison& comparison) {
    std::vector<Notice> reasons;
    add_changes(reasons, Code::not_sure,
                those_with(comparison, [](const FigureChange& figure) { // sweeps have reasons of their own
                    return figure.change.verdict == Verdict::cannot_tell && figure.doubt == Doubt::none &&
                           figure.quantity != Quantity::level_latency && repeats(figure.quantity);
                }));
    for (const auto& [doubt, word] : word_table<Doubt>) {
        Json names = Json::array();
        for (const FigureChange& figure : comparison.figures) {
            if (doubt != Doubt::none && figure.doubt == doubt)
                names.push_back(named(figure));
        }
        if (!names.empty())
            reasons.push_back({Code::figures_in_doubt, {{"doubt", word}, {"names", std::move(names)}}});
    }
    reasons.insert(reasons.end(), comparison.unclear.begin(), comparison.unclear.end());
    if (reasons.empty())
        reasons.emplace_back(comparison.figures.empty() ? Code::no_figure_in_common : Code::noise_hides_all);
    return reasons;
}

bool has_unconfirmed(const FigureComparison& comparison) {
    return std::ranges::count(comparison.figures, Doubt::unconfirmed, &FigureChange::doubt) > 0;
}

std::vector<Notice> reasons_of(const FigureComparison& comparison) {
    if (comparison.verdict == Verdict::cannot_tell)
        return why_not_told(comparison);
    if (comparison.verdict == Verdict::no_difference)
        return {{Code::nothing_changed,
                 {{"thing", has_unconfirmed(comparison) ? "figure that most parts confirm" : "figure"},
                  {"tolerance_percent", comparison.tolerance_percent}}}};
    std::vector<Notice> reasons;
    add_changes(reasons, Code::changed, those_with(comparison, [&](const FigureChange& figure) {
                    return figure.change.verdict == comparison.verdict;
                }));
    if (reasons.empty()) // of a sweep of which no level changed
        std::ranges::copy_if(comparison.changed, std::back_inserter(reasons), [&](const Notice& reason) {
            return reason.values["verdict"] == word_of(comparison.verdict);
        });
    return reasons;
}

/// What differs between the runs of all parts, each once.
void add_differences(std::vector<Notice>& remarks, const std::vector<std::pair<const Result*, const Result*>>& pairs) {
    Json found = Json::array();
    for (const auto& [base, latest] : pairs) {
        for (const Is sort : {Is::setting, Is::machine, Is::system}) {
            for (const Difference& difference : differences(base->run, latest->run, sort)) {
                Json members{{"key", difference.key}, {"base", difference.base}, {"new", difference.latest}};
                if (std::ranges::find(found, members) == found.end())
                    found.push_back(std::move(members));
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
    for (Notice& reason : reasons_of(sweep)) {
        if (unconfirmed && reason.code == Code::noise_hides_all) // the doubt of its level is the reason
            continue;
        reason.values["of_part"] = part;
        (sweep.verdict == Verdict::cannot_tell ? whole.unclear : whole.changed).push_back(std::move(reason));
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

bool is_in_doubt(const FigureChange& figure) {
    return figure.doubt != Doubt::none;
}

/// A remark on figures that cannot be told, and do not count unless they are worse or better.
void add_not_counted(FigureComparison& comparison) {
    const auto count = std::ranges::count_if(comparison.figures, is_not_counted);
    if (count > 0)
        comparison.remarks.push_back({Code::figures_not_counted, {{"count", static_cast<std::uint64_t>(count)}}});
}

/// Whether figures that cannot be told have no other reason than noise, from run to run or from part to part.
bool are_only_noisy(std::span<const FigureChange> figures) {
    return !figures.empty() && std::ranges::all_of(figures, [](const FigureChange& figure) {
        return figure.doubt == Doubt::none || figure.doubt == Doubt::unconfirmed;
    });
}

/// The verdict and why, for people; several reasons as a list.
std::string sentences_of_verdict(const FigureComparison& comparison, bool passed, std::optional<std::size_t> columns) {
    const std::string verdict = fmt::format("{}{}", capitalised(std::string(word_for_figures(comparison.verdict))),
                                            passed ? ", passed by --unclear pass" : "");
    const std::vector<Notice> reasons = reasons_of(comparison);
    if (reasons.size() < 2)
        return wrapped_line(fmt::format("{}: {}.", verdict, sentence_of(reason_finding(reasons).notice)), columns,
                            "  ");
    const std::string advice = what_to_do(reasons);
    std::string text = wrapped_line(
        fmt::format("{}, for these reasons{}:", verdict, advice.empty() ? "" : "; " + advice), columns, "  ");
    for (const Notice& reason : reasons)
        text += wrapped_line("- " + sentence_of(reason), columns, "  ");
    return text;
}

/// Puts figures of one group behind each other, in the order in which the groups begin.
std::vector<const FigureChange*> by_group(const std::vector<const FigureChange*>& figures) {
    std::vector<const FigureChange*> grouped;
    for (const FigureChange* figure : figures) {
        const auto last = std::ranges::find_if(grouped.rbegin(), grouped.rend(), [&](const FigureChange* before) {
            return group_of(*before) == group_of(*figure);
        });
        grouped.insert(last == grouped.rend() ? grouped.end() : last.base(), figure);
    }
    return grouped;
}

/// Breaks names at blanks, so that the table fits into the columns of a terminal.
void fit_names(TextTable& table, std::size_t columns) {
    std::size_t longest = 0;
    for (const auto& row : table.rows)
        longest = std::max(longest, row.empty() ? 0 : row.front().size());
    const std::size_t width = width_of(table);
    constexpr std::size_t narrowest = 12; // of less, each word takes a line
    if (width <= columns || longest + columns < width + narrowest)
        return;
    const std::size_t most = longest + columns - width;
    for (std::size_t place = 0; place < table.rows.size(); ++place) {
        if (table.rows[place].empty() || table.rows[place].front().size() <= most)
            continue;
        const std::string lines = wrapped(table.rows[place].front(), most, "  ");
        const std::size_t last = lines.rfind('\n');
        if (last == std::string::npos)
            continue;
        table.rows[place].front() = lines.substr(last + 1);
        for (std::size_t from = 0; from < last; from = lines.find('\n', from) + 1) {
            table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(place),
                              {lines.substr(from, lines.find('\n', from) - from)});
            ++place;
        }
    }
}

TextTable table_of_figures(std::span<const FigureChange* const> figures) {
    TextTable table{.right = "lrrrrl"};
    const FigureChange* before = nullptr;
    for (const FigureChange* figure : figures) {
        const Change& change = figure->change;
        if (before == nullptr || group_of(*before) != group_of(*figure)) {
            if (before != nullptr)
                table.rows.emplace_back();
            table.rows.push_back({figure->part.empty() ? "Figure" : title_of(group_of(*figure)), "Base", "New",
                                  "Change", "Noise", "Verdict"});
        }
        before = figure;
        const auto value = [&](double number) {
            const QuantityFacts& facts = facts_of(figure->quantity);
            const int decimals = std::min(facts.decimals, number >= 1000 ? 0 : number >= 100 ? 1 : 2);
            if (number <= 0)
                return std::string();
            const bool is_named = facts.unit == "entries"; // by the figure
            return fmt::format("{}{}{}", fixed(number, decimals), is_named ? "" : " ", is_named ? "" : facts.unit);
        };
        table.rows.push_back(
            {figure->name, value(change.base), value(change.latest), has_both(change) ? change_text(change) : "",
             has_both(change) ? noise_text(change) : "",
             std::string(is_in_doubt(*figure) ? word_of(figure->doubt) : word_for_figures(change.verdict))});
    }
    return table;
}

} // namespace

const KindOf<FigureChange> figures_kind(
    {.verb = "compare (figures)",
     .findings = {{"verdict", schema_of_verdict, false},
                  {"reason", schema_of_type<std::string>, false},
                  {"reasons"},
                  {"remarks"}},
     .rows = "figures",
     .measured = false},
    {member_field<&FigureChange::part, FigureChange>({.name = "Part",
                                                      .member = "part",
                                                      .meaning = "of the report; empty for other files",
                                                      .type = Column::Type::word}),
     member_field<&FigureChange::name, FigureChange>(
         {.name = "Figure", .member = "figure", .meaning = "its name", .type = Column::Type::word}),
     {{.name = "Unit", .member = "unit", .meaning = "of the two values", .type = Column::Type::word},
      [](const FigureChange& figure) { return Json(facts_of(figure.quantity).unit); }},
     {{.name = "Base",
       .member = "base",
       .meaning = "median of the baselines",
       .digits = significant(8),
       .highest = 1e15},
      [](const FigureChange& figure) { return figure.change.base > 0 ? Json(figure.change.base) : Json(); }},
     {{.name = "New", .member = "new", .meaning = "of the last file", .digits = significant(8), .highest = 1e15},
      [](const FigureChange& figure) { return figure.change.latest > 0 ? Json(figure.change.latest) : Json(); }},
     {{.name = "Change (%)",
       .member = "change_percent",
       .meaning = "from the one to the other",
       .digits = decimals(2),
       .lowest = -100},
      [](const FigureChange& figure) {
          return has_both(figure.change) ? Json(printed_change(figure.change, 100)) : Json();
      }},
     {{.name = "Noise (%)",
       .member = "noise_percent",
       .meaning = "the largest change that noise alone explains",
       .digits = decimals(2)},
      [](const FigureChange& figure) { return has_both(figure.change) ? Json(figure.change.noise_percent) : Json(); }},
     {{.name = "Verdict",
       .member = "verdict",
       .meaning = "no difference, better, worse or cannot tell",
       .type = Column::Type::word},
      [](const FigureChange& figure) { return Json(word_for_figures(figure.change.verdict)); }},
     {{.name = "Doubt",
       .member = "doubt",
       .meaning = "none, disturbed, contested, incomplete, unconfirmed, not in base or not in new",
       .type = Column::Type::word},
      [](const FigureChange& figure) { return Json(word_of(figure.doubt)); }}});

std::string_view word_for_figures(Verdict verdict) {
    return verdict == Verdict::faster ? "better" : verdict == Verdict::slower ? "worse" : word_of(verdict);
}

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
    comparison.only_noisy = are_only_noisy(comparison.figures);
    add_differences(comparison.remarks, pairs);
    add_not_counted(comparison);
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
    if (!changes.empty())
        verdicts.push_back(verdict_of(changes));
    for (const FigureChange& change : changes) {
        if (change.change.verdict == Verdict::slower && decides(change.quantity))
            comparison.worse.insert({change.part, change.name});
    }
    comparison.only_noisy =
        comparison.only_noisy && (changes.empty() ? !comparison.figures.empty() : are_only_noisy(changes));
    comparison.verdict = joined_verdict(verdicts);
    if (!left_out.empty())
        comparison.remarks.push_back({Code::parts_left_out, {{"parts", left_out}}});
    add_differences(comparison.remarks, pairs);
    add_not_counted(comparison);
    return comparison;
}

Findings comparison_findings(const FigureComparison& comparison) {
    Findings told{.told = true};
    const std::string verdict(word_for_figures(comparison.verdict));
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back(reason_finding(reasons_of(comparison)));
    for (const Notice& notice : comparison.remarks)
        told.list.push_back(remark(notice));
    return told;
}

std::string comparison_table(const FigureComparison& comparison, bool all, bool passed,
                             std::optional<std::size_t> columns) {
    const auto shown = by_group(those_with(comparison, [&](const FigureChange& figure) {
        return all || figure.part.empty() ||
               (figure.change.verdict != Verdict::no_difference && !is_not_counted(figure));
    }));
    TextTable table = table_of_figures(shown);
    if (columns)
        fit_names(table, *columns);
    std::string text = shown.empty() ? "" : "\n" + aligned_text(table);
    const std::size_t left_out = comparison.figures.size() - shown.size();
    const auto hidden =
        static_cast<std::size_t>(left_out == 0 ? 0 : std::ranges::count_if(comparison.figures, is_not_counted));
    std::vector<std::string> words;
    if (left_out > hidden)
        words.push_back(
            fmt::format("{} of {} figures show no difference", left_out - hidden, comparison.figures.size()));
    if (hidden > 0)
        words.push_back(fmt::format("noise hides {}", counted(hidden, "figure")));
    if (left_out > 0)
        text += "\n" + wrapped_line(capitalised(fmt::format("{}; --all prints them.", fmt::join(words, ", and "))),
                                    columns, "  ");
    std::vector<Notice> notes = comparison.remarks;
    if (hidden > 0) // the line above says it
        std::erase_if(notes, [](const Notice& note) { return note.code == Code::figures_not_counted; });
    text += notes.empty() ? "" : "\n";
    for (const Notice& note : notes)
        text += wrapped_line(fmt::format("Note: {}.", sentence_of(note)), columns, "      ");
    return with_verdict(sentences_of_verdict(comparison, passed, columns), text, columns.has_value());
}

} // namespace memtest
