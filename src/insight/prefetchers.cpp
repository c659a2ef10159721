#include "memtest/insight/prefetchers.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <map>

namespace memtest {
namespace {

constexpr double far_below = 0.5;
// A start is the mean of several accesses. In 20 reports of Zen 3 and 5 the fifth to eighth took 32 to 45 % of random
// lines: some of them were not prefetched. A stride of a page that is not prefetched saves some of its walks and rows:
// it took 33 to 54 % in 20 reports of an Emerald Rapids, and 8 to 12 % backward where Zen 3 and 5 prefetch it.
constexpr double nearly_none = 0.25;
// A lap that is learned, or an address that is followed, may save only part of the time.
constexpr double somewhat_below = 0.8;
// One round tells only of what is so far below that a second one would hardly say otherwise: work of others made
// indices take 301 ns once, and pointers 155.
constexpr double share_after_one_round = 0.5;

/// The figure of a pattern, with this stride if one is given; null if there is none.
const PatternFigure* find(std::span<const PatternFigure> figures, Pattern pattern, PageKind pages,
                          std::optional<std::uint64_t> stride_bytes = {}) {
    const auto found = std::ranges::find_if(figures, [&](const PatternFigure& figure) {
        return figure.pattern == pattern && figure.pages == pages &&
               (!stride_bytes || figure.stride_bytes == stride_bytes);
    });
    return found == figures.end() ? nullptr : &*found;
}

/// Whether it is the difference of two walks, which is too small if the shorter one was disturbed.
bool is_difference(Pattern pattern) {
    return pattern == Pattern::pair || pattern == Pattern::pair_backward || pattern == Pattern::next_line ||
           pattern == Pattern::start;
}

/// Whether one figure is less than this share of the other.
Truth is_below(double share, const PatternFigure* figure, const PatternFigure* of) {
    if (figure == nullptr || of == nullptr || of->low_ns.value_or(0) == 0) // the clock was too coarse
        return Truth::unknown;
    if (!figure->high_ns || !of->high_ns) {
        const bool shows_time = figure->latency_ns && !is_difference(figure->pattern);
        return shows_time && *figure->latency_ns < share_after_one_round * share * *of->low_ns ? Truth::yes
                                                                                               : Truth::unknown;
    }
    if (*figure->high_ns < share * *of->low_ns)
        return Truth::yes;
    return figure->low_ns.value_or(0) >= share * of->latency_ns.value_or(0) ? Truth::no : Truth::unknown;
}

Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no)
        return Truth::no;
    return a == b ? a : Truth::unknown;
}

FollowedStrides followed(std::span<const PatternFigure> figures, Pattern direction, PageKind pages,
                         std::uint64_t base_page_bytes) {
    const PatternFigure* random = find(figures, Pattern::random, pages);
    std::vector<const PatternFigure*> strides;
    for (const PatternFigure& figure : figures) {
        if (figure.pattern == direction && figure.pages == pages && figure.stride_bytes)
            strides.push_back(&figure);
    }
    std::ranges::sort(strides, {}, [](const PatternFigure* figure) { return *figure->stride_bytes; });
    FollowedStrides result{.is_known = !strides.empty()};
    for (const PatternFigure* figure : strides) {
        const bool saves_walks = pages == PageKind::base && *figure->stride_bytes >= base_page_bytes;
        const Truth answer = is_below(saves_walks ? nearly_none : far_below, figure, random);
        result.is_known = answer != Truth::unknown;
        if (answer != Truth::yes)
            break;
        result.up_to_bytes = *figure->stride_bytes;
        result.is_longest = figure == strides.back();
    }
    return result;
}

/// The fewest hops after which all further ones are prefetched. (The other line of a pair may come earlier.)
std::optional<std::uint64_t> starts_after(std::span<const PatternFigure> figures, PageKind pages) {
    std::map<std::uint64_t, Truth> by_hops;
    for (const PatternFigure& figure : figures) {
        if (figure.pattern == Pattern::start && figure.pages == pages && figure.hops)
            by_hops[*figure.hops] = is_below(nearly_none, &figure, find(figures, Pattern::random, pages));
    }
    std::optional<std::uint64_t> hops;
    for (auto start = by_hops.rbegin(); start != by_hops.rend() && start->second == Truth::yes; ++start)
        hops = start->first / 2;
    return hops;
}

