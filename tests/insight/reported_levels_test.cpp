#include "memtest/insight/reported_levels.hpp"

#include "memtest/base/units.hpp"
#include "memtest/insight/levels.hpp"
#include "support/test.hpp"

#include <map>

namespace memtest {
namespace {

// --- pairs of found and reported caches

Level level_of(std::uint64_t size) {
    Level level;
    level.capacity_low_bytes = static_cast<double>(size);
    level.capacity_bytes = level.capacity_low_bytes;
    level.capacity_high_bytes = 1.5 * static_cast<double>(size);
    return level;
}

/// The numbers of the reported caches that the levels are paired with; 0 for none.
std::vector<int> pairs_of(const std::vector<Level>& levels, const std::vector<ReportedCache>& reported) {
    std::vector<int> numbers;
    for (const auto& pair : pair_with_reported(levels, reported))
        numbers.push_back(pair ? pair->level : 0);
    return numbers;
}

using Numbers = std::vector<int>;

TEST(PairsWithReported, AreOfTheNearestSizes) {
    const std::vector<ReportedCache> caches = {{1, 32 * kib, 2}, {2, 512 * kib, 2}, {3, 32 * mib, 16}};
    EXPECT_EQ(pairs_of({level_of(32 * kib), level_of(512 * kib), level_of(24 * mib)}, caches), (Numbers{1, 2, 3}));
    EXPECT_EQ(pairs_of({level_of(32 * kib), level_of(512 * kib), level_of(6 * mib)}, caches), (Numbers{1, 2, 3}))
        << "a slice";
    EXPECT_EQ(pairs_of({}, {}), Numbers{});
    EXPECT_EQ(pairs_of({level_of(32 * kib)}, {}), Numbers{0});
}

TEST(PairsWithReported, LeaveCachesOnEitherSideWithoutCounterpart) {
    EXPECT_EQ(
        pairs_of({level_of(64 * kib), level_of(512 * kib), level_of(3 * mib)}, {{1, 64 * kib, 1}, {2, 512 * kib, 1}}),
        (Numbers{1, 2, 0}));
    EXPECT_EQ(
        pairs_of({level_of(32 * kib), level_of(256 * kib), level_of(2 * mib)}, {{1, 32 * kib, 1}, {2, 2 * mib, 1}}),
        (Numbers{1, 0, 2}));
    EXPECT_EQ(pairs_of({level_of(32 * kib), level_of(2 * mib)}, {{1, 32 * kib, 1}, {2, 128 * kib, 1}, {3, 3 * mib, 8}}),
              (Numbers{1, 3}));
}

TEST(PairsWithReported, AreByWhatAnOpenEndedCacheHoldsAtLeast) {
    Level last = level_of(24 * mib);
    last.capacity_bytes.reset();
    last.capacity_high_bytes.reset();
    EXPECT_EQ(pairs_of({last}, {{2, 512 * kib, 2}, {3, 64 * mib, 16}}), Numbers{3});
}

TEST(PairsWithReported, AreNeverOfALevelAsSlowAsMemoryOrFarLargerThanReported) {
    Level level = level_of(32 * mib);
    level.latency_ns = 79;
    EXPECT_EQ(pairs_of({level}, {{3, 32 * mib, 2}}), Numbers{3});
    level.latency_ns = 80;
    EXPECT_EQ(pairs_of({level}, {{3, 32 * mib, 2}}), Numbers{0});
    EXPECT_EQ(pairs_of({level_of(64 * mib)}, {{3, 32 * mib, 2}}), Numbers{3}) << "half is reported";
    EXPECT_EQ(pairs_of({level_of(128 * mib)}, {{3, 32 * mib, 2}}), Numbers{0});
}

TEST(MuchSmaller, IsLessThanThreeFifthsOfTheReportedSize) {
    Level level = level_of(1'000'000);
    level.reported_bytes = 1'600'000;
    level.capacity_high_bytes = 1'500'000;
    level.capacity_bytes = 959'000;
    EXPECT_TRUE(is_much_smaller(level));
    level.capacity_bytes = 961'000;
    EXPECT_FALSE(is_much_smaller(level));
    level.capacity_bytes = 900'000;
    level.capacity_high_bytes = 1'600'000;
    EXPECT_FALSE(is_much_smaller(level)) << "its range holds the reported size";
    level.capacity_high_bytes.reset();
    EXPECT_FALSE(is_much_smaller(level)) << "the sweep ends before the cache";
}

// --- machines and what they report

struct PlainCache {
    double bytes;
    double ns;
};

/// The curve of a machine with these caches at the sizes of the classic schedule: it replaces at random.
std::vector<CurvePoint> curve_with(const std::vector<PlainCache>& caches, double memory_ns,
                                   double to_bytes = 256.0 * mib, double from_bytes = 4.0 * kib) {
    std::vector<Level> levels;
    for (const PlainCache& cache : caches) {
        Level& level = levels.emplace_back();
        level.latency_ns = cache.ns;
        level.edge = {.capacity_bytes = cache.bytes, .random_share = 1, .once_per_lap = true};
    }
    std::vector<CurvePoint> curve;
    for (double bytes = from_bytes; bytes <= to_bytes; bytes *= 2) {
        for (const double size : {bytes, 1.5 * bytes})
            curve.push_back({size, modelled_latency_ns(levels, memory_ns, size)});
    }
    return curve;
}

const std::vector<PlainCache> usual_caches{{32.0 * kib, 1.08}, {1.0 * mib, 3.8}, {32.0 * mib, 14.8}};
const std::vector<ReportedCache> its_report{{1, 32 * kib, 1}, {2, 1 * mib, 1}, {3, 32 * mib, 8}};

Hierarchy levels_with(const std::vector<CurvePoint>& curve, const std::vector<ReportedCache>& reported) {
    return infer_levels(curve, {.order = Order::random, .small_pages = false, .caches = reported});
}

bool has_remark(const Hierarchy& hierarchy, Code remark) {
    return std::ranges::count(hierarchy.remarks, remark) == 1;
}

Numbers numbers_of(const Hierarchy& hierarchy) {
    Numbers numbers;
    for (const Level& level : hierarchy.caches)
        numbers.push_back(level.number);
    return numbers;
}

TEST(LevelsOfAReport, HaveTheReportedSizesAndAreSureOfThem) {
    const Hierarchy hierarchy = levels_with(curve_with(usual_caches, 150), its_report);
    ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(hierarchy.caches[k].capacity_bytes, usual_caches[k].bytes) << k;
        EXPECT_EQ(hierarchy.caches[k].reported_bytes, its_report[k].size_bytes) << k;
        EXPECT_EQ(hierarchy.caches[k].capacity_confidence, Confidence::high) << k;
    }
    EXPECT_NEAR(hierarchy.memory.value().latency_ns, 150, 10);
    EXPECT_TRUE(hierarchy.unseen.empty());
}

TEST(LevelsOfAReport, HaveItsNumbersAlsoWhereALevelIsMissing) {
    const std::vector<ReportedCache> reported{{1, 32 * kib, 1}, {3, 32 * mib, 8}};
    EXPECT_EQ(numbers_of(levels_with(curve_with({usual_caches[0], usual_caches[2]}, 150), reported)), (Numbers{1, 3}));
}

TEST(LevelsOfAReport, HaveNoLevelOnTheRiseOfACacheThatOthersUse) {
    std::vector<CurvePoint> curve = curve_with({usual_caches[0], usual_caches[1], {10.0 * mib, 13.9}}, 155);
    const std::map<double, double> contested{{8, 14.4}, {12, 40}, {16, 52}, {24, 55}, {32, 110}, {48, 143}, {64, 150}};
    for (CurvePoint& point : curve) {
        if (const auto found = contested.find(point.size_bytes / mib); found != contested.end())
            point.latency_ns = found->second;
    }
    const Hierarchy hierarchy = levels_with(curve, its_report);
    ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    EXPECT_EQ(hierarchy.caches[2].reported_bytes, 32 * mib);
    EXPECT_NEAR(hierarchy.caches[2].latency_ns, 13.9, 1);
}

TEST(LevelsOfAReport, EndWhereItSaysIfOnlyDisturbedSizesGoOn) {
    // A guest on a Zen 3 beside a load that used every processor; its L2 holds 512 KiB and takes 3.9 ns.
    const std::vector<std::pair<double, double>> kib_ns{
        {16, 1.28},   {20, 1.27},   {24, 1.27},    {28, 1.3},     {32, 1.45},    {40, 3.66},    {48, 3.85},
        {56, 3.86},   {64, 3.79},   {80, 3.96},    {96, 3.88},    {112, 4},      {128, 4.08},   {160, 3.98},
        {192, 4.18},  {224, 4.66},  {256, 3.96},   {320, 6.64},   {384, 6.13},   {448, 10.3},   {512, 13.5},
        {640, 15.5},  {768, 72.8},  {896, 83},     {1024, 17.5},  {1280, 111},   {1536, 131},   {1792, 158},
        {2048, 149},  {2560, 153},  {3072, 151},   {3584, 150},   {4096, 151},   {5120, 154},   {6144, 146},
        {7168, 180},  {8192, 169},  {10240, 160},  {12288, 167},  {14336, 167},  {16384, 162},  {20480, 158},
        {24576, 175}, {28672, 174}, {32768, 187},  {40960, 177},  {49152, 172},  {57344, 180},  {65536, 191},
        {81920, 181}, {98304, 187}, {114688, 223}, {131072, 206}, {163840, 272}, {196608, 255}, {229376, 276},
        {262144, 278}};
    std::vector<CurvePoint> curve;
    for (const auto& [size_kib, ns] : kib_ns)
        curve.push_back({size_kib * kib, ns, size_kib >= 192});
    const std::vector<ReportedCache> reported{{1, 32 * kib, 1}, {2, 512 * kib, 1}, {3, 32 * mib, 8}};
    const Hierarchy hierarchy = levels_with(curve, reported);
    ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2}));
    const Level& l2 = hierarchy.caches[1];
    EXPECT_EQ(l2.capacity_bytes, 512.0 * kib);
    EXPECT_EQ(l2.capacity_low_bytes, 256.0 * kib) << "the last size with its latency";
    EXPECT_EQ(l2.to_bytes, 320.0 * kib);
    EXPECT_EQ(l2.to_ns, 6.64) << "that of its last size, as measured";
    EXPECT_NEAR(l2.latency_ns, 4.1, 0.1) << "what lies beyond its capacity counts";
    EXPECT_EQ(l2.capacity_confidence, Confidence::low) << "the range holds 512 KiB because that is reported";
    EXPECT_EQ(l2.latency_confidence, Confidence::low);

    const auto at_640_kib =
        static_cast<std::size_t>(std::ranges::find(kib_ns, 640, &std::pair<double, double>::first) - kib_ns.begin());
    curve[at_640_kib].disturbed = false;
    EXPECT_EQ(levels_with(curve, reported).caches.at(1).capacity_bytes, 512.0 * kib) << "it is four times as slow";
    curve[at_640_kib].latency_ns = 4.2;
    EXPECT_GT(levels_with(curve, reported).caches.at(1).capacity_low_bytes, 512.0 * kib) << "it holds more";
}

