#include "memtest/report/reported_caches.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

const std::vector<Cache> three_levels{
    {.level = 1, .data_only = true, .size_bytes = 32U << 10U, .line_bytes = 64, .shared_by = {0}},
    {.level = 2, .data_only = false, .size_bytes = 1536U << 10U, .line_bytes = 64, .shared_by = {0}},
    {.level = 3, .data_only = false, .size_bytes = 32U << 20U, .line_bytes = 64, .shared_by = {0, 1, 2}}};

TEST(ReportedCaches, AreDescribedInOneLine) {
    EXPECT_EQ(describe_caches(three_levels), "L1d 32 KiB, L2 1.5 MiB, L3 32 MiB shared by 3");
    EXPECT_EQ(describe_caches({}), "");
}

TEST(ReportedCaches, AreReadBackAsTheyWereDescribed) {
    const auto caches = parse_caches(describe_caches(three_levels));
    ASSERT_EQ(caches.size(), 3U);
    EXPECT_EQ(caches[0].level, 1);
    EXPECT_EQ(caches[0].size_bytes, 32U << 10U);
    EXPECT_EQ(caches[1].size_bytes, 1536U << 10U);
    EXPECT_EQ(caches[1].shared_by, 1);
    EXPECT_EQ(caches[2].shared_by, 3);
}

TEST(ReportedCaches, WhatIsNotUnderstoodIsLeftOut) {
    EXPECT_TRUE(parse_caches("").empty());
    EXPECT_TRUE(parse_caches("none, L, Lx 3 KiB, L2, L2 big KiB").empty());
    EXPECT_EQ(parse_caches("nonsense, L2 1 MiB").size(), 1U);
}

} // namespace
} // namespace memtest
