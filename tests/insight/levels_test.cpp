#include "memtest/insight/levels.hpp"

#include "memtest/base/units.hpp"
#include "memtest/insight/cache_edge.hpp"
#include "memtest/insight/level_search.hpp"
#include "support/reference_curves.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using test::ReferenceCurve;

std::vector<CurvePoint> up_to(const std::vector<CurvePoint>& points, double size) {
    std::vector<CurvePoint> result;
    std::copy_if(points.begin(), points.end(), std::back_inserter(result),
                 [&](const CurvePoint& point) { return point.size_bytes <= size; });
    return result;
}

/// L1 of 32 KiB, L2 of 1 MiB, memory, two sizes per doubling up to 64 MiB, least recently used.
std::vector<CurvePoint> plain_curve(double l2_ns, double memory_ns) {
    std::vector<CurvePoint> curve;
    for (int half = 0; half <= 32; ++half) {
        const double size = 1024 * std::exp2(half / 2.0);
        curve.push_back({size, size <= 32768 * 1.01 ? 1 : size <= (1 << 20) * 1.01 ? l2_ns : memory_ns});
    }
    return curve;
}

/// One size per doubling from 4 KiB, with these latencies.
std::vector<CurvePoint> doubling_curve(std::initializer_list<double> latencies) {
    std::vector<CurvePoint> curve;
    for (const double ns : latencies)
        curve.push_back({4096 * std::exp2(curve.size()), ns});
    return curve;
}

bool has(const Hierarchy& hierarchy, Code remark) {
    return std::count(hierarchy.remarks.begin(), hierarchy.remarks.end(), remark) == 1;
}

TEST(InferLevels, ReadsEveryReferenceCurveRight) {
    for (const ReferenceCurve& curve : test::reference_curves()) {
        const Hierarchy hierarchy = infer_levels(curve.points);
        const test::Verdict verdict = test::judge(hierarchy, curve.truth, curve.points, 1.41);
        EXPECT_TRUE(verdict.levels) << curve.name;
        EXPECT_EQ(verdict.capacities, verdict.of_capacities) << curve.name;
        EXPECT_TRUE(verdict.l1) << curve.name;
        EXPECT_EQ(verdict.latencies, verdict.of_latencies) << curve.name;
        EXPECT_EQ(verdict.ranges, verdict.of_capacities) << curve.name;
    }
    const std::vector<CurvePoint> strided = test::reference_curve("xeon_silver_4114").points;
    EXPECT_TRUE(infer_levels(strided, {.order = Order::backward}).remarks.empty());
}

TEST(InferLevels, GivesEachCapacityAsTheStepOfTheSweepThatHoldsIt) {
    const std::vector<CurvePoint> curve = plain_curve(4, 100);
    const Hierarchy hierarchy = infer_levels(curve);
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_NEAR(hierarchy.caches[0].capacity_low_bytes.value(), 32768, 1);
    EXPECT_NEAR(hierarchy.caches[0].capacity_high_bytes.value(), 32768 * std::sqrt(2.0), 1);
    EXPECT_NEAR(hierarchy.caches[1].capacity_bytes.value(), 1 << 20, 1);
    EXPECT_EQ(hierarchy.caches[0].capacity_confidence, Confidence::high);
    EXPECT_GT(hierarchy.caches[1].from_bytes, hierarchy.caches[0].capacity_high_bytes.value());
    EXPECT_LE(hierarchy.caches[1].to_bytes, hierarchy.caches[1].capacity_bytes.value());
    EXPECT_GT(hierarchy.memory->from_bytes, hierarchy.caches[1].capacity_bytes.value());
}

TEST(InferLevels, IsNotSureOfALevelWithoutAPlateau) {
    const Hierarchy hierarchy = infer_levels(test::reference_curve("n150_gracemont").points);
    ASSERT_EQ(hierarchy.caches.size(), 3U);
    EXPECT_EQ(hierarchy.caches[0].capacity_confidence, Confidence::high);
    EXPECT_EQ(hierarchy.caches[2].capacity_confidence, Confidence::low);
    EXPECT_TRUE(has(hierarchy, Code::only_a_foot));
}

TEST(InferLevels, IsNotSureOfACapacityWithinAFactorOfFourOrMore) {
    const auto l2_of = [](double almost_ns, double half_ns) {
        return infer_levels(doubling_curve({1, 1, 1, 1, 12, 12, 12, 12, almost_ns, half_ns, 88, 96, 99, 99, 99}))
            .caches.at(1);
    };
    for (const double almost_ns : {15.0, 12.0}) {
        const Level wide = l2_of(almost_ns, 55);
        EXPECT_GE(*wide.capacity_high_bytes, 4 * *wide.capacity_low_bytes);
        EXPECT_EQ(wide.capacity_confidence, Confidence::fair);
    }
    const Level narrow = l2_of(12, 85);
    EXPECT_LT(*narrow.capacity_high_bytes, 4 * *narrow.capacity_low_bytes);
    EXPECT_EQ(narrow.capacity_confidence, Confidence::high);
}

