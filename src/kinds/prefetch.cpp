#include "memtest/kinds/prefetch.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/result/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

constexpr std::uint64_t usual_page_bytes = 4096;

std::string name_of(const PatternFigure& figure) {
    constexpr std::array<std::pair<Pattern, std::string_view>, 5> names{
        {{Pattern::random, "random lines"},
         {Pattern::index, "random lines, by index"},
         {Pattern::repeated_lap, "random lines, in a repeated order"},
         {Pattern::pair, "other line of a pair, forward and backward"},
         {Pattern::next_line, "next line, in the next pair"}}};
    for (const auto& [pattern, name] : names) {
        if (figure.pattern == pattern)
            return std::string(name);
    }
    return fmt::format("stride {}, forward and backward",
                       rounded_size(static_cast<double>(figure.stride_bytes.value_or(0))));
}

/// The pattern that goes the other way, and shares the row.
std::optional<Pattern> reverse_of(Pattern pattern) {
    if (pattern == Pattern::forward)
        return Pattern::backward;
    return pattern == Pattern::pair ? std::optional(Pattern::pair_backward) : std::nullopt;
}

/// "12.5", or "<18.0" if the rounds show no more than a bound, as of a small difference of two long times; nothing if
/// one round shows no time.
std::string latency_of(const PatternFigure& figure) {
    if (!figure.latency_ns || (!figure.high_ns && figure.latency_ns == 0))
        return "";
    if (figure.latency_ns == 0 && figure.high_ns == 0.0)
        return "about 0";
    const bool is_bound = figure.high_ns && *figure.latency_ns < *figure.high_ns / 4;
    return is_bound ? "<" + three_digits(*figure.high_ns) : three_digits(*figure.latency_ns);
}

/// The finding's code with its values.
Notice notice_of(const Prefetchers& found) {
    List strides;
    const auto bytes = [](const FollowedStrides& followed) {
        return followed.is_known || followed.up_to_bytes > 0 ? Value(followed.up_to_bytes) : Value();
    };
    for (const Prefetchers::InPages& in_pages : found.strides)
        strides.emplace_back(Members{{"pages", word_of(in_pages.pages)},
                                     {"forward_bytes", bytes(in_pages.forward)},
                                     {"backward_bytes", bytes(in_pages.backward)},
                                     {"longest_tried", in_pages.forward.is_longest && in_pages.backward.is_longest},
                                     {"forward_open", !in_pages.forward.is_known},
                                     {"backward_open", !in_pages.backward.is_known}});
    return {Code::prefetchers,
            {{"strides", strides.empty() ? Value() : Value(std::move(strides))},
             {"starts_after_hops", as_value(found.starts_after_hops)},
             {"fetches_pairs", word_of(found.pairs)},
             {"fetches_next_line", word_of(found.next_line)},
             {"learns_laps", word_of(found.learns_laps)},
             {"follows_addresses", word_of(found.follows_addresses)}}};
}

Answer answer_of_prefetch(const Result& prefetch) {
    Answer answer{.notes = prefetch.remarks};
    std::vector<PageKind> pages;
    std::vector<std::string> header{"Accesses"};
    const auto& figures = prefetch.rows_of<PatternFigure>();
    for (const PatternFigure& figure : figures) {
        if (std::ranges::find(pages, figure.pages) == pages.end()) {
            pages.push_back(figure.pages);
            header.push_back(fmt::format("Pages {}", word_of(figure.pages)));
        }
    }
    answer.table = table_of_numbers(std::move(header));
    for (const PatternFigure& first : figures) {
        const bool has_no_row = first.pattern == Pattern::backward || first.pattern == Pattern::pair_backward ||
                                first.pattern == Pattern::start;
        if (first.pages != pages.front() || has_no_row)
            continue;
        std::vector<std::string> cells{name_of(first)};
        for (const PageKind kind : pages) {
            const auto in_pages = [&](Pattern pattern) {
                const auto same = std::ranges::find_if(figures, [&](const PatternFigure& figure) {
                    return figure.pages == kind && figure.pattern == pattern &&
                           figure.stride_bytes == first.stride_bytes;
                });
                return same == figures.end() ? "" : latency_of(*same);
            };
            std::string both = in_pages(first.pattern);
            const auto reverse = reverse_of(first.pattern);
            const std::string other = reverse ? in_pages(*reverse) : "";
            if (reverse && !(both.empty() && other.empty()))
                both = fmt::format("{}, {}", both.empty() ? "-" : both, other.empty() ? "-" : other);
            cells.push_back(both.empty() ? "" : both + " ns");
        }
        answer.table.rows.push_back(std::move(cells));
    }
    answer.sentences = {capitalised(sentence_of(notice_of(prefetchers_in(prefetch)))) + "."};
    return answer;
}

