#include "memtest/insight/line_pairs.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(LinePairs, AreFetchedWhereLinesApartAreSlowerByATenthOrMore) {
    EXPECT_TRUE(fetches_pairs({.beside_ns = 100, .pairs_ns = 110, .apart_ns = 110.1}));
    EXPECT_FALSE(fetches_pairs({.beside_ns = 100, .pairs_ns = 109.9, .apart_ns = 109.9}));
    EXPECT_FALSE(fetches_pairs({.beside_ns = 100, .pairs_ns = 100, .apart_ns = 90}));
}

TEST(LinePairs, AreNotTheReasonWhereLinesOfDifferentPairsAreMostlyFetchedAheadToo) {
    EXPECT_TRUE(fetches_pairs({.beside_ns = 100, .pairs_ns = 121, .apart_ns = 140})) << "a larger region adds to it";
    EXPECT_FALSE(fetches_pairs({.beside_ns = 100, .pairs_ns = 119, .apart_ns = 140}));
}

} // namespace
} // namespace memtest