TEST(InferLevels, GivesNoBestEstimateWhereTheWholeStepFits) {
    const Hierarchy hierarchy = infer_levels(doubling_curve({1, 1, 1, 1, 100, 100, 100, 100, 100, 100, 100, 100, 100}));
    ASSERT_EQ(hierarchy.caches.size(), 1U);
    EXPECT_FALSE(hierarchy.caches[0].capacity_bytes.has_value());
    EXPECT_EQ(hierarchy.caches[0].capacity_low_bytes, 32768);
    EXPECT_EQ(hierarchy.caches[0].capacity_high_bytes, 65536);
    EXPECT_DOUBLE_EQ(hierarchy.memory.value().latency_ns, 100);
}

/// A cache with this edge, from 1 KiB on.
std::vector<CurvePoint> curve_of_one_cache(const CacheEdge& edge, double cache_ns, double beyond_ns, int sizes,
                                           double per_doubling) {
    std::vector<CurvePoint> curve;
    for (int i = 0; i < sizes; ++i) {
        const double size = 1024 * std::exp2(i / per_doubling);
        curve.push_back({size, cache_ns + (beyond_ns - cache_ns) * miss_share(edge, size)});
    }
    return curve;
}

TEST(InferLevels, TakesAnEstimateRightBelowASizeOfTheSweepForThatSize) {
    const double right_below = 65536 * std::exp2(-1 / 16.0);
    const Hierarchy hierarchy = infer_levels(curve_of_one_cache({right_below, 1, 0}, 2, 100, 17, 1));
    ASSERT_EQ(hierarchy.caches.size(), 1U);
    EXPECT_NEAR(hierarchy.caches[0].edge.capacity_bytes, right_below, 1);
    EXPECT_EQ(hierarchy.caches[0].capacity_bytes, 65536);
}

TEST(InferLevels, TakesARiseForNoLevelThatIsSmallOnceWhatTheLevelsBelowServeIsTakenOff) {
    std::vector<CurvePoint> curve = curve_of_one_cache({32768, 1, 0}, 1, 5, 37, 2);
    for (CurvePoint& point : curve) {
        if (point.size_bytes > 8.1 * (1 << 20))
            point.latency_ns = 150;
        else if (point.size_bytes > 1.01 * (1 << 18))
            point.latency_ns *= 1.5; // as translation adds
    }
    const Hierarchy hierarchy = infer_levels(curve);
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_NEAR(hierarchy.caches[1].edge.capacity_bytes, 8 << 20, 1);
}

TEST(InferLevels, TakesARiseOfTheLastSizeAloneForNoEndOfACache) {
    const Hierarchy hierarchy = infer_levels(doubling_curve({1, 1, 1, 4, 4, 4, 4, 4, 4, 100}));
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_EQ(hierarchy.caches[1].capacity_low_bytes, 1 << 20);
    EXPECT_FALSE(hierarchy.caches[1].capacity_high_bytes.has_value());
    EXPECT_FALSE(hierarchy.memory.has_value());
    EXPECT_TRUE(has(hierarchy, Code::memory_not_reached));
}

TEST(InferLevels, NamesNoMemoryWhereItsLastSizeRises) {
    std::vector<CurvePoint> curve = plain_curve(4, 100);
    ASSERT_TRUE(infer_levels(curve).memory.has_value());
    curve.back().latency_ns = 400; // more than page walks add
    const Hierarchy hierarchy = infer_levels(curve);
    EXPECT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_FALSE(hierarchy.memory.has_value());
    EXPECT_TRUE(has(hierarchy, Code::memory_not_reached));
}

TEST(InferLevels, SpansBothSidesOfASizeAtWhichHalfIsMissed) {
    std::vector<CurvePoint> curve = plain_curve(4, 100);
    curve[10].latency_ns = 2.5; // at 32 KiB
    const Level l1 = infer_levels(curve).caches.at(0);
    EXPECT_LT(l1.capacity_low_bytes.value(), 32000);
    EXPECT_GT(l1.capacity_high_bytes.value(), 33000);
}

TEST(InferLevels, ClaimsNoSizeForALevelThatIsOnTheRiseAlready) {
    std::vector<CurvePoint> curve = plain_curve(4, 100);
    curve[10].latency_ns = 1.4; // at 32 KiB
    EXPECT_NEAR(infer_levels(curve).caches.at(0).capacity_low_bytes.value(), 32768 / std::sqrt(2.0), 1);
    curve[10].latency_ns = 1.03; // no more than noise
    EXPECT_NEAR(infer_levels(curve).caches.at(0).capacity_low_bytes.value(), 32768, 1);
}

