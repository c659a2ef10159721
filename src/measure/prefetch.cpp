#include "memtest/measure/prefetch.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/chain/random.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

// About a millisecond at the latency of memory, and few lines are met again by chance.
constexpr std::size_t accesses_in_lap = std::size_t{1} << 13U;

constexpr std::size_t lines_in_segment = 256; // of a stride: its start is a small part
constexpr unsigned laps_to_learn = 20;

/// The longest stride, in lines: 8 KiB or a small page, but less than pages of 64 KiB, which would take GiB.
std::size_t most_stride_lines(std::size_t line_bytes, std::size_t page_bytes) {
    return std::clamp<std::size_t>(page_bytes / line_bytes, 128, 256);
}

/// A walk through as many segments as fill a lap with `in_lap` lines in each.
PatternWalk walk_of(const PatternStep& step, std::size_t lines, std::size_t in_lap,
                    Segments::Start start = Segments::Start::anywhere) {
    const bool is_backward = step.pattern == Pattern::backward || step.pattern == Pattern::pair_backward;
    const auto stride = static_cast<std::ptrdiff_t>(step.stride_lines);
    return {.segments = {.count = accesses_in_lap / in_lap,
                         .lines = lines,
                         .stride_lines = is_backward ? -stride : stride,
                         .start = start},
            .pages = step.pages};
}

/// The time of the accesses in segments of `lines` beyond those in as many segments of `fewer`; 0 if they take none.
std::optional<double> beyond(PatternProbe& probe, const PatternStep& step, std::size_t lines, std::size_t fewer,
                             Segments::Start start = Segments::Start::anywhere) {
    const auto all_ns = probe.walk(walk_of(step, lines, lines, start));
    // NOLINTNEXTLINE(readability-suspicious-call-argument): the segments of the same lap
    const auto first = walk_of(step, fewer, lines, start);
    const auto first_ns = all_ns ? probe.walk(first) : std::nullopt;
    if (!first_ns)
        return std::nullopt;
    const auto count = static_cast<double>(lines);
    const auto before = static_cast<double>(fewer);
    return std::max(0.0, (count * *all_ns - before * *first_ns) / (count - before));
}

std::optional<double> ns_of(PatternProbe& probe, const PatternStep& step) {
    PatternWalk walk = walk_of(step, 1, 1);
    switch (step.pattern) {
    case Pattern::random:
        break;
    case Pattern::index:
        walk.link = Link::index;
        break;
    case Pattern::repeated_lap:
        walk.lap = laps_to_learn;
        break;
    case Pattern::pair:
        return beyond(probe, step, 2, 1, Segments::Start::even_line);
    case Pattern::pair_backward:
    case Pattern::next_line:
        return beyond(probe, step, 2, 1, Segments::Start::odd_line);
    case Pattern::forward:
    case Pattern::backward:
        walk = walk_of(step, lines_in_segment, lines_in_segment);
        break;
    case Pattern::start:
        return beyond(probe, step, step.hops, step.hops / 2);
    }
    return probe.walk(walk);
}

} // namespace

std::vector<PatternStep> pattern_steps(const std::vector<PageKind>& pages, std::size_t line_bytes,
                                       std::size_t page_bytes) {
    const std::size_t longest = most_stride_lines(line_bytes, page_bytes);
    std::vector<PatternStep> steps;
    for (const PageKind kind : pages) {
        for (const Pattern pattern : {Pattern::random, Pattern::index, Pattern::repeated_lap})
            steps.push_back({.pattern = pattern, .pages = kind});
        for (const Pattern pattern : {Pattern::pair, Pattern::pair_backward, Pattern::next_line})
            steps.push_back({.pattern = pattern, .pages = kind, .stride_lines = 1});
        for (std::size_t stride = 1; stride <= longest; stride *= 2) {
            for (const Pattern pattern : {Pattern::forward, Pattern::backward})
                steps.push_back({.pattern = pattern, .pages = kind, .stride_lines = stride});
        }
        for (const std::size_t hops : {2U, 4U, 8U, 16U, 32U})
            steps.push_back({.pattern = Pattern::start, .pages = kind, .stride_lines = 1, .hops = hops});
    }
    return steps;
}

std::vector<PatternPoint> sweep_patterns(PatternProbe& probe, const std::vector<PatternStep>& steps, unsigned rounds,
                                         const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    std::vector<PatternPoint> points;
    for (const PatternStep& step : steps)
        points.push_back({.step = step, .rounds_ns = {}});
    measure_in_rounds(
        points.size(), rounds,
        [&](std::size_t place, unsigned /*round*/) {
            const auto ns = ns_of(probe, points[place].step);
            if (ns)
                points[place].rounds_ns.push_back(*ns);
            return ns.has_value();
        },
        phrase_sink, time_is_up);
    std::erase_if(points, [](const PatternPoint& point) { return point.rounds_ns.empty(); });
    return points;
}

std::size_t least_pattern_bytes(std::size_t line_bytes, std::size_t page_bytes) {
    // Room for each segment of the longest stride to begin at any of as many lines.
    return 2 * accesses_in_lap * most_stride_lines(line_bytes, page_bytes) * line_bytes;
}

RealPatterns::RealPatterns(PatternPlan plan, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : plan_(std::move(plan)), interrupted_(interrupted), quality_(measure_clock(clock_)) {
    for (const PageKind kind : plan_.pages)
        areas_.try_emplace(kind, plan_.bytes, kind, files, std::nullopt, interrupted);
    evicting_.assign(plan_.evicted_bytes / sizeof(std::uint64_t), 1);
}

std::vector<ThreadFacts> RealPatterns::facts(const SystemFiles& files) {
    std::vector<ThreadFacts> facts;
    for (const PageKind kind : plan_.pages)
        facts.push_back(
            {.pages = areas_.at(kind).granted(files),
             .core_ghz = facts.empty() ? measure_core_clock_ghz(clock_, quality_) : facts.front().core_ghz});
    return facts;
}

void RealPatterns::evict() const {
    const volatile std::uint64_t* const words = evicting_.data();
    for (std::size_t at = 0; at < evicting_.size(); at += plan_.line_bytes / sizeof(std::uint64_t))
        [[maybe_unused]] const std::uint64_t word = words[at];
}

std::optional<double> RealPatterns::walk(const PatternWalk& walk) {
    const std::span<std::byte> memory = areas_.at(walk.pages).memory();
    const auto lines = lines_of(walk.segments, memory.size() / plan_.line_bytes, stream_seed(plan_.seed, walks_++));
    LineCycle cycle(memory, plan_.line_bytes, lines, walk.link);
    for (unsigned lap = 1;; ++lap) {
        if (interrupted_.load(std::memory_order_relaxed))
            return std::nullopt;
        if (!cycle.flush())
            evict();
        const double ns = median_ns(cycle, lines.size());
        check_pinned_to(plan_.processor);
        if (lap == walk.lap)
            return ns;
    }
}

/// The median over the parts of a lap: an interruption of the thread falls into one.
double RealPatterns::median_ns(LineCycle& cycle, std::size_t lap) {
    constexpr std::size_t part = accesses_in_lap / 16;
    std::vector<double> parts_ns;
    for (std::size_t walked = 0; walked < lap; walked += part) {
        const std::uint64_t start_ns = clock_.now_ns();
        cycle.walk(part);
        parts_ns.push_back(static_cast<double>(clock_.now_ns() - start_ns) - quality_.cost_ns);
    }
    return std::max(0.0, median(std::move(parts_ns))) / static_cast<double>(part);
}

} // namespace memtest
