#include "memtest/insight/level_search.hpp"

#include "memtest/insight/cache_edge.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// A latency for each doubling from 4 KiB on.
std::vector<CurvePoint> doubling(const std::vector<double>& latencies) {
    std::vector<CurvePoint> curve;
    double size = 4096;
    for (const double latency : latencies) {
        curve.push_back({size, latency});
        size *= 2;
    }
    return curve;
}

std::size_t edges_of(const std::vector<double>& latencies) {
    return find_edges(doubling(latencies), {}).size();
}

/// A curve from 1 ns on that climbs by so many doublings from each size to the next.
std::vector<CurvePoint> climbing(const std::vector<double>& slopes) {
    std::vector<double> latencies{1};
    for (const double slope : slopes)
        latencies.push_back(latencies.back() * std::exp2(slope));
    return doubling(latencies);
}

TEST(FindEdges, TellsOneEdgeFromNone) {
    EXPECT_EQ(edges_of({1, 1, 1, 1, 1, 1}), 0U);
    EXPECT_EQ(edges_of({1, 1, 1, 4, 4, 4}), 1U);
    EXPECT_EQ(edges_of({1, 1, 1, 4, 4, 4, 20, 20, 20}), 2U);
}

TEST(FindEdges, SaysBetweenWhichSizesAnEdgeLies) {
    const std::vector<Edge> edges = find_edges(doubling({1, 1, 1, 4, 4, 4}), {});
    ASSERT_EQ(edges.size(), 1U);
    EXPECT_EQ(edges[0].from_bytes, 16384);
    EXPECT_EQ(edges[0].to_bytes, 32768);
    EXPECT_FALSE(edges[0].ends_in_foot);
}

TEST(FindEdges, ReachesBothEndsOfACurveThatRisesThere) {
    const std::vector<Edge> at_end = find_edges(doubling({1, 1, 1, 1, 1.5, 3, 9}), {});
    ASSERT_EQ(at_end.size(), 1U);
    EXPECT_EQ(at_end[0].from_bytes, 4096 << 3);
    EXPECT_EQ(at_end[0].to_bytes, 4096 << 6);
    const std::vector<Edge> at_begin = find_edges(doubling({1, 4, 8, 8.1, 8.1, 8.1}), {});
    ASSERT_EQ(at_begin.size(), 1U);
    EXPECT_EQ(at_begin[0].from_bytes, 4096);
    EXPECT_EQ(at_begin[0].to_bytes, 4096 << 3);
}

TEST(FindEdges, JoinsTwoPlateausIntoOneAsFlatAsTheFlatterOfThem) {
    // Either is a valley between its neighbours; joined, the steeper alone would be none beside the gentle last rise.
    const std::vector<Edge> edges = find_edges(climbing({0, 2, 0.3, 0.6, 0.05, 0.40, 0.46, 0.42, 0, 0}), {});
    ASSERT_EQ(edges.size(), 2U);
    EXPECT_EQ(edges[0].to_bytes, 4096 << 2);
    EXPECT_EQ(edges[1].from_bytes, 4096 << 5);
    EXPECT_FALSE(edges[0].ends_in_foot);
}

TEST(FindEdges, TakesNoTlbShoulderForALevel) {
    EXPECT_EQ(edges_of({1, 1, 4, 4, 4.9, 4.9, 6, 6, 30, 30, 30}), 2U);
}

TEST(FindEdges, TakesNoSlowClimbForALevel) {
    EXPECT_EQ(edges_of({1, 1, 10, 11.5, 13, 15, 17, 19.5, 22, 100, 110, 110}), 2U);
    EXPECT_EQ(edges_of({1, 1, 10, 10, 10, 11.5, 13, 15, 17, 17, 17, 100, 110, 110}), 2U) << "between two plateaus";
}

TEST(FindEdges, JoinsTheFirstRiseWithTheNextWhereTheValleyBetweenThemIsShallow) {
    EXPECT_EQ(find_edges(climbing({1, 0.7, 1, 0, 0}), {}).size(), 1U);
    EXPECT_EQ(find_edges(climbing({1, 0.5, 1, 0, 0}), {}).size(), 2U);
}

