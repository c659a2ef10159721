#include "memtest/insight/translation.hpp"

#include "support/generated_translation.hpp"
#include "support/simulated_tlbs.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

constexpr double cycle_ns = 0.27;
constexpr unsigned rounds = 9;

std::vector<TranslationPoint> sweep(TranslationProbe& probe, std::size_t most = 16384) {
    return sweep_translation(
        probe, numbers_of_pages(most), rounds, [](TranslationCurve curve) { return next_pages(curve, cycle_ns); },
        [](const std::string&) {});
}

Translation reading_of(const TranslationMachine& machine, std::uint64_t seed = 1, std::size_t most = 16384) {
    GeneratedTranslation probe(machine, seed);
    return read_translation(sweep(probe, most), cycle_ns);
}

/// A curve of one round each, for what no machine would show.
std::vector<TranslationPoint> curve_of(const std::vector<std::size_t>& pages,
                                       const std::function<double(std::size_t)>& cost,
                                       double (*packed)(std::size_t pages)) {
    std::vector<TranslationPoint> points;
    for (const std::size_t p : pages)
        points.push_back({.pages = p, .rounds = {{packed(p) + cost(p), packed(p)}}});
    return points;
}

/// Numbers of pages that know an edge at 64 to a page.
std::vector<std::size_t> pages_around_64() {
    std::vector<std::size_t> pages = numbers_of_pages(1024);
    pages.insert(std::ranges::upper_bound(pages, 64U), 65);
    return pages;
}

double one_ns(std::size_t /*pages*/) {
    return 1;
}

TEST(Tlb, TheFirstIsExactToAnEntryWhateverItHolds) {
    for (const std::size_t entries : {10U, 16U, 32U, 48U, 64U, 72U, 96U, 100U}) {
        for (const Replacement replacement : {Replacement::least_recently_used, Replacement::tree}) {
            const auto translation = reading_of({.first = {entries, replacement}});
            ASSERT_EQ(translation.tlbs.size(), 2U) << entries;
            const Tlb& first = translation.tlbs.front();
            EXPECT_EQ(first.entries_low, entries);
            EXPECT_EQ(first.entries, entries);
            EXPECT_EQ(first.entries_high, entries + 1);
            EXPECT_NEAR(first.hit_ns, 0, 0.01);
            EXPECT_NEAR(first.miss_ns, 1.9, 0.01);
            EXPECT_EQ(first.confidence, Confidence::high);
        }
    }
}

TEST(Tlb, TheSecondIsFoundWithin15PercentAndWhatItsHitsCost) {
    for (const std::size_t entries : {512U, 1024U, 1536U, 2048U, 3072U, 4096U}) {
        for (const double growth : {1.0, 1.3, 1.6}) {
            const auto translation = reading_of({.second = {entries, Replacement::hashed}, .walk_growth = growth});
            ASSERT_EQ(translation.tlbs.size(), 2U) << entries << " entries, growth " << growth;
            const Tlb& second = translation.tlbs.back();
            EXPECT_NEAR(static_cast<double>(second.entries) / static_cast<double>(entries), 1, 0.15) << growth;
            EXPECT_LE(second.entries_low, entries);
            EXPECT_GE(second.entries_high, entries);
            EXPECT_NEAR(second.hit_ns, 1.9, 0.1);
        }
    }
}

TEST(Tlb, ASimulatedFirstOneIsWithinItsRangeAndExactWhereSure) {
    using test::Placing, test::Victim;
    const std::vector<std::pair<test::TlbDesign, bool>> designs{
        // and whether it can be sure
        {{.placing = Placing::anywhere, .victim = Victim::not_recent}, true},
        {{.placing = Placing::anywhere, .victim = Victim::random_entry}, false},
        {{.ways = 4, .placing = Placing::by_number}, true},
        {{.ways = 4, .placing = Placing::by_hash}, false}};
    for (const auto& [design, can_be_sure] : designs) {
        const test::TlbTally tally = test::read_tlbs(design, false, {32, 64}, 1);
        EXPECT_EQ(tally.within_range, 2);
        EXPECT_EQ(tally.high_and_right, tally.high);
        EXPECT_EQ(tally.high > 0, can_be_sure) << static_cast<int>(design.placing) << static_cast<int>(design.victim);
    }
}

