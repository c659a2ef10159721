#include "memtest/chain/random.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

TEST(SplitMix64, GivesThePublishedNumbers) {
    // The first outputs for seed 1234567, as listed with the algorithm's reference implementation.
    SplitMix64 random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317U);
    EXPECT_EQ(random.next(), 3203168211198807973U);
    EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SplitMix64, BelowStaysBelowItsBoundAndReachesEveryValue) {
    SplitMix64 random(1);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t drawn = random.below(7);
        ASSERT_LT(drawn, 7U);
        seen.insert(drawn);
    }
    EXPECT_EQ(seen.size(), 7U);
    EXPECT_EQ(random.below(1), 0U);
}

TEST(SplitMix64, BelowScalesTheFullRangeOfSixtyFourBits) {
    // With bound 2^63 the result is the drawn number without its lowest bit: any slip in the 128-bit product shows.
    SplitMix64 random(42);
    SplitMix64 same(42);
    for (int i = 0; i < 1000; ++i)
        EXPECT_EQ(random.below(std::uint64_t{1} << 63U), same.next() >> 1U);
}

TEST(SplitMix64, BelowIsUniformForABoundThatIsNoPowerOfTwo) {
    SplitMix64 random(3);
    std::array<int, 6> count{};
    constexpr int draws = 60000;
    for (int i = 0; i < draws; ++i)
        ++count.at(random.below(6));
    double chi_square = 0;
    for (const int n : count)
        chi_square += (n - draws / 6.0) * (n - draws / 6.0) / (draws / 6.0);
    EXPECT_LT(chi_square, 20.5); // 99.9 % quantile, 5 degrees of freedom
}

TEST(SplitMix64, BelowDrawsAgainWhatWouldFavourSomeNumbers) {
    // Four numbers make three below this bound: without drawing again, two of them would make every third one.
    SplitMix64 random(5);
    int of_three = 0;
    constexpr int draws = 30000;
    for (int i = 0; i < draws; ++i)
        of_three += random.below(std::uint64_t{3} << 62U) % 3 == 0 ? 1 : 0;
    EXPECT_NEAR(of_three, draws / 3, 500); // six standard deviations
}

TEST(StreamSeed, DiffersBetweenStreams) {
    EXPECT_NE(stream_seed(1, 0), stream_seed(1, 1));
    EXPECT_NE(stream_seed(1, 0), stream_seed(2, 0));
    EXPECT_EQ(stream_seed(5, 3), stream_seed(5, 3));
}

} // namespace
} // namespace memtest
