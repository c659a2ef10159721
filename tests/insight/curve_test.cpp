#include "memtest/insight/curve.hpp"

#include "memtest/base/error.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace memtest {
namespace {

TEST(MakeCurve, SortsBySizeAndKeepsTheSmallestLatencyOfASize) {
    const std::vector<CurvePoint> curve = make_curve({{2048, 3}, {1024, 2}, {2048, 2.5}, {512, 1}, {1024, 2}});
    ASSERT_EQ(curve.size(), 3U);
    EXPECT_EQ(curve[0].size_bytes, 512);
    EXPECT_EQ(curve[1].size_bytes, 1024);
    EXPECT_EQ(curve[2].size_bytes, 2048);
    EXPECT_EQ(curve[2].latency_ns, 2.5);
}

TEST(MakeCurve, RefusesWhatIsNoSizeOrLatency) {
    for (const double bad :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW((void)make_curve({{bad, 1}}), Error);
        EXPECT_THROW((void)make_curve({{512, bad}}), Error);
    }
}

TEST(RobustMean, IsTheMeanOfEvenNoiseAndIgnoresAnOutlier) {
    EXPECT_DOUBLE_EQ(robust_mean(std::vector<double>{7}), 7);
    EXPECT_NEAR(robust_mean(std::vector<double>{9, 10, 11, 10, 9.5, 10.5}), 10, 0.01);
    EXPECT_NEAR(robust_mean(std::vector<double>{9, 10, 11, 10, 9.5, 1000}), 10, 0.5);
}

TEST(RobustMean, OfAnEvenNumberOfMeansTakesTheMiddleOfTheTwoInTheMiddle) {
    EXPECT_DOUBLE_EQ(robust_mean(std::vector<double>{1, 2, 9}), (2 + 5) / 2.0); // of 1, 1.5, 2, 5, 5.5, 9
}

TEST(WithoutDisturbances, MovesASpikeInsideOrAtAnEndToItsNeighbours) {
    const std::vector<CurvePoint> curve = {{1, 13}, {2, 10}, {3, 10.1}, {4, 7}, {5, 10}, {6, 10.2}, {7, 13}};
    const std::vector<CurvePoint> clean = without_disturbances(curve, 0.15, 0.25);
    for (const CurvePoint& point : clean)
        EXPECT_NEAR(point.latency_ns, 10, 0.21) << point.size_bytes;
}

TEST(WithoutDisturbances, MarksWhatItMovedAndKeepsWhatWasMarked) {
    const std::vector<CurvePoint> clean =
        without_disturbances(std::vector<CurvePoint>{{1, 1}, {2, 3}, {3, 1}, {4, 1, true}, {5, 1}}, 0.15, 0.25);
    for (std::size_t i = 0; i < clean.size(); ++i)
        EXPECT_EQ(clean[i].disturbed, i == 1 || i == 3) << i;
}

TEST(WithoutDisturbances, TakesAnEndThatFallsForOneHoweverFarOff) {
    const std::vector<CurvePoint> curve = {{1, 50}, {2, 1}, {3, 1.3}, {4, 10}, {5, 12}, {6, 0.5}};
    const std::vector<CurvePoint> clean = without_disturbances(curve, 0.15, 0.25);
    EXPECT_EQ(clean.front().latency_ns, 1);
    EXPECT_EQ(clean.back().latency_ns, 12);
    for (std::size_t i = 1; i + 1 < curve.size(); ++i)
        EXPECT_EQ(clean[i].latency_ns, curve[i].latency_ns) << i;
}

TEST(WithoutDisturbances, LeavesAnEndThatMayBeAnEdge) {
    const std::vector<CurvePoint> curve = {{1, 1}, {2, 10}, {3, 10}, {4, 50}};
    const std::vector<CurvePoint> clean = without_disturbances(curve, 0.15, 0.25);
    EXPECT_EQ(clean.front().latency_ns, 1);
    EXPECT_EQ(clean.back().latency_ns, 50);
}

TEST(WithoutDisturbances, LetsNoSeveralSizesInARowLieAboveALargerOne) {
    const std::vector<CurvePoint> curve = {{1, 10}, {2, 10}, {3, 40}, {4, 60}, {5, 50}, {6, 11}, {7, 11}};
    for (const CurvePoint& point : without_disturbances(curve, 0.15, 0.25))
        EXPECT_LE(point.latency_ns, 11) << point.size_bytes;
}

TEST(WithoutDisturbances, LeavesEveryEdgeAsItIs) {
    const std::vector<CurvePoint> curve = {{1, 1}, {2, 1}, {3, 4}, {4, 9}, {5, 9.2}, {6, 9.1}, {7, 30}};
    const std::vector<CurvePoint> clean = without_disturbances(curve, 0.15, 0.25);
    for (std::size_t i = 0; i < curve.size(); ++i)
        EXPECT_EQ(clean[i].latency_ns, curve[i].latency_ns) << i;
}

TEST(Condensed, JoinsTheSizesOfAPartOfADoublingAndLeavesCoarseSweepsAlone) {
    const std::vector<CurvePoint> dense = {{1024, 1}, {1088, 3}, {1152, 2}, {1792, 5}, {2048, 7}};
    const std::vector<CurvePoint> joined = condensed(dense, 4);
    ASSERT_EQ(joined.size(), 3U);
    EXPECT_DOUBLE_EQ(joined[0].size_bytes, 1088);
    EXPECT_DOUBLE_EQ(joined[0].latency_ns, 2);
    const std::vector<CurvePoint> coarse = {{1024, 1}, {1536, 2}, {2048, 3}};
    EXPECT_EQ(condensed(coarse, 4).size(), coarse.size());
}

TEST(Condensed, APartIsDisturbedWhereMostOfItsSizesAre) {
    const auto of_three = [](bool first, bool second, bool third) {
        const std::vector<CurvePoint> dense = {{1024, 1, first}, {1088, 1, second}, {1152, 1, third}};
        return condensed(dense, 4).at(0).disturbed;
    };
    EXPECT_FALSE(of_three(false, true, false));
    EXPECT_TRUE(of_three(true, true, false));
    EXPECT_TRUE(of_three(true, true, true));
}

} // namespace
} // namespace memtest
