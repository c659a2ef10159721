#include "memtest/base/capped.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace memtest {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(Capped, SumsAndProductsThatFitAreThemselves) {
    EXPECT_EQ(capped_sum<std::uint64_t>(largest - 1, 1), largest);
    EXPECT_EQ(capped_product<std::uint64_t>(0, largest), 0U);
    EXPECT_EQ(capped_product<std::uint64_t>(largest, 0), 0U);
    EXPECT_EQ(capped_product<std::uint64_t>(largest / 3, 3), largest);
    EXPECT_EQ(capped_product<std::uint32_t>(65536, 65535), 4294901760U);
}

TEST(Capped, SumsAndProductsThatDoNotFitAreTheLargestNumber) {
    EXPECT_EQ(capped_sum<std::uint64_t>(largest, 1), largest);
    EXPECT_EQ(capped_sum<std::uint64_t>(largest, largest), largest);
    EXPECT_EQ(capped_product<std::uint64_t>(std::uint64_t{1} << 63U, 2), largest);
    EXPECT_EQ(capped_product<std::uint32_t>(65536, 65536), std::numeric_limits<std::uint32_t>::max());
}

TEST(Capped, RoundingUpGivesWholeUnitsUpToTheLargestNumber) {
    EXPECT_EQ(rounded_up<std::uint64_t>(0, 64), 0U);
    EXPECT_EQ(rounded_up<std::uint64_t>(1, 64), 64U);
    EXPECT_EQ(rounded_up<std::uint64_t>(64, 64), 64U);
    EXPECT_EQ(rounded_up<std::uint64_t>(std::uint64_t{1} << 63U, std::uint64_t{1} << 63U), std::uint64_t{1} << 63U);
    EXPECT_EQ(rounded_up<std::uint64_t>(largest, 4096), largest);
    EXPECT_EQ(units_for<std::uint64_t>(largest, 4096), std::uint64_t{1} << 52U);
}

} // namespace
} // namespace memtest