TEST(Tlb, ASimulatedSecondOneIsWithinItsRange) {
    using test::Placing, test::Victim;
    for (const Placing placing : {Placing::by_number, Placing::by_hash}) {
        for (const Victim victim : {Victim::oldest, Victim::random_entry})
            for (const test::Walks walks : {test::Walks::steady, test::Walks::nested})
                EXPECT_EQ(test::read_tlbs({.placing = placing, .victim = victim}, true, {1024}, 1, walks).within_range,
                          1);
    }
}

TEST(Tlb, RandomReplacementIsFoundWithItsRange) {
    const auto translation = reading_of({.first = {64, Replacement::random}, .second = {1024, Replacement::random}});
    ASSERT_EQ(translation.tlbs.size(), 2U);
    const Tlb& first = translation.tlbs.front();
    EXPECT_GE(first.entries_low, 60U);
    EXPECT_LE(first.entries_low, 70U);
    EXPECT_LE(first.entries, 80U);
    EXPECT_LE(translation.tlbs.back().entries_low, 1024U);
    EXPECT_LE(translation.tlbs.back().entries, 1900U) << "random replacement misses half at 1.4 times the entries";
}

TEST(Tlb, BeyondTheSecondTheWalkIsARange) {
    const auto translation = reading_of({});
    ASSERT_EQ(translation.beyond.size(), 2U);
    EXPECT_GE(translation.beyond.front().pages, 2 * translation.tlbs.back().entries);
    EXPECT_LE(translation.beyond.front().pages, 8192U);
    EXPECT_EQ(translation.beyond.back().pages, 16384U);
    EXPECT_NEAR(translation.beyond.front().ns, 8 * 1.6, 2);
    EXPECT_NEAR(translation.beyond.back().ns, 8 * std::pow(1.6, std::log2(16384 / 3072.0)), 0.1);
}

TEST(Tlb, ADisturbedPointIsMarkedAndNotQuotedAsTheCostOfAWalk) {
    GeneratedTranslation probe({});
    std::vector<TranslationPoint> points = sweep(probe);
    const Translation quiet = read_translation(points, cycle_ns);
    EXPECT_TRUE(quiet.disturbed_pages.empty());
    points.back().rounds = {{500, 3.7}}; // of agreeing rounds, at the most pages
    const Translation disturbed = read_translation(points, cycle_ns);
    EXPECT_EQ(disturbed.disturbed_pages, std::vector<std::size_t>{16384});
    EXPECT_EQ(disturbed.beyond.back().pages, points[points.size() - 2].pages);
    EXPECT_LT(disturbed.beyond.back().ns, quiet.beyond.back().ns);
    EXPECT_EQ(disturbed.beyond.front().pages, quiet.beyond.front().pages);
    for (TranslationPoint& point : points) {
        if (point.pages > quiet.beyond.front().pages)
            point.rounds = {{40, 3.7}, {70, 3.7}, {70, 3.7}, {70, 3.7}, {70, 3.7}};
    }
    EXPECT_EQ(read_translation(points, cycle_ns).beyond.size(), 1U) << "of one point no range is quoted";
}

TEST(Tlb, ThePointAtTwiceTheReachIsPassedOverWhereItIsDisturbed) {
    GeneratedTranslation probe({});
    std::vector<TranslationPoint> points = sweep(probe);
    const CostAtPages quiet = read_translation(points, cycle_ns).beyond.front();
    const auto twice = std::ranges::find(points, quiet.pages, &TranslationPoint::pages);
    twice->rounds = {{40, 3.7}, {70, 3.7}, {70, 3.7}, {70, 3.7}, {70, 3.7}};
    EXPECT_EQ(read_translation(points, cycle_ns).beyond.front().pages, std::next(twice)->pages);
}

TEST(Tlb, ARangeOfEntriesEndsAtNoDisturbedPoint) {
    GeneratedTranslation probe({});
    const std::vector<TranslationPoint> points = sweep(probe);
    const Tlb quiet = read_translation(points, cycle_ns).tlbs.at(1);
    for (const std::size_t end : {quiet.entries_low, quiet.entries_high}) {
        std::vector<TranslationPoint> disturbed = points;
        const auto place = std::ranges::find(disturbed, end, &TranslationPoint::pages);
        const auto [spread_ns, packed_ns] = place->rounds.front();
        const TranslationRound slow{1.6 * spread_ns, packed_ns}; // all rounds but one
        place->rounds = {{spread_ns, packed_ns}, slow, slow, slow, slow};
        const Translation found = read_translation(disturbed, cycle_ns);
        ASSERT_EQ(std::ranges::count(found.disturbed_pages, end), 1);
        EXPECT_NE(found.tlbs.at(1).entries_low, end);
        EXPECT_NE(found.tlbs.at(1).entries_high, end);
        EXPECT_LE(found.tlbs.at(1).entries_low, quiet.entries_low);
        EXPECT_GE(found.tlbs.at(1).entries_high, quiet.entries_high);
    }
}

