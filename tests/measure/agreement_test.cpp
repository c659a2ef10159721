#include "memtest/measure/agreement.hpp"

#include "support/test.hpp"

#include <random>

namespace memtest {
namespace {

using Figures = std::vector<double>;

bool is_settled(const Figures& figures, Estimate estimate, double percent) {
    return agreement_of(figures, estimate, percent).is_settled;
}

Agreement on_min(const Figures& figures) {
    return agreement_of(figures, Estimate::min, 2);
}

TEST(AgreementOnMin, IsTheSmallestThatTwoOthersConfirmToWithinThePrecision) {
    EXPECT_FALSE(on_min({1}).is_settled);
    EXPECT_FALSE(on_min({1, 1}).is_settled);
    EXPECT_TRUE(on_min({1, 1, 1}).is_settled);
    const Agreement found = on_min({1.019, 5, 1.01, 9, 1});
    EXPECT_TRUE(found.is_settled);
    EXPECT_DOUBLE_EQ(found.figure, 1);
    EXPECT_NEAR(found.percent.value(), 1.9, 1e-9);
    EXPECT_FALSE(on_min({1, 5, 1.01, 9, 1.03}).is_settled);
}

TEST(AgreementOnMin, ALowFigureThatStandsAloneIsAnAccidentAmongEight) {
    EXPECT_FALSE(on_min({0.9, 1, 1, 1, 1, 1, 1}).is_settled) << "among seven it is not";
    const Agreement found = on_min({1, 1.01, 0.9, 1.02, 1, 1.2, 1.1, 1});
    EXPECT_TRUE(found.is_settled);
    EXPECT_DOUBLE_EQ(found.figure, 1);
    EXPECT_FALSE(on_min({0.8, 0.9, 1, 1, 1, 1, 1, 1}).is_settled) << "two among eight";
    EXPECT_TRUE(on_min({0.8, 0.9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}).is_settled) << "two among sixteen";
}

TEST(AgreementOnMin, TheLowestThreeCountWhereOthersAgreeHigherUp) {
    EXPECT_DOUBLE_EQ(on_min({1, 1, 1, 2, 2, 2, 2, 2, 2, 2}).figure, 1);
}

TEST(AgreementOnMin, WithoutAnyIsTheSecondSmallestAndOfTwoTheSmaller) {
    const Agreement found = on_min({5, 1, 3, 2});
    EXPECT_DOUBLE_EQ(found.figure, 2);
    EXPECT_NEAR(found.percent.value(), 200, 1e-9);
    EXPECT_DOUBLE_EQ(on_min({3, 2}).figure, 2);
    EXPECT_FALSE(on_min({3, 2}).percent.has_value());
}

TEST(Agreement, OnMedianAndMeanIsTheirs) {
    EXPECT_DOUBLE_EQ(agreement_of(Figures{1, 2, 9}, Estimate::median, 2).figure, 2);
    EXPECT_DOUBLE_EQ(agreement_of(Figures{1, 2, 9}, Estimate::mean, 2).figure, 4);
}

TEST(SettledMean, WhenTheConfidenceIntervalIsNarrowEnough) {
    EXPECT_FALSE(is_settled(Figures{1, 1}, Estimate::mean, 2));
    EXPECT_TRUE(is_settled(Figures{1, 1, 1}, Estimate::mean, 2));
    // Three values of standard deviation 0.01: 4.3 * 0.01 / sqrt(3) = 2.5 % of the mean of 1.
    EXPECT_FALSE(is_settled(Figures{0.99, 1, 1.01}, Estimate::mean, 2.45));
    EXPECT_TRUE(is_settled(Figures{0.99, 1, 1.01}, Estimate::mean, 2.5));
    // Five values of standard deviation 0.1: 2.776 * 0.1 / sqrt(5) = 12.4 % of the mean of 1.
    const Figures spread{1 - 0.1265, 1 - 0.0632, 1, 1 + 0.0632, 1 + 0.1265};
    EXPECT_FALSE(is_settled(spread, Estimate::mean, 12));
    EXPECT_TRUE(is_settled(spread, Estimate::mean, 13));
}

TEST(SettledMedian, WhenTheConfidenceIntervalIsNarrowEnough) {
    EXPECT_FALSE(is_settled(Figures{1, 1, 1, 1, 1}, Estimate::median, 2)) << "five values have no such interval";
    EXPECT_TRUE(is_settled(Figures(6, 1.0), Estimate::median, 2));
    // Of up to eight values the interval is from the smallest to the largest, of nine from the second smallest.
    const Figures eight{1, 1, 1, 1, 1, 1, 1, 1.5};
    EXPECT_FALSE(is_settled(eight, Estimate::median, 2));
    EXPECT_TRUE(is_settled(Figures{1, 1, 1, 1, 1, 1, 1, 1, 1.5}, Estimate::median, 2));
    // 31 values: the interval runs from the 10th to the 22nd, 0.88 % to either side of the median here.
    Figures ramp;
    for (int i = 0; i < 31; ++i)
        ramp.push_back(1 + 0.0015 * i);
    EXPECT_TRUE(is_settled(ramp, Estimate::median, 1));
    EXPECT_FALSE(is_settled(ramp, Estimate::median, 0.8));
    ramp.back() = 100;
    EXPECT_TRUE(is_settled(ramp, Estimate::median, 1)) << "a disturbed figure does not matter";
}

TEST(SettledMedian, IsKnownOfThousandsOfFigures) {
    Figures ramp;
    for (int i = 0; i < 2500; ++i)
        ramp.push_back(1 + 1e-4 * i);
    // The interval is 49 ranks to either side of the median: 0.0049 of 1.125.
    EXPECT_TRUE(is_settled(ramp, Estimate::median, 0.5));
    EXPECT_FALSE(is_settled(ramp, Estimate::median, 0.4));
}

/// How often the truth lies within the tolerance when a run of normal figures stops as settled.
double hit_rate(Estimate estimate) {
    std::mt19937_64 random(5);
    int hits = 0;
    constexpr int runs = 400;
    for (int run = 0; run < runs; ++run) {
        std::normal_distribution<double> noise(100, 5);
        Figures figures;
        for (int i = 0; i < 30; ++i)
            figures.push_back(noise(random));
        while (!is_settled(figures, estimate, 2))
            figures.push_back(noise(random));
        hits += std::abs(estimate_of(summarize(figures), estimate) - 100) <= 2 ? 1 : 0;
    }
    return static_cast<double>(hits) / runs;
}

TEST(SettledProperty, TheTruthIsWithinThePrecisionAboutAsOftenAsTheIntervalSays) {
    EXPECT_GT(hit_rate(Estimate::mean), 0.92);
    EXPECT_GT(hit_rate(Estimate::median), 0.90);
}

// --- contention

/// The two figures, or nothing.
std::vector<double> contention(const std::vector<double>& figures, std::size_t fewest = 2) {
    const auto found = contention_in(figures, fewest);
    return found ? std::vector{found->low_ns, found->high_ns} : std::vector<double>{};
}

using Figures = std::vector<double>;

TEST(Contention, IsOfVisitsInTwoGroupsWhoseMediansItTells) {
    EXPECT_EQ(contention({18, 150, 17, 140, 19}), (Figures{18, 145}));
    EXPECT_EQ(contention({150, 17, 148, 18}), (Figures{17.5, 149})) << "two of each are enough";
}

TEST(Contention, IsNotMadeOfALoneVisitOnEitherSide) {
    EXPECT_EQ(contention({17, 18, 17.5, 150, 19}), Figures{});
    EXPECT_EQ(contention({150, 148, 17, 152, 149}), Figures{});
    EXPECT_EQ(contention({17, 150, 18}), Figures{});
    EXPECT_EQ(contention({}), Figures{});
}

TEST(Contention, TakesGroupsMoreThanOneAndAHalfTimesApart) {
    EXPECT_EQ(contention({10, 11, 16.4, 17}), Figures{}) << "16.4 is less than 1.5 times 11";
    EXPECT_EQ(contention({10, 11, 16.6, 17}), (Figures{10.5, 16.8}));
    EXPECT_EQ(contention({10, 12, 14, 17, 20, 24}), Figures{}) << "scattered without a gap";
}

TEST(Contention, SplitsWhereTheRatioIsWidest) {
    EXPECT_EQ(contention({10, 11, 20, 21, 100, 110}), (Figures{15.5, 105}));
    EXPECT_EQ(contention({10, 11, 100, 110, 190, 200}), (Figures{10.5, 150}));
    EXPECT_EQ(contention({10, 100, 104, 160, 165}), (Figures{100, 162.5})) << "not above a lone visit";
}

TEST(Contention, IsNoneWhereTheLowerGroupRepeatsAsCachesOfACoreDo) {
    EXPECT_EQ(contention({1.083, 2.1, 1.083, 2.2, 1.085}), Figures{}) << "a busy sibling, in two visits";
    EXPECT_EQ(contention({10, 10.04, 10.06, 20, 21}), Figures{});
    EXPECT_EQ(contention({10, 10.2, 10.3, 20, 21}), Figures{}) << "beside a busy sibling";
    EXPECT_EQ(contention({10, 10.21, 10.22, 20, 21}), (Figures{10.21, 20.5})) << "more than such a cache's";
}

TEST(ContentionDeathTest, OfGroupsWithoutAFigureIsAnError) {
    EXPECT_DEATH(static_cast<void>(contention_in(std::vector<double>{1, 2}, 0)), "violated");
    EXPECT_DEATH(static_cast<void>(agreement_of({}, Estimate::min, 2)), "an agreement is of");
}

TEST(Contention, NeedsAsManyInAGroupAsAskedFor) {
    EXPECT_EQ(contention({17, 18, 19, 150}, 1), (Figures{18, 150}));
    EXPECT_EQ(contention({17, 18, 19, 150, 151}, 3), Figures{});
    EXPECT_EQ(contention({17, 18, 19, 150, 151, 152}, 3), (Figures{18, 151}));
}

} // namespace
} // namespace memtest