TEST(FindEdges, TakesWhatAnswersInEightyNanosecondsForMemory) {
    EXPECT_EQ(edges_of({1, 1, 10, 10, 80, 80, 80, 150, 150, 150}), 2U);
    EXPECT_EQ(edges_of({1, 1, 10, 10, 79.9, 79.9, 79.9, 150, 150, 150}), 3U);
}

TEST(FindEdges, TakesNoPageWalksInMemoryForALevel) {
    EXPECT_EQ(edges_of({1, 1, 10, 10, 150, 150, 150, 210, 280, 290}), 2U);
    EXPECT_EQ(edges_of({1, 1, 10, 10, 30, 30, 30, 42, 56, 58}), 3U) << "what answers this fast is a cache";
}

TEST(FindEdges, FindsALevelThatIsOnlyTheFootOfALongerRise) {
    const std::vector<Edge> edges = find_edges(doubling({1, 1, 1, 8, 8, 8, 12.8, 21.7, 64, 111, 118, 118}), {});
    ASSERT_EQ(edges.size(), 3U);
    EXPECT_TRUE(edges[1].ends_in_foot);
    EXPECT_EQ(edges[1].to_bytes, 4096 << 7);
}

TEST(FindEdges, SplitsNoRiseWhereTooLittleOfItIsLeftForALevel) {
    const std::vector<Edge> edges = find_edges(doubling({1, 1, 1, 6, 6, 6, 6, 6, 6, 6, 8, 11, 15, 20, 22, 22, 22}), {});
    ASSERT_EQ(edges.size(), 2U);
    EXPECT_FALSE(edges[1].ends_in_foot);
    EXPECT_TRUE(edges[1].may_hide_level) << "it is too long for one cache all the same";
}

TEST(FindEdges, TakesTheSecondTlbForNoLevelHoweverFastTheSecondCache) {
    EXPECT_EQ(edges_of({1, 1, 1, 2.4, 2.4, 2.4, 4.5, 4.5, 4.5, 60, 60, 60}), 2U);
    EXPECT_EQ(edges_of({1, 1, 1, 2.4, 2.4, 2.4, 5.5, 5.5, 5.5, 60, 60, 60}), 3U);
}

TEST(FindEdges, SplitsNoRiseForTheSecondTlbAtItsFoot) {
    // From 256 KiB on, within reach of the first TLB; the same above 1 MiB is a level.
    EXPECT_EQ(edges_of({1, 1, 1, 5, 5, 5, 5, 7, 12, 60, 100, 105}), 2U);
    EXPECT_EQ(edges_of({1, 1, 1, 5, 5, 5, 5, 5, 5, 7.5, 16, 60, 100, 105}), 3U);
}

TEST(FindEdges, SaysThatALevelMayHideWhereARiseIsTooLongButNowhereToBeSplit) {
    const auto hides = [](const std::vector<double>& latencies) {
        const std::vector<Edge> edges = find_edges(doubling(latencies), {});
        return edges.size() == 2 && edges[1].may_hide_level;
    };
    EXPECT_TRUE(hides({1, 1, 1, 6, 6, 6, 6, 6, 9, 40, 100, 102}));
    EXPECT_FALSE(hides({1, 1, 1, 6, 6, 6, 6, 6, 6, 40, 100, 102}));
}

TEST(FindEdges, SplitsNoEdgeOfEitherModel) {
    for (const double random_share : {0.0, 0.3, 0.6, 1.0}) {
        for (const int ways : {0, 16}) {
            for (const double step : {1.0, 0.5, 0.25, 0.0625}) {
                std::vector<CurvePoint> curve;
                for (int i = 0; i * step < 14; ++i) {
                    const double size = 1024 * std::exp2(i * step);
                    curve.push_back({size, 1.5 + 58.5 * miss_share({50000, random_share, ways}, size)});
                }
                EXPECT_EQ(find_edges(condensed(curve, LevelRules{}.points_per_doubling), {}).size(), 1U)
                    << random_share << ' ' << ways << ' ' << step;
            }
        }
    }
}

TEST(FindEdges, NeedsMoreThanOnePoint) {
    EXPECT_TRUE(find_edges({}, {}).empty());
    EXPECT_TRUE(find_edges(doubling({1}), {}).empty());
}

} // namespace
} // namespace memtest