TEST(Tlb, APointIsDisturbedWhoseRoundsDisagreeByHalfOrThatTowersOverItsNeighbours) {
    const auto disturbed = [](std::vector<double> spread_ns, std::size_t place) {
        std::vector<TranslationPoint> points;
        for (const double ns : spread_ns)
            points.push_back({.pages = 4 + points.size(), .rounds = {{ns, 1}}});
        return std::ranges::count(read_translation(points, cycle_ns).disturbed_pages, points[place].pages) > 0;
    };
    EXPECT_TRUE(disturbed({10, 15, 10}, 1));
    EXPECT_FALSE(disturbed({10, 14.9, 10}, 1));
    EXPECT_FALSE(disturbed({10, 15, 15}, 1)) << "a step";
    EXPECT_TRUE(disturbed({15, 15, 10}, 1)) << "more pages take less";
    EXPECT_TRUE(disturbed({15, 15, 15, 10}, 1)) << "many more, too";
    EXPECT_FALSE(disturbed({14.9, 14.9, 10}, 1));
    EXPECT_TRUE(disturbed({15, 10, 10}, 0));
    EXPECT_TRUE(disturbed({10, 10, 15}, 2));
    EXPECT_FALSE(disturbed({10, 10, 14.9}, 2));
    EXPECT_FALSE(disturbed({10}, 0));
    const auto with_rounds = [](double more) {
        const std::vector<TranslationPoint> points{
            {.pages = 4, .rounds = {{10, 1}, {10 + more, 1}, {10 + more, 1}, {10 + more, 1}, {10 + more, 1}}},
            {.pages = 5, .rounds = {{10, 1}}}};
        return std::ranges::count(read_translation(points, cycle_ns).disturbed_pages, 4U) > 0;
    };
    EXPECT_TRUE(with_rounds(5));
    EXPECT_FALSE(with_rounds(4.9));
}

TEST(Tlb, WithoutASecondTheGrowthOfTheWalksIsNoEdge) {
    for (const double growth : {1.0, 1.2, 1.4, 1.6}) {
        for (const std::size_t entries : {16U, 72U, 512U}) {
            const auto translation = reading_of({.first = {entries}, .second = {0}, .walk_growth = growth});
            ASSERT_EQ(translation.tlbs.size(), 1U) << entries << " entries, growth " << growth;
            EXPECT_EQ(translation.tlbs.front().entries, entries);
            EXPECT_EQ(translation.beyond.back().pages, 16384U);
        }
    }
}

TEST(Tlb, NoEdgeIsAnAnswer) {
    GeneratedTranslation probe({.first = {0}, .noise = 0.02});
    const auto points = sweep(probe);
    EXPECT_EQ(points.size(), numbers_of_pages(16384).size()) << "there is nothing to look closer at";
    const auto translation = read_translation(points, cycle_ns);
    EXPECT_TRUE(translation.tlbs.empty());
    EXPECT_TRUE(translation.beyond.empty());
    EXPECT_TRUE(read_translation({}, cycle_ns).tlbs.empty());
}

TEST(Tlb, AnEdgeTooNearTheEndIsNotTold) {
    EXPECT_TRUE(reading_of({}, 1, 96).tlbs.empty()) << "two sizes lie behind it";
    EXPECT_EQ(reading_of({}, 1, 112).tlbs.size(), 1U);
}

TEST(Tlb, StandsNoise) {
    int exact = 0;
    int near = 0;
    constexpr int machines = 50;
    for (std::uint64_t seed = 1; seed <= machines; ++seed) {
        const auto translation = reading_of({.noise = 0.03}, seed);
        ASSERT_EQ(translation.tlbs.size(), 2U) << seed;
        exact += translation.tlbs.front().entries == 72 ? 1 : 0;
        near += std::abs(static_cast<double>(translation.tlbs.back().entries) / 3072 - 1) <= 0.15 ? 1 : 0;
    }
    EXPECT_GE(exact, machines);
    EXPECT_GE(near, machines - 1);
}

