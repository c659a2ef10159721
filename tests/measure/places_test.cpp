#include "memtest/measure/places.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace memtest {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t area = 64 * page;

TEST(Places, AreWholePagesAndFitAtEverySize) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const std::size_t largest = area - seed % 64 * page;
        const Places places(area, largest, page, seed);
        for (std::size_t bytes = 512; bytes <= largest; bytes += 512) {
            EXPECT_EQ(places.place_of(bytes) % page, 0U);
            EXPECT_LE(places.place_of(bytes) + bytes, area);
        }
        EXPECT_LE(places.place_of(largest) + largest, area);
    }
}

TEST(Places, DifferFromSeedToSeedAllOverWhatLeavesRoom) {
    std::set<std::size_t> small;
    std::set<std::size_t> large;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const Places places(area, area - 3 * page, page, seed);
        small.insert(places.place_of(512));
        large.insert(places.place_of(area - 3 * page));
    }
    EXPECT_EQ(small.size(), 33U) << "0 to 32 pages in";
    EXPECT_EQ(*small.rbegin(), area / 2);
    EXPECT_EQ(large, (std::set<std::size_t>{0, page, 2 * page, 3 * page}));
}

TEST(Places, AreTheSameForTheSameSeed) {
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        EXPECT_EQ(Places(area, page, page, seed).place_of(512), Places(area, page, page, seed).place_of(512));
}

TEST(Places, StayFromSizeToSizeSoThatAChainCanGrow) {
    const Places places(area, area, page, 7);
    EXPECT_EQ(places.place_of(512), places.place_of(area / 2));
    EXPECT_EQ(places.place_of(area / 2 + page), places.place_of(area));
}

TEST(Places, BeginAnewEarlyInALargeAreaSoThatLittleIsLinkedTwice) {
    constexpr std::size_t mib = std::size_t{1} << 20U;
    constexpr std::size_t large = 1024 * mib;
    bool moves_far = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Places places(large, large, page, seed);
        EXPECT_EQ(places.place_of(512), places.place_of(128 * mib));
        EXPECT_EQ(places.place_of(129 * mib), 0U);
        moves_far = moves_far || places.place_of(512) > 512 * mib;
    }
    EXPECT_TRUE(moves_far);
    const Places middling(256 * mib, 256 * mib, page, 7);
    EXPECT_EQ(middling.place_of(512), middling.place_of(64 * mib)) << "a cache of 64 MiB is small";
}

TEST(Places, WithoutRoomAreTheStartOfTheArea) {
    const Places places(area, area, area, 7);
    EXPECT_EQ(places.place_of(512), 0U);
    EXPECT_EQ(places.place_of(area), 0U);
}

} // namespace
} // namespace memtest
