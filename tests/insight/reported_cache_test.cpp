#include "memtest/insight/reported_cache.hpp"

#include "memtest/base/units.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

Level found(std::uint64_t size) {
    Level level;
    level.capacity_low_bytes = static_cast<double>(size);
    level.capacity_bytes = level.capacity_low_bytes;
    level.capacity_high_bytes = 1.5 * static_cast<double>(size);
    return level;
}

TEST(CompareWithReported, PairsEachLevelWithItsCacheInWhateverOrderTheyAreReported) {
    const std::vector<Level> levels = {found(32 * kib), found(512 * kib), found(24 * mib)};
    const std::vector<ReportedCache> caches = {{3, 32 * mib, 16}, {1, 32 * kib, 2}, {2, 512 * kib, 2}};
    const std::vector<CacheComparison> pairs = compare_with_reported(levels, caches);
    ASSERT_EQ(pairs.size(), 3U);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        ASSERT_TRUE(pairs[i].reported.has_value()) << i;
        EXPECT_EQ(pairs[i].reported->level, static_cast<int>(i) + 1);
        EXPECT_FALSE(pairs[i].much_smaller) << i;
    }
}

TEST(CompareWithReported, CallsTheSliceOfASharedCacheMuchSmaller) {
    const std::vector<Level> levels = {found(32 * kib), found(512 * kib), found(6 * mib)};
    const std::vector<ReportedCache> caches = {{1, 32 * kib, 2}, {2, 512 * kib, 2}, {3, 32 * mib, 16}};
    const std::vector<CacheComparison> pairs = compare_with_reported(levels, caches);
    ASSERT_TRUE(pairs[2].reported.has_value());
    EXPECT_TRUE(pairs[2].much_smaller);
    EXPECT_FALSE(pairs[1].much_smaller);
}

TEST(CompareWithReported, LeavesACacheThatIsNotReportedWithoutCounterpart) {
    const std::vector<Level> levels = {found(64 * kib), found(512 * kib), found(3 * mib)};
    const std::vector<ReportedCache> caches = {{1, 64 * kib, 1}, {2, 512 * kib, 1}};
    const std::vector<CacheComparison> pairs = compare_with_reported(levels, caches);
    EXPECT_TRUE(pairs[0].reported && pairs[1].reported);
    EXPECT_FALSE(pairs[2].reported.has_value());
    EXPECT_FALSE(pairs[2].much_smaller);
}

TEST(CompareWithReported, PairsAnOpenEndedCacheByWhatItHoldsAtLeast) {
    Level last = found(24 * mib);
    last.capacity_bytes.reset();
    last.capacity_high_bytes.reset();
    const std::vector<ReportedCache> caches = {{2, 512 * kib, 2}, {3, 64 * mib, 16}};
    const std::vector<CacheComparison> pairs = compare_with_reported({{last}}, caches);
    ASSERT_TRUE(pairs[0].reported.has_value());
    EXPECT_EQ(pairs[0].reported->level, 3);
    EXPECT_FALSE(pairs[0].much_smaller);
}

TEST(CompareWithReported, SkipsAReportedCacheThatWasNotFound) {
    const std::vector<Level> levels = {found(32 * kib), found(2 * mib)};
    const std::vector<ReportedCache> caches = {{1, 32 * kib, 1}, {2, 128 * kib, 1}, {3, 3 * mib, 8}};
    const std::vector<CacheComparison> pairs = compare_with_reported(levels, caches);
    ASSERT_TRUE(pairs[1].reported.has_value());
    EXPECT_EQ(pairs[1].reported->level, 3);
}

TEST(CompareWithReported, LeavesACacheBetweenTheReportedOnesWithoutCounterpart) {
    const std::vector<Level> levels = {found(32 * kib), found(256 * kib), found(2 * mib)};
    const std::vector<ReportedCache> caches = {{1, 32 * kib, 1}, {2, 2 * mib, 1}};
    const std::vector<CacheComparison> pairs = compare_with_reported(levels, caches);
    EXPECT_TRUE(pairs[0].reported && pairs[2].reported);
    EXPECT_FALSE(pairs[1].reported.has_value());
}

TEST(CompareWithReported, CallsLessThanThreeFifthsMuchSmaller) {
    Level level = found(1'000'000);
    const auto is_much_smaller = [&](double high_bytes) {
        level.capacity_high_bytes = high_bytes;
        return compare_with_reported({{level}}, {{{2, 1'000'000, 1}}}).at(0).much_smaller;
    };
    EXPECT_TRUE(is_much_smaller(599'000));
    EXPECT_FALSE(is_much_smaller(600'000));
}

TEST(CompareWithReported, PairsNothingWithNothing) {
    EXPECT_TRUE(compare_with_reported({}, {}).empty());
    const std::vector<Level> levels = {found(32 * kib)};
    EXPECT_FALSE(compare_with_reported(levels, {}).at(0).reported.has_value());
}

TEST(WhyUnseen, NamesWhatWouldShowTheCache) {
    const std::vector<ReportedCache> reported{{.level = 2, .size_bytes = 2 << 20}, {.level = 3, .size_bytes = 4 << 20}};
    const auto why = [&reported](double largest, double sizes_per_doubling) {
        return why_unseen(reported[1], reported, largest, sizes_per_doubling);
    };
    EXPECT_EQ(why(31 << 20, 2), Unseen::sweep_too_short);
    EXPECT_EQ(why(32 << 20, 2), Unseen::too_near);
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