TEST(Tlb, ADisturbedRoundChangesNothing) {
    GeneratedTranslation quiet({});
    const std::size_t sizes = numbers_of_pages(16384).size();
    const Translation expected = read_translation(sweep(quiet), cycle_ns);
    for (std::size_t round = 0; round < rounds; ++round) {
        GeneratedTranslation disturbed({});
        disturbed.disturb(round * sizes, sizes);
        const auto translation = read_translation(sweep(disturbed), cycle_ns);
        ASSERT_EQ(translation.tlbs.size(), 2U) << round;
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(translation.tlbs[i].entries, expected.tlbs[i].entries);
            EXPECT_EQ(translation.tlbs[i].confidence, expected.tlbs[i].confidence);
        }
    }
}

TEST(Tlb, WhatOneOrTwoSizesShowIsNoEdge) {
    const auto pages = numbers_of_pages(1024);
    EXPECT_TRUE(read_translation(curve_of(
                                     pages, [](std::size_t p) { return p == 128 || p == 160 ? 3.0 : 0.0; }, one_ns),
                                 cycle_ns)
                    .tlbs.empty());
    EXPECT_FALSE(read_translation(curve_of(
                                      pages, [](std::size_t p) { return p >= 128 ? 3.0 : 0.0; }, one_ns),
                                  cycle_ns)
                     .tlbs.empty());
}

TEST(Tlb, OneSizeThatIsTooLowIsNoEdge) {
    const auto dip = [](std::size_t p) { return p == 128 ? -3.0 : 0.0; };
    EXPECT_TRUE(read_translation(curve_of(numbers_of_pages(1024), dip, one_ns), cycle_ns).tlbs.empty());
}

TEST(Tlb, APartOfTheFirstStepIsNoSecondEdge) {
    // As where the pages behind the first TLB go straight to walks, and the sizes next to the edge show a part of them.
    std::vector<std::size_t> pages = numbers_of_pages(1024);
    pages.insert(std::ranges::upper_bound(pages, 96U), {97, 98, 100, 104});
    const auto steep = [](std::size_t p) { return p <= 96 ? 0.0 : p == 97 ? 7.8 : p < 104 ? 12.0 : 16.0; };
    EXPECT_EQ(read_translation(curve_of(pages, steep, one_ns), cycle_ns).tlbs.size(), 1U);
}

TEST(Tlb, AStepOfLessThanACycleIsNoEdge) {
    const auto pages = numbers_of_pages(1024);
    const auto step = curve_of(
        pages, [](std::size_t p) { return p > 64 ? 0.25 : 0.0; }, one_ns);
    EXPECT_TRUE(read_translation(step, 0.27).tlbs.empty());
    EXPECT_FALSE(read_translation(step, 0.25).tlbs.empty());
}

TEST(Tlb, AStepWithinThreeTimesTheDisagreementOfTheRoundsIsNoEdge) {
    const auto with_disagreement = [](double ns, std::size_t from = 0, std::size_t to = 1024) {
        std::vector<TranslationPoint> points;
        for (const std::size_t p : pages_around_64()) {
            const double cost = p > 64 ? 3 : 0;
            const double more = cost + (from <= p && p <= to ? ns : 0);
            points.push_back(
                {.pages = p, .rounds = {{1 + cost, 1}, {1 + more, 1}, {1 + more, 1}, {1 + more, 1}, {1 + more, 1}}});
        }
        return read_translation(points, cycle_ns);
    };
    EXPECT_TRUE(with_disagreement(1.1, 0, 64).tlbs.empty()) << "before the step";
    EXPECT_TRUE(with_disagreement(1.1, 65, 1024).tlbs.empty()) << "after it";
    EXPECT_FALSE(with_disagreement(1.1, 8, 16).tlbs.empty()) << "elsewhere";
    EXPECT_TRUE(with_disagreement(1.1).tlbs.empty());
    ASSERT_FALSE(with_disagreement(0.9).tlbs.empty());
    EXPECT_EQ(with_disagreement(0.9).tlbs.front().confidence, Confidence::fair) << "hardly reproduced";
    EXPECT_EQ(with_disagreement(0.1).tlbs.front().confidence, Confidence::high);
}

