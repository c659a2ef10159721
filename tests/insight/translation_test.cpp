#include "memtest/insight/translation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace memtest {
namespace {

/// A size whose batches agree to 1 in 1000.
SizeFigure quiet(double size_bytes, double latency_ns, int thread = 0) {
    return {.thread = thread,
            .size_bytes = size_bytes,
            .latency_ns = latency_ns,
            .min_ns = latency_ns,
            .median_ns = latency_ns * 1.001,
            .batches = 32};
}

TEST(TranslationCosts, AreTheDifferenceAtEverySizeThatBothSweepsHave) {
    const std::vector small{quiet(1024, 1.5), quiet(2048, 2), quiet(4096, 6), quiet(16384, 150)};
    const std::vector huge{quiet(512, 1),   quiet(1024, 1),    quiet(4096, 5),
                           quiet(8192, 70), quiet(16384, 100), quiet(32768, 100)};
    const std::vector<TranslationCost> costs = translation_costs(small, huge);
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[0].size_bytes, 1024);
    EXPECT_NEAR(costs[0].cost_ns.value_or(0), 0.5, 1e-9);
    EXPECT_NEAR(costs[1].cost_ns.value_or(0), 1, 1e-9);
    EXPECT_EQ(costs[2].size_bytes, 16384);
    EXPECT_NEAR(costs[2].small_pages_ns, 150, 1e-9);
    EXPECT_NEAR(costs[2].huge_pages_ns, 100, 1e-9);
    EXPECT_NEAR(costs[2].cost_ns.value_or(0), 50, 1e-9);
    EXPECT_FALSE(costs[2].reversed);
}

TEST(TranslationCosts, AreThoseOfEachThreadByItself) {
    const std::vector small{quiet(1024, 3, 0), quiet(1024, 5, 1)};
    const std::vector huge{quiet(1024, 2, 0), quiet(1024, 2, 1)};
    const auto costs = translation_costs(small, huge);
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_NEAR(costs[1].cost_ns.value_or(0), 3, 1e-9);
    EXPECT_EQ(costs[1].thread, 1);
}

TEST(TranslationCosts, AreNoneWhereNoiseExplainsTheDifference) {
    SizeFigure noisy = quiet(1024, 1.3);
    noisy.median_ns = 2;
    EXPECT_EQ(translation_costs(std::vector{noisy}, std::vector{quiet(1024, 1)}).at(0).cost_ns, std::nullopt);
    EXPECT_EQ(translation_costs(std::vector{quiet(1024, 1.3)}, std::vector{noisy}).at(0).cost_ns, std::nullopt);
    SizeFigure placed = quiet(1024, 1.3);
    placed.visits_percent = 60;
    EXPECT_EQ(translation_costs(std::vector{placed}, std::vector{quiet(1024, 1)}).at(0).cost_ns, std::nullopt);
}

TEST(TranslationCosts, AreDoubtfulWhereTheLatenciesDifferTwiceAsMuchAsBeside) {
    const auto doubtful_at = [](const std::vector<double>& small_ns) {
        std::vector<SizeFigure> small;
        std::vector<SizeFigure> huge;
        for (const double ns : small_ns) {
            huge.push_back(quiet(1024.0 * static_cast<double>(1 + huge.size()), 100));
            small.push_back(quiet(huge.back().size_bytes, ns));
        }
        std::vector<std::size_t> places;
        const auto costs = translation_costs(small, huge);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (costs[i].doubtful)
                places.push_back(i);
        }
        return places;
    };
    using Places = std::vector<std::size_t>;
    EXPECT_EQ(doubtful_at({110, 121, 802}), Places{2});
    EXPECT_EQ(doubtful_at({110, 802, 121}), Places{1});
    EXPECT_EQ(doubtful_at({802, 110, 121}), Places{0});
    EXPECT_EQ(doubtful_at({110, 219, 219}), Places{}) << "a second TLB that ends";
    EXPECT_EQ(doubtful_at({110, 221, 109}), Places{1});
    EXPECT_EQ(doubtful_at({110, 219, 109}), Places{});
    EXPECT_EQ(doubtful_at({802}), Places{}) << "nothing lies beside it";
}

TEST(TranslationCosts, AreNeverNegative) {
    const auto costs =
        translation_costs(std::vector{quiet(1024, 0.999), quiet(2048, 1)}, std::vector{quiet(1024, 1), quiet(2048, 2)});
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_EQ(costs[0].cost_ns, std::nullopt);
    EXPECT_FALSE(costs[0].reversed);
    EXPECT_EQ(costs[1].cost_ns, std::nullopt);
    EXPECT_TRUE(costs[1].reversed);
}

TEST(TranslationCosts, AreNoneWithoutACommonSize) {
    EXPECT_TRUE(translation_costs(std::vector{quiet(1024, 1)}, std::vector{quiet(2048, 1)}).empty());
    EXPECT_TRUE(translation_costs({}, {}).empty());
}

} // namespace
} // namespace memtest