TEST(LevelsOfAReport, AreThoseOfTheCurveWithoutAPlausibleOne) {
    const std::vector<CurvePoint> curve = curve_with(usual_caches, 150);
    const Hierarchy without = infer_levels(curve, {.order = Order::random, .small_pages = false});
    for (const std::vector<ReportedCache>& reported :
         {std::vector<ReportedCache>{}, std::vector<ReportedCache>{{1, 32 * kib, 1}, {2, 16 * kib, 1}},
          std::vector<ReportedCache>{{1, 0, 1}}, std::vector<ReportedCache>{{2, 32 * kib, 1}, {2, 1 * mib, 1}}}) {
        const Hierarchy hierarchy = levels_with(curve, reported);
        ASSERT_EQ(hierarchy.caches.size(), without.caches.size());
        for (std::size_t k = 0; k < without.caches.size(); ++k) {
            EXPECT_EQ(hierarchy.caches[k].capacity_bytes, without.caches[k].capacity_bytes);
            EXPECT_EQ(hierarchy.caches[k].reported_bytes, std::nullopt);
        }
        EXPECT_FALSE(has_remark(hierarchy, Code::level_not_reported));
    }
}

TEST(LevelsOfAReport, KeepBothSizesWhereHalfOrTwiceIsReported) {
    for (const double factor : {0.5, 2.0}) {
        std::vector<ReportedCache> reported = its_report;
        for (ReportedCache& cache : reported)
            cache.size_bytes = static_cast<std::uint64_t>(factor * static_cast<double>(cache.size_bytes));
        const Hierarchy hierarchy = levels_with(curve_with(usual_caches, 150), reported);
        ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3})) << factor;
        for (std::size_t k = 0; k < 3; ++k) {
            const Level& level = hierarchy.caches[k];
            EXPECT_NEAR(std::log2(level.capacity_bytes.value() / usual_caches[k].bytes), 0, 0.6) << factor << ' ' << k;
            EXPECT_EQ(level.reported_bytes, reported[k].size_bytes) << factor << ' ' << k;
            EXPECT_NE(level.capacity_bytes, static_cast<double>(reported[k].size_bytes)) << factor << ' ' << k;
            EXPECT_EQ(is_much_smaller(level), factor > 1) << factor << ' ' << k;
        }
    }
}

