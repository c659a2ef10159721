#include "memtest/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

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

TEST(SettledMin, WhenThreeAgreeWithTheSmallest) {
    EXPECT_FALSE(is_settled(Batches{}, Estimate::min, 2));
    EXPECT_FALSE(is_settled(Batches{1, 1}, Estimate::min, 2));
    EXPECT_TRUE(is_settled(Batches{1, 1, 1}, Estimate::min, 2));
    EXPECT_TRUE(is_settled(Batches{1, 5, 1.01, 9, 1.019}, Estimate::min, 2));
    EXPECT_FALSE(is_settled(Batches{1, 5, 1.01, 9, 1.03}, Estimate::min, 2));
    EXPECT_FALSE(is_settled(Batches{1, 1.01, 1.02, 1.01, 0.9}, Estimate::min, 2)) << "a new smallest starts afresh";
}

TEST(Disagreement, OfTheMinIsThatOfItsThirdSmallestFigure) {
    EXPECT_NEAR(disagreement_percent(Batches{5, 1, 1.04, 9, 1.01}, Estimate::min).value(), 4, 1e-9);
    EXPECT_FALSE(disagreement_percent(Batches{1, 1}, Estimate::min).has_value());
}

TEST(SettledMean, WhenTheConfidenceIntervalIsNarrowEnough) {
    EXPECT_FALSE(is_settled(Batches{1, 1}, Estimate::mean, 2));
    EXPECT_TRUE(is_settled(Batches{1, 1, 1}, Estimate::mean, 2));
    // Three values of standard deviation 0.01: 4.303 * 0.01 / sqrt(3) = 2.48 % of the mean of 1.
    EXPECT_FALSE(is_settled(Batches{0.99, 1, 1.01}, Estimate::mean, 2.4));
    EXPECT_TRUE(is_settled(Batches{0.99, 1, 1.01}, Estimate::mean, 2.5));
    // Five values of standard deviation 0.1: 2.776 * 0.1 / sqrt(5) = 12.4 % of the mean of 1.
    const Batches spread{1 - 0.1265, 1 - 0.0632, 1, 1 + 0.0632, 1 + 0.1265};
    EXPECT_FALSE(is_settled(spread, Estimate::mean, 12));
    EXPECT_TRUE(is_settled(spread, Estimate::mean, 13));
}

TEST(SettledMedian, WhenTheConfidenceIntervalIsNarrowEnough) {
    EXPECT_FALSE(is_settled(Batches{1, 1, 1, 1, 1}, Estimate::median, 2)) << "five values have no such interval";
    EXPECT_TRUE(is_settled(Batches(6, 1.0), Estimate::median, 2));
    // Of up to eight values the interval is from the smallest to the largest, of nine from the second smallest.
    const Batches eight{1, 1, 1, 1, 1, 1, 1, 1.5};
    EXPECT_FALSE(is_settled(eight, Estimate::median, 2));
    EXPECT_TRUE(is_settled(Batches{1, 1, 1, 1, 1, 1, 1, 1, 1.5}, Estimate::median, 2));
    // 31 values: the interval runs from the 10th to the 22nd, 0.88 % to either side of the median here.
    Batches ramp;
    for (int i = 0; i < 31; ++i)
        ramp.push_back(1 + 0.0015 * i);
    EXPECT_TRUE(is_settled(ramp, Estimate::median, 1));
    EXPECT_FALSE(is_settled(ramp, Estimate::median, 0.8));
    ramp.back() = 100;
    EXPECT_TRUE(is_settled(ramp, Estimate::median, 1)) << "a disturbed batch does not matter";
}

/// How often the truth lies within the tolerance when a run of normal batches stops as settled.
double hit_rate(Estimate estimate) {
    std::mt19937_64 random(5);
    int hits = 0;
    constexpr int runs = 400;
    for (int run = 0; run < runs; ++run) {
        std::normal_distribution<double> noise(100, 5);
        Batches batches;
        for (int i = 0; i < 30; ++i)
            batches.push_back(noise(random));
        while (!is_settled(batches, estimate, 2))
            batches.push_back(noise(random));
        hits += std::abs(estimate_of(summarize(batches), estimate) - 100) <= 2 ? 1 : 0;
    }
    return static_cast<double>(hits) / runs;
}

TEST(SettledProperty, TheTruthIsWithinThePrecisionAboutAsOftenAsTheIntervalSays) {
    EXPECT_GT(hit_rate(Estimate::mean), 0.92);
    EXPECT_GT(hit_rate(Estimate::median), 0.90);
}

TEST(Bimodal, TwoGroupsApartAreSeen) {
    Batches batches;
    for (int i = 0; i < 20; ++i)
        batches.push_back(i % 3 == 0 ? 1.5 + 0.001 * i : 1 + 0.001 * i);
    EXPECT_TRUE(is_bimodal(batches));
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
