#include "memtest/measure/page_probe.hpp"

#include "support/area.hpp"
#include "support/generated_translation.hpp"
#include "support/test.hpp"

#include <atomic>
#include <map>

namespace memtest {
namespace {

/// The places that one lap of the walk visits, in bytes behind the start of the memory.
std::vector<std::size_t> places_of_lap(Layout layout, std::size_t lines, const PageUnits& units,
                                       std::uint64_t seed = 1) {
    Area area(page_chain_bytes(layout, lines, units));
    Chains chain(area.memory(), page_chain_shape(layout, {.units = units}, seed));
    EXPECT_TRUE(chain.grow_to(page_chain_bytes(layout, lines, units)));
    EXPECT_TRUE(chain.proven());
    const auto start = reinterpret_cast<std::uintptr_t>(area.memory().data());
    std::vector<std::size_t> places;
    for (std::size_t hop = 0; hop < lines; ++hop) {
        places.push_back(chain.position(0) - start);
        EXPECT_EQ(chain.walk(1), 1U);
    }
    EXPECT_EQ(chain.position(0), start + places.front()) << "a lap ends where it began";
    return places;
}

std::map<std::size_t, std::size_t> count_by(const std::vector<std::size_t>& places, std::size_t unit,
                                            std::size_t modulus) {
    std::map<std::size_t, std::size_t> count;
    for (const std::size_t place : places)
        ++count[place / unit % modulus];
    return count;
}

std::set<std::size_t> pages_of(const std::vector<std::size_t>& places, std::size_t page_bytes) {
    std::set<std::size_t> pages;
    for (const std::size_t place : places)
        pages.insert(place / page_bytes);
    return pages;
}

constexpr PageUnits small{};
constexpr PageUnits medium{.page_bytes = 16384, .base_page_bytes = 16384, .line_bytes = 128};

TEST(PageChain, SpreadHasEveryLineInAPageOfItsOwn) {
    for (const PageUnits& units : {small, medium}) {
        for (const std::size_t lines : {1U, 2U, 63U, 64U, 65U, 128U, 129U, 1000U})
            EXPECT_EQ(pages_of(places_of_lap(Layout::spread, lines, units), units.page_bytes).size(), lines);
    }
}

TEST(PageChain, InHugePagesSpreadUsesEverySetOfATlbOfSmallOnesAlike) {
    // For processors that hold huge pages in pieces, and so that no two lines lie in the same place of theirs.
    constexpr std::size_t base = 4096;
    const PageUnits huge{.page_bytes = 16 * base, .base_page_bytes = base, .line_bytes = 64};
    const auto in_set = count_by(places_of_lap(Layout::spread, 64, huge), base, 16);
    EXPECT_EQ(in_set.size(), 16U);
    for (const auto& [set, count] : in_set)
        EXPECT_GE(count, 3U) << "set " << set;
}

TEST(PageChain, SpreadUsesEverySetOfTheCachesAlike) {
    for (const PageUnits& units : {small, medium}) {
        const std::size_t sets = units.page_bytes / units.line_bytes;
        const auto in_set = count_by(places_of_lap(Layout::spread, 3 * sets, units), units.line_bytes, sets);
        EXPECT_EQ(in_set.size(), sets);
        for (const auto& [set, count] : in_set)
            EXPECT_EQ(count, 3U) << "set " << set;
    }
}

TEST(PageChain, SpreadUsesEverySetOfATlbAlike) {
    for (const std::size_t sets : {1U, 4U, 16U, 32U}) {
        for (const auto& [set, count] : count_by(places_of_lap(Layout::spread, 4 * sets, small), 4096, sets))
            EXPECT_EQ(count, 4U) << "set " << set << " of " << sets;
    }
}

TEST(PageChain, PackedHasAsManyLinesSideBySide) {
    for (const PageUnits& units : {small, medium}) {
        for (const std::size_t lines : {1U, 2U, 64U, 65U, 5000U}) {
            std::vector<std::size_t> places = places_of_lap(Layout::packed, lines, units);
            std::ranges::sort(places);
            for (std::size_t i = 0; i < lines; ++i)
                EXPECT_EQ(places[i], i * units.line_bytes);
        }
    }
}

/// How often a lap leaves one block for another.
std::size_t changes_of_block(const std::vector<std::size_t>& places, std::size_t block_bytes) {
    std::size_t changes = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        changes += places[i] / block_bytes != places[(i + 1) % places.size()] / block_bytes ? 1U : 0U;
    return changes;
}

TEST(PageChain, PackedStaysInABlockOfSixteenBasePages) {
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, small), std::size_t{16} * 4096), 5U);
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, medium), std::size_t{16} * 16384), 3U);
    const PageUnits huge{.page_bytes = std::size_t{2} << 20U, .base_page_bytes = 4096, .line_bytes = 64};
    EXPECT_EQ(changes_of_block(places_of_lap(Layout::packed, 5000, huge), std::size_t{16} * 4096), 5U)
        << "huge pages may be small ones underneath";
}

