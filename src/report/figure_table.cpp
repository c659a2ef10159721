#include "memtest/report/figure_table.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/report/comparison.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace memtest {
namespace {

/// What figures of one table have in common: their part, or all parts with chains side by side, whose figures say how
/// many.
std::string group_of(const std::string& part) {
    const bool is_of_chains = !part.empty() && section_of_part(part) == "parallel";
    return is_of_chains ? "parallel" : part;
}

std::string title_of(const std::string& part) {
    const std::string group = group_of(part);
    return group.empty() ? "Figure" : group == "tlb" ? "TLB" : capitalised(group);
}

/// Whether noise hides a figure, which has no say then; if it hides all, they do have one.
bool is_not_counted(const FigureComparison& comparison, const FigureChange& figure) {
    const auto has_say = [](const FigureChange& other) { return is_unclear(other) || is_told(other); };
    return figure.change.verdict == Verdict::cannot_tell && figure.doubt == Doubt::none && !is_unclear(figure) &&
           std::ranges::any_of(comparison.figures, has_say);
}

std::size_t count_not_counted(const FigureComparison& comparison) {
    return static_cast<std::size_t>(std::ranges::count_if(
        comparison.figures, [&](const FigureChange& figure) { return is_not_counted(comparison, figure); }));
}

/// Never as `-0.0`.
double printed_change(const Change& change, double steps) {
    return std::round(change.change_percent * steps) / steps + 0.0;
}

std::string change_text(const Change& change) {
    const double percent = printed_change(change, 10);
    return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0);
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

/// A reason about figures, if there are any.
void add_changes(std::vector<Notice>& reasons, Code code, const std::vector<const FigureChange*>& figures) {
    List changes;
    for (const FigureChange* figure : figures)
        changes.emplace_back(change_members(full_name(figure->part, figure->name), figure->change));
    if (!changes.empty())
        reasons.push_back({code, {{"changes", std::move(changes)}}});
}

/// Whether the reasons of its sweep already say why a level cannot be told.
bool is_told_of_sweep(const FigureComparison& comparison, const FigureChange& figure) {
    return figure.quantity == Quantity::level_latency && figure.doubt != Doubt::unconfirmed &&
           std::ranges::any_of(comparison.unclear,
                               [&](const Notice& reason) { return reason.values["of_part"] == figure.part; });
}

/// Adds why some figures are in doubt: those with the same doubt together, and disturbed ones by what disturbed them.
void add_doubts(std::vector<Notice>& reasons, const FigureComparison& comparison,
                const std::function<bool(const FigureChange&)>& is_wanted) {
    std::map<std::pair<Doubt, std::string>, List> names; // by the doubt and what disturbed them
    for (const FigureChange* figure : those_with(comparison, is_wanted)) {
        if (figure->doubt == Doubt::none || is_told_of_sweep(comparison, *figure))
            continue;
        const auto how = comparison.disturbances.find(figure->part);
        const bool is_known = figure->doubt == Doubt::disturbed && how != comparison.disturbances.end();
        names[{figure->doubt, is_known ? how->second : ""}].emplace_back(full_name(figure->part, figure->name));
    }
    for (auto& [why, list] : names) {
        Members values{{"doubt", word_of(why.first)}, {"names", std::move(list)}};
        if (!why.second.empty())
            values.set("how", why.second);
        reasons.push_back({Code::figures_in_doubt, std::move(values)});
    }
}

std::vector<Notice> why_not_told(const FigureComparison& comparison) {
    std::vector<Notice> reasons;
    add_changes(reasons, Code::not_sure, those_with(comparison, [&](const FigureChange& figure) {
                    return is_unclear(figure) && figure.doubt == Doubt::none && !is_told_of_sweep(comparison, figure);
                }));
    add_doubts(reasons, comparison, is_unclear);
    reasons.insert(reasons.end(), comparison.unclear.begin(), comparison.unclear.end());
    if (reasons.empty()) // no figure has a verdict
        add_doubts(reasons, comparison, [](const FigureChange& figure) { return decides(figure.quantity); });
    if (reasons.empty())
        reasons.emplace_back(comparison.figures.empty() ? Code::no_figure_in_common : Code::noise_hides_all);
    return reasons;
}

Notice nothing_changed(const FigureComparison& comparison) {
    const bool has_unconfirmed = std::ranges::count(comparison.figures, Doubt::unconfirmed, &FigureChange::doubt) > 0;
    Members values{{"thing", has_unconfirmed ? "figure that most parts confirm" : "figure"},
                   {"tolerance_percent", comparison.tolerance_percent}};
    const auto told = std::ranges::count_if(comparison.figures, is_told);
    const auto deciding =
        std::ranges::count_if(comparison.figures, [](const FigureChange& figure) { return decides(figure.quantity); });
    if (told < deciding)
        values.set({{"not_judged", deciding - told}, {"of", deciding}});
    return {Code::nothing_changed, std::move(values)};
}

std::vector<Notice> reasons_of(const FigureComparison& comparison) {
    if (comparison.verdict == Verdict::cannot_tell)
        return why_not_told(comparison);
    if (comparison.verdict == Verdict::no_difference)
        return {nothing_changed(comparison)};
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

/// With one on figures that cannot be told, and do not count unless they are worse or better.
std::vector<Notice> remarks_of(const FigureComparison& comparison) {
    std::vector<Notice> remarks = comparison.remarks;
    if (const std::size_t count = count_not_counted(comparison); count > 0)
        remarks.push_back({Code::figures_not_counted, {{"count", count}}});
    return remarks;
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

/// Puts figures of one group one after the other, in the order in which the groups begin.
std::vector<const FigureChange*> by_group(const std::vector<const FigureChange*>& figures) {
    std::vector<const FigureChange*> grouped;
    for (const FigureChange* figure : figures) {
        const auto last = std::ranges::find_if(grouped.rbegin(), grouped.rend(), [&](const FigureChange* before) {
            return group_of(before->part) == group_of(figure->part);
        });
        grouped.insert(last == grouped.rend() ? grouped.end() : last.base(), figure);
    }
    return grouped;
}

TextTable table_of_figures(const FigureComparison& comparison, const std::vector<const FigureChange*>& figures) {
    TextTable table{.right = "lrrrrl"};
    const FigureChange* before = nullptr;
    for (const FigureChange* figure : figures) {
        if (before == nullptr || group_of(before->part) != group_of(figure->part))
            add_header(table, {title_of(figure->part), "Base", "New", "Change", "Noise", "Verdict"});
        before = figure;
        table.rows.push_back(cells_of(*figure, figure->name));
        if (is_not_counted(comparison, *figure))
            table.rows.back().back() = "not counted";
    }
    return table;
}

/// What the table leaves out.
std::vector<std::string> omissions(const std::vector<FigureChange>& figures, std::size_t left_out,
                                   std::size_t not_counted) {
    std::vector<std::string> words;
    if (left_out > not_counted)
        words.push_back(fmt::format("{} of {} figures show no difference", left_out - not_counted, figures.size()));
    if (not_counted > 0)
        words.push_back(fmt::format("noise hides {}, which {} not counted", counted(not_counted, "figure"),
                                    not_counted == 1 ? "is" : "are"));
    return words;
}

} // namespace

const KindOf<FigureChange> figures_kind(
    {.verb = "compare (figures)",
     .findings = {{"verdict", false}, {"reason", false}, {"reasons"}, {"remarks"}},
     .rows = "figures",
     .measured = false},
    {member_field<&FigureChange::part, FigureChange>({.name = "Part",
                                                      .member = "part",
                                                      .meaning = "of the report; empty for other files",
                                                      .type = Column::Type::word}),
     member_field<&FigureChange::name, FigureChange>(
         {.name = "Figure", .member = "figure", .meaning = "its name", .type = Column::Type::word}),
     {{.name = "Unit", .member = "unit", .meaning = "of the two values", .type = Column::Type::word},
      [](const FigureChange& figure) { return Value(facts_of(figure.quantity).unit); }},
     {{.name = "Base",
       .member = "base",
       .meaning = "median of the baselines",
       .digits = significant(8),
       .highest = 1e15},
      [](const FigureChange& figure) { return figure.change.base > 0 ? Value(figure.change.base) : Value(); }},
     {{.name = "New", .member = "new", .meaning = "of the last file", .digits = significant(8), .highest = 1e15},
      [](const FigureChange& figure) { return figure.change.latest > 0 ? Value(figure.change.latest) : Value(); }},
     {{.name = "Change (%)",
       .member = "change_percent",
       .meaning = "from the one to the other",
       .digits = decimals(2),
       .lowest = -100},
      [](const FigureChange& figure) {
          return has_both(figure.change) ? Value(printed_change(figure.change, 100)) : Value();
      }},
     {{.name = "Noise (%)",
       .member = "noise_percent",
       .meaning = "the largest change that noise alone explains",
       .digits = decimals(2)},
      [](const FigureChange& figure) {
          return has_both(figure.change) ? Value(figure.change.noise_percent) : Value();
      }},
     {{.name = "Verdict",
       .member = "verdict",
       .meaning = "no difference, better, worse or cannot tell",
       .type = Column::Type::word},
      [](const FigureChange& figure) { return Value(word_for_figures(figure.change.verdict)); }},
     {{.name = "Doubt",
       .member = "doubt",
       .meaning = "none, disturbed, contested, incomplete, unconfirmed, not in base or not in new",
       .type = Column::Type::word},
      [](const FigureChange& figure) { return Value(word_of(figure.doubt)); }}});

std::string_view word_for_figures(Verdict verdict) {
    return verdict == Verdict::faster ? "better" : verdict == Verdict::slower ? "worse" : word_of(verdict);
}

std::string full_name(const std::string& part, const std::string& name) {
    return part.empty() ? name : fmt::format("{} {}", group_of(part), name);
}

std::string value_text(Quantity quantity, double value) {
    const QuantityFacts& facts = facts_of(quantity);
    const std::string number = fixed(value, std::min(facts.decimals, value >= 1000 ? 0 : value >= 100 ? 1 : 2));
    return facts.unit == "entries" ? number : fmt::format("{} {}", number, facts.unit); // the name says that it counts
}

std::string noise_text(double percent) {
    return percent <= most_noise_percent ? fmt::format("{:.1f} %", percent) : ">100 %";
}

std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name) {
    const Change& change = figure.change;
    const auto value = [&](double number) { return number > 0 ? value_text(figure.quantity, number) : ""; };
    const std::string_view verdict =
        figure.doubt != Doubt::none ? word_of(figure.doubt) : word_for_figures(change.verdict);
    return {name,
            value(change.base),
            value(change.latest),
            has_both(change) ? change_text(change) : "",
            has_both(change) ? noise_text(change.noise_percent) : "",
            std::string(verdict)};
}

Findings comparison_findings(const FigureComparison& comparison) {
    Findings told{.told = true};
    const std::string verdict(word_for_figures(comparison.verdict));
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back(reason_finding(reasons_of(comparison)));
    for (const Notice& notice : remarks_of(comparison))
        told.list.push_back(remark(notice));
    return told;
}

std::string comparison_table(const FigureComparison& comparison, bool all, bool passed,
                             std::optional<std::size_t> columns) {
    const auto shown = by_group(those_with(comparison, [&](const FigureChange& figure) {
        return all || figure.part.empty() ||
               (figure.change.verdict != Verdict::no_difference && !is_not_counted(comparison, figure));
    }));
    TextTable table = table_of_figures(comparison, shown);
    if (columns)
        fit_names(table, *columns);
    std::string text = shown.empty() ? "" : "\n" + aligned_text(table);
    const std::size_t left_out = comparison.figures.size() - shown.size();
    const std::size_t not_counted = left_out == 0 ? 0 : count_not_counted(comparison);
    text += omission_text(omissions(comparison.figures, left_out, not_counted), columns);
    std::vector<Notice> notes = remarks_of(comparison);
    if (not_counted > 0) // the line above says it
        std::erase_if(notes, [](const Notice& note) { return note.code == Code::figures_not_counted; });
    text += notes_text(notes, columns);
    return with_verdict(sentences_of_verdict(comparison, passed, columns), text, columns.has_value());
}

} // namespace memtest
