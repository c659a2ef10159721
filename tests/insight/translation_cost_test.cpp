#include "memtest/insight/translation_cost.hpp"

#include "memtest/insight/latency_curve.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// A size whose batches agree to 1 in 1000.
Row quiet(std::size_t size_bytes, double latency_ns, int thread = 0) {
    return {.thread = thread,
            .size_bytes = size_bytes,
            .latency_ns = latency_ns,
            .min_ns = latency_ns,
            .median_ns = latency_ns * 1.001,
            .batches = 32};
}

std::vector<TranslationCost> costs_between(const std::vector<Row>& small_pages, const std::vector<Row>& huge_pages) {
    return translation_costs(curve_of(small_pages), curve_of(huge_pages));
}

/// Those of growing sizes that take so long with small pages, and all the same with huge ones.
std::vector<TranslationCost> costs_beside(double huge_ns, const std::vector<double>& small_ns,
                                          std::optional<double> visits_percent = std::nullopt) {
    std::vector<Row> small;
    std::vector<Row> huge;
    for (const double ns : small_ns) {
        huge.push_back(quiet(1024 * (1 + huge.size()), huge_ns));
        small.push_back(quiet(huge.back().size_bytes, ns));
        small.back().visits_percent = visits_percent;
    }
    return costs_between(small, huge);
}

TEST(TranslationCosts, AreTheDifferenceAtEverySizeThatBothSweepsHave) {
    const std::vector small{quiet(1024, 1.5), quiet(2048, 2), quiet(4096, 6), quiet(16384, 150)};
    const std::vector huge{quiet(512, 1),   quiet(1024, 1),    quiet(4096, 5),
                           quiet(8192, 70), quiet(16384, 100), quiet(32768, 100)};
    const std::vector<TranslationCost> costs = costs_between(small, huge);
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[0].size_bytes, 1024);
    EXPECT_NEAR(costs[0].cost_ns.value_or(0), 0.5, 1e-9);
    EXPECT_NEAR(costs[1].cost_ns.value_or(0), 1, 1e-9);
    EXPECT_EQ(costs[2].size_bytes, 16384);
    EXPECT_NEAR(costs[2].small_pages_ns, 150, 1e-9);
    EXPECT_NEAR(costs[2].huge_pages_ns, 100, 1e-9);
    EXPECT_NEAR(costs[2].cost_ns.value_or(0), 50, 1e-9);
}

TEST(TranslationCosts, AreThoseOfEachThreadByItself) {
    const std::vector small{quiet(1024, 3, 0), quiet(1024, 5, 1)};
    const std::vector huge{quiet(1024, 2, 0), quiet(1024, 2, 1)};
    const auto costs = costs_between(small, huge);
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_NEAR(costs[1].cost_ns.value_or(0), 3, 1e-9);
    EXPECT_EQ(costs[1].thread, 1);
}

TEST(TranslationCosts, AreNoneWhereNoiseExplainsTheDifference) {
    Row noisy = quiet(1024, 1.3);
    noisy.median_ns = 2;
    EXPECT_EQ(costs_between(std::vector{noisy}, std::vector{quiet(1024, 1)}).at(0).cost_ns, std::nullopt);
    EXPECT_EQ(range_of_difference_ns({.small_pages_ns = 480, .huge_pages_ns = 250, .noise = 0.2}).second, 480)
        << "more than all of it cannot be saved";
    EXPECT_EQ(costs_between(std::vector{quiet(1024, 1.3)}, std::vector{noisy}).at(0).cost_ns, std::nullopt);
    Row placed = quiet(1024, 1.3);
    placed.visits_percent = 60;
    EXPECT_EQ(costs_between(std::vector{placed}, std::vector{quiet(1024, 1)}).at(0).cost_ns, std::nullopt);
}

TEST(TranslationCosts, AreWithheldWhereTheLatenciesDifferTwiceAsMuchAsBeside) {
    const auto disturbed_at = [](const std::vector<double>& small_ns) {
        std::vector<std::size_t> places;
        const auto costs = costs_beside(100, small_ns);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            EXPECT_EQ(costs[i].cost_ns.has_value(), costs[i].withheld == std::nullopt);
            if (costs[i].withheld == Withheld::disturbed)
                places.push_back(i);
        }
        return places;
    };
    using Places = std::vector<std::size_t>;
    EXPECT_EQ(disturbed_at({110, 121, 802}), Places{2});
    EXPECT_EQ(disturbed_at({110, 802, 121}), Places{1});
    EXPECT_EQ(disturbed_at({802, 110, 121}), Places{0});
    EXPECT_EQ(disturbed_at({100, 110, 802}), Places{2}) << "also after a size without a cost";
    EXPECT_EQ(disturbed_at({110, 219, 219}), Places{}) << "a second TLB that ends";
    EXPECT_EQ(disturbed_at({110, 221, 109}), Places{1});
    EXPECT_EQ(disturbed_at({110, 219, 109}), Places{});
    EXPECT_EQ(disturbed_at({802}), Places{}) << "nothing lies beside it";
}

