#include "memtest/insight/curve.hpp"

#include "memtest/base/error.hpp"
#include "support/test.hpp"

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

TEST(WithoutDisturbances, NeedsThreeSizes) {
    EXPECT_EQ(without_disturbances(std::vector<CurvePoint>{{1, 1}, {2, 3}, {3, 1.1}}, 0.15, 9).at(1).latency_ns, 1.1);
    EXPECT_EQ(without_disturbances(std::vector<CurvePoint>{{1, 1}, {2, 3}}, 0.15, 9).at(1).latency_ns, 3);
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

TEST(WithoutDisturbances, MovesAnEndThatIsNearTwoNeighboursThatAgree) {
    const auto moved = [](double end, double next, double after_next) {
        const std::vector<CurvePoint> last = {{1, after_next}, {2, after_next}, {3, next}, {4, end}};
        const double latency_ns = without_disturbances(last, 0.15, 0.25).back().latency_ns;
        return latency_ns == end ? std::nullopt : std::optional(latency_ns);
    };
    EXPECT_EQ(moved(14.4, 10, 10), 10) << "within three times the noise";
    EXPECT_EQ(moved(14.6, 10, 10), std::nullopt);
    EXPECT_EQ(moved(13.5, 11.4, 10), 11.4);
    EXPECT_EQ(moved(13.8, 11.6, 10), std::nullopt) << "the neighbours differ by more than noise";
    const std::vector<CurvePoint> first = {{1, 7}, {2, 10}, {3, 10}, {4, 10}};
    EXPECT_EQ(without_disturbances(first, 0.15, 0.25).front().latency_ns, 10);
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
    const std::vector<CurvePoint> two = {{1024, 1}, {4096, 2}, {4096 * 1.0625, 8}};
    ASSERT_EQ(condensed(two, 4).size(), 2U);
    EXPECT_DOUBLE_EQ(condensed(two, 4)[1].latency_ns, 4) << "in the middle on a log scale";
}

TEST(Condensed, LeavesASizeThatIsAloneExactlyAsItIs) {
    const LatencyBand band{.low_ns = 1, .high_ns = 3};
    const std::vector<CurvePoint> curve = {{1000, 1.1}, {3000, 2.3, false, band}, {7000, 4.7, true}};
    const std::vector<CurvePoint> same = condensed(curve, 4);
    ASSERT_EQ(same.size(), curve.size());
    for (std::size_t i = 0; i < curve.size(); ++i) {
        EXPECT_EQ(same[i].size_bytes, curve[i].size_bytes);
        EXPECT_EQ(same[i].latency_ns, curve[i].latency_ns);
        EXPECT_EQ(same[i].disturbed, curve[i].disturbed);
        EXPECT_EQ(same[i].contested.has_value(), i == 1);
    }
}

TEST(Condensed, APartIsDisturbedWhereMostOfItsSizesAre) {
    const auto of_three = [](bool first, bool second, bool third) {
        const std::vector<CurvePoint> dense = {{512, 1}, {1024, 1, first}, {1088, 1, second}, {1152, 1, third}};
        return condensed(dense, 4).at(1).disturbed;
    };
    const std::vector<CurvePoint> half = {{1024, 1, true}, {1088, 1, true}, {1120, 1}, {1152, 1}};
    EXPECT_FALSE(condensed(half, 4).at(0).disturbed);
    EXPECT_FALSE(of_three(false, true, false));
    EXPECT_TRUE(of_three(true, true, false));
    EXPECT_TRUE(of_three(true, true, true));
}

} // namespace
} // namespace memtest
