#include "memtest/kinds/comparison.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/result/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

/// Never as `-0.0`.
double printed_change(const FigureChange& figure, double steps) {
    return std::round(figure.change_percent * steps) / steps + 0.0;
}

bool has_both(const FigureChange& figure) {
    return figure.base > 0 && figure.latest > 0;
}

/// As reasons hold it; the rows have the numbers.
Members change_members(const FigureChange& figure) {
    std::string name = full_name(figure);
    if (figure.why == Why::gone || figure.why == Why::appeared) // the cache, not its latency
        name = name.substr(0, name.rfind(" latency"));
    Members members{{"name", name}};
    if (figure.why != Why::none)
        members.set("why", word_of(figure.why));
    if (figure.why == Why::noise)
        members.set("noise_percent", memtest::figure(figure.noise_percent, decimals(1)));
    if (figure.why == Why::gone)
        members.set("latest_ns", memtest::figure(figure.latest, decimals(1)));
    return members;
}

/// A reason that lists some figures, if there are any.
template<class IsWanted>
void add_reason(std::vector<Notice>& reasons, Code code, const Comparison& comparison, const IsWanted& is_wanted) {
    List changes;
    for (const FigureChange& figure : comparison.figures) {
        if (decides(figure) && is_wanted(figure))
            changes.push_back(change_members(figure));
    }
    if (!changes.empty())
        reasons.push_back({code, {{"changes", std::move(changes)}}});
}

/// A figure of memory, where none was compared.
bool is_untold_memory(const FigureChange& figure, const Comparison& comparison) {
    return figure.quantity == Quantity::memory_latency && is_memory_untold(comparison.figures);
}

/// Whether it is named as a reason of `cannot tell`.
bool is_doubt(const FigureChange& figure, const Comparison& comparison) {
    return is_lost(figure) || may_be_worse(figure) || is_untold_memory(figure, comparison);
}

/// Why the verdict is `cannot tell`.
std::vector<Notice> doubts_of(const Comparison& comparison) {
    std::vector<Notice> doubts = comparison.unclear;
    add_reason(doubts, Code::figures_missing, comparison, is_lost);
    add_reason(doubts, Code::may_be_worse, comparison, may_be_worse);
    if (doubts.empty() && comparison.figures.empty())
        doubts.emplace_back(Code::no_figure_in_common);
    else if (doubts.empty() && std::ranges::none_of(comparison.figures, tells_of_speed))
        doubts.push_back(
            {Code::noise_hides_all, {{"but_capacities", std::ranges::any_of(comparison.figures, is_told)}}});
    else
        add_reason(doubts, Code::memory_not_compared, comparison, [&](const FigureChange& figure) {
            return is_untold_memory(figure, comparison) && !is_lost(figure) && !may_be_worse(figure);
        });
    return doubts;
}

bool is_told_capacity(const FigureChange& figure) {
    return is_told(figure) && !tells_of_speed(figure);
}

/// Of what is compared but capacities, in percent.
Value largest_noise(const Comparison& comparison) {
    double most = 0;
    for (const FigureChange& figure : comparison.figures)
        most = std::max(most, tells_of_speed(figure) ? figure.noise_percent : 0);
    return figure(most, decimals(1));
}

/// How many were compared and which, and which of the others no doubt names.
Notice coverage_of(const Comparison& comparison) {
    List names;
    List without;
    std::size_t all = 0;
    for (const FigureChange& figure : comparison.figures) {
        if (!decides(figure) || figure.why == Why::appeared)
            continue;
        ++all;
        if (is_told(figure))
            names.emplace_back(full_name(figure));
        else if (comparison.verdict != Verdict::cannot_tell || !is_doubt(figure, comparison))
            without.emplace_back(full_name(figure));
    }
    Members compared{{"judged", names.size()}, {"of", all}, {"names", std::move(names)}};
    if (!without.empty())
        compared.set("without", std::move(without));
    return {Code::figures_compared, std::move(compared)};
}

std::vector<Notice> reasons_of(const Comparison& comparison) {
    std::vector<Notice> reasons;
    if (comparison.verdict == Verdict::cannot_tell) {
        reasons = doubts_of(comparison);
        if (std::ranges::any_of(comparison.figures, tells_of_speed))
            reasons.push_back(coverage_of(comparison));
        return reasons;
    }
    const auto is_change = [](const FigureChange& figure) {
        return decides(figure) && (has_changed(figure) || figure.why == Why::follows);
    };
    if (comparison.verdict == Verdict::worse || comparison.verdict == Verdict::better)
        add_reason(reasons, Code::changed, comparison,
                   [&](const FigureChange& figure) { return figure.verdict == comparison.verdict; });
    else if (std::ranges::none_of(comparison.figures, is_change))
        reasons.push_back({Code::nothing_changed,
                           {{"tolerance_percent", comparison.tolerance_percent},
                            {"noise_percent", largest_noise(comparison)},
                            {"but_capacities", std::ranges::any_of(comparison.figures, is_told_capacity)}}});
    reasons.push_back(coverage_of(comparison));
    return reasons;
}