TEST(Tlb, ASecondStepExceedsTwiceTheMedianOfTheDisagreementsAtThreeSizes) {
    const auto tlbs_with = [](std::size_t disturbed_of_three, double disturbance_ns) {
        std::vector<TranslationPoint> points;
        for (const std::size_t p : numbers_of_pages(16384)) {
            const double ns = p > 1024 ? 21 : p > 64 ? 4 : 1;
            const double more = p > 1024 && points.size() % 3 < disturbed_of_three ? disturbance_ns : 0;
            points.push_back({.pages = p, .rounds = {{ns, 1}, {ns + more, 1}, {ns + more, 1}, {ns + more, 1}}});
        }
        return read_translation(points, cycle_ns).tlbs.size();
    };
    EXPECT_EQ(tlbs_with(1, 15), 2U);
    EXPECT_EQ(tlbs_with(2, 15), 1U);
    EXPECT_EQ(tlbs_with(3, 11), 2U);
    EXPECT_EQ(tlbs_with(3, 12), 1U);
}

TEST(Tlb, WhatDiffersFromRoundToRoundInsideTheStepTakesNothingFromIt) {
    std::vector<TranslationPoint> points;
    for (const std::size_t p :
         std::vector<std::size_t>{16, 20, 24, 28, 32, 40, 48, 56, 64, 65, 66, 80, 96, 112, 128, 160, 192}) {
        const double cost = p > 65 ? 3 : p > 64 ? 1.5 : 0;
        const double more = p == 65 ? 1 : 0; // another order, other misses
        points.push_back({.pages = p, .rounds = {{1 + cost, 1}, {1 + cost + more, 1}, {1 + cost + more, 1}}});
    }
    const Translation translation = read_translation(points, cycle_ns);
    ASSERT_EQ(translation.tlbs.size(), 1U);
    EXPECT_EQ(translation.tlbs.front().entries, 64U);
    EXPECT_EQ(translation.tlbs.front().confidence, Confidence::high);
}

TEST(Tlb, TheFirstIsSureOnlyWhereItIsKnownToAPage) {
    const auto step = [](std::size_t p) { return p > 64 ? 3.0 : 0.0; };
    const auto confidence = [&](const std::vector<std::size_t>& pages) {
        return read_translation(curve_of(pages, step, one_ns), cycle_ns).tlbs.at(0).confidence;
    };
    EXPECT_EQ(confidence(pages_around_64()), Confidence::high);
    EXPECT_EQ(confidence(numbers_of_pages(1024)), Confidence::fair);
    std::vector<TranslationPoint> noisy = curve_of(pages_around_64(), step, one_ns);
    const auto edge = std::ranges::find(noisy, 65U, &TranslationPoint::pages);
    for (int round = 0; round < 3; ++round)
        edge->rounds.push_back({.spread_ns = edge->rounds[0].spread_ns + 0.4, .packed_ns = 1});
    ASSERT_EQ(read_translation(noisy, cycle_ns).tlbs.size(), 1U);
    EXPECT_EQ(read_translation(noisy, cycle_ns).tlbs[0].confidence, Confidence::fair) << "rounds disagree behind it";
}

TEST(Tlb, TheFirstEndsWhereMissesBeginAndItsRangeStartsBelow) {
    std::vector<std::size_t> pages = numbers_of_pages(1024);
    for (const std::size_t more : {65U, 66U, 67U, 68U, 69U, 70U})
        pages.insert(std::ranges::upper_bound(pages, more), more);
    const auto gentle = [](std::size_t p) {
        return 3 * std::clamp((static_cast<double>(p) - 64) * 0.025, 0.0, 1.0); // 2.5 % of the step with each page
    };
    const Tlb first = read_translation(curve_of(pages, gentle, one_ns), cycle_ns).tlbs.at(0);
    EXPECT_EQ(first.entries_low, 64U);
    EXPECT_EQ(first.entries, 66U) << "at 67 pages 7.5 % of the step are climbed";
    EXPECT_EQ(first.confidence, Confidence::fair);
}

TEST(Tlb, TheRangeOfTheFirstReachesSevenTenthsOfTheStepUnlessKnownToAPage) {
    // As beside a busy sibling thread: 96 entries, misses from 80 on.
    std::vector<std::size_t> pages = numbers_of_pages(1024);
    pages.insert(std::ranges::upper_bound(pages, 88U), {88, 89, 90, 92});
    const auto shared = [](std::size_t p) {
        return p <= 80 ? 0.0 : p <= 88 ? 0.057 : p <= 92 ? 0.14 : p <= 96 ? 0.75 : p <= 112 ? 1.53 : 1.8;
    };
    const Tlb first = read_translation(curve_of(pages, shared, one_ns), cycle_ns).tlbs.at(0);
    EXPECT_EQ(first.entries_low, 80U);
    EXPECT_EQ(first.entries_high, 112U);
    EXPECT_NE(first.confidence, Confidence::high);
}