TEST(PageChain, VisitsTheLinesInAnOrderThatDependsOnTheSeedAlone) {
    for (const Layout layout : {Layout::spread, Layout::packed}) {
        EXPECT_EQ(places_of_lap(layout, 100, small, 7), places_of_lap(layout, 100, small, 7));
        EXPECT_NE(places_of_lap(layout, 100, small, 7), places_of_lap(layout, 100, small, 8));
        auto places = places_of_lap(layout, 100, small, 7);
        EXPECT_FALSE(std::ranges::is_sorted(places));
    }
}

TEST(PageChain, IsLinkedAndOrderedAsPlanned) {
    for (const Layout layout : {Layout::spread, Layout::packed}) {
        const ChainShape shape = page_chain_shape(layout, {.units = {}, .orders = 3, .link = Link::index}, 7);
        EXPECT_EQ(shape.link, Link::index);
        EXPECT_EQ(shape.orders, 3U);
    }
}

const NextPages none = [](std::span<const TranslationPoint>) { return std::optional<std::size_t>(); };
const PhraseSink silent = [](const std::string&) {};

std::vector<std::size_t> pages_of(const std::vector<TranslationPoint>& points) {
    std::vector<std::size_t> pages;
    for (const TranslationPoint& point : points)
        pages.push_back(point.pages);
    return pages;
}

std::vector<std::size_t> pages_asked(const GeneratedTranslation& probe) {
    std::vector<std::size_t> pages;
    for (const auto& asked : probe.asked())
        pages.push_back(asked.pages);
    return pages;
}

TEST(TranslationSweep, GoesOverAllNumbersOfPagesInEachRound) {
    GeneratedTranslation probe({});
    const auto points = sweep_translation(probe, {4, 8, 16}, 3, none, silent);
    EXPECT_EQ(pages_asked(probe), (std::vector<std::size_t>{4, 8, 16, 4, 8, 16, 4, 8, 16}));
    EXPECT_EQ(pages_of(points), (std::vector<std::size_t>{4, 8, 16}));
    for (const TranslationPoint& point : points)
        EXPECT_EQ(point.rounds.size(), 3U);
}

TEST(TranslationSweep, AlternatesWhichLayoutComesFirstAtEveryNumberOfPages) {
    GeneratedTranslation probe({});
    const auto one_more = [](std::span<const TranslationPoint> points) {
        return points.size() == 4 ? std::optional<std::size_t>(12) : std::nullopt;
    };
    static_cast<void>(sweep_translation(probe, {4, 6, 8, 16}, 4, one_more, silent));
    std::map<std::size_t, std::vector<Layout>> firsts;
    for (const auto& asked : probe.asked())
        firsts[asked.pages].push_back(asked.first);
    ASSERT_EQ(firsts.size(), 5U);
    for (const auto& [pages, order] : firsts)
        EXPECT_EQ(order, (std::vector{Layout::spread, Layout::packed, Layout::spread, Layout::packed})) << pages;
}

TEST(TranslationSweep, MeasuresWhatIsNamedUntilNothingIsAndKeepsTheOrder) {
    GeneratedTranslation probe({});
    std::vector<std::size_t> wanted{12, 7, 100, 2};
    const auto points = sweep_translation(
        probe, {4, 8, 16}, 2,
        [&](std::span<const TranslationPoint>) -> std::optional<std::size_t> {
            if (wanted.empty())
                return std::nullopt;
            const std::size_t next = wanted.back();
            wanted.pop_back();
            return next;
        },
        silent);
    EXPECT_EQ(pages_of(points), (std::vector<std::size_t>{2, 4, 7, 8, 12, 16, 100}));
    for (const TranslationPoint& point : points)
        EXPECT_EQ(point.rounds.size(), 2U);
}

TEST(TranslationSweep, WhenInterruptedKeepsWhatIsMeasuredAndAsksForNothingMore) {
    GeneratedTranslation probe({});
    probe.interrupt_after(5);
    const auto never = [](std::span<const TranslationPoint>) -> std::optional<std::size_t> {
        ADD_FAILURE() << "asked for more";
        return std::nullopt;
    };
    const auto points = sweep_translation(probe, {4, 8, 16}, 3, never, silent);
    ASSERT_EQ(pages_of(points), (std::vector<std::size_t>{4, 8, 16}));
    EXPECT_EQ(points[0].rounds.size(), 2U);
    EXPECT_EQ(points[2].rounds.size(), 1U);

    GeneratedTranslation early({});
    early.interrupt_after(1);
    EXPECT_EQ(pages_of(sweep_translation(early, {4, 8, 16}, 3, never, silent)), std::vector<std::size_t>{4});
}

TEST(TranslationSweep, WhenInterruptedAtAFurtherNumberOfPagesKeepsTheOthers) {
    GeneratedTranslation probe({});
    probe.interrupt_after(6);
    int asked = 0;
    const auto points = sweep_translation(
        probe, {4, 8, 16}, 2,
        [&](std::span<const TranslationPoint>) {
            ++asked;
            return std::optional<std::size_t>(12);
        },
        silent);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(pages_of(points), (std::vector<std::size_t>{4, 8, 16}));
}

