#include "memtest/chain/schedule.hpp"

#include "support/test.hpp"

#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <tuple>

namespace memtest {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(Schedule, TheDefaultSweepHasTheFortyOneSizesOfThePublishedXeonSweep) {
    std::ifstream published(TEST_DATA "/curves/xeon_silver_4114.csv");
    ASSERT_TRUE(published);
    const Sizes sizes = sweep_sizes({});
    std::string line;
    std::getline(published, line); // the header
    std::size_t row = 0;
    for (; std::getline(published, line); ++row) { // "0, 0.00049, 1.605"
        ASSERT_LT(row, sizes.size());
        EXPECT_NEAR(static_cast<double>(sizes[row]) / (1024 * 1024), std::stod(line.substr(3)), 0.5e-5) << line;
    }
    EXPECT_EQ(row, 41U);
    EXPECT_EQ(sizes.size(), 41U);
}

TEST(Schedule, ClassicDoublesThenAddsAKibibyteThenTakesTwoSizesPerDoubling) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 128, .last_bytes = 13000}),
              (Sizes{128, 256, 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288}));
}

TEST(Schedule, AStartBetweenPowersOfTwoKeepsTheSteps) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 24576, .last_bytes = 70000}), (Sizes{24576, 32768, 49152, 65536}));
}

TEST(Schedule, SizesAreRoundedUpToWholeLinesAndStayBelowTheLargest) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 512, .last_bytes = 4096, .line_bytes = 24}), (Sizes{528, 1032, 2064, 3072}));
}

TEST(Schedule, LinesLargerThanTheStepsGiveNoSizeTwice) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 512, .last_bytes = 10000, .line_bytes = 4096}), (Sizes{4096, 8192}));
}

TEST(Schedule, NoTwoSizesAreAlikeAsResultsAreWritten) {
    const Sizes sizes =
        sweep_sizes({.first_bytes = 8, .last_bytes = 65536, .line_bytes = 8, .points_per_doubling = 64});
    std::string before;
    for (const std::size_t size : sizes) {
        std::array<char, 32> written{};
        std::snprintf(written.data(), written.size(), "%.5f", static_cast<double>(size) / (1024 * 1024));
        EXPECT_NE(before, written.data()) << size;
        before = written.data();
    }
    EXPECT_GT(sizes.size(), 6U * 64U) << "from 1 KiB on it has them all";
}

TEST(Schedule, PointsPerDoublingAreEvenlySpacedBetweenPowersOfTwo) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 4096, .last_bytes = 16384, .points_per_doubling = 4}),
              (Sizes{4096, 5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384}));
    EXPECT_EQ(sweep_sizes({.first_bytes = 4096, .last_bytes = 16384, .points_per_doubling = 1}),
              (Sizes{4096, 8192, 16384}));
}

TEST(Schedule, BeginsWithAByteInLinesOfAByte) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 1, .last_bytes = 40, .line_bytes = 1}), (Sizes{1, 16, 32}));
}

TEST(Schedule, SizesThatAreJustToldApartAreThere) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 11, .last_bytes = 33, .line_bytes = 11, .points_per_doubling = 64}),
              (Sizes{11, 22, 33}));
}

TEST(ScheduleDeathTest, WithoutASizeALineOrStepsIsAnError) {
    for (const Schedule& schedule :
         {Schedule{.first_bytes = 0}, Schedule{.line_bytes = 0}, Schedule{.points_per_doubling = 0U}})
        EXPECT_DEATH(static_cast<void>(sweep_sizes(schedule)), "violated");
}

TEST(Schedule, TheLargestSizeAloneIsASweep) {
    EXPECT_EQ(sweep_sizes({.first_bytes = 65536, .last_bytes = 65536}), (Sizes{65536}));
}

TEST(Schedule, ReachesATebibyteWithoutOverflow) {
    if (sizeof(std::size_t) < 8)
        GTEST_SKIP() << "a 32-bit target has no such size";
    const Sizes sizes = sweep_sizes({.last_bytes = std::size_t{1} << 40U});
    EXPECT_EQ(sizes.back(), std::size_t{1} << 40U);
}

TEST(Schedule, EndsAtTheLargestSizeThatCanBeNamed) {
    for (const std::optional<unsigned> points : {std::optional<unsigned>{}, {1U}, {64U}}) {
        const Sizes sizes =
            sweep_sizes({.last_bytes = std::numeric_limits<std::size_t>::max(), .points_per_doubling = points});
        EXPECT_GT(sizes.back(), std::numeric_limits<std::size_t>::max() / 4);
    }
}

TEST(ScheduleProperty, SizesAscendAreWholeLinesAndKeepTheirRange) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        Schedule schedule;
        schedule.line_bytes = 8 * (1 + random() % 64);
        schedule.first_bytes = 1 + random() % 100000;
        schedule.last_bytes = schedule.first_bytes + random() % 10000000;
        if (random() % 2 == 0)
            schedule.points_per_doubling = static_cast<unsigned>(1 + random() % 64);
        const Sizes sizes = sweep_sizes(schedule);
        std::size_t before = 0;
        for (const std::size_t size : sizes) {
            EXPECT_GT(size, before);
            EXPECT_EQ(size % schedule.line_bytes, 0U);
            EXPECT_GE(size, schedule.first_bytes);
            EXPECT_LE(size, schedule.last_bytes);
            before = size;
        }
    }
}

} // namespace
} // namespace memtest
