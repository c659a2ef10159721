#include "memtest/kinds/comparison_screen.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/judge.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/result/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// False of a cache where one side is of what others left of it, of what lies behind it, or of contested sizes.
bool has_values(const FigureChange& figure) {
    const bool is_of_cache = figure.quantity == Quantity::level_latency || figure.quantity == Quantity::capacity;
    return figure.why != Why::shared && (figure.why != Why::contested || !is_of_cache);
}

/// Whether it changed by more than a noise that is too large to compare it.
bool is_open(const FigureChange& figure) {
    return may_exceed_noise(figure) && figure.why == Why::noise &&
           std::abs(figure.change_percent) > figure.noise_percent;
}

/// "Too noisy: noise of more than 40 % (of a level: 20 %)."; "" if none of these rows is.
std::string limit_of_noise(std::span<const FigureChange* const> rows, double tolerance_percent) {
    std::set<double> limits;
    for (const FigureChange* row : rows) {
        if (row->why == Why::noise && row->noise_percent > 0 && !is_open(*row))
            limits.insert(most_hidden_percent(*row, tolerance_percent));
    }
    return limits.empty()
               ? ""
               : fmt::format("Too noisy: noise of more than {:g} %{}.", *limits.rbegin(),
                             limits.size() == 1 ? "" : fmt::format(" (of a level: {:g} %)", *limits.begin()));
}

/// What rows of a comparison need to be understood.
std::string legend_for(std::span<const FigureChange* const> rows, const Comparison& comparison) {
    const bool has_sizes = std::ranges::count(comparison.figures, Quantity::size_latency, &FigureChange::quantity) > 0;
    const auto is_from_sizes = [](const FigureChange* figure) {
        const bool is_inferred =
            figure->quantity == Quantity::capacity ||
            (is_of_level(*figure) && figure->name.find(" latency") != std::string::npos); // not chains
        return is_inferred && has_values(*figure) && printed_change(*figure, 10).value_or(0) != 0;
    };
    const auto is_capacity = [](const FigureChange* figure) {
        return figure->quantity == Quantity::capacity && has_values(*figure);
    };
    std::vector<std::string> sentences;
    if (std::ranges::any_of(rows, is_capacity))
        sentences.emplace_back("Capacities are estimates from the curve.");
    if (has_sizes && std::ranges::any_of(rows, is_from_sizes))
        sentences.emplace_back("New is Base plus the median change at sizes that both have; its own table may differ.");
    if (std::string limit = limit_of_noise(rows, comparison.tolerance_percent); !limit.empty())
        sentences.push_back(std::move(limit));
    if (std::ranges::any_of(rows, [](const FigureChange* figure) { return is_open(*figure); }))
        sentences.emplace_back(
            "May be: a level or stride of such noise counts if it changed by clearly more than twice the noise.");
    if (std::ranges::count(rows, Why::shared, &FigureChange::why) > 0)
        sentences.emplace_back(
            "Shared: other guests or processes use part of this cache, so this figure is not compared.");
    return joined(sentences, " ", std::identity());
}

std::string verdict_cell(const FigureChange& figure) {
    if (is_open(figure) && is_of_level(figure)) // the verdict of strides does not wait for them
        return may_be_worse(figure) ? "may be worse" : "may be better";
    if (has_changed(figure) && !decides(figure)) // of many sizes some change by themselves
        return "only listed";
    return std::string(figure.why == Why::none ? word_of(figure.verdict) : word_of(figure.why));
}

