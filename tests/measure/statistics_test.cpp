#include "memtest/measure/statistics.hpp"

#include "support/test.hpp"

#include <random>

namespace memtest {
namespace {

using Batches = std::vector<double>;

TEST(Median, LiesInTheMiddle) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Summary, OfAFewBatches) {
    const Summary summary = summarize(Batches{4, 1, 3, 2, 10});
    EXPECT_DOUBLE_EQ(summary.min, 1);
    EXPECT_DOUBLE_EQ(summary.median, 3);
    EXPECT_DOUBLE_EQ(summary.mean, 4);
    EXPECT_DOUBLE_EQ(summary.spread_percent, 100.0 * (4 - 2) / 3);
}

TEST(Summary, OfASingleBatchHasNoSpread) {
    const Summary summary = summarize(Batches{1.5});
    EXPECT_DOUBLE_EQ(summary.min, 1.5);
    EXPECT_DOUBLE_EQ(summary.median, 1.5);
    EXPECT_DOUBLE_EQ(summary.mean, 1.5);
    EXPECT_DOUBLE_EQ(summary.spread_percent, 0);
}

TEST(Summary, OneDisturbedBatchMovesTheMeanAndNotMinMedianOrSpread) {
    Batches batches(20, 1.0);
    batches[7] = 50;
    const Summary summary = summarize(batches);
    EXPECT_DOUBLE_EQ(estimate_of(summary, Estimate::min), 1);
    EXPECT_DOUBLE_EQ(estimate_of(summary, Estimate::median), 1);
    EXPECT_GT(estimate_of(summary, Estimate::mean), 3);
    EXPECT_DOUBLE_EQ(summary.spread_percent, 0);
}

TEST(Quantile, IsInterpolated) {
    EXPECT_DOUBLE_EQ(quantile(Batches{1, 2, 3, 4}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(quantile(Batches{1, 2}, 1), 2);
    EXPECT_DOUBLE_EQ(quantile(Batches{1, 2}, 0), 1);
}

TEST(Bimodal, TwoGroupsApartAreSeen) {
    Batches batches;
    for (int i = 0; i < 20; ++i)
        batches.push_back(i % 3 == 0 ? 1.5 + 0.001 * i : 1 + 0.001 * i);
    EXPECT_TRUE(is_bimodal(batches));
}

TEST(Bimodal, AFifthOfTheBatchesIsAGroupAndTenAreEnough) {
    const auto is_group = [](std::size_t high, std::size_t all) {
        Batches batches(all, 1.0);
        std::fill_n(batches.begin(), high, 1.5);
        return is_bimodal(batches);
    };
    EXPECT_TRUE(is_group(6, 30));
    EXPECT_FALSE(is_group(5, 30));
    EXPECT_TRUE(is_group(24, 30));
    EXPECT_FALSE(is_group(25, 30));
    EXPECT_TRUE(is_group(2, 10));
    EXPECT_FALSE(is_group(4, 9));
}

TEST(Bimodal, OneGroupIsNotWhateverItsShape) {
    Batches constant(30, 1.0);
    EXPECT_FALSE(is_bimodal(constant));
    constant[3] = 20;
    constant[9] = 30;
    EXPECT_FALSE(is_bimodal(constant)) << "two disturbed batches are no group";
    Batches ramp;
    for (int i = 0; i < 30; ++i)
        ramp.push_back(1 + 0.1 * i);
    EXPECT_FALSE(is_bimodal(ramp));
    EXPECT_FALSE(is_bimodal(Batches{1, 2, 1, 2, 1, 2, 1, 2, 1})) << "nine batches are too few";
    std::mt19937_64 random(3);
    std::exponential_distribution<double> tail(10);
    for (int run = 0; run < 100; ++run) {
        Batches skewed;
        for (int i = 0; i < 32; ++i)
            skewed.push_back(1 + tail(random));
        EXPECT_FALSE(is_bimodal(skewed)) << "run " << run;
    }
}

TEST(Bimodal, AGroupThatIsWiderThanTheGapIsNone) {
    for (const bool is_lower : {true, false}) {
        Batches batches;
        for (int i = 0; i < 20; ++i)
            batches.push_back(is_lower ? 1 + 0.02 * i : 1.6 + 0.02 * i);
        batches.insert(batches.end(), 10, is_lower ? 1.6 : 1.4);
        EXPECT_FALSE(is_bimodal(batches));
    }
}

TEST(Bimodal, GroupsCloserThanFivePercentAreOne) {
    Batches batches;
    for (int i = 0; i < 20; ++i)
        batches.push_back(i % 2 == 0 ? 1.0 : 1.04);
    EXPECT_FALSE(is_bimodal(batches));
}

} // namespace
} // namespace memtest