TEST(TranslationSweep, TellsHowFarItIs) {
    GeneratedTranslation probe({});
    std::string phrases;
    const auto take = [&](const std::string& phrase) { phrases += phrase + "; "; };
    static_cast<void>(sweep_translation(probe, {4}, 2, none, take));
    EXPECT_EQ(phrases, "0 of 2 measurements; 1 of 2 measurements; ");
}

TEST(TranslationRound, HasTheFigureOfEachLayoutWhicheverComesFirst) {
    for (const Layout first : {Layout::spread, Layout::packed}) {
        std::vector<Layout> asked;
        const auto round = measure_round(first, [&](Layout layout) {
            asked.push_back(layout);
            return std::optional(layout == Layout::spread ? 20.0 : 1.0);
        });
        ASSERT_TRUE(round.has_value());
        EXPECT_EQ(round->spread_ns, 20);
        EXPECT_EQ(round->packed_ns, 1);
        ASSERT_EQ(asked.size(), 2U);
        EXPECT_EQ(asked[0], first);
        EXPECT_NE(asked[1], first);
        for (const Layout interrupted : {Layout::spread, Layout::packed})
            EXPECT_FALSE(measure_round(first, [&](Layout layout) {
                             return layout == interrupted ? std::nullopt : std::optional(1.0);
                         }).has_value());
    }
}

TEST(TranslationPoint, TakesTheSmallestOfEachLayoutWhicheverRoundItIsFrom) {
    const TranslationPoint point{.pages = 4, .rounds = {{5, 1.2}, {3, 2}, {9, 1}}};
    EXPECT_EQ(smallest_of(point).spread_ns, 3);
    EXPECT_EQ(smallest_of(point).packed_ns, 1);
    EXPECT_EQ(smallest_of(point).translation_ns(), 2);
}

TEST(TranslationPoint, RoundsDisagreeByWhatTheirLowerQuartilesAreAboveTheSmallest) {
    const TranslationPoint point{.pages = 4, .rounds = {{3, 1}, {3.5, 7}, {4, 8}, {90, 9}, {80, 7.5}}};
    EXPECT_DOUBLE_EQ(disagreement_ns(point), 0.5 + 6) << "of spread and packed";
    EXPECT_EQ(disagreement_ns({.pages = 4, .rounds = {{3, 1}}}), 0);
}

PageProbePlan probe_plan() {
    return {.units = {.page_bytes = base_page_bytes(), .base_page_bytes = base_page_bytes(), .line_bytes = 64},
            .most_pages = 128};
}

TEST(PageProbe, MeasuresAnyNumberOfPagesInAnyOrder) {
    const std::atomic<bool> interrupted{false};
    PageProbe probe(probe_plan(), SystemFiles(), interrupted);
    for (const std::size_t pages : {128U, 4U, 1U, 65U, 128U}) {
        for (const Layout first : {Layout::spread, Layout::packed}) {
            const auto round = probe.measure(pages, first);
            ASSERT_TRUE(round.has_value());
            EXPECT_GT(round->spread_ns, 0);
            EXPECT_GT(round->packed_ns, 0);
        }
    }
}

TEST(PageProbe, TakesUnitsLargerThanThePagesOfTheMemory) {
    const std::atomic<bool> interrupted{false};
    PageProbePlan plan = probe_plan();
    plan.units.page_bytes = 4 * base_page_bytes();
    plan.units.line_bytes = 128;
    PageProbe probe(plan, SystemFiles(), interrupted);
    EXPECT_TRUE(probe.measure(plan.most_pages, Layout::spread).has_value());
}

TEST(PageProbe, GivesNothingOnceInterrupted) {
    std::atomic<bool> interrupted{false};
    PageProbe probe(probe_plan(), SystemFiles(), interrupted);
    interrupted = true;
    EXPECT_FALSE(probe.measure(4, Layout::spread).has_value());
}

TEST(PageProbe, SaysWhatPagesItGotAndAtWhatClockItRuns) {
    const std::atomic<bool> interrupted{false};
    PageProbe probe(probe_plan(), SystemFiles(), interrupted);
    const ThreadFacts facts = probe.facts(SystemFiles());
    EXPECT_EQ(facts.pages.page_bytes, base_page_bytes());
    EXPECT_EQ(facts.pages.transparent_bytes.value_or(0), 0U);
    EXPECT_GT(facts.core_ghz, 0);
}

TEST(PageProbe, ItsMemoryHoldsBothLayoutsSideBySide) {
    const PageProbePlan plan{.units = {.page_bytes = 4096, .base_page_bytes = 4096, .line_bytes = 64},
                             .most_pages = 100};
    constexpr std::size_t spread = 102; // whole pages: a page and a line for each of 100
    EXPECT_EQ(memory_bytes_for(plan), spread * 4096 + std::size_t{100} * 64);
}

} // namespace

} // namespace memtest