TEST(LevelsOfAReport, KeepALevelThatItLacks) {
    std::vector<ReportedCache> reported = its_report;
    reported.erase(reported.begin() + 1);
    const Hierarchy hierarchy = levels_with(curve_with(usual_caches, 150), reported);
    EXPECT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    EXPECT_EQ(hierarchy.caches.at(1).reported_bytes, std::nullopt);
    EXPECT_NEAR(hierarchy.caches.at(1).latency_ns, 3.8, 0.3);
    EXPECT_TRUE(has_remark(hierarchy, Code::level_not_reported));
}

TEST(LevelsOfAReport, NameALevelThatTheCurveDoesNotShow) {
    std::vector<ReportedCache> reported = its_report;
    reported.push_back({4, 128 * mib, 16});
    const Hierarchy hierarchy = levels_with(curve_with(usual_caches, 150, 2048.0 * mib), reported);
    EXPECT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    EXPECT_EQ(hierarchy.unseen, (std::vector<ReportedCache>{reported.back()}));
    EXPECT_EQ(hierarchy.memory.value().latency_confidence, Confidence::high);
    std::vector<CurvePoint> shorter = curve_with(usual_caches, 150, 128.0 * mib);
    shorter.back().size_bytes = 160.0 * mib; // of which the cache serves a fifth
    EXPECT_EQ(levels_with(shorter, its_report).memory.value().latency_confidence, Confidence::fair);
}

