#include "memtest/kinds/comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace memtest {
namespace {

using Type = Column::Type;

constexpr std::string_view whole = "whole part";

bool has_part(const StoredFile& file, const std::string& part) {
    return std::ranges::any_of(file.results, [&](const Result& result) { return result.part == part; });
}

/// The parts that one side has and the other lacks.
std::vector<FigureChange> missing_parts(std::span<const Stated* const> baselines, const StoredFile& latest) {
    std::vector<FigureChange> rows;
    std::map<std::string, std::size_t> count; // of baselines that have it
    for (const Stated* base : baselines) {
        for (const Result& part : base->file->results)
            ++count[part.part];
    }
    const auto add = [&](const std::string& part, Why why) {
        rows.push_back({.part = part,
                        .name = std::string(whole),
                        .quantity = Quantity::whole,
                        .verdict = Verdict::cannot_tell,
                        .why = why});
    };
    for (const auto& [part, baselines_with] : count) {
        if (2 * baselines_with > baselines.size() && !has_part(latest, part))
            add(part, Why::not_in_new);
    }
    for (const Result& part : latest.results) {
        if (2 * count[part.part] < baselines.size() || count[part.part] == 0)
            add(part.part, Why::not_in_base);
    }
    const auto is_cut = [](const StoredFile& file) { return std::ranges::any_of(file.results, &Result::cut); };
    const auto cut = std::ranges::count_if(baselines, [&](const Stated* base) { return is_cut(*base->file); });
    const bool are_cut = 2 * static_cast<std::size_t>(cut) >= baselines.size();
    if (is_cut(latest) || are_cut)
        rows.push_back({.name = is_cut(latest) ? "the file" : "the baseline",
                        .quantity = Quantity::whole,
                        .verdict = Verdict::cannot_tell,
                        .why = Why::incomplete});
    return rows;
}

/// The caches of the latest file that no baseline has: seen from it, they are gone in each.
void add_new_levels(std::vector<FigureChange>& changes, std::span<const StoredFile> baselines, const StoredFile& latest,
                    double tolerance_percent) {
    const Frame frame = frame_of({&latest, 1});
    const std::vector<Figure> figures = figures_in(latest, frame);
    std::map<std::pair<std::string, std::string>, std::size_t> gone_in; // baselines
    for (const StoredFile& base : baselines) {
        for (FigureChange& change : compare_figures({&figures, 1}, figures_in(base, frame), tolerance_percent)) {
            if (change.why != Why::gone || ++gone_in[{change.part, change.name}] < baselines.size())
                continue;
            std::swap(change.base, change.latest);
            change.change_percent = 100 * (change.latest / change.base - 1);
            change.verdict = Verdict::better;
            change.why = Why::appeared;
            changes.push_back(std::move(change));
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

/// Those that a run does not name cannot be told from others.
void add_unnamed(std::vector<Notice>& remarks, std::span<const StoredFile> baselines, const StoredFile& latest) {
    for (const StoredFile& base : baselines) {
        if (!state_processors(base.results.front().run, latest.results.front().run)) {
            remarks.push_back({Code::machines_not_told_apart, {{"base", base.name}, {"latest", latest.name}}});
            return;
        }
    }
}

/// What figures of one table have in common: their part, or all parts with chains side by side.
std::string group_of(const std::string& part) {
    const bool is_of_chains = !part.empty() && section_of_part(part) == "parallel";
    return is_of_chains ? "parallel" : part;
}

std::string title_of(const std::string& part) {
    const std::string group = group_of(part);
    return group.empty() ? "Figure" : group == "tlb" ? "TLB" : capitalised(group);
}

bool is_size(const FigureChange& figure) {
    return figure.quantity == Quantity::size_latency;
}

/// Never as `-0.0`.
double printed_change(const FigureChange& figure, double steps) {
    return std::round(figure.change_percent * steps) / steps + 0.0;
}

bool has_both(const FigureChange& figure) {
    return figure.base > 0 && figure.latest > 0;
}

std::string_view word_of_row(const FigureChange& figure) {
    return figure.why == Why::none ? word_of(figure.verdict) : word_of(figure.why);
}

/// A reason that lists some figures, if there are any.
template<class IsWanted>
void add_reason(std::vector<Notice>& reasons, Code code, const Comparison& comparison, const IsWanted& is_wanted) {
    List changes;
    for (const FigureChange& figure : comparison.figures) {
        if (facts_of(figure.quantity).decides && is_wanted(figure))
            changes.push_back(change_members(figure));
    }
    if (!changes.empty())
        reasons.push_back({code, {{"changes", std::move(changes)}}});
}

std::vector<Notice> reasons_of(const Comparison& comparison) {
    std::vector<Notice> reasons;
    if (comparison.verdict == Verdict::worse || comparison.verdict == Verdict::better) {
        add_reason(reasons, Code::changed, comparison,
                   [&](const FigureChange& figure) { return figure.verdict == comparison.verdict; });
        return reasons;
    }
    if (comparison.verdict == Verdict::no_difference) {
        const auto decide = [](const FigureChange& figure) { return facts_of(figure.quantity).decides; };
        return {{Code::nothing_changed,
                 {{"tolerance_percent", comparison.tolerance_percent},
                  {"judged", std::ranges::count_if(comparison.figures, is_told)},
                  {"of", std::ranges::count_if(comparison.figures, decide)}}}};
    }
    reasons = comparison.unclear;
    add_reason(reasons, Code::figures_missing, comparison, is_missing);
    if (reasons.empty())
        reasons.emplace_back(comparison.figures.empty() ? Code::no_figure_in_common : Code::noise_hides_all);
    return reasons;
}

std::string reason_text(const std::vector<Notice>& reasons) {
    return joined(reasons, "; ", sentence_of);
}

/// Puts figures of one group one after the other, in the order in which the groups begin; single sizes last.
std::vector<const FigureChange*> by_group(const std::vector<const FigureChange*>& figures) {
    std::vector<const FigureChange*> grouped;
    const auto group = [](const FigureChange* figure) { return std::pair(group_of(figure->part), is_size(*figure)); };
    for (const FigureChange* figure : figures) {
        const auto last = std::ranges::find_if(grouped.rbegin(), grouped.rend(), [&](const FigureChange* before) {
            return group(before) == group(figure);
        });
        grouped.insert(last == grouped.rend() ? grouped.end() : last.base(), figure);
    }
    return grouped;
}

TextTable table_of(const std::vector<const FigureChange*>& figures) {
    TextTable table{.right = "lrrrrl"};
    const FigureChange* before = nullptr;
    for (const FigureChange* figure : figures) {
        if (before == nullptr || group_of(before->part) != group_of(figure->part) ||
            is_size(*before) != is_size(*figure))
            add_header(table, {is_size(*figure) ? "Size" : title_of(figure->part), "Base", "New", "Change", "Noise",
                               "Verdict"});
        before = figure;
        table.rows.push_back(cells_of(*figure, figure->name));
    }
    return table;
}

/// What the table leaves out, as a line; empty if that is nothing.
std::string omission_text(const Comparison& comparison, std::size_t left_out, std::optional<std::size_t> columns) {
    const auto noisy = std::ranges::count(comparison.figures, Why::noise, &FigureChange::why);
    if (left_out == 0)
        return "";
    const std::string hidden =
        noisy == 0 ? "" : fmt::format("; noise hides {} of {}", noisy, comparison.figures.size());
    return "\n" +
           wrapped_line(fmt::format("--all prints {} more{}.", counted(left_out, "figure"), hidden), columns, "  ");
}

} // namespace

std::vector<FigureChange> changes_of(std::span<const Stated* const> baselines, const Stated& latest,
                                     double tolerance_percent) {
    std::vector<std::vector<Figure>> bases;
    for (const Stated* base : baselines)
        bases.push_back(base->figures);
    std::vector<FigureChange> changes = missing_parts(baselines, *latest.file);
    const std::vector<FigureChange> parts = changes;
    for (FigureChange& figure : compare_figures(bases, latest.figures, tolerance_percent)) {
        const auto is_of_missing = [&](const FigureChange& part) {
            return part.name == whole && part.part == figure.part;
        };
        if (std::ranges::none_of(parts, is_of_missing)) // the row of the part says it
            changes.push_back(std::move(figure));
    }
    return changes;
}

bool Comparison::only_noisy() const {
    return unclear.empty() && !figures.empty() && std::ranges::none_of(figures, is_missing);
}

Comparison compare(std::span<const StoredFile> baselines, const StoredFile& latest, double tolerance_percent) {
    const Frame frame = frame_of(baselines);
    std::vector<Stated> bases;
    std::vector<const Stated*> all;
    for (const StoredFile& base : baselines)
        bases.push_back({&base, figures_in(base, frame)});
    for (const Stated& base : bases)
        all.push_back(&base);
    Comparison comparison{.figures = changes_of(all, {&latest, figures_in(latest, frame)}, tolerance_percent),
                          .tolerance_percent = tolerance_percent};
    add_new_levels(comparison.figures, baselines, latest, tolerance_percent);
    for (const auto& [part, reason] : latest.missing) {
        if (std::ranges::any_of(comparison.figures, [&, name = part](const FigureChange& row) {
                return row.name == whole && row.part == name;
            }))
            comparison.remarks.push_back(
                {Code::part_not_measured, {{"of_part", part_in_words(part)}, {"reason", reason}}});
    }
    comparison.verdict = verdict_of(comparison.figures);
    add_differences(comparison.remarks, baselines, latest);
    add_unnamed(comparison.remarks, baselines, latest);
    return comparison;
}

const KindOf<FigureChange> compare_kind(
    {.verb = "compare",
     .findings = {{"verdict", false}, {"reason", false}, {"reasons"}, {"remarks"}},
     .rows = "figures",
     .measured = false},
    {member_field<&FigureChange::part, FigureChange>(
         {.name = "Part", .member = "part", .meaning = "of the report; empty for other files", .type = Type::word}),
     member_field<&FigureChange::name, FigureChange>(
         {.name = "Figure", .member = "figure", .meaning = "its name", .type = Type::word}),
     {{.name = "Unit", .member = "unit", .meaning = "of the two values", .type = Type::word},
      [](const FigureChange& figure) { return Value(facts_of(figure.quantity).unit); }},
     {{.name = "Base",
       .member = "base",
       .meaning = "median of the baselines",
       .digits = significant(8),
       .highest = 1e15},
      [](const FigureChange& figure) { return figure.base > 0 ? Value(figure.base) : Value(); }},
     {{.name = "New", .member = "new", .meaning = "of the last file", .digits = significant(8), .highest = 1e15},
      [](const FigureChange& figure) { return figure.latest > 0 ? Value(figure.latest) : Value(); }},
     {{.name = "Change (%)",
       .member = "change_percent",
       .meaning = "from the one to the other",
       .digits = decimals(2),
       .lowest = -100},
      [](const FigureChange& figure) { return has_both(figure) ? Value(printed_change(figure, 100)) : Value(); }},
     {{.name = "Noise (%)",
       .member = "noise_percent",
       .meaning = "the largest change that noise alone explains",
       .digits = decimals(2)},
      [](const FigureChange& figure) { return figure.noise_percent > 0 ? Value(figure.noise_percent) : Value(); }},
     {{.name = "Verdict",
       .member = "verdict",
       .meaning = "no difference, better, worse or cannot tell",
       .type = Type::word},
      [](const FigureChange& figure) { return Value(word_of(figure.verdict)); }},
     {{.name = "Why",
       .member = "why",
       .meaning = "none, not comparable, disturbed, contested, incomplete, not in base, not in new, gone, new or "
                  "explained",
       .type = Type::word},
      [](const FigureChange& figure) { return Value(word_of(figure.why)); }},
     {{.name = "Decides", .member = "decides", .meaning = "yes if it makes the verdict", .type = Type::word},
      [](const FigureChange& figure) { return Value(facts_of(figure.quantity).decides ? "yes" : "no"); }}});

Findings comparison_findings(const Comparison& comparison) {
    Findings told{.told = true};
    const std::string verdict(word_of(comparison.verdict));
    const std::vector<Notice> reasons = reasons_of(comparison);
    List list;
    for (const Notice& notice : reasons)
        list.push_back(members_of(notice));
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back({"reason",
                         {Code::reason, {{"reason", reason_text(reasons)}}},
                         {{"reason", reason_text(reasons)}, {"reasons", std::move(list)}}});
    for (const Notice& notice : comparison.remarks)
        told.list.push_back(remark(notice));
    return told;
}

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    const bool is_report =
        std::ranges::any_of(comparison.figures, [](const FigureChange& one) { return !one.part.empty(); });
    std::vector<const FigureChange*> shown;
    for (const FigureChange& figure : comparison.figures) {
        const bool differs =
            figure.verdict == Verdict::worse || figure.verdict == Verdict::better || is_missing(figure);
        if (all || (!is_size(figure) && (differs || !is_report)))
            shown.push_back(&figure);
    }
    TextTable table = table_of(by_group(shown));
    if (columns)
        fit_names(table, *columns);
    const std::string verdict =
        wrapped_line(fmt::format("{}{}: {}.", capitalised(std::string(word_of(comparison.verdict))),
                                 passed ? ", passed by --unclear pass" : "", reason_text(reasons_of(comparison))),
                     columns, "  ");
    return with_verdict(verdict,
                        (shown.empty() ? "" : "\n" + aligned_text(table)) +
                            omission_text(comparison, comparison.figures.size() - shown.size(), columns) +
                            notes_text(comparison.remarks, columns),
                        columns.has_value());
}

std::string full_name(const FigureChange& figure) {
    if (figure.quantity == Quantity::whole)
        return figure.part.empty() ? figure.name : part_in_words(figure.part);
    return figure.part.empty() ? figure.name : fmt::format("{} {}", group_of(figure.part), figure.name);
}

std::string value_text(Quantity quantity, double value) {
    const QuantityFacts& facts = facts_of(quantity);
    const std::string number = fixed(value, std::min(facts.decimals, value >= 1000 ? 0 : value >= 100 ? 1 : 2));
    return facts.unit == "entries" ? number : fmt::format("{} {}", number, facts.unit); // the name says that it counts
}

std::string noise_text(double percent) {
    constexpr double most = 100; // no longer a bound
    return percent <= most ? fmt::format("{:.1f} %", percent) : ">100 %";
}

std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name) {
    const auto value = [&](double number) { return number > 0 ? value_text(figure.quantity, number) : ""; };
    const double percent = printed_change(figure, 10);
    return {name,
            value(figure.base),
            value(figure.latest),
            has_both(figure) ? fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0) : "",
            figure.noise_percent > 0 ? noise_text(figure.noise_percent) : "",
            std::string(word_of_row(figure))};
}

Members change_members(const FigureChange& figure) {
    std::string name = full_name(figure);
    if (figure.why == Why::gone || figure.why == Why::appeared) // the cache, not its latency
        name = name.substr(0, name.rfind(" latency"));
    Members members{{"name", std::move(name)}};
    if (has_both(figure))
        members.set("change_percent", memtest::figure(printed_change(figure, 10), decimals(1)));
    if (figure.noise_percent > 0)
        members.set("noise_percent", memtest::figure(figure.noise_percent, decimals(1)));
    if (figure.why != Why::none)
        members.set("why", word_of(figure.why));
    if (figure.why == Why::gone)
        members.set("latest_ns", memtest::figure(figure.latest, decimals(1)));
    return members;
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

} // namespace memtest