TEST(InferLevels, KnowsNoCapacityOfALastCacheWhoseOwnSizesDifferLikeTwoLevels) {
    const auto low_of_last = [](double slope) {
        std::vector<CurvePoint> curve = up_to(plain_curve(4, 100), 1.01 * (1 << 20));
        for (CurvePoint& point : curve) {
            if (point.size_bytes > 65536)
                point.latency_ns *= std::pow(point.size_bytes / 65536, slope);
        }
        const Hierarchy hierarchy = infer_levels(curve);
        EXPECT_EQ(hierarchy.caches.size(), 2U);
        EXPECT_FALSE(hierarchy.caches.back().capacity_high_bytes.has_value());
        return hierarchy.caches.back().capacity_low_bytes;
    };
    EXPECT_NEAR(low_of_last(0.1).value(), 1 << 20, 1);
    EXPECT_EQ(low_of_last(0.38), std::nullopt);
}

/// A first cache of 32 KiB that misses this share of a working set, and a second cache of 512 KiB.
template<typename MissShare>
std::vector<CurvePoint> curve_of_first_cache(const MissShare& misses) {
    std::vector<CurvePoint> curve;
    for (int half = 0; half <= 32; ++half) {
        const double size = 1024 * std::exp2(half / 2.0);
        curve.push_back({size, size > 525000 ? 120 : 1.2 + 6 * misses(size / 32768)});
    }
    return curve;
}

TEST(InferLevels, NamesPageColoursWhereAFirstCacheEndsAsTheyFillByChance) {
    // Two ways: 26, 59 and 91 % are missed at a half, one and two times the capacity.
    const auto by_chance = [](double times) { return 1 - (1 + 2 * times) * std::exp(-2 * times); };
    const std::vector<CurvePoint> curve = curve_of_first_cache(by_chance);
    const Hierarchy small = infer_levels(curve, {.order = Order::random, .small_pages = true});
    EXPECT_TRUE(has(small, Code::page_colours));
    EXPECT_EQ(small.caches.at(0).capacity_confidence, Confidence::fair);
    const Hierarchy huge = infer_levels(curve, {.order = Order::random, .small_pages = false});
    EXPECT_FALSE(has(huge, Code::page_colours));
}

TEST(InferLevels, NamesNoPageColoursWhereAFirstCacheEndsOtherwise) {
    const auto abrupt = [](double times) { return times > 1.01 ? 1.0 : 0.0; };
    const auto random = [](double times) { return miss_share({1, 1, 0, true}, times); };
    const auto in_proportion = [](double times) { return miss_share({1, 1, 0}, times); };
    for (const auto& curve :
         {curve_of_first_cache(abrupt), curve_of_first_cache(random), curve_of_first_cache(in_proportion)})
        EXPECT_FALSE(has(infer_levels(curve, {.order = Order::random, .small_pages = true}), Code::page_colours));
}

TEST(InferLevels, TakesTheLatencyOfALevelWithoutAPlateauFromItsFirstSize) {
    const Hierarchy hierarchy =
        infer_levels(doubling_curve({1, 1, 1, 5, 5, 5, 5, 5, 5, 7.5, 16.5, 60, 100, 105, 105, 105}));
    ASSERT_EQ(hierarchy.caches.size(), 3U);
    EXPECT_GE(hierarchy.caches[2].latency_ns, 16.5);
    EXPECT_LE(hierarchy.caches[2].latency_ns, 16.5 * 1.12);
    EXPECT_EQ(hierarchy.caches[2].capacity_confidence, Confidence::low);
    EXPECT_NE(hierarchy.caches[1].capacity_confidence, Confidence::high) << "its neighbour barely shows";
    // Half of the step from it to memory is climbed a little above 8 MiB.
    EXPECT_GT(hierarchy.caches[2].capacity_bytes.value(), 5.5 * (1 << 20));
    EXPECT_LT(hierarchy.caches[2].capacity_bytes.value(), 7 * (1 << 20));
}

TEST(InferLevels, TakesTheLatencyOfALevelFromTheSizesThatRepeatIfTheyAreHalfOrTwoFifthsBetweenL1AndMemory) {
    // Nine sizes are well inside L1 and L2 each, eleven in memory.
    const auto levels_with = [](double up_to_kib, std::size_t lifted) {
        std::vector<CurvePoint> curve;
        for (int half = 0; half <= 36; ++half) {
            const double size = 1024 * std::exp2(half / 2.0);
            curve.push_back({size, size <= 33000 ? 1.0 : size <= 2100000 ? 5.0 : 100.0});
        }
        const auto last = std::ranges::lower_bound(curve, 0.99 * up_to_kib * kib, {}, &CurvePoint::size_bytes);
        for (std::size_t i = 0; i < lifted; ++i)
            (last - static_cast<std::ptrdiff_t>(i))->latency_ns *= 1.2 - 0.02 * static_cast<double>(i);
        return infer_levels(curve);
    };
    const Hierarchy short_level = infer_levels(doubling_curve({1, 1, 1, 5, 5, 5.6, 6.2, 100, 100, 100, 100, 100}));
    EXPECT_GT(short_level.caches.at(1).latency_ns, 5.1) << "two of three sizes are too few";
    EXPECT_NEAR(levels_with(16, 4).caches.at(0).latency_ns, 1, 0.01);
    EXPECT_GT(levels_with(16, 5).caches.at(0).latency_ns, 1.05);
    EXPECT_NEAR(levels_with(1024, 5).caches.at(1).latency_ns, 5, 0.01);
    EXPECT_GT(levels_with(1024, 6).caches.at(1).latency_ns, 5.5);
    EXPECT_NEAR(levels_with(256 * 1024, 5).memory.value().latency_ns, 100, 1);
    EXPECT_GT(levels_with(256 * 1024, 6).memory.value().latency_ns, 105);
}

