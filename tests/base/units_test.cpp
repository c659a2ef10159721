#include "memtest/base/units.hpp"

#include "support/test.hpp"

#include <limits>

namespace memtest {
namespace {

TEST(BytesInUnit, KnowsEveryFormOfAUnitAndNothingElse) {
    for (const char* unit : {"M", "m", "MB", "MiB", "mib"})
        EXPECT_EQ(bytes_in_unit(unit), mib) << unit;
    EXPECT_EQ(bytes_in_unit("B"), 1U);
    EXPECT_EQ(bytes_in_unit("T"), mib * mib);
    for (const char* unit : {"", "P", "Ki", "KK", "iB", "K B", "BK"})
        EXPECT_EQ(bytes_in_unit(unit), std::nullopt) << "'" << unit << "'";
}

TEST(HumanSize, UsesTheLargestUnitInWhichItIsAtLeastOneAndHasAtMostTwoDecimals) {
    EXPECT_EQ(human_size(512), "512 B");
    EXPECT_EQ(human_size(1023), "1023 B");
    EXPECT_EQ(human_size(kib), "1 KiB");
    EXPECT_EQ(human_size(mib), "1 MiB");
    EXPECT_EQ(human_size(1536), "1.5 KiB");
    EXPECT_EQ(human_size(1024 * mib), "1024 MiB");
    EXPECT_EQ(human_size(14080 * kib), "13.75 MiB");
    EXPECT_EQ(human_size(5118 * kib), "5118 KiB") << "not 4.998046875 MiB";
    EXPECT_EQ(human_size(1100 * kib + 64), "1126464 B") << "not 1100.0625 KiB";
    EXPECT_EQ(human_size(100'000'001), "100000001 B") << "not 97656.2509765625 KiB";
}

TEST(HumanSize, HasAtMostTenDigitsWhereTheyAreExactAndElseTheFewestThatMeanTheSameBytes) {
    EXPECT_EQ(human_size(1600), "1600 B");
    EXPECT_EQ(human_size(104857), "102.4 KiB") << "0.1 MiB";
    EXPECT_EQ(human_size(std::uint64_t{17592186044415} * mib), "17592186044415 MiB");
    EXPECT_EQ(human_size(~std::uint64_t{0}), "17592186044416 MiB");
    EXPECT_EQ(human_size(std::uint64_t{100'000'000'000} * mib), "100000000000 MiB") << "without an exponent";
    EXPECT_EQ(in_units(104857, mib), "0.1");
    EXPECT_EQ(in_units(1536, mib), "0.00146484375");
    EXPECT_EQ(in_units(0, mib), "0");
}

TEST(RoundedSize, HasThreeDigitsAndTheUnitInWhichTheyAreFewest) {
    EXPECT_EQ(rounded_size(1023.4), "1023 B");
    EXPECT_EQ(rounded_size(1023.6), "1 KiB") << "not 1024 B";
    EXPECT_EQ(rounded_size(1.2345 * 1024 * 1024), "1.23 MiB");
    EXPECT_EQ(rounded_size(999.4), "999 B");
    EXPECT_EQ(rounded_size(999.5), "999.5 B") << "not 1e+03 B";
    EXPECT_EQ(rounded_size(1023.5), "1 KiB");
    EXPECT_EQ(rounded_size(2048.0 * mib * mib), "2048 TiB") << "the largest unit";
}

TEST(HumanSize, IsReadBack) {
    for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1536}, 48 * kib, 33 * mib, 3 * mib / 2, mib * mib,
                                      mib * mib + 1, std::uint64_t{104857}})
        EXPECT_EQ(parse_human_size(human_size(bytes)), bytes);
    EXPECT_EQ(parse_human_size("0.5 KiB"), 512U);
    EXPECT_EQ(parse_human_size("0 B"), 0U);
    for (const char* text :
         {"", "KiB", "4", "4 x", "-4 KiB", "nan KiB", "18446744073709551616 B", "17000000 TiB", "1e300 MiB"})
        EXPECT_EQ(parse_human_size(text), std::nullopt) << "'" << text << "'";
}

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

TEST(SizeRange, NamesACommonUnitOnce) {
    EXPECT_EQ(size_range(8.0 * mib, 24.0 * mib), "8 to 24 MiB");
    EXPECT_EQ(size_range(768.0 * kib, 1.5 * mib), "768 KiB to 1.5 MiB");
    EXPECT_EQ(size_range(512, 600), "512 to 600 B");
    EXPECT_EQ(size_range(512, 1024), "512 B to 1 KiB");
    EXPECT_EQ(size_range(8.0 * mib, 8.0 * mib), "8 MiB");
}

} // namespace
} // namespace memtest