/// False where one side is of what others left of a cache, or of what lies behind it.
bool is_of_own_cache(const FigureChange& figure) {
    return figure.why != Why::shared;
}

/// Whether the verdict is for this figure; a change is none only where a second measurement did not confirm it.
bool makes_verdict(const FigureChange& figure, const Comparison& comparison) {
    const bool is_unclear = comparison.verdict == Verdict::cannot_tell;
    return decides(figure) && ((has_changed(figure) && (is_unclear || figure.verdict == comparison.verdict)) ||
                               (is_unclear && is_doubt(figure, comparison)));
}

/// What rows like these need to be understood. @param has_sizes whether the comparison has those of sizes
std::string legend_for(std::span<const FigureChange* const> rows, bool has_sizes) {
    const auto is_from_sizes = [](const FigureChange* figure) {
        const bool is_inferred =
            figure->quantity == Quantity::capacity ||
            (is_of_level(*figure) && figure->name.find(" latency") != std::string::npos); // not chains
        return is_inferred && has_both(*figure) && is_of_own_cache(*figure) && printed_change(*figure, 10) != 0;
    };
    std::vector<std::string_view> sentences;
    if (has_sizes && std::ranges::any_of(rows, is_from_sizes))
        sentences.emplace_back("New is Base plus the median change at sizes that both have; its own table may differ.");
    if (std::ranges::count(rows, Why::shared, &FigureChange::why) > 0)
        sentences.emplace_back("Shared: other guests use part of this cache, so this figure is not compared.");
    return joined(sentences, " ", std::identity());
}

std::string reason_text(const std::vector<Notice>& reasons) {
    return joined(reasons, "; ", sentence_of);
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
        comparison.remarks.push_back({Code::files_disturbed, {{"names", std::move(names)}}});
    add_differences(comparison.remarks, baselines, latest);
    const auto is_prefetched = [](const Notice& warning) { return warning.code == Code::prefetcher_follows_stride; };
    if (List names = files_with(baselines, latest, is_prefetched); !names.empty())
        comparison.remarks.push_back({Code::prefetched_files, {{"names", std::move(names)}}});
    add_untold(comparison.remarks, baselines, latest);
    return comparison;
}

std::vector<Field<FigureChange>> change_fields() {
    constexpr Column word{.type = Column::Type::word};
    constexpr Column value{.digits = significant(8), .highest = 1e15};
    const auto known = [](double number) { return number > 0 ? Value(number) : Value(); };
    return {column_of<&FigureChange::part>("Part", "part", "of the report; empty for other files"),
            column_of<&FigureChange::name>("Figure", "figure", "its name"),
            computed<FigureChange>("Unit", "unit", "of the two values", word,
                                   [](const FigureChange& figure) { return Value(facts_of(figure.quantity).unit); }),
            computed<FigureChange>("Base", "base", "median of the baselines", value,
                                   [known](const FigureChange& figure) { return known(figure.base); }),
            computed<FigureChange>("New", "new", "of the file that is judged", value,
                                   [known](const FigureChange& figure) { return known(figure.latest); }),
            computed<FigureChange>("Change (%)", "change_percent", "from the one to the other",
                                   {.digits = decimals(2), .lowest = -100},
                                   [](const FigureChange& figure) {
                                       return has_both(figure) ? Value(printed_change(figure, 100)) : Value();
                                   }),
            computed<FigureChange>("Noise (%)", "noise_percent", "the largest change that noise alone explains",
                                   {.digits = decimals(2)},
                                   [known](const FigureChange& figure) { return known(figure.noise_percent); }),
            computed<FigureChange>("Verdict", "verdict", "no difference, better, worse or cannot tell", word,
                                   [](const FigureChange& figure) { return Value(word_of(figure.verdict)); }),
            computed<FigureChange>(
                "Why", "why",
                "none, too noisy, within a step, disturbed, contested, shared, incomplete, not in base, not "
                "in new, gone, new or explained",
                word, [](const FigureChange& figure) { return Value(word_of(figure.why)); }),
            computed<FigureChange>("Decides", "decides", "yes if it makes the verdict", word,
                                   [](const FigureChange& figure) { return Value(decides(figure) ? "yes" : "no"); })};
}

const KindOf<FigureChange> compare_kind({.command = "compare",
                                         .findings = {{"verdict", false}, {"reason", false}, {"reasons"}},
                                         .rows = "figures",
                                         .measured = false},
                                        change_fields());