TEST(InferLevels, TakesAFlatLatencyAsItWasMeasuredThoughTheEdgeBelowSeemsToReachIntoIt) {
    std::vector<CurvePoint> curve;
    for (const double size_kib : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0})
        curve.push_back({size_kib * kib, 1.67});
    for (const auto& [size_kib, ns] : std::vector<std::pair<double, double>>{
             {48, 1.69},   {64, 5.18},   {96, 5.318},   {128, 5.34},   {192, 5.341},   {256, 5.343}, {384, 5.349},
             {512, 5.936}, {768, 6.508}, {1024, 6.814}, {1536, 7.864}, {2048, 14.611}, {3072, 33},   {4096, 34},
             {6144, 35},   {8192, 46},   {12288, 125},  {16384, 130},  {24576, 132},   {32768, 133}, {49152, 134},
             {65536, 134}, {98304, 135}, {131072, 135}, {262144, 136}})
        curve.push_back({size_kib * kib, ns});
    EXPECT_NEAR(infer_levels(curve).caches.at(1).latency_ns, 5.34, 0.05);
}

TEST(InferLevels, RemarksOnARiseThatMayHideALevelAndIsNotSureOfTheLevelsBesideIt) {
    const Hierarchy hierarchy = infer_levels(doubling_curve({1, 1, 1, 6, 6, 6, 6, 6, 9, 40, 100, 102, 102, 102}));
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_TRUE(has(hierarchy, Code::hidden_level));
    EXPECT_EQ(hierarchy.caches[0].capacity_confidence, Confidence::high);
    EXPECT_NE(hierarchy.caches[1].capacity_confidence, Confidence::high);
}

TEST(InferLevels, TakesADisturbedSizeForNoLevel) {
    std::vector<CurvePoint> curve = plain_curve(4, 196);
    for (std::size_t i = 0; i < curve.size(); ++i)
        curve[i].latency_ns *= curve[i].latency_ns > 100 ? 1 + 0.02 * static_cast<double>(i - 20) : 1;
    const std::size_t count = infer_levels(curve).caches.size();
    curve[30].latency_ns = 765; // at 32 MiB of 64
    const Hierarchy hierarchy = infer_levels(curve);
    EXPECT_EQ(hierarchy.caches.size(), count);
    EXPECT_LT(hierarchy.memory.value().latency_ns, 260);
}

TEST(InferLevels, IsNotSureOfALevelBesideADisturbedSize) {
    for (const std::size_t place : {9U, 10U, 11U}) { // around the 32 KiB of L1
        std::vector<CurvePoint> curve = plain_curve(4, 100);
        curve[place].disturbed = true;
        const Hierarchy hierarchy = infer_levels(curve);
        EXPECT_EQ(hierarchy.caches.at(0).capacity_confidence, Confidence::fair) << place;
        EXPECT_EQ(hierarchy.caches.at(1).capacity_confidence, Confidence::fair) << place;
    }
    for (const auto& [place, confidence] :
         {std::pair(8U, Confidence::high), {12U, Confidence::fair}, {13U, Confidence::high}}) {
        std::vector<CurvePoint> curve = plain_curve(4, 100);
        curve[place].disturbed = true;
        EXPECT_EQ(infer_levels(curve).caches.at(0).capacity_confidence, confidence) << place;
        EXPECT_EQ(infer_levels(curve).caches.at(1).capacity_confidence, confidence) << place;
    }
    std::vector<CurvePoint> small = plain_curve(4, 100);
    small[2].disturbed = small[3].disturbed = true; // of the nine that the latency of L1 rests on
    EXPECT_EQ(infer_levels(small).caches.at(0).capacity_confidence, Confidence::high);
    std::vector<CurvePoint> curve = plain_curve(4, 100);
    curve[16].disturbed = true; // one of many on the plateau of L2
    EXPECT_EQ(infer_levels(curve).caches.at(1).capacity_confidence, Confidence::high);
    EXPECT_EQ(infer_levels(curve).caches.at(1).latency_confidence, Confidence::high);
    curve[15].disturbed = true; // two of the seven that its latency rests on are more than a quarter
    EXPECT_EQ(infer_levels(curve).caches.at(1).latency_confidence, Confidence::fair);
}