TEST(LevelsOfAReport, SayHowMuchOfItsHostsCacheAGuestGets) {
    std::vector<PlainCache> slice = usual_caches;
    slice.back().bytes = 6.0 * mib;
    std::vector<ReportedCache> reported = its_report;
    reported.back().size_bytes = 256 * mib;
    const Hierarchy hierarchy = levels_with(curve_with(slice, 150), reported);
    ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    const Level& last = hierarchy.caches.back();
    EXPECT_EQ(last.reported_bytes, 256 * mib);
    EXPECT_TRUE(is_much_smaller(last));
    EXPECT_LE(last.capacity_low_bytes.value(), 6.0 * mib);
    EXPECT_GE(last.capacity_high_bytes.value(), 6.0 * mib);
    EXPECT_NEAR(last.latency_ns, 14.8, 2);
    EXPECT_NEAR(hierarchy.memory.value().latency_ns, 150, 10);
}

TEST(LevelsOfAReport, BeginWithTheFirstCacheThatTheSweepShows) {
    const Hierarchy hierarchy = levels_with(curve_with(usual_caches, 150, 256.0 * mib, 256.0 * kib), its_report);
    EXPECT_EQ(numbers_of(hierarchy), (Numbers{2, 3}));
    EXPECT_TRUE(hierarchy.unseen.empty()) << "no size of the sweep is in L1";
}

TEST(LevelsOfAReport, AreNeverAsSlowAsMemory) {
    std::vector<CurvePoint> curve = curve_with(usual_caches, 161, 1024.0 * mib);
    for (CurvePoint& point : curve) { // page walks and neighbours
        if (point.size_bytes > 384.0 * mib)
            point.latency_ns *= 4;
    }
    EXPECT_EQ(infer_levels(curve, {.order = Order::random, .small_pages = false}).caches.size(), 4U)
        << "the curve alone looks like another level";
    const Hierarchy hierarchy = levels_with(curve, its_report);
    EXPECT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    EXPECT_GE(hierarchy.memory.value().latency_ns, 150);
    EXPECT_FALSE(has_remark(hierarchy, Code::memory_not_reached));
}

TEST(LevelsOfAReport, IncludeAClearCacheBeyondThoseOfTheProcessor) {
    std::vector<PlainCache> with_edram = usual_caches;
    with_edram[2].bytes = 6.0 * mib;
    with_edram.push_back({128.0 * mib, 45});
    std::vector<ReportedCache> reported = its_report;
    reported[2].size_bytes = 6 * mib;
    const Hierarchy hierarchy = levels_with(curve_with(with_edram, 130, 2048.0 * mib), reported);
    EXPECT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(hierarchy.caches.back().reported_bytes, std::nullopt);
    EXPECT_TRUE(has_remark(hierarchy, Code::level_not_reported));
}

