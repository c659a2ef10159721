#include "memtest/report/reported_caches.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

const std::vector<ReportedCache> three_levels{
    {.level = 1, .size_bytes = 32U << 10U, .data_only = true},
    {.level = 2, .size_bytes = 1536U << 10U},
    {.level = 3, .size_bytes = 32U << 20U, .shared_by = 3},
};

TEST(ReportedCaches, AreDescribedInOneLine) {
    EXPECT_EQ(text_of_caches(three_levels), "L1d 32 KiB, L2 1.5 MiB, L3 32 MiB shared by 3");
    EXPECT_EQ(text_of_caches({}), "");
}

TEST(ReportedCaches, AreReadBackAsTheyWereDescribed) {
    EXPECT_EQ(parse_caches(text_of_caches(three_levels)), three_levels);
}

TEST(ReportedCaches, WhatIsNotUnderstoodIsLeftOut) {
    EXPECT_EQ(parse_caches(""), std::nullopt);
    EXPECT_EQ(parse_caches("none, L, Lx 3 KiB, L2, L2 big KiB, L99999999999 1 MiB"), std::nullopt);
    EXPECT_EQ(parse_caches("nonsense, L2 1 MiB")->size(), 1U);
}

} // namespace
} // namespace memtest