TEST(InferLevels, IsSureOfTheLatencyOfMemoryIfUndisturbedSizesAgreeAndNoCacheIsNear) {
    const auto sure = [](double l2_ns, double last_ns, std::size_t disturbed = 0) {
        std::vector<CurvePoint> curve = plain_curve(l2_ns, 100);
        for (std::size_t i = 0; i < 8; ++i) { // from 5.7 MiB on
            curve[25 + i].latency_ns = 100 * std::pow(last_ns / 100, static_cast<double>(i) / 7);
            curve[25 + i].disturbed = i < disturbed;
        }
        return infer_levels(curve).memory.value().latency_confidence;
    };
    EXPECT_EQ(sure(4, 149), Confidence::high);
    EXPECT_EQ(sure(4, 151), Confidence::fair);
    EXPECT_EQ(sure(4, 149, 2), Confidence::high);
    EXPECT_EQ(sure(4, 149, 3), Confidence::fair);
    EXPECT_EQ(sure(55, 149), Confidence::fair) << "it is hardly slower than the cache";
}

TEST(InferLevels, IsNotFairlySureOfALevelOfASweepOfWhichAFifthWasDisturbed) {
    std::vector<CurvePoint> curve = plain_curve(4, 100); // of 33 sizes
    const auto disturb_from = [&curve](std::size_t first) {
        for (std::size_t i = first; i < curve.size(); ++i)
            curve[i].disturbed = true;
        return infer_levels(curve);
    };
    curve[19].disturbed = true; // at the end of L2
    const Hierarchy some = disturb_from(28);
    EXPECT_EQ(some.caches.at(1).capacity_confidence, Confidence::fair);
    EXPECT_FALSE(has(some, Code::many_disturbed));
    const Hierarchy many = disturb_from(27);
    EXPECT_EQ(many.caches.at(0).capacity_confidence, Confidence::high) << "nothing is disturbed beside it";
    EXPECT_EQ(many.caches.at(1).capacity_confidence, Confidence::low);
    EXPECT_TRUE(has(many, Code::many_disturbed));
    EXPECT_FALSE(has(infer_levels(std::vector{CurvePoint{4096, 1, true}}), Code::many_disturbed)) << "its row says so";
}

TEST(InferLevels, NamesNoMemoryWhereTheSweepEndsTooSoonAfterTheLastCache) {
    const std::vector<CurvePoint> whole = plain_curve(4, 100);
    EXPECT_TRUE(infer_levels(up_to(whole, 9 << 20)).memory.has_value());
    const Hierarchy cut = infer_levels(up_to(whole, 5 << 20));
    EXPECT_EQ(cut.caches.size(), 2U);
    EXPECT_FALSE(cut.memory.has_value());
    EXPECT_TRUE(has(cut, Code::memory_not_reached));
}

TEST(InferLevels, EndsInAnOpenEndedCacheWhereTheSweepEndsTooFastForMemory) {
    const Hierarchy hierarchy = infer_levels(plain_curve(4, 12), {.order = Order::random});
    ASSERT_EQ(hierarchy.caches.size(), 3U);
    const Level& last = hierarchy.caches[2];
    EXPECT_NEAR(last.capacity_low_bytes.value(), 64 << 20, 1);
    EXPECT_FALSE(last.capacity_high_bytes.has_value());
    EXPECT_FALSE(last.capacity_bytes.has_value());
    EXPECT_DOUBLE_EQ(last.latency_ns, 12);
    EXPECT_EQ(last.capacity_confidence, Confidence::low);
    EXPECT_FALSE(hierarchy.memory.has_value());
    EXPECT_TRUE(has(hierarchy, Code::memory_not_reached));
}

TEST(InferLevels, SaysThatAStrideSweepWasPrefetched) {
    const Hierarchy fast = infer_levels(plain_curve(3, 9), {.order = Order::backward});
    EXPECT_FALSE(fast.memory.has_value());
    EXPECT_TRUE(has(fast, Code::prefetched));
    EXPECT_EQ(fast.caches.at(0).capacity_confidence, Confidence::low);
    const Hierarchy flat = infer_levels(plain_curve(1.2, 1.4), {.order = Order::backward});
    EXPECT_TRUE(flat.caches.empty());
    EXPECT_TRUE(has(flat, Code::prefetched));
}

TEST(InferLevels, FindsNoLevelInAFlatOrTooShortCurve) {
    const std::vector<CurvePoint> whole = plain_curve(4, 100);
    const Hierarchy inside_l1 = infer_levels(up_to(whole, 20000), {.order = Order::backward});
    EXPECT_TRUE(inside_l1.caches.empty());
    EXPECT_TRUE(has(inside_l1, Code::no_edge));
    EXPECT_TRUE(has(infer_levels(up_to(whole, 1500)), Code::too_few_points));
    EXPECT_TRUE(has(infer_levels({}), Code::too_few_points));
}

