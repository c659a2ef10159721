#include "memtest/insight/prefetchers.hpp"

#include "support/simulated_prefetchers.hpp"
#include "support/test.hpp"

#include <initializer_list>
#include <tuple>

namespace memtest {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::uint64_t page_bytes = 4096;

Prefetchers found_with(const SimulatedPrefetchers& prefetchers) {
    SimulatedPatterns probe(prefetchers);
    const unsigned rounds = prefetchers.disturbed > 0 ? pattern_rounds : 2; // all alike
    const auto points = sweep_patterns(probe, pattern_steps({PageKind::base, PageKind::transparent_huge}, 64, 4096),
                                       rounds, [](const std::string& /*phrase*/) {});
    return read_prefetchers(figures_of(points, line_bytes), page_bytes);
}

/// Answers of a processor without any prefetcher.
void expect_none(const Prefetchers& found) {
    for (const Prefetchers::InPages& in_pages : found.strides) {
        EXPECT_EQ(in_pages.forward.up_to_bytes, 0U);
        EXPECT_EQ(in_pages.backward.up_to_bytes, 0U);
        EXPECT_TRUE(in_pages.forward.is_known && in_pages.backward.is_known);
    }
    EXPECT_FALSE(found.starts_after_hops.has_value());
    EXPECT_EQ(found.pairs, Truth::no);
    EXPECT_EQ(found.next_line, Truth::no);
    EXPECT_EQ(found.learns_laps, Truth::no);
    EXPECT_EQ(found.follows_addresses, Truth::no);
}

TEST(Prefetchers, AreNoneWhereNothingIsPrefetched) {
    const Prefetchers found = found_with({});
    ASSERT_EQ(found.strides.size(), 2U);
    EXPECT_EQ(found.strides.front().pages, PageKind::base);
    EXPECT_EQ(found.strides.back().pages, PageKind::transparent_huge);
    expect_none(found);
}

TEST(Prefetchers, FollowStridesAsFarAsTheyAreFollowed) {
    for (const std::size_t most : {2U, 16U, 64U}) {
        Prefetchers found = found_with({.most_stride_lines = most, .crosses_pages = true});
        for (Prefetchers::InPages& in_pages : found.strides) {
            EXPECT_EQ(in_pages.forward.up_to_bytes, most * line_bytes);
            EXPECT_EQ(in_pages.backward.up_to_bytes, most * line_bytes);
            in_pages.forward.up_to_bytes = in_pages.backward.up_to_bytes = 0;
        }
        EXPECT_EQ(found.starts_after_hops, 4U) << "two equal strides are three lines, and the fourth comes in time";
        found.starts_after_hops.reset();
        expect_none(found);
    }
}

TEST(Prefetchers, ThatDoNotCrossPagesFollowOnlyStridesOfWhichAPageHasSeveral) {
    const Prefetchers found = found_with({.most_stride_lines = 128});
    EXPECT_EQ(found.strides.front().forward.up_to_bytes, 1024U) << "two of four accesses to a page";
}

TEST(Prefetchers, FetchPairsOrTheNextLine) {
    Prefetchers found = found_with({.pairs = true});
    EXPECT_EQ(found.pairs, Truth::yes);
    EXPECT_EQ(found.next_line, Truth::no);
    EXPECT_EQ(found.follows_addresses, Truth::no);
    found = found_with({.next_line = true});
    EXPECT_EQ(found.pairs, Truth::no) << "nothing comes along backward";
    EXPECT_EQ(found.next_line, Truth::yes);
    found = found_with({.pairs = true, .next_line = true});
    EXPECT_EQ(found.pairs, Truth::yes);
    EXPECT_EQ(found.next_line, Truth::yes);
}

TEST(Prefetchers, LearnLapsThatTheirTableHolds) {
    Prefetchers found = found_with({.learned_lines = 10'000});
    EXPECT_EQ(found.learns_laps, Truth::yes);
    found.learns_laps = Truth::no;
    expect_none(found);
    EXPECT_EQ(found_with({.learned_lines = 4000}).learns_laps, Truth::no);
}

TEST(Prefetchers, FollowAddressesInData) {
    const Prefetchers found = found_with({.addresses = true});
    EXPECT_EQ(found.follows_addresses, Truth::yes);
    EXPECT_EQ(found.learns_laps, Truth::no);
}

TEST(Prefetchers, AreTheSameWithAFifthOfTheWalksDisturbedOrNotKnown) {
    const auto agree = [](Truth disturbed, Truth quiet) { return disturbed == quiet || disturbed == Truth::unknown; };
    const SimulatedPrefetchers all{
        .most_stride_lines = 32, .crosses_pages = true, .pairs = true, .learned_lines = 10'000};
    for (SimulatedPrefetchers prefetchers : {SimulatedPrefetchers{}, all, SimulatedPrefetchers{.addresses = true}}) {
        const Prefetchers quiet = found_with(prefetchers);
        prefetchers.disturbed = 0.2;
        const Prefetchers found = found_with(prefetchers);
        EXPECT_TRUE(agree(found.pairs, quiet.pairs));
        EXPECT_TRUE(agree(found.next_line, quiet.next_line));
        EXPECT_TRUE(agree(found.learns_laps, quiet.learns_laps));
        EXPECT_TRUE(agree(found.follows_addresses, quiet.follows_addresses));
        for (std::size_t i = 0; i < found.strides.size(); ++i) {
            for (const auto direction : {&Prefetchers::InPages::forward, &Prefetchers::InPages::backward}) {
                const FollowedStrides& strides = found.strides[i].*direction;
                const FollowedStrides& quiet_strides = quiet.strides[i].*direction;
                EXPECT_LE(strides.up_to_bytes, quiet_strides.up_to_bytes);
                EXPECT_TRUE(strides.up_to_bytes == quiet_strides.up_to_bytes || !strides.is_known);
            }
        }
    }
}

TEST(Prefetchers, AreNotKnownWithoutFigures) {
    const Prefetchers none = read_prefetchers({}, page_bytes);
    EXPECT_TRUE(none.strides.empty());
    EXPECT_EQ(none.pairs, Truth::unknown);
    const std::vector<PatternFigure> random{{.latency_ns = 100, .low_ns = 95, .high_ns = 110}};
    const Prefetchers found = read_prefetchers(random, page_bytes);
    ASSERT_EQ(found.strides.size(), 1U);
    EXPECT_FALSE(found.strides.front().forward.is_known);
    EXPECT_EQ(found.pairs, Truth::unknown);
    EXPECT_EQ(found.learns_laps, Truth::unknown);
}

TEST(Prefetchers, AreNotKnownWhereRoundsDisagree) {
    std::vector<PatternFigure> figures{
        {.latency_ns = 100, .low_ns = 95, .high_ns = 110},
        {.pattern = Pattern::pair, .latency_ns = 30, .low_ns = 20, .high_ns = 46},
        {.pattern = Pattern::pair_backward, .latency_ns = 30, .low_ns = 20, .high_ns = 46}};
    EXPECT_EQ(read_prefetchers(figures, page_bytes).pairs, Truth::yes);
    figures[1].high_ns = 48; // half of 95 is less
    EXPECT_EQ(read_prefetchers(figures, page_bytes).pairs, Truth::unknown);
    figures[1].low_ns = 50;
    EXPECT_EQ(read_prefetchers(figures, page_bytes).pairs, Truth::no);
}

TEST(Prefetchers, ArePrefetchedBelowHalfOfARandomAccessAndLearnedBelowFourFifths) {
    const auto prefetchers_of = [](double low_ns, double high_ns) {
        std::vector<PatternFigure> figures{{.latency_ns = 100, .low_ns = 100, .high_ns = 100}};
        for (const Pattern pattern : {Pattern::pair, Pattern::pair_backward, Pattern::next_line, Pattern::repeated_lap})
            figures.push_back({.pattern = pattern, .latency_ns = low_ns, .low_ns = low_ns, .high_ns = high_ns});
        return read_prefetchers(figures, page_bytes);
    };
    using Case = std::tuple<double, double, Truth, Truth>;
    for (const auto& [low_ns, high_ns, is_prefetched, is_learned] :
         std::initializer_list<Case>{{40, 49.9, Truth::yes, Truth::yes},
                                     {40, 50, Truth::unknown, Truth::yes},
                                     {50, 50, Truth::no, Truth::yes},
                                     {49.9, 79.9, Truth::unknown, Truth::yes},
                                     {60, 80, Truth::no, Truth::unknown},
                                     {80, 80, Truth::no, Truth::no}}) {
        const Prefetchers found = prefetchers_of(low_ns, high_ns);
        EXPECT_EQ(found.pairs, is_prefetched) << low_ns << " to " << high_ns;
        EXPECT_EQ(found.next_line, is_prefetched) << low_ns << " to " << high_ns;
        EXPECT_EQ(found.learns_laps, is_learned) << low_ns << " to " << high_ns;
    }
}

TEST(Prefetchers, OfOneRoundAreKnownOnlyWhereAWalkTakesLessThanHalfOfWhatIsNeeded) {
    for (const std::optional<double> high_ns : {std::optional<double>(), std::optional(100.0)}) {
        const auto found = [high_ns](std::optional<double> ns) {
            std::vector<PatternFigure> figures{{.latency_ns = 100, .low_ns = 100, .high_ns = high_ns}};
            for (const Pattern pattern : {Pattern::forward, Pattern::repeated_lap})
                figures.push_back({.pattern = pattern, .stride_bytes = 4096, .latency_ns = ns, .low_ns = ns});
            const Prefetchers all = read_prefetchers(figures, page_bytes);
            return std::pair(all.strides.front().forward.up_to_bytes == 4096, all.learns_laps);
        };
        EXPECT_EQ(found(12.4), std::pair(true, Truth::yes));
        EXPECT_EQ(found(12.5), std::pair(false, Truth::yes));
        EXPECT_EQ(found(39.9), std::pair(false, Truth::yes));
        EXPECT_EQ(found(40), std::pair(false, Truth::unknown));
        EXPECT_EQ(found(100), std::pair(false, Truth::unknown)) << "work of others may hide it";
        EXPECT_EQ(found(std::nullopt), std::pair(false, Truth::unknown));
    }
}

TEST(Prefetchers, OfOneRoundAreNotLikelierForADisturbedReference) {
    const std::vector<PatternFigure> once{{.latency_ns = 429, .low_ns = 429},
                                          {.pattern = Pattern::index, .latency_ns = 165, .low_ns = 165},
                                          {.pattern = Pattern::repeated_lap, .latency_ns = 161, .low_ns = 161}};
    EXPECT_EQ(read_prefetchers(once, page_bytes).learns_laps, Truth::unknown);
}

TEST(Prefetchers, OfOneRoundAreNotKnownFromADifferenceOfTwoWalks) {
    for (const Pattern once : {Pattern::pair, Pattern::pair_backward, Pattern::next_line, Pattern::start}) {
        std::vector<PatternFigure> figures{{.latency_ns = 100, .low_ns = 100, .high_ns = 100}};
        for (const Pattern each : {Pattern::pair, Pattern::pair_backward, Pattern::next_line, Pattern::start}) {
            figures.push_back({.pattern = each, .hops = 8, .latency_ns = 10, .low_ns = 10, .high_ns = 10});
            if (each == once)
                figures.back().high_ns.reset();
        }
        const Prefetchers found = read_prefetchers(figures, page_bytes);
        const bool is_of_pair = once == Pattern::pair || once == Pattern::pair_backward;
        EXPECT_EQ(found.pairs, is_of_pair ? Truth::unknown : Truth::yes);
        EXPECT_EQ(found.next_line, once == Pattern::pair || once == Pattern::next_line ? Truth::unknown : Truth::yes);
        EXPECT_EQ(found.starts_after_hops.has_value(), once != Pattern::start);
    }
}

TEST(Prefetchers, DoNotDenyWhatTheMediansInOtherPagesShow) {
    const auto learns_laps = [](double small_ns, double huge_ns) {
        std::vector<PatternFigure> figures;
        for (const auto& [pages, ns] : {std::pair(PageKind::base, small_ns), {PageKind::transparent_huge, huge_ns}}) {
            figures.push_back({.pages = pages, .latency_ns = 100, .low_ns = 50, .high_ns = 100});
            figures.push_back({Pattern::repeated_lap, pages, {}, {}, ns, ns, ns});
        }
        return read_prefetchers(figures, page_bytes).learns_laps;
    };
    EXPECT_EQ(learns_laps(80, 90), Truth::no);
    EXPECT_EQ(learns_laps(79, 90), Truth::unknown);
    EXPECT_EQ(learns_laps(90, 30), Truth::yes) << "page walks may hide it in small pages";
}

/// Where a random line takes 100 ns. What takes 50 ns, or in a stride of a page 25, decides neither way.
Prefetchers found_with(Pattern one, double one_ns, Pattern other, double other_ns) {
    std::vector<PatternFigure> figures{{.latency_ns = 100, .low_ns = 100, .high_ns = 100}};
    for (const auto& [pattern, ns] : {std::pair(one, one_ns), {other, other_ns}})
        figures.push_back({pattern, PageKind::base, page_bytes, {}, ns, ns == 50 || ns == 25 ? 0.8 * ns : ns, ns});
    return read_prefetchers(figures, page_bytes);
}

TEST(Prefetchers, FetchPairsOnlyInBothDirections) {
    const auto pairs = [](double forward_ns, double backward_ns) {
        return found_with(Pattern::pair, forward_ns, Pattern::pair_backward, backward_ns).pairs;
    };
    EXPECT_EQ(pairs(20, 20), Truth::yes);
    EXPECT_EQ(pairs(0, 0), Truth::yes) << "the clock shows no time";
    for (const double other_ns : {20, 50}) {
        EXPECT_EQ(pairs(other_ns, 90), Truth::no);
        EXPECT_EQ(pairs(90, other_ns), Truth::no);
        EXPECT_EQ(pairs(other_ns, 50), Truth::unknown);
        EXPECT_EQ(pairs(50, other_ns), Truth::unknown);
    }
}

TEST(Prefetchers, AreNotKnownWhereTheClockIsTooCoarse) {
    const std::vector<PatternFigure> figures{{.latency_ns = 0, .low_ns = 0, .high_ns = 0},
                                             {.pattern = Pattern::pair, .latency_ns = 0, .low_ns = 0, .high_ns = 0}};
    EXPECT_EQ(read_prefetchers(figures, page_bytes).next_line, Truth::unknown);
}

TEST(Prefetchers, FollowAStrideOfASmallPageInADirectionWhereItTakesLessThanAQuarter) {
    const auto in_small_pages = [](double forward_ns, double backward_ns) {
        return found_with(Pattern::forward, forward_ns, Pattern::backward, backward_ns).strides.front();
    };
    const Prefetchers::InPages forward = in_small_pages(20, 90);
    EXPECT_EQ(forward.forward.up_to_bytes, page_bytes);
    EXPECT_EQ(forward.backward.up_to_bytes, 0U);
    EXPECT_TRUE(forward.backward.is_known);
    EXPECT_EQ(in_small_pages(90, 20).backward.up_to_bytes, page_bytes);
    EXPECT_FALSE(in_small_pages(90, 25).backward.is_known);
    EXPECT_TRUE(in_small_pages(40, 90).forward.is_known) << "which walks and rows of memory save without a prefetcher";
    EXPECT_EQ(in_small_pages(40, 90).forward.up_to_bytes, 0U);
}

TEST(Prefetchers, SayWhereTheyFollowTheLongestStrideTried) {
    EXPECT_TRUE(found_with({.most_stride_lines = 200, .crosses_pages = true}).strides.front().forward.is_longest);
    EXPECT_FALSE(found_with({.most_stride_lines = 64, .crosses_pages = true}).strides.front().forward.is_longest);
}

TEST(PatternFigures, AreMedianMinAndUpperQuartileOfTheRounds) {
    const std::vector<PatternPoint> points{
        {.step = {}, .rounds_ns = {100, 50, 60, 300, 80}},
        {.step = {.pattern = Pattern::start, .stride_lines = 1, .hops = 8}, .rounds_ns = {0, 20, 40}}};
    const auto figures = figures_of(points, line_bytes);
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_EQ(figures[0].latency_ns, 80);
    EXPECT_EQ(figures[0].low_ns, 50);
    EXPECT_EQ(figures[0].high_ns, 100);
    EXPECT_EQ(figures[0].random_percent, 100);
    EXPECT_FALSE(figures[0].stride_bytes || figures[0].hops);
    EXPECT_EQ(figures[1].stride_bytes, 64U);
    EXPECT_EQ(figures[1].hops, 8U);
    EXPECT_EQ(figures[1].random_percent, 25);
    EXPECT_EQ(figures[1].low_ns, 0) << "the clock showed no time, which is known";
    EXPECT_EQ(figures_of(std::span(points).last(1), line_bytes).front().random_percent, std::nullopt)
        << "without the random order";
    const std::vector<PatternPoint> once{{.step = {}, .rounds_ns = {50}}};
    EXPECT_EQ(figures_of(once, line_bytes).front().high_ns, std::nullopt) << "one round shows no spread";
    const std::vector<PatternPoint> timeless{{.step = {}, .rounds_ns = {0, 0, 0}}, points[1]};
    EXPECT_EQ(figures_of(timeless, line_bytes).back().random_percent, std::nullopt);
}

TEST(Prefetchers, StartAsTheyDoInHugePagesWhateverTheyDoInOthers) {
    std::vector<PatternFigure> figures;
    const auto add = [&](Pattern pattern, PageKind pages, std::optional<std::uint64_t> hops, double ns) {
        PatternFigure& figure = figures.emplace_back();
        figure.pattern = pattern;
        figure.pages = pages;
        figure.hops = hops;
        figure.latency_ns = figure.low_ns = figure.high_ns = ns;
    };
    add(Pattern::start, PageKind::base, 16, 100);
    add(Pattern::random, PageKind::transparent_huge, std::nullopt, 100);
    add(Pattern::start, PageKind::transparent_huge, 4, 100);
    add(Pattern::start, PageKind::transparent_huge, 8, 20);
    EXPECT_EQ(read_prefetchers(figures, page_bytes).starts_after_hops, 4U);
    figures.back().latency_ns = figures.back().low_ns = figures.back().high_ns = 26;
    EXPECT_EQ(read_prefetchers(figures, page_bytes).starts_after_hops, std::nullopt) << "some were not prefetched";
}

} // namespace
} // namespace memtest