TEST(Tlb, TheFirstIsKnownToAPageOnlyIfSetsMakeItsEdgeThatGentle) {
    const auto first_of = [](std::size_t entries) {
        std::vector<std::size_t> pages = numbers_of_pages(1024);
        std::erase(pages, entries);
        pages.insert(std::ranges::upper_bound(pages, entries), {entries, entries + 1});
        // As measured beside a busy sibling thread on a Zen 5, whose 96 entries seemed to be 82.
        const auto shared = [entries](std::size_t p) {
            return p <= entries ? 0.0 : p <= 84 ? 0.2 : p <= 92 ? 0.34 : p <= 96 ? 0.81 : 1.8;
        };
        return read_translation(curve_of(pages, shared, one_ns), cycle_ns).tlbs.at(0);
    };
    EXPECT_EQ(first_of(82).entries_low, 82U);
    EXPECT_EQ(first_of(82).entries_high, 112U) << "two sets of 41 ways would be half of the step at 83 pages";
    EXPECT_EQ(first_of(82).confidence, Confidence::fair);
    EXPECT_EQ(first_of(81).entries_high, 112U);
    EXPECT_EQ(first_of(80).entries_high, 81U) << "16 sets of 5 ways begin with a fourteenth of it";
    EXPECT_EQ(first_of(80).confidence, Confidence::high);
}

TEST(Tlb, AStepThatTakesMoreThanHalfADoublingIsFair) {
    const auto pages = numbers_of_pages(1024);
    const auto gentle = curve_of(
        pages,
        [](std::size_t p) { return 3 * std::pow(std::clamp((static_cast<double>(p) - 64) / 64, 0.0, 1.0), 1.5); },
        one_ns);
    ASSERT_EQ(read_translation(gentle, cycle_ns).tlbs.size(), 1U);
    EXPECT_EQ(read_translation(gentle, cycle_ns).tlbs.front().confidence, Confidence::fair);
}

TEST(Tlb, AStepWhereTheCachesChangeOrOutweighItIsLow) {
    const auto pages = pages_around_64();
    const auto step = [](std::size_t p) { return p > 64 ? 3.0 : 0.0; };
    const auto confidence = [&](double (*packed)(std::size_t)) {
        return read_translation(curve_of(pages, step, packed), cycle_ns).tlbs.at(0).confidence;
    };
    EXPECT_EQ(confidence(one_ns), Confidence::high);
    EXPECT_EQ(confidence([](std::size_t p) { return p > 64 ? 1.2 : 1.0; }), Confidence::low);
    EXPECT_EQ(confidence([](std::size_t p) { return p > 256 ? 1.2 : 1.0; }), Confidence::high) << "far from the step";
    EXPECT_EQ(confidence([](std::size_t) { return 16.0; }), Confidence::low);
}

TEST(NextPages, HalvesTheFirstEdgeToAPageAndTheSecondToFivePercent) {
    GeneratedTranslation probe({});
    const auto points = sweep(probe);
    const Translation translation = read_translation(points, cycle_ns);
    ASSERT_EQ(translation.tlbs.size(), 2U);
    const auto measured = [&](std::size_t pages) {
        return std::ranges::count(points, pages, &TranslationPoint::pages) == 1;
    };
    EXPECT_TRUE(measured(72) && measured(73));
    const auto edge = std::ranges::upper_bound(points, translation.tlbs.back().entries, {}, &TranslationPoint::pages);
    EXPECT_LE(static_cast<double>(edge->pages), 1.05 * static_cast<double>(std::prev(edge)->pages));
    EXPECT_LE(points.size(), numbers_of_pages(16384).size() + 4 + 3) << "16 pages by halves, a fifth to a twentieth";
    EXPECT_EQ(next_pages(points, cycle_ns), std::nullopt);
}