TEST(InferLevels, GivesLevelsInOrderWhateverTheCurve) {
    test::Random random(1);
    for (int round = 0; round < 2000; ++round) {
        std::vector<CurvePoint> points;
        const int count = random.integer(0, 60);
        const double wildest = random.log_uniform(1.1, 1000);
        points.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            points.push_back({random.log_uniform(1, 1e12), random.log_uniform(1, wildest)});
        const std::vector<CurvePoint> curve = make_curve(points);
        double last = 0;
        for (const Level& cache : infer_levels(curve).caches) {
            EXPECT_GT(cache.edge.capacity_bytes, last);
            EXPECT_LT(cache.capacity_low_bytes.value_or(0), cache.capacity_high_bytes.value_or(1e13));
            EXPECT_LE(cache.from_bytes, cache.to_bytes);
            EXPECT_TRUE(std::isfinite(cache.latency_ns));
            last = cache.edge.capacity_bytes;
        }
    }
}

TEST(InferLevels, ReadsASweepOfAMillionSizes) {
    std::vector<CurvePoint> curve;
    curve.reserve(1000000);
    for (int i = 1; i <= 1000000; ++i) {
        const double size = 64.0 * i;
        curve.push_back({size, size <= 32768 ? 1.0 : size <= 1 << 20 ? 4.0 : 90.0});
    }
    const Hierarchy hierarchy = infer_levels(curve);
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_NEAR(hierarchy.caches[0].capacity_bytes.value() / 32768, 1, 0.05);
    EXPECT_NEAR(hierarchy.caches[1].capacity_bytes.value() / (1 << 20), 1, 0.05);
    EXPECT_NEAR(hierarchy.memory.value().latency_ns, 90, 0.1);
}

TEST(InferLevels, IsNotSureBelowARiseThatLeavesRoomForAHiddenLevel) {
    const auto confidence = [](const std::vector<double>& behind_l2_ns, double l2_ns = 4) {
        std::vector<CurvePoint> curve = plain_curve(l2_ns, 100);
        for (std::size_t i = 0; i < behind_l2_ns.size(); ++i)
            curve[21 + i].latency_ns = behind_l2_ns[i];
        return infer_levels(curve).caches.at(1).capacity_confidence;
    };
    EXPECT_EQ(confidence({}), Confidence::high);
    EXPECT_EQ(confidence({30, 70}), Confidence::high) << "as random replacement rises";
    EXPECT_NE(confidence({9, 16, 34}), Confidence::high);
    EXPECT_EQ(confidence({44, 52, 72}), Confidence::high) << "a doubling from a twentieth to a half";
    EXPECT_EQ(confidence({6, 6.5, 30, 70}), Confidence::high) << "up to a twentieth of the step is noise";
    EXPECT_EQ(confidence({35, 35.5, 60, 90}, 30), Confidence::high) << "up to a fifth of a latency is translation";
    EXPECT_NE(confidence({37, 39, 60, 90}, 30), Confidence::high);
}

TEST(InferLevels, IsNotSureAboveARiseThatLeavesRoomForAHiddenLevel) {
    const auto l2_confidence = [](const std::vector<double>& behind_l1_ns) {
        std::vector<CurvePoint> curve = plain_curve(25, 300);
        for (CurvePoint& point : std::span(curve).subspan(25))
            point.latency_ns = 300;
        for (std::size_t i = 0; i < behind_l1_ns.size(); ++i)
            curve[11 + i].latency_ns = behind_l1_ns[i];
        return infer_levels(curve).caches.at(1).capacity_confidence;
    };
    EXPECT_EQ(l2_confidence({}), Confidence::high);
    EXPECT_EQ(l2_confidence({2.25, 4, 8.5}), Confidence::fair);
}

TEST(InferLevels, NotesHowFarOthersContestALevelsCapacityAndIsNotSureOfIt) {
    const auto contested_at = [](std::initializer_list<std::size_t> places) {
        std::vector<CurvePoint> curve = plain_curve(4, 100);
        for (const std::size_t place : places)
            curve[place].contested = LatencyBand{.low_ns = 4, .high_ns = 100};
        return infer_levels(curve).caches;
    };
    std::vector<Level> caches = contested_at({19, 20, 22}); // from 724 KiB to 2 MiB
    ASSERT_EQ(caches.size(), 2U);
    EXPECT_FALSE(caches[0].contested_to_bytes.has_value());
    EXPECT_EQ(caches[0].capacity_confidence, Confidence::high);
    EXPECT_EQ(caches[1].contested_to_bytes, 2 << 20);
    EXPECT_NE(caches[1].capacity_confidence, Confidence::high);
    EXPECT_EQ(contested_at({20, 30})[1].contested_to_bytes, 1 << 20) << "32 MiB are memory";
    EXPECT_FALSE(contested_at({16})[1].contested_to_bytes.has_value()) << "256 KiB are well inside";
}

