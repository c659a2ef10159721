#include "memtest/insight/cache_edge.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

TEST(MissShare, OfLinesThatAreVisitedOncePerLapSolvesItsLaw) {
    for (const double size : {1001.0, 1390.0, 2000.0, 4000.0}) {
        const double hits = 1 - miss_share({1000, 1, 0, true}, size);
        EXPECT_NEAR(hits, std::exp(-(1 - hits) * size / 1000), 1e-5) << size;
        EXPECT_LT(hits, 0.999) << size << ": that every line is still there always solves it";
    }
    EXPECT_NEAR(miss_share({1000, 1, 0, true}, 1390), 0.5, 0.01);
    EXPECT_NEAR(miss_share({1000, 0.5, 0, true}, 1390), 0.75, 0.01);
    EXPECT_EQ(miss_share({1000, 1, 0, true}, 1000), 0);
}

TEST(MissShare, BeginsEarlierAndEndsLaterWhereSetsFillByChance) {
    const CacheEdge even{1000, 0, 0};
    const CacheEdge uneven{1000, 0, 8};
    EXPECT_EQ(miss_share(even, 900), 0);
    EXPECT_GT(miss_share(uneven, 900), 0);
    EXPECT_EQ(miss_share(even, 1100), 1);
    EXPECT_LT(miss_share(uneven, 1100), 1);
    EXPECT_EQ(miss_share(uneven, 60), 0);
    EXPECT_EQ(miss_share(uneven, 20000), 1);
}

TEST(MissShare, OfSetsThatFillByChanceIsThatOfPoissonsLaw) {
    EXPECT_NEAR(miss_share({1000, 0, 2}, 1000), 1 - 3 * std::exp(-2), 0.001);
    EXPECT_NEAR(miss_share({1000, 0, 2}, 500), 1 - 2 * std::exp(-1), 0.001);
    EXPECT_NEAR(miss_share({1000, 0, 8}, 1000), 0.547, 0.001);
    EXPECT_LT(miss_share({1000, 0, 16}, 710), miss_share({1000, 0, 4}, 710)) << "more ways blur the edge less";
    EXPECT_NEAR(miss_share({1000, 1, 48}, 4000), miss_share({1000, 1, 0}, 4000), 0.01);
    for (const double size : {14700.0, 15600.0, 15900.0}) // so many lines in a set that the chance of none is no number
        EXPECT_NEAR(miss_share({1000, 1, 48}, size), miss_share({1000, 1, 0}, size), 0.001) << size;
    EXPECT_LT(miss_share({1000, 1, 8, true}, 3000), miss_share({1000, 0, 8}, 3000));
    EXPECT_GT(miss_share({1000, 1, 8, true}, 3000), miss_share({1000, 1, 8}, 3000));
}

EdgeFit fit_of(const CacheEdge& edge, double step, double off_at_one_size = 1) {
    std::vector<CurvePoint> points;
    for (int i = 0; i * step < 7; ++i) {
        const double size = 4096 * std::exp2(i * step);
        points.push_back({size, 2 + 10 * miss_share(edge, size)});
    }
    points[points.size() / 3].latency_ns *= off_at_one_size;
    const std::vector<double> below(points.size(), 2);
    return fit_edge(points, below, 8192, 262144, {});
}

CacheEdge fitted(const CacheEdge& edge, double step, double off_at_one_size = 1) {
    return fit_of(edge, step, off_at_one_size).edge;
}

TEST(FitEdge, FindsTheCapacityWhateverTheReplacement) {
    for (const double random_share : {0.25, 0.5, 0.75, 1.0})
        EXPECT_NEAR(fitted({40000, random_share, 0}, 0.125).capacity_bytes / 40000, 1, 0.09) << random_share;
    EXPECT_NEAR(fitted({40000, 1, 0, true}, 0.125).capacity_bytes / 40000, 1, 0.09) << "each line once per lap";
}

TEST(FitEdge, OfAnAbruptEdgeTakesTheLastSizeThatFits) {
    EXPECT_EQ(fitted({32768, 0, 0}, 0.5).capacity_bytes, 32768);
    EXPECT_EQ(fitted({40000, 0, 0}, 0.5).capacity_bytes, 32768);
}

TEST(FitEdge, FindsHowTheCacheReplaces) {
    EXPECT_EQ(fitted({40000, 0, 0}, 0.25).random_share, 0);
    EXPECT_NEAR(fitted({40000, 0.5, 0}, 0.25).random_share, 0.5, 0.13);
    EXPECT_NEAR(fitted({40000, 1, 0}, 0.25).random_share, 1, 0.13);
}

TEST(FitEdge, OfAnAbruptEdgeKnowsNoMoreThanTheStep) {
    const EdgeFit fit = fit_of({40000, 0, 0}, 1);
    EXPECT_EQ(fit.least_capacity_bytes, 32768);
    EXPECT_GT(fit.most_capacity_bytes, 1.8 * 32768);
    EXPECT_LT(fit.most_capacity_bytes, 65536);
}