TEST(TranslationCosts, AreNeverNegative) {
    const auto costs =
        costs_between(std::vector{quiet(1024, 0.999), quiet(2048, 1)}, std::vector{quiet(1024, 1), quiet(2048, 2)});
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_EQ(costs[0].cost_ns, std::nullopt);
    EXPECT_EQ(costs[0].withheld, Withheld::explained_by_noise);
    EXPECT_EQ(costs[1].cost_ns, std::nullopt);
    EXPECT_EQ(costs[1].withheld, Withheld::reversed);
}

TEST(TranslationCosts, AreNoneWithoutACommonSize) {
    EXPECT_TRUE(costs_between(std::vector{quiet(1024, 1)}, std::vector{quiet(2048, 1)}).empty());
    EXPECT_TRUE(costs_between({}, {}).empty());
}

TEST(TranslationCosts, SayWhyTheyAreNotQuoted) {
    const auto costs = costs_between(std::vector{quiet(1024, 1.5), quiet(2048, 1), quiet(4096, 1)},
                                     std::vector{quiet(1024, 1), quiet(2048, 1.2), quiet(4096, 1)});
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[0].withheld, std::nullopt);
    EXPECT_EQ(costs[1].withheld, Withheld::reversed);
    EXPECT_EQ(costs[2].withheld, Withheld::explained_by_noise);
    Row contested = quiet(1024, 1.5);
    contested.low_ns = 1;
    contested.high_ns = 2;
    EXPECT_EQ(costs_between(std::vector{contested}, std::vector{quiet(1024, 1)}).at(0).withheld, Withheld::contested);
}

TEST(TranslationCosts, OfHalfTheDeviationsTakeASizeBesideThatShowsThemToo) {
    const auto known = [](const std::vector<double>& small_ns) {
        std::string all;
        for (const TranslationCost& cost : costs_beside(499, small_ns, 30)) // a deviation of 15 %
            all += cost.cost_ns ? 'y' : 'n';
        return all;
    };
    EXPECT_EQ(known({499, 1069}), "nn");
    EXPECT_EQ(known({499, 1069, 1069}), "nyy");
    EXPECT_EQ(known({499, 1069, 300}), "nnn");
}

/// The verdict on a cost of 30 ns at 2 KiB, in a sweep with one level whose end is looked for in this range.
std::optional<Withheld> withheld(double low_bytes, std::optional<double> high_bytes,
                                 std::optional<LevelLatency> memory = std::nullopt,
                                 TranslationCost cost = {.size_bytes = 2048, .cost_ns = 30}) {
    Hierarchy hierarchy;
    hierarchy.memory = memory;
    hierarchy.caches.emplace_back().capacity_low_bytes = low_bytes;
    hierarchy.caches.back().capacity_high_bytes = high_bytes;
    withhold_at_edges(cost, {&hierarchy, 1});
    EXPECT_EQ(cost.cost_ns.has_value(), cost.withheld == std::nullopt);
    return cost.withheld;
}

TEST(TranslationCosts, AreWithheldWhereALevelMayEnd) {
    EXPECT_EQ(withheld(1024, 4096), Withheld::at_end_of_level);
    EXPECT_EQ(withheld(1024, std::nullopt), Withheld::at_end_of_level);
    EXPECT_EQ(withheld(1024, std::nullopt, LevelLatency{.from_bytes = 2048}), std::nullopt) << "in memory";
    EXPECT_EQ(withheld(1024, std::nullopt, LevelLatency{.from_bytes = 4096}), Withheld::at_end_of_level);
    EXPECT_EQ(withheld(2048, 4096), std::nullopt) << "the level still holds that size";
    EXPECT_EQ(withheld(1024, 2048), std::nullopt) << "it is surely left";
    const auto noise = Withheld::explained_by_noise;
    EXPECT_EQ(withheld(1024, 4096, {}, {0, 2048, 106, 21, {}, noise}), Withheld::at_end_of_level) << "too wide for it";
    EXPECT_EQ(withheld(1024, 4096, {}, {0, 2048, 22, 21, {}, noise}), noise);
    const auto reversed = Withheld::reversed;
    EXPECT_EQ(withheld(1024, 4096, {}, {0, 2048, 17, 90, {}, reversed}), Withheld::at_end_of_level);
    EXPECT_EQ(withheld(2048, 4096, {}, {0, 2048, 17, 90, {}, reversed}), reversed);
}

} // namespace
} // namespace memtest