/// The end of a plateau of a curve, and its latency.
struct Step {
    double to_bytes;
    double ns;
};

/// Two sizes per doubling from 256 B to 256 MiB, each at the latency of the first step that holds it.
std::vector<CurvePoint> stepped_curve(const std::vector<Step>& steps) {
    std::vector<CurvePoint> curve;
    for (double bytes = 256; bytes <= 256 << 20; bytes *= 2) {
        for (const double size : {bytes, 1.5 * bytes}) {
            const auto held = std::ranges::find_if(steps, [size](const Step& step) { return size <= step.to_bytes; });
            curve.push_back({size, held == steps.end() ? steps.back().ns : held->ns});
        }
    }
    return curve;
}

constexpr double ever = 1e12; ///< to the end of a curve

TEST(InferLevels, TakesNoFirstSizesBelowAKibibyteForACache) {
    const Hierarchy hierarchy = infer_levels(stepped_curve({{512, 0.8}, {32 * kib, 1.9}, {mib, 7}, {ever, 100}}));
    ASSERT_EQ(hierarchy.caches.size(), 2U);
    EXPECT_NEAR(hierarchy.caches[0].capacity_bytes.value(), 32 * kib, 1);
}

TEST(InferLevels, TakesTheStepAtTheReachOfAFirstTlbForPartOfALevelUnlessPagesAreLarge) {
    const auto read = [](double after_ns, std::optional<bool> small_pages, double tlb_bytes = 256 * kib) {
        return infer_levels(stepped_curve({{32 * kib, 1}, {tlb_bytes, 5}, {2 * mib, after_ns}, {ever, 90}}),
                            {.order = Order::random, .small_pages = small_pages});
    };
    for (const std::optional<bool> pages : {std::optional(true), std::optional<bool>()}) {
        const Hierarchy hierarchy = read(10.5, pages);
        ASSERT_EQ(hierarchy.caches.size(), 2U);
        EXPECT_NEAR(hierarchy.caches[1].capacity_bytes.value(), 2 * mib, 1);
        EXPECT_EQ(hierarchy.caches[1].capacity_confidence, Confidence::fair) << "it may be two levels";
    }
    EXPECT_EQ(read(10.5, false).caches.size(), 3U);
    EXPECT_EQ(read(11.5, true).caches.size(), 3U) << "more than 24 cycles";
    EXPECT_EQ(read(10.5, true, 768 * kib).caches.size(), 3U) << "no first TLB reaches so far";
}

TEST(InferLevels, JoinsTheReachOfASecondTlbWithTheEndOfTheLastCache) {
    const auto caches = [](std::optional<bool> small_pages, double last_bytes) {
        return infer_levels(
                   stepped_curve({{32 * kib, 1}, {mib / 2, 3.5}, {6 * mib, 13}, {last_bytes, 42}, {ever, 110}}),
                   {.order = Order::random, .small_pages = small_pages})
            .caches;
    };
    const std::vector<Level> joined = caches(true, 16 * mib);
    ASSERT_EQ(joined.size(), 3U);
    EXPECT_EQ(joined[2].capacity_confidence, Confidence::low);
    EXPECT_EQ(caches(false, 16 * mib).size(), 4U);
    EXPECT_EQ(caches(true, 48 * mib).size(), 4U) << "too far from the TLB's end";
}

TEST(InferLevels, TakesARiseBeyondMemoryForPageWalksUnlessPagesAreLarge) {
    const auto caches = [](std::optional<bool> small_pages) {
        return infer_levels(stepped_curve({{32 * kib, 1}, {mib, 4}, {16 * mib, 90}, {ever, 250}}),
                            {.order = Order::random, .small_pages = small_pages})
            .caches.size();
    };
    EXPECT_EQ(caches(true), 2U);
    EXPECT_EQ(caches(std::nullopt), 2U) << "most are small";
    EXPECT_EQ(caches(false), 3U);
}

TEST(InferLevels, IsNotSureOfALevelOfTwoPlateaus) {
    const auto confidence = [](double second_ns) {
        return infer_levels(stepped_curve({{32 * kib, 1}, {192 * kib, 3}, {2 * mib, second_ns}, {ever, 90}}))
            .caches.at(1)
            .capacity_confidence;
    };
    EXPECT_EQ(confidence(3.8), Confidence::high) << "as a level of translation adds";
    EXPECT_EQ(confidence(4.2), Confidence::fair);
}