/// Of random lines that were walked once, the min of pointers and indices: other work hardly slowed both.
std::vector<PatternFigure> with_sound_references(std::span<const PatternFigure> measured) {
    std::vector<PatternFigure> figures(measured.begin(), measured.end());
    for (PatternFigure& figure : figures) {
        const PatternFigure* index = find(measured, Pattern::index, figure.pages);
        if (figure.pattern == Pattern::random && !figure.high_ns && figure.low_ns && index != nullptr && index->low_ns)
            figure.low_ns = std::min(*figure.low_ns, *index->low_ns);
    }
    return figures;
}

} // namespace

std::vector<PatternFigure> figures_of(std::span<const PatternPoint> points, std::size_t line_bytes) {
    std::vector<PatternFigure> figures;
    for (const PatternPoint& point : points) {
        std::vector<double> rounds = point.rounds_ns;
        std::ranges::sort(rounds);
        PatternFigure figure{.pattern = point.step.pattern,
                             .pages = point.step.pages,
                             .latency_ns = quantile(rounds, 0.5),
                             .low_ns = rounds.front()};
        if (rounds.size() > 1)
            figure.high_ns = quantile(rounds, 0.75);
        if (point.step.stride_lines > 0)
            figure.stride_bytes = point.step.stride_lines * line_bytes;
        if (point.step.hops > 0)
            figure.hops = point.step.hops;
        figures.push_back(figure);
    }
    for (PatternFigure& figure : figures) {
        const PatternFigure* random = find(figures, Pattern::random, figure.pages);
        if (random != nullptr && random->latency_ns.value_or(0) > 0)
            figure.random_percent = 100 * *figure.latency_ns / *random->latency_ns;
    }
    return figures;
}

Prefetchers read_prefetchers(std::span<const PatternFigure> measured, std::uint64_t base_page_bytes) {
    Prefetchers found;
    if (measured.empty())
        return found;
    const std::vector<PatternFigure> figures = with_sound_references(measured);
    for (const PatternFigure& figure : figures) {
        if (figure.pattern == Pattern::random)
            found.strides.push_back({.pages = figure.pages,
                                     .forward = followed(figures, Pattern::forward, figure.pages, base_page_bytes),
                                     .backward = followed(figures, Pattern::backward, figure.pages, base_page_bytes)});
    }
    const PageKind pages = figures.back().pages; // the huge ones, with the cheaper page walks
    const PatternFigure* random = find(figures, Pattern::random, pages);
    const auto is_prefetched = [&](Pattern pattern) {
        return is_below(far_below, find(figures, pattern, pages), random);
    };
    found.pairs = both(is_prefetched(Pattern::pair), is_prefetched(Pattern::pair_backward));
    found.next_line = both(is_prefetched(Pattern::pair), is_prefetched(Pattern::next_line));
    /// Unknown where these pages say no, and the medians in other ones do not.
    const auto saves = [&](Pattern pattern, Pattern of) {
        const Truth answer = is_below(somewhat_below, find(figures, pattern, pages), find(figures, of, pages));
        const bool others_do = std::ranges::any_of(found.strides, [&](const Prefetchers::InPages& others) {
            const PatternFigure* figure = find(figures, pattern, others.pages);
            const PatternFigure* full = find(figures, of, others.pages);
            return figure != nullptr && full != nullptr &&
                   figure->latency_ns.value_or(0) < somewhat_below * full->latency_ns.value_or(0);
        });
        return answer == Truth::no && others_do ? Truth::unknown : answer;
    };
    found.learns_laps = saves(Pattern::repeated_lap, Pattern::random);
    found.follows_addresses = saves(Pattern::random, Pattern::index);
    found.starts_after_hops = starts_after(figures, pages);
    return found;
}

} // namespace memtest
