#include "memtest/cli/option_table.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "support/test.hpp"

#include <limits>

namespace memtest {
namespace {

std::size_t size(std::string_view text, std::size_t unit = 1) {
    return parse_size({"size", std::string(text)}, unit);
}

TEST(ParseSize, WithoutASuffixIsInTheOptionsOwnUnit) {
    EXPECT_EQ(size("64"), 64U);
    EXPECT_EQ(size("2", mib), 2 * mib);
    EXPECT_EQ(size("0.25", mib), mib / 4);
    EXPECT_EQ(size(".5", mib), mib / 2);
}

TEST(ParseSize, WithASuffixIsInThatUnitWhateverTheOptions) {
    for (const char* text : {"64K", "64k", "64KiB", "64kib", "64KB", "65536", "65536B"})
        EXPECT_EQ(size(text), 65536U) << text;
    EXPECT_EQ(size("1.5M", 7), mib + mib / 2);
    EXPECT_EQ(size("512B", mib), 512U);
    if (sizeof(std::size_t) == 8) {
        EXPECT_EQ(size("2G"), 2048 * mib);
        EXPECT_EQ(size("1T"), mib * mib);
    }
}

TEST(ParseSize, CutsOffFractionsOfAByteButRefusesThemInBytes) {
    EXPECT_EQ(size("0.1", mib), 104857U);
    EXPECT_EQ(size("64.0"), 64U);
    EXPECT_THROW((void)size("64.5"), Error);
}

TEST(ParseSize, RefusesWhatIsNoSize) {
    for (const char* text : {"",  " ",  "x",     "-1",  "+1",   "0",   "0K",  "0.0", "64x",  "64 K", "64Kx", "K",
                             ".", "1.", "1.2.3", "1e3", "0x40", "nan", "inf", "64i", "64KK", "1,5M", "64\n"})
        EXPECT_THROW((void)size(text), Error) << "'" << text << "'";
}

TEST(ParseSize, RefusesWhatDoesNotFit) {
    for (const char* text :
         {"18446744073709551616", "99999999999999999999999", "17179869184G", "99999999999999999999.5T"})
        EXPECT_THROW((void)size(text), Error) << text;
    EXPECT_THROW((void)size("17592186044416", mib), Error);
    EXPECT_THROW((void)size("17592186044417", mib), Error) << "not the 1 MiB that is left of it";
    if (sizeof(std::size_t) == 8) {
        EXPECT_EQ(size("18446744073709551615"), std::numeric_limits<std::size_t>::max());
    }
}

TEST(ParseSize, RefusesNumbersOfMoreDigitsThanADoubleHolds) {
    const std::string huge = std::string(400, '9') + ".5";
    const std::string tiny = "0." + std::string(400, '0') + "1";
    const std::string padded = std::string(400, '0') + "1.5";
    EXPECT_THROW((void)parse_size({"size", huge}, 1), Error);
    EXPECT_THROW((void)parse_size({"size", tiny}, 1), Error);
    EXPECT_EQ(parse_size({"size", padded}, mib), mib + mib / 2);
}

TEST(ParseCount, TakesWholeNumbersOfItsRangeOnly) {
    EXPECT_EQ(parse_count({"n", "1"}, 1, 64), 1U);
    EXPECT_EQ(parse_count({"n", "64"}, 1, 64), 64U);
    for (const char* text : {"0", "65", "-1", "+1", "1.0", "1K", "", "a", "1 ", "18446744073709551616"})
        EXPECT_THROW((void)parse_count({"n", text}, 1, 64), Error) << "'" << text << "'";
    EXPECT_EQ(parse_count({"n", "18446744073709551615"}, 0, std::numeric_limits<std::uint64_t>::max()),
              std::numeric_limits<std::uint64_t>::max());
}

TEST(ParsePercent, TakesFractionsAboveZero) {
    EXPECT_DOUBLE_EQ(parse_percent({"precision", "2"}, 50), 2);
    EXPECT_DOUBLE_EQ(parse_percent({"precision", "0.5"}, 50), 0.5);
    EXPECT_DOUBLE_EQ(parse_percent({"precision", "50"}, 50), 50);
    for (const char* text : {"0", "0.0", "-1", "51", "", "2%", "nan", "inf", "1e1"})
        EXPECT_THROW((void)parse_percent({"precision", text}, 50), Error) << "'" << text << "'";
}

} // namespace
} // namespace memtest
