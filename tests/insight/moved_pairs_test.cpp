#include "memtest/insight/moved_pairs.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace memtest {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TEST(MovedPairs, AreThoseWhoseNearnessChanged) {
    const std::vector<PairMoments> pairs{
        {0, 1, {4, 25, 24, 118}}, {0, 2, {25, 26, 24, 25}}, {1, 2, {120, 25, 4.2, 25}}};
    const auto moved = moved_pairs(pairs);
    ASSERT_TRUE(moved.has_value());
    EXPECT_EQ(moved->changed, (Pairs{{0, 1}, {1, 2}}));
    ASSERT_EQ(moved->modes.size(), 3U);
    EXPECT_EQ(moved->modes[0].nearness, Nearness::same_core);
    EXPECT_NEAR(moved->modes[0].percent, 100.0 * 2 / 12, 1e-9);
    EXPECT_DOUBLE_EQ(moved->modes[0].latency_ns, 4.1);
    EXPECT_EQ(moved->modes[1].nearness, Nearness::same_last_cache);
    EXPECT_NEAR(moved->modes[1].percent, 100.0 * 8 / 12, 1e-9);
    EXPECT_EQ(moved->modes[2].nearness, Nearness::farther);
    EXPECT_DOUBLE_EQ(moved->modes[2].latency_ns, 119);
}

TEST(MovedPairs, AreNoneWhereEachPairKeepsItsNearnessHoweverManyThereAre) {
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {4, 4.1}}, {0, 2, {25, 27}}, {1, 2, {118, 112}}}),
              std::nullopt);
    EXPECT_EQ(moved_pairs({}), std::nullopt);
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {}}, {0, 2, {25}}}), std::nullopt);
}

TEST(MovedPairs, AreNotThoseThatOtherWorkMakesSlower) {
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {25, 25, 25, 41}}, {0, 2, {24, 26}}}), std::nullopt)
        << "by less than twice";
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {25, 55}}, {0, 2, {33, 42}}}), std::nullopt)
        << "without a gap between";
}

TEST(MovedPairs, OfOneModeBeyondEveryL3AreFarther) {
    const auto moved = moved_pairs(std::vector<PairMoments>{{0, 1, {4, 130}}, {0, 2, {60, 300}}});
    ASSERT_TRUE(moved.has_value());
    ASSERT_EQ(moved->modes.size(), 3U);
    EXPECT_EQ(moved->modes[2].nearness, Nearness::farther);
    EXPECT_DOUBLE_EQ(moved->modes[2].latency_ns, 215) << "of two dies or two packages alike";
}

} // namespace
} // namespace memtest