Findings comparison_findings(const Comparison& comparison) {
    Findings told{.told = true};
    const std::string verdict(word_of(comparison.verdict));
    const std::vector<Notice> reasons = reasons_of(comparison);
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back({"reason",
                         {Code::reason, {{"reason", reason_text(reasons)}}},
                         {{"reason", reason_text(reasons)}, {"reasons", list_of(reasons, members_of)}}});
    for (const Notice& notice : comparison.remarks)
        told.list.push_back(remark(notice));
    return told;
}

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    const bool is_report =
        std::ranges::any_of(comparison.figures, [](const FigureChange& one) { return !one.part.empty(); });
    Screen screen{.verdict =
                      fmt::format("{}{}: {}.", capitalised(std::string(word_of(comparison.verdict))),
                                  passed ? ", passed by --unclear pass" : "", reason_text(reasons_of(comparison))),
                  .header = {"Figure", "Base", "New", "Change", "Noise", "Verdict"},
                  .notes = comparison.remarks};
    const auto is_shown = [&](const FigureChange& figure) {
        return all || (figure.quantity != Quantity::size_latency &&
                       (has_changed(figure) || is_missing(figure) || is_of_level(figure) || !is_report));
    };
    std::vector<const FigureChange*> shown;
    for (const bool makes_it : {true, false}) { // first, as the screen may hold no more than these
        for (const FigureChange& figure : comparison.figures) {
            const bool is_here = makes_it == (!all && makes_verdict(figure, comparison));
            if (!is_here || figure.quantity == Quantity::whole) // the sentence names that
                continue;
            if (is_shown(figure))
                shown.push_back(&figure);
            else
                ++screen.left_out;
        }
    }
    for (const FigureChange* figure : shown)
        screen.rows.push_back(cells_of(*figure, full_name(*figure)));
    screen.legend =
        legend_for(shown, std::ranges::count(comparison.figures, Quantity::size_latency, &FigureChange::quantity) > 0);
    return text_of(screen, all, columns);
}

std::string full_name(const FigureChange& figure) {
    if (figure.quantity == Quantity::whole)
        return figure.part.empty() ? figure.name : part_in_words(figure.part);
    const bool is_of_chains = section_of_part(figure.part) == "parallel"; // its name has them
    return figure.part.empty() || is_of_chains ? figure.name : fmt::format("{} {}", figure.part, figure.name);
}

std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name) {
    const QuantityFacts& facts = facts_of(figure.quantity);
    const auto value = [&](double number) {
        const int decimals = std::min(facts.decimals, number >= 1000 ? 0 : number >= 100 ? 1 : 2);
        const std::string_view unit = facts.unit == "entries" ? "" : facts.unit; // the name says what it counts
        return number > 0 ? std::string(trimmed(fmt::format("{} {}", fixed(number, decimals), unit))) : "";
    };
    constexpr double most = 1000; // percent; no longer a bound
    const auto digits = [](double number) { return std::abs(number) < 100 ? 1 : 0; };
    const double percent = printed_change(figure, 10);
    const bool has_values = is_of_own_cache(figure);
    return {name,
            has_values ? value(figure.base) : "",
            has_values ? value(figure.latest) : "",
            has_values && has_both(figure) ? fmt::format("{:+.{}f} %", percent, digits(percent)) : "",
            figure.noise_percent <= 0 ? ""
            : figure.noise_percent <= most
                ? fmt::format("{:.{}f} %", figure.noise_percent, digits(figure.noise_percent))
                : ">1000 %",
            fmt::format("{}{}", figure.why == Why::none ? word_of(figure.verdict) : word_of(figure.why),
                        has_changed(figure) && !decides(figure) ? ", only listed" : "")};
}

std::string text_of(const Screen& screen, bool all, std::optional<std::size_t> columns) {
    constexpr std::size_t most_rows = 10; // the screen has 20 lines with verdict and notes
    constexpr std::size_t most_notes = 2;
    TextTable table{.right = "lrrrrl"};
    if (!screen.rows.empty())
        table.rows.push_back(screen.header);
    for (const std::vector<std::string>& row : screen.rows) {
        if (all || table.rows.size() <= most_rows)
            table.rows.push_back(row);
    }
    const std::size_t shown = table.rows.empty() ? 0 : table.rows.size() - 1;
    const std::size_t left_out = screen.left_out + screen.rows.size() - shown;
    const std::size_t notes = all ? screen.notes.size() : std::min(most_notes, screen.notes.size());
    if (columns)
        fit_names(table, *columns);
    std::string text = table.rows.empty() ? "" : "\n" + aligned_text(table);
    if (!screen.legend.empty())
        text += wrapped_line(screen.legend, columns, "");
    std::vector<std::string> more;
    for (const auto& [count, thing] : {std::pair(left_out, "row"), std::pair(screen.notes.size() - notes, "note")}) {
        if (count > 0)
            more.push_back(counted(count, thing) + " more");
    }
    if (!more.empty())
        text += fmt::format("\n--all prints {}.\n", joined(more, " and ", std::identity()));
    for (std::size_t i = 0; i < notes; ++i)
        text += (i == 0 ? "\n" : "") +
                wrapped_line(fmt::format("Note: {}.", sentence_of(screen.notes[i])), columns, "      ");
    const std::string verdict = wrapped_line(screen.verdict, columns, "  ");
    return all ? text.substr(text.empty() ? 0 : 1) + (text.empty() ? "" : "\n") + verdict : verdict + text;
}

} // namespace memtest
