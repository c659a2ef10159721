#include "memtest/insight/load_curve.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace memtest {
namespace {

const LoadPoint idle{.load_percent = 0, .bytes_per_ns = 0, .latency_ns = 100};

TEST(LoadCurve, TheKneeIsTheHighestBandwidthWithAtMostSixFifthsOfTheIdleLatency) {
    const std::vector<LoadPoint> points{idle, {25, 5, 105}, {50, 10, 120}, {75, 15, 121}, {100, 19, 300}, {0, 0, 103}};
    const LoadCurve curve = read_load_curve(points);
    EXPECT_EQ(curve.idle_ns, 100);
    EXPECT_EQ(curve.idle_last_ns, 103);
    EXPECT_EQ(curve.peak->bytes_per_ns, 19);
    EXPECT_EQ(curve.knee->bytes_per_ns, 10);
    EXPECT_EQ(curve.knee->latency_ns, 120);
}

TEST(LoadCurve, ThePeakIsTheHighestBandwidthWhereverItIs) {
    const LoadCurve curve = read_load_curve(std::vector<LoadPoint>{idle, {50, 12, 110}, {100, 11, 110}});
    EXPECT_EQ(curve.peak->bytes_per_ns, 12);
    EXPECT_EQ(curve.knee->bytes_per_ns, 12);
    EXPECT_FALSE(curve.idle_last_ns.has_value());
    EXPECT_TRUE(curve.reaches_full_load);
    EXPECT_FALSE(read_load_curve(std::vector<LoadPoint>{idle, {50, 12, 110}}).reaches_full_load);
}

TEST(LoadCurve, HasNoKneeWhereEveryLoadExceedsIt) {
    const LoadCurve curve = read_load_curve(std::vector<LoadPoint>{idle, {50, 10, 130}, {100, 19, 300}, idle});
    EXPECT_TRUE(curve.peak.has_value());
    EXPECT_FALSE(curve.knee.has_value());
}

TEST(LoadCurve, HasNoKneeWhereTheBandwidthDoesNotGrowWithTheLoadOverMostSteps) {
    const auto curve_of = [](const std::vector<double>& bandwidths) {
        std::vector<LoadPoint> points{idle};
        for (const double bandwidth : bandwidths)
            points.push_back({20.0 * static_cast<double>(points.size()), bandwidth, 110});
        return read_load_curve(points);
    };
    const LoadCurve flat = curve_of({20, 22, 21, 23, 22});
    EXPECT_FALSE(flat.grows);
    EXPECT_FALSE(flat.knee.has_value());
    EXPECT_EQ(flat.peak->bytes_per_ns, 23);
    EXPECT_TRUE(curve_of({5, 10, 15, 15, 15}).grows) << "a full memory takes no more, over half of the steps";
    EXPECT_FALSE(curve_of({5, 10, 10, 10, 10}).grows);
    EXPECT_TRUE(curve_of({4, 5, 5.7, 5.7, 5.7}).grows) << "by a quarter of what the load grows by";
    EXPECT_FALSE(curve_of({4, 4.9, 5.7, 5.7, 5.7}).grows);
    EXPECT_TRUE(curve_of({20, 20, 20}).grows) << "two steps tell nothing";
    EXPECT_FALSE(curve_of({20, 20, 20, 20}).grows);
    std::vector<LoadPoint> thrice{idle};
    for (const double load : {50.0, 75.0, 100.0}) {
        for (const double fall : {0.0, 1.0, 2.0})
            thrice.push_back({load, load / 6 - fall, 110});
    }
    EXPECT_TRUE(read_load_curve(thrice).grows) << "a load that is as before is no step";
}

TEST(LoadCurve, TheKneeIsMeasuredByTheAwakeRowWhereThereIsOne) {
    std::vector<LoadPoint> points{idle, {.latency_ns = 80, .awake = true}, {25, 5, 95}, {50, 10, 97}, {75, 15, 130},
                                  idle};
    const LoadCurve curve = read_load_curve(points);
    EXPECT_EQ(curve.idle_ns, 100);
    EXPECT_EQ(curve.awake_ns, 80);
    EXPECT_EQ(curve.idle_last_ns, 100);
    EXPECT_EQ(curve.unloaded_ns(), 80);
    EXPECT_EQ(curve.knee->bytes_per_ns, 5) << "97 ns are 1.21 times 80 ns, and less than 1.2 times 100 ns";
    points.erase(points.begin() + 1);
    EXPECT_EQ(read_load_curve(points).unloaded_ns(), 100);
    EXPECT_EQ(read_load_curve(points).knee->bytes_per_ns, 10);
}

TEST(LoadCurve, AwakeDoesNotDifferByLessThanATwentiethHoweverWellTheVisitsAgree) {
    const auto differs = [](double awake_ns) {
        return read_load_curve(std::vector<LoadPoint>{{.latency_ns = 100, .visits_percent = 0.1},
                                                      {.latency_ns = awake_ns, .awake = true, .visits_percent = 0.1},
                                                      {50, 10, 110},
                                                      {.latency_ns = 100, .visits_percent = 0.1}})
            .awake_differs;
    };
    EXPECT_FALSE(differs(99.7));
    EXPECT_FALSE(differs(104));
    EXPECT_TRUE(differs(95));
    EXPECT_TRUE(differs(105));
}

TEST(LoadCurve, AwakeDiffersWhereItIsApartFromBothAsleepByMoreThanAllTheirVisits) {
    const auto differs = [](double first_ns, double awake_ns, double last_ns, std::optional<double> percent = 2) {
        const std::vector<LoadPoint> points{{.latency_ns = first_ns, .visits_percent = percent},
                                            {.latency_ns = awake_ns, .awake = true, .visits_percent = 3},
                                            {50, 10, 110},
                                            {.latency_ns = last_ns, .visits_percent = percent}};
        return read_load_curve(points).awake_differs;
    };
    EXPECT_TRUE(differs(100, 94, 100)) << "by 6 ns, and the visits by 2 and 2.8 ns";
    EXPECT_FALSE(differs(100, 96, 100));
    EXPECT_FALSE(differs(100, 94, 100, 4)) << "more than 4 and 2.8 ns, but less than both together";
    EXPECT_TRUE(differs(100, 106, 100));
    EXPECT_FALSE(differs(100, 104, 100));
    EXPECT_FALSE(differs(100, 94, 98)) << "the machine drifts";
    EXPECT_FALSE(differs(100, 94, 88)) << "as far as that";
    EXPECT_FALSE(differs(100, 50, 100, std::nullopt)) << "how far the visits disagree is not known";
    EXPECT_FALSE(
        read_load_curve(std::vector<LoadPoint>{{.latency_ns = 50, .awake = true, .visits_percent = 1}}).awake_differs)
        << "there is nothing to differ from";
}

TEST(LoadCurve, OfNothingTellsNothing) {
    const LoadCurve curve = read_load_curve({});
    EXPECT_FALSE(curve.idle_ns || curve.idle_last_ns || curve.peak || curve.knee);
    EXPECT_FALSE(read_load_curve(std::vector<LoadPoint>{{50, 10, 90}}).knee) << "without idle there is no measure";
}

} // namespace
} // namespace memtest
