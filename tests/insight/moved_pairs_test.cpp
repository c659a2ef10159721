#include "memtest/insight/moved_pairs.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

std::vector<Nearness> names_in(const MovedPairs& moved) {
    std::vector<Nearness> names;
    for (const TransferMode& mode : moved.modes)
        names.push_back(mode.nearness);
    return names;
}

TEST(MovedPairs, AreThoseWhoseNearnessChanged) {
    const auto moved = moved_pairs(std::vector<PairMoments>{
        {0, 1, {4, 25, 24, 118, 4.2, 25}}, {0, 2, {25, 26, 24, 25, 25, 25}}, {1, 2, {120, 25, 4.2, 25, 118, 25}}});
    ASSERT_TRUE(moved.has_value());
    EXPECT_EQ(moved->changed, (Pairs{{0, 1}, {1, 2}}));
    EXPECT_EQ(names_in(*moved), (std::vector{Nearness::same_core, Nearness::near, Nearness::farther}));
    EXPECT_NEAR(moved->modes[0].percent, 100.0 * 3 / 18, 1e-9);
    EXPECT_DOUBLE_EQ(moved->modes[0].latency_ns, 4.2);
    EXPECT_NEAR(moved->modes[1].percent, 100.0 * 12 / 18, 1e-9);
    EXPECT_DOUBLE_EQ(moved->modes[2].latency_ns, 118);
}

TEST(MovedPairs, AreAlsoThoseThatMoveBetweenPlacesBeyondTheNearest) {
    EXPECT_TRUE(moved_pairs(std::vector<PairMoments>{{0, 1, {115, 115, 280, 280}}}).has_value());
    const auto moved = moved_pairs(std::vector<PairMoments>{{0, 1, {60, 60, 150, 150}}, {0, 2, {25, 25, 25, 25}}});
    ASSERT_TRUE(moved.has_value());
    EXPECT_EQ(moved->changed, (Pairs{{0, 1}}));
    EXPECT_EQ(names_in(*moved), (std::vector{Nearness::near, Nearness::farther}));
    EXPECT_DOUBLE_EQ(moved->modes[1].latency_ns, 105) << "of both together";
}

TEST(MovedPairs, AreNoneWhereEachPairKeepsItsNearnessHoweverManyThereAre) {
    EXPECT_EQ(
        moved_pairs(std::vector<PairMoments>{{0, 1, {4, 4.1, 4, 4}}, {0, 2, {25, 27, 26}}, {1, 2, {118, 112, 118}}}),
        std::nullopt);
    EXPECT_EQ(moved_pairs({}), std::nullopt);
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {}}, {0, 2, {25}}}), std::nullopt);
}

TEST(MovedPairs, AreNotThoseThatOneMomentShows) {
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {25, 118, 25, 25}}, {0, 2, {25, 25, 25, 118}}}), std::nullopt)
        << "two moments, but of two pairs";
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {4, 118}}}), std::nullopt);
}

TEST(MovedPairs, AreNotThoseThatOtherWorkMakesSlower) {
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {25, 25, 41, 41}}, {0, 2, {24, 26}}}), std::nullopt)
        << "by less than twice";
    EXPECT_EQ(moved_pairs(std::vector<PairMoments>{{0, 1, {25, 25, 55, 55}}, {0, 2, {33, 42}}}), std::nullopt)
        << "without a gap between";
}

TEST(MovedPairs, MoveByTwiceTheLatencyAndShareACoreBelowTenNs) {
    const auto names = [](double near_ns, double far_ns) {
        const auto moved = moved_pairs(std::vector<PairMoments>{{0, 1, {near_ns, near_ns, far_ns, far_ns}}});
        return moved ? names_in(*moved) : std::vector<Nearness>{};
    };
    EXPECT_EQ(names(25, 50), (std::vector{Nearness::near, Nearness::farther}));
    EXPECT_EQ(names(25, 49.9), std::vector<Nearness>{});
    EXPECT_EQ(names(9.9, 25), (std::vector{Nearness::same_core, Nearness::near}));
    EXPECT_EQ(names(10, 25), (std::vector{Nearness::near, Nearness::farther}));
}

TEST(MovedPairs, ShareALastLevelCacheOnlyWhereTheSystemReportsIt) {
    const auto nearest_of = [](Relation of_near, Relation of_far, double near_ns) {
        const auto moved = moved_pairs(std::vector<PairMoments>{
            {0, 1, {near_ns, near_ns}, of_near}, {0, 2, {250, 250}, of_far}, {0, 3, {4, 4, near_ns, near_ns}}});
        return moved ? moved->modes.at(1).nearness : Nearness::same_core;
    };
    EXPECT_EQ(nearest_of(Relation::same_last_cache, Relation::same_package, 25), Nearness::same_last_cache);
    EXPECT_EQ(nearest_of(Relation::same_package, Relation::same_package, 25), Nearness::near);
    EXPECT_EQ(nearest_of(Relation::same_package, Relation::same_last_cache, 25), Nearness::near)
        << "other pairs share one";
    EXPECT_EQ(nearest_of(Relation::same_last_cache, Relation::same_package, 130), Nearness::near)
        << "no cache takes so long";
}

} // namespace
} // namespace memtest