/// The screen with the first of its rows and notes.
std::string text_with(const Screen& screen, std::size_t rows, std::size_t notes, std::optional<std::size_t> columns) {
    TextTable table{.right = "lrrrrl"};
    if (!screen.rows.empty())
        table.rows.push_back(screen.header);
    table.rows.insert(table.rows.end(), screen.rows.begin(), screen.rows.begin() + static_cast<std::ptrdiff_t>(rows));
    if (columns)
        fit_names(table, *columns);
    std::vector<std::string> blocks{table.rows.empty() ? "" : aligned_text(table)};
    if (!screen.legend.empty())
        blocks.front() += wrapped_line(screen.legend, columns, "");
    std::vector<std::string> more;
    for (const auto& [count, thing] : {std::pair(screen.left_out + screen.rows.size() - rows, "row"),
                                       std::pair(screen.notes.size() - notes, "note")}) {
        if (count > 0)
            more.push_back(counted(count, thing) + " more");
    }
    if (!more.empty())
        blocks.push_back(fmt::format("--all prints {}.\n", joined(more, " and ", std::identity())));
    blocks.push_back(joined(std::span(screen.notes).first(notes), "", [&](const Notice& note) {
        return wrapped_line(fmt::format("Note: {}.", sentence_of(note)), columns, "      ");
    }));
    blocks.push_back(wrapped_line(screen.verdict, columns, "  ")); // last, where a terminal shows it
    std::erase(blocks, "");
    return joined(blocks, "\n", std::identity());
}

} // namespace

std::string comparison_table(const Comparison& comparison, bool all, bool passed, std::optional<std::size_t> columns) {
    const bool is_report =
        std::ranges::any_of(comparison.figures, [](const FigureChange& one) { return !one.part.empty(); });
    Screen screen{.verdict = fmt::format("{}{}: {}.", capitalised(std::string(word_of(comparison.verdict))),
                                         passed ? ", passed by --unclear pass" : "", reason_in_words(comparison)),
                  .header = {"Figure", "Base", "New", "Change", "Noise", "Verdict"},
                  .notes = comparison.remarks};
    const auto is_shown = [&](const FigureChange& figure) {
        return all ||
               (figure.quantity != Quantity::size_latency &&
                (is_told(figure) || is_missing(figure) || is_of_level(figure) || has_changed(figure) || !is_report));
    };
    std::vector<const FigureChange*> shown; // first what makes the verdict, as the screen may hold no more
    std::vector<const FigureChange*> others;
    for (const FigureChange& figure : comparison.figures) {
        if (figure.quantity == Quantity::whole) // the sentence names that
            continue;
        if (is_shown(figure))
            (!all && makes_verdict(figure, comparison) ? shown : others).push_back(&figure);
        else
            ++screen.left_out;
    }
    shown.insert(shown.end(), others.begin(), others.end());
    for (const FigureChange* figure : shown)
        screen.rows.push_back(cells_of(*figure, full_name(*figure)));
    screen.legend = legend_for(shown, comparison);
    return text_of(screen, all, columns);
}

std::vector<std::string> cells_of(const FigureChange& figure, const std::string& name) {
    const QuantityFacts& facts = facts_of(figure.quantity);
    const auto value = [&](double number) {
        const int decimals = std::min(facts.decimals, number >= 1000 ? 0 : number >= 100 ? 1 : 2);
        const std::string_view unit = facts.unit == "entries" ? "" : facts.unit; // the name says what it counts
        return number > 0 ? std::string(trimmed(fmt::format("{} {}", fixed(number, decimals), unit))) : "";
    };
    constexpr double most = 100; // percent; no longer a bound
    const std::optional<double> percent = printed_change(figure, 10);
    const bool is_shown = has_values(figure);
    const double noise = printed_noise(figure);
    return {name,
            is_shown ? value(figure.base) : "",
            is_shown ? value(figure.latest) : "",
            is_shown && percent ? fmt::format("{:+.{}f} %", *percent, std::abs(*percent) < 100 ? 1 : 0) : "",
            noise <= 0      ? ""
            : noise <= most ? fmt::format("{:.1f} %", noise)
                            : ">100 %",
            verdict_cell(figure)};
}

std::string text_of(const Screen& screen, bool all, std::optional<std::size_t> columns) {
    constexpr std::ptrdiff_t most_lines = 20;
    constexpr std::size_t most_rows = 10;
    constexpr std::size_t fewest_rows = 4; // notes may be long
    constexpr std::size_t most_notes = 2;
    if (all)
        return text_with(screen, screen.rows.size(), screen.notes.size(), columns);
    const std::size_t notes = std::min(most_notes, screen.notes.size());
    std::size_t rows = std::min(most_rows, screen.rows.size());
    std::string text = text_with(screen, rows, notes, columns);
    while (std::ranges::count(text, '\n') > most_lines && rows > fewest_rows)
        text = text_with(screen, --rows, notes, columns);
    return text;
}

} // namespace memtest