TEST(InferLevels, DoesNotTrustALastCacheOfHundredsOfMebibytesInAStridedSweep) {
    const auto last = [](Order order) {
        return infer_levels(stepped_curve({{32 * kib, 1}, {mib, 4}, {100 * mib, 20}, {ever, 45}}), {.order = order})
            .caches.at(2);
    };
    EXPECT_EQ(last(Order::backward).capacity_confidence, Confidence::low);
    EXPECT_EQ(last(Order::backward).latency_confidence, Confidence::low);
    EXPECT_NE(last(Order::random).latency_confidence, Confidence::low);
}

TEST(InferLevels, TakesASweepInUnknownOrderForStridedIfItIsFasterThanMemoryWhereFewCachesReach) {
    const auto up_to = [](double bytes, double last_bytes, double memory_ns, std::optional<Order> order = {}) {
        std::vector<CurvePoint> curve =
            stepped_curve({{32 * kib, 1}, {10 * mib, 4}, {last_bytes, 15}, {ever, memory_ns}});
        std::erase_if(curve, [&](const CurvePoint& point) { return point.size_bytes > bytes; });
        return infer_levels(curve, {.order = order});
    };
    const Hierarchy fast = up_to(128 * mib, ever, 15);
    EXPECT_TRUE(has(fast, Code::prefetched));
    EXPECT_EQ(fast.caches.at(1).capacity_confidence, Confidence::low);
    EXPECT_FALSE(has(up_to(100 * mib, ever, 15), Code::prefetched)) << "a large cache";
    EXPECT_FALSE(has(up_to(128 * mib, 96 * mib, 90), Code::prefetched)) << "which ends in the sweep";
    EXPECT_FALSE(has(up_to(ever, 96 * mib, 90), Code::prefetched)) << "and is followed by memory";
    EXPECT_FALSE(has(up_to(128 * mib, ever, 15, Order::random), Code::prefetched));
}

TEST(InferLevels, TakesTheLatencyThatRepeatsOnHalfOfALevelAndNotWhatATlbAddsToTheRest) {
    std::vector<CurvePoint> curve = stepped_curve({{32 * kib, 1}, {mib, 3.8}, {ever, 100}});
    for (CurvePoint& point : curve) {
        if (point.size_bytes > 256 * kib && point.size_bytes < mib)
            point.latency_ns = 3.8 * (1 + 0.1 * point.size_bytes / (256 * kib));
    }
    EXPECT_NEAR(infer_levels(curve).caches.at(1).latency_ns, 3.8, 0.01);
}

TEST(InferLevels, IsSurerOfALatencyThatRepeatsThanOfACapacityThatDoesNotShow) {
    std::vector<CurvePoint> curve = stepped_curve({{32 * kib, 1}, {mib, 4}, {ever, 100}});
    for (CurvePoint& point : curve)
        point.disturbed = point.size_bytes > 0.5 * mib && point.size_bytes < 3 * mib;
    const Level l2 = infer_levels(curve).caches.at(1);
    EXPECT_EQ(l2.capacity_confidence, Confidence::fair);
    EXPECT_EQ(l2.latency_confidence, Confidence::high);
}

TEST(DropPrefetched, KeepsTheLevelsThatEndBelow) {
    const Hierarchy all = infer_levels(plain_curve(4, 100), {.order = Order::backward});
    ASSERT_EQ(all.caches.size(), 2U);
    Hierarchy some = all;
    drop_prefetched(some, 1 << 20);
    ASSERT_EQ(some.caches.size(), 1U);
    EXPECT_EQ(some.caches[0].capacity_bytes, all.caches[0].capacity_bytes);
    EXPECT_FALSE(some.memory.has_value());
    EXPECT_EQ(some.prefetched_from_bytes, 1 << 20);
    EXPECT_TRUE(has(some, Code::prefetched));
    Hierarchy none = all;
    drop_prefetched(none, 32768);
    EXPECT_TRUE(none.caches.empty());
    Hierarchy ends_there = all;
    ends_there.caches.front().capacity_high_bytes = 65536;
    drop_prefetched(ends_there, 65536);
    EXPECT_TRUE(ends_there.caches.empty());
    Hierarchy both = all;
    drop_prefetched(both, 64 << 20);
    EXPECT_EQ(both.caches.size(), 2U);
    EXPECT_FALSE(both.memory.has_value());
}

std::array<Level, 2> caches(double random_share) {
    std::array<Level, 2> levels{};
    levels[0].edge = {1000, random_share, 0};
    levels[0].latency_ns = 2;
    levels[1].edge = {8000, random_share, 0};
    levels[1].latency_ns = 10;
    return levels;
}

TEST(Model, WithRandomReplacementWeighsEachLevelByWhatItHolds) {
    const auto model = caches(1);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 500), 2);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 1000), 2);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 4000), (1000 * 2 + 3000 * 10) / 4000.0);
    EXPECT_DOUBLE_EQ(modelled_latency_ns(model, 100, 32000), (1000 * 2 + 7000 * 10 + 24000 * 100) / 32000.0);
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

} // namespace
} // namespace memtest
