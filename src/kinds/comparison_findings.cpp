#include "memtest/kinds/comparison_findings.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace memtest {
namespace {

/// As reasons hold it; the rows have the numbers.
Members change_members(const FigureChange& figure) {
    std::string name = full_name(figure);
    if (figure.why == Why::gone || figure.why == Why::appeared) // the cache, not its latency
        name = name.substr(0, name.rfind(" latency"));
    Members members{{"name", name}};
    if (figure.why != Why::none)
        members.set("why", word_of(figure.why));
    if (figure.why == Why::noise)
        members.set("noise_percent", memtest::figure(printed_noise(figure), decimals(1)));
    if (figure.why == Why::gone)
        members.set("latest_ns", memtest::figure(figure.latest, decimals(1)));
    return members;
}

/// A reason that lists some figures, if there are any. @param values that it has besides
template<class IsWanted>
void add_reason(std::vector<Notice>& reasons, Code code, const Comparison& comparison, const IsWanted& is_wanted,
                Members values = {}) {
    List changes;
    for (const FigureChange& figure : comparison.figures) {
        if (decides(figure) && is_wanted(figure))
            changes.emplace_back(change_members(figure));
    }
    if (changes.empty())
        return;
    values.set("changes", std::move(changes));
    reasons.push_back({code, std::move(values)});
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
        add_reason(doubts, Code::memory_not_compared, comparison,
                   [&](const FigureChange& figure) {
                       return is_untold_memory(figure, comparison) && !is_lost(figure) && !may_be_worse(figure);
                   },
                   {{"disturbed", std::ranges::count(comparison.remarks, Code::files_disturbed, &Notice::code) > 0}});
    return doubts;
}

/// That no figure changed, and how much noise may hide of one: of the noisiest, but for capacities.
Notice nothing_changed(const Comparison& comparison) {
    Members members{{"tolerance_percent", comparison.tolerance_percent}};
    double most = 0;
    for (const FigureChange& change : comparison.figures) {
        if (!tells_of_speed(change) || change.noise_percent <= most)
            continue;
        most = change.noise_percent;
        members.set("noise_percent", figure(most, decimals(1)));
        members.set("noisiest", full_name(change));
    }
    return {Code::nothing_changed, std::move(members)};
}

/// How many were compared, which, and which not; but those that the reasons of an unclear verdict name.
Notice coverage_of(const Comparison& comparison) {
    List names;
    List without;
    std::size_t all = 0;
    bool are_some_named = false; // by the reasons
    for (const FigureChange& figure : comparison.figures) {
        if (!decides(figure) || figure.why == Why::appeared)
            continue;
        ++all;
        if (is_told(figure))
            names.emplace_back(full_name(figure));
        else if (comparison.verdict == Verdict::cannot_tell && is_doubt(figure, comparison))
            are_some_named = true;
        else
            without.emplace_back(Members{{"name", full_name(figure)}, {"why", word_of(figure.why)}});
    }
    Members compared{{"judged", names.size()}, {"of", all}, {"names", std::move(names)}};
    if (!without.empty()) {
        compared.set("without", std::move(without));
        if (are_some_named)
            compared.set("also", true);
    }
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
        reasons.push_back(nothing_changed(comparison));
    reasons.push_back(coverage_of(comparison));
    return reasons;
}

std::string in_words(const std::vector<Notice>& reasons) {
    return joined(reasons, "; ", sentence_of);
}

} // namespace

std::string reason_in_words(const Comparison& comparison) {
    return in_words(reasons_of(comparison));
}

bool makes_verdict(const FigureChange& figure, const Comparison& comparison) {
    const bool is_unclear = comparison.verdict == Verdict::cannot_tell;
    return decides(figure) && ((has_changed(figure) && (is_unclear || figure.verdict == comparison.verdict)) ||
                               (is_unclear && is_doubt(figure, comparison)));
}

std::string full_name(const FigureChange& figure) {
    if (figure.quantity == Quantity::whole)
        return figure.part.empty() ? figure.name : part_in_words(figure.part);
    const bool is_of_chains = section_of_part(figure.part) == "parallel"; // its name has them
    return figure.part.empty() || is_of_chains ? figure.name : fmt::format("{} {}", figure.part, figure.name);
}

std::optional<double> printed_change(const FigureChange& figure, double steps) {
    if (!has_both(figure))
        return std::nullopt;
    return std::round(figure.change_percent * steps) / steps + 0.0;
}

double printed_noise(const FigureChange& figure) {
    const double tenths = 10 * figure.noise_percent;
    return (figure.why == Why::noise ? std::ceil(tenths) : std::round(tenths)) / 10;
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
                                       const std::optional<double> percent = printed_change(figure, 100);
                                       return percent ? Value(*percent) : Value();
                                   }),
            computed<FigureChange>("Noise (%)", "noise_percent", "the largest change that noise alone explains",
                                   {.digits = decimals(2)},
                                   [known](const FigureChange& figure) { return known(figure.noise_percent); }),
            computed<FigureChange>("Verdict", "verdict", "no difference, better, worse or cannot tell", word,
                                   [](const FigureChange& figure) { return Value(word_of(figure.verdict)); }),
            computed<FigureChange>(
                "Why", "why",
                "none, too noisy, within noise, within a step, disturbed, contested, shared, incomplete, not in base, "
                "not in new, gone, new or explained",
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
    const std::string reason = in_words(reasons);
    told.list.push_back({"verdict", {Code::verdict, {{"verdict", verdict}}}, {{"verdict", verdict}}});
    told.list.push_back({"reason",
                         {Code::reason, {{"reason", reason}}},
                         {{"reason", reason}, {"reasons", list_of(reasons, members_of)}}});
    for (const Notice& notice : comparison.remarks)
        told.list.push_back(remark(notice));
    return told;
}

} // namespace memtest
