#include "memtest/base/text.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(Trimmed, TakesBlanksOffBothEndsAndNoOthers) {
    EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \t "), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(LeadingNumber, IsReadUpToTheFirstOtherCharacter) {
    EXPECT_EQ(leading_number("42 kB"), 42U);
    EXPECT_EQ(leading_number("18446744073709551615"), 18446744073709551615U);
    for (const char* text : {"", "max", " 42", "-1", "18446744073709551616"})
        EXPECT_EQ(leading_number(text), std::nullopt) << text;
}

} // namespace
} // namespace memtest