TEST(FitEdge, RangesOverWhatFitsWithinTwoAndAHalfStandardErrors) {
    const auto width = [](double errors) {
        std::vector<CurvePoint> points;
        for (int i = 0; i < 14; ++i) {
            const double size = 4096 * std::exp2(i / 2.0);
            points.push_back({size, (2 + 10 * miss_share({40000, 1, 0}, size)) * (i % 2 == 0 ? 1.04 : 0.96)});
        }
        LevelRules rules;
        rules.range_errors = errors;
        const EdgeFit fit = fit_edge(points, std::vector<double>(points.size(), 2), 8192, 262144, rules);
        return fit.most_capacity_bytes / fit.least_capacity_bytes;
    };
    EXPECT_GT(width(2.5), 1.2 * width(1));
}

TEST(FitEdge, OfManySizesKnowsTheCapacityWell) {
    const EdgeFit fit = fit_of({40000, 1, 0}, 0.125);
    EXPECT_LE(fit.least_capacity_bytes, fit.edge.capacity_bytes);
    EXPECT_GE(fit.most_capacity_bytes, fit.edge.capacity_bytes);
    EXPECT_LT(fit.most_capacity_bytes, 1.2 * fit.least_capacity_bytes);
}

TEST(FitEdge, LooksForTheCapacityInTheRangeAskedForAlone) {
    std::vector<CurvePoint> points;
    for (double size = 4096; size <= 262144; size *= std::exp2(0.25))
        points.push_back({size, 2 + 10 * miss_share({40000, 1, 0}, size)});
    const std::vector<double> below(points.size(), 2);
    EXPECT_LT(fit_edge(points, below, 8192, 16000, {}).most_capacity_bytes, 16385);
    EXPECT_GE(fit_edge(points, below, 65536, 262144, {}).least_capacity_bytes, 65535);
}

TEST(FitEdge, IsNotMovedByAnOutlier) {
    EXPECT_NEAR(fitted({40000, 1, 0}, 0.25, 1.3).capacity_bytes / 40000, 1, 0.15);
    // Of uneven sets the capacity itself is the mean of what may be: see below.
    const double undisturbed = fitted({40000, 1, 16}, 0.25).capacity_bytes;
    EXPECT_NEAR(fitted({40000, 1, 16}, 0.25, 1.3).capacity_bytes / undisturbed, 1, 0.1);
}

TEST(FitEdge, OfUnevenSetsThatMayBeFewOrManyWaysLiesBetweenThem) {
    // Four ways whose lines stay look like eight of 0.66 times the size with random replacement.
    const double of_four = 40000;
    const CacheEdge few{of_four, 0, 4};
    const CacheEdge many{0.66 * of_four, 1, 8, true};
    std::vector<CurvePoint> points;
    for (double size = 4096; size <= 524288; size *= std::exp2(0.125))
        points.push_back({size, 2 + 5 * (miss_share(few, size) + miss_share(many, size))});
    const EdgeFit fit = fit_edge(points, std::vector<double>(points.size(), 2), 8192, 262144, {});
    EXPECT_NEAR(doublings(0.81 * of_four, fit.edge.capacity_bytes), 0, 0.25);
    EXPECT_LE(fit.least_capacity_bytes, many.capacity_bytes);
    EXPECT_GE(fit.most_capacity_bytes, few.capacity_bytes);
    EXPECT_NEAR(fit.scale, 1, 0.05) << "the latency before the edge";
}

TEST(FitEdge, TriesFewWaysOnlyOnAsManyStepsPerDoublingAsTheRulesAskFor) {
    std::vector<CurvePoint> points;
    for (int i = 0; i < 14; ++i) { // 13 steps of half a doubling
        const double size = 4096 * std::exp2(i / 2.0);
        points.push_back({size, 2 + 10 * miss_share({40000, 0, 4}, size)});
    }
    const auto ways = [&](double dense) {
        LevelRules rules;
        rules.dense_points_per_doubling = dense;
        return fit_edge(points, std::vector<double>(points.size(), 2), 8192, 262144, rules).edge.ways;
    };
    EXPECT_EQ(ways(1.9), 4);
    EXPECT_NE(ways(2.1), 4);
}

TEST(FitEdge, OfColoursThatFillByChanceIsLikeThem) {
    const auto of_colours = [](double capacity) {
        std::vector<CurvePoint> points;
        for (double size = 4096; size <= 262144; size *= std::exp2(0.125)) {
            const double pages_per_colour = 2 * size / capacity; // of two ways
            points.push_back({size, 2 + 10 * (1 - (1 + pages_per_colour) * std::exp(-pages_per_colour))});
        }
        return fit_edge(points, std::vector<double>(points.size(), 2), 8192, 262144, {}).like_page_colours;
    };
    EXPECT_TRUE(of_colours(10000)) << "just behind the first capacity that is tried";
    EXPECT_TRUE(of_colours(90000));
    EXPECT_FALSE(fit_of({40000, 0, 0}, 0.125).like_page_colours);
}

TEST(FitEdge, BelievesInUnevenSetsOnlyWhereTheyExplainMuchMore) {
    EXPECT_EQ(fitted({40000, 1, 0}, 0.5).ways, 0);
    EXPECT_GT(fitted({40000, 1, 16}, 0.25).ways, 0);
}

TEST(FitEdge, FindsTheCapacityOfFewWaysWhereSetsFillByChance) {
    for (const int ways : {4, 8, 16})
        EXPECT_NEAR(fitted({40000, 0, ways}, 0.25).capacity_bytes / 40000, 1, 0.15) << ways;
}

} // namespace
} // namespace memtest
