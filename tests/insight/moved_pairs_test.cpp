#include "memtest/insight/moved_pairs.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs moved(const std::vector<PairMoments>& pairs) {
    return moved_pairs(pairs);
}

TEST(MovedPairs, AreThoseWhoseNearnessChanged) {
    EXPECT_EQ(
        moved(
            {{0, 1, {4, 25, 24, 118, 4.2, 25}}, {0, 2, {25, 26, 24, 25, 25, 25}}, {1, 2, {120, 25, 4.2, 25, 118, 25}}}),
        (Pairs{{0, 1}, {1, 2}}));
    EXPECT_EQ(moved({{0, 1, {60, 60, 150, 150}}, {0, 2, {25, 25, 25, 25}}}), (Pairs{{0, 1}}));
}

TEST(MovedPairs, AreNoneWhereEachPairKeepsItsNearnessHoweverManyThereAre) {
    EXPECT_EQ(moved({{0, 1, {4, 4.1, 4, 4}}, {0, 2, {25, 27, 26}}, {1, 2, {118, 112, 118}}}), Pairs{});
    EXPECT_EQ(moved({}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {}}, {0, 2, {25}}}), Pairs{});
}

TEST(MovedPairs, AreNotThoseThatOneMomentShows) {
    EXPECT_EQ(moved({{0, 1, {25, 118, 25, 25}}, {0, 2, {25, 25, 25, 118}}}), Pairs{})
        << "two moments, but of two pairs";
    EXPECT_EQ(moved({{0, 1, {4, 118}}}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {4, 118, 118}}}), Pairs{});
}

TEST(MovedPairs, AreNotThoseThatOtherWorkMakesSlowerByLessThanTwice) {
    EXPECT_EQ(moved({{0, 1, {25, 25, 49.9, 49.9}}}), Pairs{});
    EXPECT_EQ(moved({{0, 1, {25, 25, 50, 50}}}), (Pairs{{0, 1}}));
    EXPECT_EQ(moved({{0, 1, {20, 22, 30, 35, 38, 42, 44, 50}}}), Pairs{}) << "without a gap between";
}

} // namespace
} // namespace memtest
