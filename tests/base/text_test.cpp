#include "memtest/base/text.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(Trimmed, TakesBlanksOffBothEndsAndNoOthers) {
    EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \t "), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(Shown, IsOnOneLineAndCommandsNoTerminal) {
    EXPECT_EQ(shown("a\nb\tc\r"), "a\\nb\\x09c\\x0d");
    EXPECT_EQ(shown("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(shown("\xc2\x9b"
                    "31m"),
              "\\u009b31m")
        << "the control sequence introducer of 8 bits, as UTF-8";
    EXPECT_EQ(shown(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Shown, LeavesLettersOfAllLanguagesAndSeesThatNothingIsSeen) {
    EXPECT_EQ(shown("größer \xe2\x82\xac C:\\n"), "größer \xe2\x82\xac C:\\n");
    EXPECT_EQ(shown("\xc2\xa0"), "\xc2\xa0");
    EXPECT_EQ(shown("\xc2"), "\xc2");
    EXPECT_EQ(shown(""), "''");
    EXPECT_EQ(shown(shown("a\nb")), shown("a\nb"));
}

TEST(LeadingNumber, IsReadUpToTheFirstOtherCharacter) {
    EXPECT_EQ(leading_number("42 kB"), 42U);
    EXPECT_EQ(leading_number("18446744073709551615"), 18446744073709551615U);
    for (const char* text : {"", "max", " 42", "-1", "18446744073709551616"})
        EXPECT_EQ(leading_number(text), std::nullopt) << text;
}

TEST(Counted, IsInTheSingularForOneAlone) {
    EXPECT_EQ(counted(0, "other pair"), "0 other pairs");
    EXPECT_EQ(counted(1, "other pair"), "1 other pair");
    EXPECT_EQ(counted(2, "other pair"), "2 other pairs");
}

} // namespace
} // namespace memtest
