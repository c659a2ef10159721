#include "memtest/insight/model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace memtest {
namespace {

std::array<ModelCache, 2> caches(double random_share) {
    return {ModelCache{{1000, random_share, 0}, 2}, ModelCache{{8000, random_share, 0}, 10}};
}

TEST(Model, WithRandomReplacementWeighsEachLevelByWhatItHolds) {
    const auto model = caches(1);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 500), 2);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 1000), 2);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 4000), (1000 * 2 + 3000 * 10) / 4000.0);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 32000), (1000 * 2 + 7000 * 10 + 24000 * 100) / 32000.0);
}

TEST(Model, TwoSizesInsideOneLevelGiveItsLatency) {
    const auto model = caches(1);
    EXPECT_NEAR(2 * modelled_latency_ns(model, 100, 4000) - modelled_latency_ns(model, 100, 2000), 10, 1e-9);
}

TEST(Model, WithLeastRecentlyUsedIsAbrupt) {
    const auto model = caches(0);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 1000), 2);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 1001), 10);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 8001), 100);
}

TEST(Model, WithoutCachesIsMemory) {
    EXPECT_DOUBLE_EQ(modelled_latency_ns({}, 100, 1), 100);
}

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

TEST(MissShare, BeginsEarlierAndEndsLaterWherePageColoursSpreadTheEdge) {
    const CacheEdge even{1000, 0, 0};
    const CacheEdge spread{1000, 0, 0.4};
    EXPECT_EQ(miss_share(even, 900), 0);
    EXPECT_GT(miss_share(spread, 900), 0);
    EXPECT_EQ(miss_share(even, 1100), 1);
    EXPECT_LT(miss_share(spread, 1100), 1);
    EXPECT_EQ(miss_share(spread, 500), 0);
    EXPECT_EQ(miss_share(spread, 2000), 1);
}

} // namespace
} // namespace memtest
