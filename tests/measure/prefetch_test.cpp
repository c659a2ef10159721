#include "memtest/measure/prefetch.hpp"

#include "memtest/base/units.hpp"
#include "support/test.hpp"

#include <atomic>

namespace memtest {
namespace {

const auto no_progress = [](const std::string& /*phrase*/) {};

/// Walks that take what a function says.
class FakePatterns : public PatternProbe {
public:
    explicit FakePatterns(std::function<std::optional<double>(const PatternWalk&)> ns) : ns_(std::move(ns)) {}

    [[nodiscard]] std::optional<double> walk(const PatternWalk& walk) override {
        walks.push_back(walk);
        return ns_(walk);
    }

    std::vector<PatternWalk> walks;

private:
    std::function<std::optional<double>(const PatternWalk&)> ns_;
};

std::vector<double> figures_of(FakePatterns& probe, const PatternStep& step) {
    const auto points = sweep_patterns(probe, {step}, 1, no_progress);
    return points.empty() ? std::vector<double>() : points.front().rounds_ns;
}

TEST(PatternSteps, AreAllPatternsInEachKindOfPages) {
    const auto steps = pattern_steps({PageKind::base, PageKind::transparent_huge}, 64, 4096);
    for (const PageKind pages : {PageKind::base, PageKind::transparent_huge}) {
        std::set<Pattern> patterns;
        std::set<std::size_t> forward;
        std::set<std::size_t> backward;
        std::set<std::size_t> hops;
        for (const PatternStep& step : steps) {
            if (step.pages != pages)
                continue;
            patterns.insert(step.pattern);
            if (step.pattern == Pattern::start)
                hops.insert(step.hops);
            if (step.pattern == Pattern::forward)
                forward.insert(step.stride_lines);
            if (step.pattern == Pattern::backward)
                backward.insert(step.stride_lines);
        }
        EXPECT_EQ(patterns.size(), all_words<Pattern>().size());
        EXPECT_EQ(forward, (std::set<std::size_t>{1, 2, 4, 8, 16, 32, 64, 128})) << "to beyond a page of 64 lines";
        EXPECT_EQ(backward, forward);
        EXPECT_EQ(hops, (std::set<std::size_t>{2, 4, 8, 16, 32}));
    }
    EXPECT_EQ(pattern_steps({PageKind::base}, 64, 4096).size() * 2, steps.size());
}

TEST(SweepPatterns, WalksEachPatternAsItsNameSays) {
    FakePatterns probe([](const PatternWalk&) { return 1.0; });
    const auto walks_of = [&](const PatternStep& step) {
        probe.walks.clear();
        static_cast<void>(figures_of(probe, step));
        return probe.walks;
    };
    const PatternWalk random = walks_of({.pattern = Pattern::random}).front();
    EXPECT_EQ(random.segments.lines, 1U);
    EXPECT_EQ(random.link, Link::pointer);
    EXPECT_EQ(random.lap, 1U);
    EXPECT_EQ(walks_of({.pattern = Pattern::index}).front().link, Link::index);
    EXPECT_EQ(walks_of({.pattern = Pattern::repeated_lap}).front().lap, 20U);

    using Start = Segments::Start;
    const auto second_line = [&](Pattern pattern) {
        const auto walks = walks_of({.pattern = pattern, .stride_lines = 1});
        EXPECT_EQ(walks.size(), 2U);
        EXPECT_EQ(walks.at(0).segments.lines, 2U);
        EXPECT_EQ(walks.at(1).segments.lines, 1U);
        EXPECT_EQ(walks.at(1).segments.start, walks.at(0).segments.start);
        return walks.at(0).segments;
    };
    EXPECT_EQ(second_line(Pattern::pair).start, Start::even_line);
    EXPECT_EQ(second_line(Pattern::pair).stride_lines, 1);
    EXPECT_EQ(second_line(Pattern::pair_backward).start, Start::odd_line);
    EXPECT_EQ(second_line(Pattern::pair_backward).stride_lines, -1);
    EXPECT_EQ(second_line(Pattern::next_line).start, Start::odd_line);
    EXPECT_EQ(second_line(Pattern::next_line).stride_lines, 1);

    const PatternWalk forward = walks_of({.pattern = Pattern::forward, .stride_lines = 16}).front();
    EXPECT_EQ(forward.segments.stride_lines, 16);
    EXPECT_EQ(forward.segments.lines, 256U) << "of which a start is a small part";
    EXPECT_EQ(walks_of({.pattern = Pattern::backward, .stride_lines = 16}).front().segments.stride_lines, -16);
    for (const PatternStep& step : pattern_steps({PageKind::base, PageKind::transparent_huge}, 64, 4096)) {
        const std::vector<PatternWalk> walks = walks_of(step);
        EXPECT_EQ(walks.front().segments.count * walks.front().segments.lines, 8192U) << "all laps are as long";
        for (const PatternWalk& walk : walks)
            EXPECT_EQ(walk.pages, step.pages);
    }
}

TEST(PatternSteps, ReachTheSizeOfAPageUnlessThatIsFarLarger) {
    const auto longest = [](std::size_t line_bytes, std::size_t page_bytes) {
        std::size_t lines = 0;
        for (const PatternStep& step : pattern_steps({PageKind::base}, line_bytes, page_bytes))
            lines = std::max(lines, step.stride_lines);
        return lines * line_bytes;
    };
    EXPECT_EQ(longest(64, 4096), 8192U);
    EXPECT_EQ(longest(64, 16384), 16384U);
    EXPECT_EQ(longest(128, 16384), 16384U);
    EXPECT_EQ(longest(64, 65536), 16384U);
}

TEST(SweepPatterns, ComparesPairsAndStartsWithAsManyShorterSegments) {
    std::vector<Segments> walked;
    FakePatterns probe([&](const PatternWalk& walk) {
        walked.push_back(walk.segments);
        return 1.0;
    });
    static_cast<void>(figures_of(probe, {.pattern = Pattern::start, .stride_lines = 1, .hops = 8}));
    ASSERT_EQ(walked.size(), 2U);
    EXPECT_EQ(walked[0].lines, 8U);
    EXPECT_EQ(walked[1].lines, 4U);
    EXPECT_EQ(walked[0].count, walked[1].count) << "in the same number of pages";
}

TEST(SweepPatterns, GivesTheCostOfTheLaterAccessesOfAPairOrStart) {
    FakePatterns pairs([](const PatternWalk& walk) { return walk.segments.lines == 1 ? 100.0 : 60.0; });
    EXPECT_EQ(figures_of(pairs, {.pattern = Pattern::pair, .stride_lines = 1}), std::vector{20.0}) << "100 and 20";
    FakePatterns starts([](const PatternWalk& walk) { return walk.segments.lines == 4 ? 100.0 : 55.0; });
    EXPECT_EQ(figures_of(starts, {.pattern = Pattern::start, .stride_lines = 1, .hops = 8}), std::vector{10.0})
        << "four of 100, then four of 10";
}

TEST(SweepPatterns, MeasuresEveryStepInEveryRound) {
    FakePatterns probe([](const PatternWalk&) { return 1.0; });
    const auto steps = pattern_steps({PageKind::base}, 64, 4096);
    const auto points = sweep_patterns(probe, steps, 3, no_progress);
    ASSERT_EQ(points.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(points[i].step, steps[i]);
        EXPECT_EQ(points[i].rounds_ns.size(), 3U);
    }
}

TEST(SweepPatterns, KeepsWhatIsKnownWhenInterrupted) {
    int left = 3;
    FakePatterns probe([&](const PatternWalk&) { return left-- > 0 ? std::optional(1.0) : std::nullopt; });
    EXPECT_EQ(sweep_patterns(probe, pattern_steps({PageKind::base}, 64, 4096), 3, no_progress).size(), 3U);
}

TEST(RealPatterns, WalksEveryPatternInBothKindsOfPages) {
    const std::atomic<bool> not_interrupted{false};
    const PatternPlan plan{.pages = {PageKind::base, PageKind::transparent_huge},
                           .bytes = least_pattern_bytes(64, 4096),
                           .evicted_bytes = mib};
    RealPatterns probe(plan, SystemFiles(), not_interrupted);
    EXPECT_EQ(probe.facts(SystemFiles()).size(), 2U);
    for (const PatternPoint& point : sweep_patterns(probe, pattern_steps(plan.pages, 64, 4096), 1, no_progress))
        EXPECT_GE(point.rounds_ns.front(), 0);
    EXPECT_GT(probe.walk({.segments = {.count = 8192}}).value(), 0) << "no core hops in no time";
    const std::atomic<bool> interrupted{true};
    RealPatterns ended({.pages = {PageKind::base}, .bytes = least_pattern_bytes(64, 4096)}, SystemFiles(), interrupted);
    EXPECT_FALSE(ended.walk({.segments = {.count = 8192}}).has_value());
}

} // namespace
} // namespace memtest