/// A min that the clock could not tell counts as 0.
double noise_of(const PatternFigure& row) {
    constexpr double after_one_round = 0.25; // which shows none of it: too much to compare
    return !row.high_ns ? after_one_round
                        : noise_of_quartiles(row.low_ns.value_or(0), row.high_ns, row.latency_ns.value_or(0));
}

/// Strides, the nearest of each direction, as shares of random order.
void add_patterns(FigureList& list, const Result& prefetch) {
    const auto& rows = prefetch.rows_of<PatternFigure>();
    std::map<PageKind, std::pair<double, double>> random; // with its noise
    for (const PatternFigure& row : rows) {
        if (row.pattern != Pattern::random || !row.latency_ns)
            continue;
        if (random.emplace(row.pages, std::pair(*row.latency_ns, noise_of(row))).second)
            list.add_memory(row.pages, *row.latency_ns, noise_of(row));
    }
    for (const PatternFigure& row : rows) {
        const bool is_stride = row.pattern == Pattern::forward || row.pattern == Pattern::backward;
        const bool is_of_others = row.pages == PageKind::base && random.size() > 1; // walks are in the way
        const auto base = random.find(row.pages);
        if (is_stride && !is_of_others && base != random.end() && row.latency_ns.value_or(0) > 0)
            list.add({.name = std::string(word_of(row.pattern)), // of the first row, with the shortest stride
                      .quantity = Quantity::pattern,
                      .value = 100 * *row.latency_ns / base->second.first,
                      .noise = std::hypot(noise_of(row), base->second.second)});
    }
}

Plot plot_prefetchers(const std::vector<Result>& results, const std::vector<std::string>& labels,
                      const PlotStyle& /*style*/) {
    SizePlot plot{.title = "Latency by stride, with prefetchers",
                  .subtitle = shared_cpu_model(results),
                  .quantity = "latency (ns)",
                  .unit = "ns",
                  .across = "stride (B)",
                  .across_is_logarithmic = true};
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::map<std::pair<PageKind, Pattern>, std::map<double, std::optional<double>>> curves;
        for (const PatternFigure& figure : results[i].rows_of<PatternFigure>()) {
            const bool is_stride = figure.pattern == Pattern::forward || figure.pattern == Pattern::backward;
            if (is_stride && figure.stride_bytes)
                curves[{figure.pages, figure.pattern}][static_cast<double>(*figure.stride_bytes)] = figure.latency_ns;
        }
        for (const auto& [which, points] : curves) {
            PlotCurve& curve = plot.curves.emplace_back();
            if (results.size() > 1)
                curve.name = labels[i];
            append(curve.name, fmt::format("{}, {} pages", word_of(which.second), word_of(which.first)));
            for (const auto& [stride_bytes, ns] : points)
                curve.points.push_back({.at = stride_bytes, .value = ns});
        }
    }
    return plot;
}

} // namespace

const KindOf<PatternFigure> prefetch_kind(
    {.command = "prefetch",
     .findings = {{"prefetchers", false}},
     .parts = {{"prefetch", "prefetch", "prefetchers"}},
     .answer = answer_of_prefetch,
     .add_figures = add_patterns,
     .plot = plot_prefetchers},
    {column_of<&PatternFigure::pattern>("Pattern", "pattern", "how the lines of successive accesses lie",
                                        {.needed = true}),
     column_of<&PatternFigure::pages>("Pages", "pages", "the kind of pages", {.needed = true}),
     column_of<&PatternFigure::stride_bytes>("Stride (B)", "stride_bytes", "from line to line; empty for random lines",
                                             {.lowest = 1}),
     column_of<&PatternFigure::hops>("Hops", "hops",
                                     "the last of the hops that are timed, counted from where the stride begins; 16 "
                                     "stands for hops 9 to 16, and 32 for 17 to 32",
                                     {.lowest = 1}),
     column_of<&PatternFigure::latency_ns>("Access latency (ns)", "latency_ns",
                                           "time of an access, median over the rounds"),
     column_of<&PatternFigure::low_ns>("Low (ns)", "low_ns",
                                       "min over the rounds; 0 if the access took no time that the clock shows"),
     column_of<&PatternFigure::high_ns>("High (ns)", "high_ns", "upper quartile over the rounds; empty after one"),
     column_of<&PatternFigure::random_percent>(
         "Of random (%)", "random_percent",
         "the latency as a percentage of that of the random pattern in the same pages", {.digits = decimals(1)})});

Prefetchers prefetchers_in(const Result& prefetch) {
    if (is_cut_short(prefetch))
        return {};
    const auto& pages = prefetch.run.pages_got;
    const std::uint64_t page_bytes = pages && !pages->empty() ? pages->front().page_bytes : 0;
    return read_prefetchers(prefetch.rows_of<PatternFigure>(), page_bytes == 0 ? usual_page_bytes : page_bytes);
}

Findings prefetch_findings(const Prefetchers& found) {
    const Notice notice = notice_of(found);
    return {.told = true, .list = {{"prefetchers", notice, {{"prefetchers", notice.values}}}}};
}

} // namespace memtest