TEST(LevelsOfAReport, TakeTheFootOfASharedCacheForNoLevel) {
    std::vector<PlainCache> fuzzy = usual_caches; // most of the time others leave 3 MiB of it, at times 20
    fuzzy[2] = {3.0 * mib, 14.8};
    fuzzy.push_back({20.0 * mib, 56});
    const std::vector<CurvePoint> curve = curve_with(fuzzy, 150);
    ASSERT_EQ(infer_levels(curve, {.order = Order::random, .small_pages = false}).caches.size(), 4U);
    const Hierarchy hierarchy = levels_with(curve, its_report);
    ASSERT_EQ(numbers_of(hierarchy), (Numbers{1, 2, 3}));
    EXPECT_NEAR(hierarchy.caches.back().latency_ns, 14.8, 3);
    EXPECT_NEAR(hierarchy.memory.value().latency_ns, 150, 15);
}

TEST(LevelsOfAReport, TellApartPlateausThatAreLessThanTwiceApart) {
    const std::vector<PlainCache> close{{48.0 * kib, 0.73}, {192.0 * kib, 2.32}, {3.0 * mib, 3.9}, {30.0 * mib, 20}};
    const std::vector<ReportedCache> reported{{1, 48 * kib, 1}, {2, 192 * kib, 1}, {3, 3 * mib, 1}, {4, 30 * mib, 8}};
    std::vector<CurvePoint> curve;
    for (const CurvePoint& point : curve_with(close, 100)) {
        const auto held =
            std::ranges::find_if(close, [&](const PlainCache& cache) { return point.size_bytes <= cache.bytes; });
        curve.push_back({point.size_bytes, held == close.end() ? 100 : held->ns});
    }
    EXPECT_EQ(numbers_of(levels_with(curve, reported)), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(infer_levels(curve, {.order = Order::backward, .caches = reported}).caches.size(), 3U)
        << "a prefetcher makes gentle rises, too";
    const Hierarchy alone = infer_levels(curve, {.order = Order::random});
    EXPECT_EQ(alone.caches.size(), 3U);
    EXPECT_NE(alone.caches.at(1).capacity_confidence, Confidence::high) << "two plateaus in one level";
}

// --- what cannot be, and what is not seen

TEST(PlausibleCaches, AscendInLevelAndSize) {
    const ReportedCache l1{.level = 1, .size_bytes = 32 << 10};
    const ReportedCache l2{.level = 2, .size_bytes = 1 << 20};
    EXPECT_EQ(plausible_caches(std::vector{l2, l1}), (std::vector{l1, l2}));
    EXPECT_TRUE(plausible_caches({}).empty());
    EXPECT_TRUE(plausible_caches(std::vector{l1, l1}).empty()) << "one level twice";
    EXPECT_TRUE(plausible_caches(std::vector{l1, ReportedCache{.level = 2, .size_bytes = 32 << 10}}).empty());
    EXPECT_TRUE(plausible_caches(std::vector{ReportedCache{.level = 1, .size_bytes = 0}, l2}).empty());
}

TEST(WhyUnseen, NamesWhatWouldShowTheCache) {
    const std::vector<ReportedCache> reported{{.level = 2, .size_bytes = 2 << 20}, {.level = 3, .size_bytes = 4 << 20}};
    const auto why = [&reported](double largest, double sizes_per_doubling) {
        return why_unseen(reported[1], reported, largest, sizes_per_doubling);
    };
    EXPECT_EQ(why(15 << 20, 2), Unseen::sweep_too_short);
    EXPECT_EQ(why(16 << 20, 2), Unseen::too_near);
    EXPECT_EQ(why(32 << 20, 7.99), Unseen::no_trace) << "8 of rounded sizes";
    EXPECT_EQ(why(32 << 20, 8), Unseen::no_trace) << "as many sizes would have shown it";
    EXPECT_EQ(why_unseen(reported[0], reported, 32 << 20, 2), Unseen::too_near) << "the next one hides it";
    EXPECT_EQ(why(32 << 20, 7.4), Unseen::too_near);
    const std::vector<ReportedCache> same{{.level = 2, .size_bytes = 4 << 20}, {.level = 3, .size_bytes = 4 << 20}};
    EXPECT_EQ(why_unseen(same[1], same, 32 << 20, 2), Unseen::no_trace) << "of one size";
    const std::vector<ReportedCache> apart{{.level = 2, .size_bytes = 1 << 20}, {.level = 3, .size_bytes = 3 << 20}};
    EXPECT_EQ(why_unseen(apart[1], apart, 32 << 20, 2), Unseen::no_trace);
}

} // namespace
} // namespace memtest
