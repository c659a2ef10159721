#include "memtest/insight/translation.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(TranslationCosts, AreTheDifferenceAtEverySizeThatBothSweepsHave) {
    const std::vector<CurvePoint> small = {{1024, 1}, {2048, 2}, {4096, 6}, {16384, 150}};
    const std::vector<CurvePoint> huge = {{512, 1}, {1024, 1}, {4096, 5}, {8192, 70}, {16384, 100}, {32768, 100}};
    const std::vector<TranslationCost> costs = translation_costs(small, huge);
    ASSERT_EQ(costs.size(), 3U);
    EXPECT_EQ(costs[0].size_bytes, 1024);
    EXPECT_EQ(costs[0].cost_ns, 0);
    EXPECT_DOUBLE_EQ(costs[1].cost_percent, 20);
    EXPECT_EQ(costs[2].size_bytes, 16384);
    EXPECT_DOUBLE_EQ(costs[2].small_pages_ns, 150);
    EXPECT_DOUBLE_EQ(costs[2].huge_pages_ns, 100);
    EXPECT_DOUBLE_EQ(costs[2].cost_ns, 50);
    EXPECT_DOUBLE_EQ(costs[2].cost_percent, 50);
}

TEST(TranslationCosts, KeepTheirSignWhereNoiseExceedsThem) {
    const std::vector<CurvePoint> small = {{1024, 0.99}};
    const std::vector<CurvePoint> huge = {{1024, 1}};
    EXPECT_LT(translation_costs(small, huge).at(0).cost_ns, 0);
}

TEST(TranslationCosts, AreNoneWithoutACommonSize) {
    const std::vector<CurvePoint> small = {{1024, 1}};
    const std::vector<CurvePoint> huge = {{2048, 1}};
    EXPECT_TRUE(translation_costs(small, huge).empty());
    EXPECT_TRUE(translation_costs({}, huge).empty());
}

} // namespace
} // namespace memtest