TEST(CostInRandomSweep, IsWhatThePagesCostThatNoTlbHolds) {
    const Translation two{.tlbs = {{.entries = 64, .hit_ns = 0}, {.entries = 1024, .hit_ns = 2}},
                          .beyond = {},
                          .walks = {{.pages = 2048, .ns = 12}, {.pages = 8192, .ns = 32}, {.pages = 16384, .ns = 33}}};
    EXPECT_EQ(cost_in_random_sweep_ns(two, 64), 0);
    EXPECT_DOUBLE_EQ(cost_in_random_sweep_ns(two, 128), 0.5 * 2);
    EXPECT_DOUBLE_EQ(cost_in_random_sweep_ns(two, 2048), (1 - 64 / 2048.0) * 2 + 0.5 * (12 - 2));
    EXPECT_DOUBLE_EQ(cost_in_random_sweep_ns(two, 4096), (1 - 64 / 4096.0) * 2 + 0.75 * (22 - 2));
    EXPECT_DOUBLE_EQ(cost_in_random_sweep_ns(two, 8192), (1 - 64 / 8192.0) * 2 + 0.875 * (32 - 2));
    EXPECT_DOUBLE_EQ(cost_in_random_sweep_ns(two, 65536), (1 - 64 / 65536.0) * 2 + (1 - 1 / 64.0) * (33 - 2));
    EXPECT_EQ(cost_in_random_sweep_ns({}, 65536), 0);
}

TEST(CostInRandomSweep, FollowsTheWalksBetweenTheirEnds) {
    // A second TLB whose step does not double the cost is not told. The walks after it grow at 1024 pages.
    const auto two_steps = [](std::size_t p) { return p <= 64 ? 0.0 : p <= 1024 ? 4.0 : 7.0; };
    const Translation translation = read_translation(curve_of(numbers_of_pages(16384), two_steps, one_ns), cycle_ns);
    ASSERT_EQ(translation.tlbs.size(), 1U);
    EXPECT_NEAR(cost_in_random_sweep_ns(translation, 1024), 4 * (1 - 64 / 1024.0), 0.1);
    EXPECT_NEAR(cost_in_random_sweep_ns(translation, 1280), 7 * (1 - 64 / 1280.0), 0.1);
}

TEST(SplitsHugePages, TellsByTheCostOfSmallPagesInHugeOnes) {
    const Tlb first{.entries_low = 72, .entries = 72, .entries_high = 73, .hit_ns = 0, .miss_ns = 1.9};
    EXPECT_TRUE(splits_huge_pages(first, {.pages = 144, .rounds = {{3, 1.1}}}));
    EXPECT_FALSE(splits_huge_pages(first, {.pages = 144, .rounds = {{1.3, 1.1}}}));
}

/// A hierarchy of a level that ends at this capacity, with memory so much slower.
Hierarchy level_ending_at(double capacity_bytes, double step_ns) {
    Hierarchy hierarchy;
    Level& level = hierarchy.caches.emplace_back();
    level.edge.capacity_bytes = capacity_bytes;
    level.latency_ns = 5;
    level.capacity_confidence = Confidence::high;
    hierarchy.memory = LevelLatency{.latency_ns = 5 + step_ns};
    return hierarchy;
}

bool doubts(double capacity_bytes, double step_ns, std::optional<std::uint64_t> reported_bytes = std::nullopt) {
    Hierarchy hierarchy = level_ending_at(capacity_bytes, step_ns);
    hierarchy.caches.front().reported_bytes = reported_bytes;
    doubt_translation(hierarchy, 4096);
    EXPECT_EQ(hierarchy.remarks.size(), hierarchy.caches.front().capacity_confidence == Confidence::low ? 1U : 0U);
    return hierarchy.caches.front().capacity_confidence == Confidence::low;
}

TEST(DoubtTranslation, DoubtsAShortStepAtAUsualReachThatIsNoReportedCache) {
    EXPECT_TRUE(doubts(64 * 4096, 9.9));
    EXPECT_FALSE(doubts(64 * 4096, 10));
    EXPECT_TRUE(doubts(0.71 * 64 * 4096, 5)) << "within half a doubling";
    EXPECT_FALSE(doubts(0.70 * 64 * 4096, 5));
    EXPECT_TRUE(doubts(1.41 * 96 * 4096, 5));
    EXPECT_FALSE(doubts(1.42 * 96 * 4096, 5));
    EXPECT_TRUE(doubts(2048 * 4096, 5)) << "between the two";
    EXPECT_FALSE(doubts(256 * 4096, 5)) << "beyond the first, before the second";
    EXPECT_FALSE(doubts(2048 * 4096, 5, 8 << 20));
}

} // namespace
} // namespace memtest
