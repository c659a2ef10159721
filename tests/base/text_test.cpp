#include "memtest/base/text.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

TEST(Trimmed, TakesBlanksOffBothEndsAndNoOthers) {
    EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \t "), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(Escaped, IsOnOneLineAndCommandsNoTerminal) {
    EXPECT_EQ(escaped("a\nb\tc\r"), "a\\nb\\x09c\\x0d");
    EXPECT_EQ(escaped("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(escaped("\xc2\x9b"
                      "31m"),
              "\\xc2\\x9b31m")
        << "the control sequence introducer of 8 bits, as UTF-8";
    EXPECT_EQ(escaped("\x9b"
                      "31m"),
              "\\x9b31m")
        << "and as a byte";
    EXPECT_EQ(escaped(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Escaped, LeavesNoControlByteOfAnyText) {
    for (int byte = 0; byte < 256; ++byte) {
        for (const char* begin : {"", "a", "\xc2", "\xe2\x82"}) {
            const std::string text = escaped(begin + std::string(1, static_cast<char>(byte)) + "b");
            for (std::size_t i = 0; i < text.size();) {
                const std::size_t length = utf8_length(std::string_view(text).substr(i));
                ASSERT_GT(length, 0U) << byte << ' ' << text;
                ASSERT_TRUE(length > 1 || (text[i] >= ' ' && text[i] != 0x7f)) << byte;
                ASSERT_FALSE(text.compare(i, 2, "\xc2\x80") >= 0 && text.compare(i, 2, "\xc2\xa0") < 0) << byte;
                i += length;
            }
            EXPECT_EQ(escaped(text), text) << "twice is once";
        }
    }
}

/// A code point in so many bytes of UTF-8, whether or not they are as few as they could be.
std::string in_bytes(std::uint32_t code, std::size_t length) {
    constexpr std::array<std::uint32_t, 5> lead{0, 0, 0xC0, 0xE0, 0xF0};
    std::string bytes(length, '\0');
    for (std::size_t i = length - 1; i > 0; --i, code >>= 6U)
        bytes[i] = static_cast<char>(0x80U | (code & 0x3FU));
    bytes[0] = static_cast<char>(lead.at(length) | code);
    return bytes;
}

TEST(Utf8, IsEachCodePointInItsFewestBytes) {
    using Codes = std::vector<std::uint32_t>;
    const std::vector<Codes> valid{{0, 1, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF, 0xE000, 0xFFFF}, {0x10000, 0x10FFFF}};
    const std::vector<Codes> invalid{{},
                                     {0, 0x7F},
                                     {0, 0x7FF, 0xD800, 0xDFFF}, // surrogates
                                     {0, 0xFFFF, 0x110000, 0x1FFFFF}};
    for (std::size_t length = 1; length <= 4; ++length) {
        for (const std::uint32_t code : valid[length - 1]) {
            const std::string text = in_bytes(code, length);
            EXPECT_EQ(utf8_length(text), length) << code;
            EXPECT_EQ(utf8_length(text + "a"), length) << code;
            for (std::size_t there = 1; there < length; ++there)
                EXPECT_EQ(utf8_length(text.substr(0, there)), 0U) << code << " is incomplete";
        }
        for (const std::uint32_t code : invalid[length - 1])
            EXPECT_EQ(utf8_length(in_bytes(code, length)), 0U) << code << " in " << length << " bytes";
    }
    for (const char* text : {"\x80", "\xbf\x80",
                             "\xc3"
                             "a",
                             "\xe2\x82\xc0", "\xf8\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
        EXPECT_EQ(utf8_length(text), 0U) << escaped(text);
}

TEST(Escaped, LeavesLettersOfAllLanguagesAndWhatIsNextToControlsAndNonCharacters) {
    for (const char* text : {"", "größer \xe2\x82\xac C:\\n \xF0\x9F\x90\x8C", " ", "~", "\xc2\xa0", "\xef\xbf\xbd",
                             "\xee\xbf\xbe", "\xf0\x9f\xbf\xbd", "\xc3\xbf"})
        EXPECT_EQ(escaped(text), text);
    EXPECT_EQ(escaped("\x1f"), "\\x1f");
    EXPECT_EQ(escaped("\xc2\x80"), "\\xc2\\x80");
    EXPECT_EQ(escaped("\xc2\x9f"), "\\xc2\\x9f");
    EXPECT_EQ(escaped("\xef\xbf\xbe"), "\\xef\\xbf\\xbe");
    EXPECT_EQ(escaped("\xf4\x8f\xbf\xbf"), "\\xf4\\x8f\\xbf\\xbf") << "the last of each plane";
}

TEST(Escaped, IsUtf8WhateverItIsMadeOf) {
    EXPECT_EQ(escaped("caf\xE9"), "caf\\xe9") << "incomplete";
    EXPECT_EQ(escaped("\xE9t\xE9"), "\\xe9t\\xe9") << "Latin-1";
    EXPECT_EQ(escaped("\xC0\xAF"), "\\xc0\\xaf") << "longer than it needs to be";
    EXPECT_EQ(escaped("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(escaped("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
    EXPECT_EQ(escaped("\xEF\xBF\xBF"), "\\xef\\xbf\\xbf") << "no character, which no SVG may hold";
}

TEST(Shown, ShowsThatATextIsEmpty) {
    EXPECT_EQ(shown(""), "''");
    EXPECT_EQ(shown("a\n"), "a\\n");
}

TEST(Shortened, IsCutBetweenCharacters) {
    EXPECT_EQ(shortened("abcde", 5), "abcde");
    EXPECT_EQ(shortened("äöüß", 3), "äöü...");
    EXPECT_EQ(shortened("\xff\xff\xff", 2), "\xff\xff...");
}

TEST(InQuotes, IsEscapedAndShortened) {
    EXPECT_EQ(in_quotes("a\x1b"), "`a\\x1b`");
    EXPECT_EQ(in_quotes(std::string(41, 'a')), "`" + std::string(40, 'a') + "...`");
}

TEST(Markdown, TakesNoTextForMarkup) {
    EXPECT_EQ(markdown_text("a_b*c [d](e) <f> `g` h|i ~j~ &amp; k\\"),
              "a\\_b\\*c \\[d\\](e) \\<f\\> \\`g\\` h\\|i \\~j\\~ \\&amp; k\\\\");
    EXPECT_EQ(markdown_text("a\n# b"), "a\\\\n# b") << "a heading needs a line of its own";
}

TEST(Html, TakesNoTextForMarkup) {
    EXPECT_EQ(html_text("<b a='1' c=\"2\">&amp;</b>"), "&#60;b a=&#39;1&#39; c=&#34;2&#34;&#62;&#38;amp;&#60;/b&#62;");
    EXPECT_EQ(html_text("a_b*\n\x1b \xc2\xb5s\xff"), "a_b*\\n\\x1b \xc2\xb5s\\xff") << "nor for control";
}

TEST(Markdown, ATargetNamesItsFileWhateverItHolds) {
    EXPECT_EQ(markdown_target("a page.svg"), "<a page.svg>");
    EXPECT_EQ(markdown_target("a<b>(c)\n%.svg"), "<a%3Cb%3E%28c%29%0A%25.svg>");
    EXPECT_EQ(markdown_target("\xe9"), "<%E9>");
    EXPECT_EQ(markdown_target("azAZ09"), "<azAZ09>");
    EXPECT_EQ(markdown_target(",/:@[`{"), "<%2C/%3A%40%5B%60%7B>") << "next to letters and digits";
}

TEST(PlainNumber, HasNoExponent) {
    EXPECT_EQ(plain_number(1234567.8, 3), "1234568");
    EXPECT_EQ(plain_number(1234.5, 6), "1234.5");
    EXPECT_EQ(plain_number(1.2345, 3), "1.23");
    EXPECT_EQ(plain_number(16, 3), "16");
    EXPECT_EQ(plain_number(100, 3), "100") << "its zeros are not behind a point";
    EXPECT_EQ(plain_number(0.00001, 6), "0.00001");
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

TEST(Capitalised, ChangesOnlyTheFirstLetter) {
    EXPECT_EQ(capitalised("no difference"), "No difference");
    EXPECT_EQ(capitalised("zone"), "Zone");
    EXPECT_EQ(capitalised("a level"), "A level");
    EXPECT_EQ(capitalised("L3 is"), "L3 is");
    EXPECT_EQ(capitalised("\xc3\xa4h"), "\xc3\xa4h");
    EXPECT_EQ(capitalised("`{"), "`{");
    EXPECT_EQ(capitalised("{a"), "{a");
    EXPECT_EQ(capitalised(""), "");
}

TEST(LowerCase, ChangesOnlyTheCapitalsOfAscii) {
    EXPECT_EQ(lower_case("A-Z@[Ä1"), "a-z@[Ä1");
}

TEST(Wrapped, FillsEachLineWithWholeWordsAndIndentsAllButTheFirst) {
    EXPECT_EQ(wrapped("", 5, "  "), "");
    EXPECT_EQ(wrapped("ab cd", 5, "  "), "ab cd");
    EXPECT_EQ(wrapped("ab cd", 4, "  "), "ab\n  cd");
    EXPECT_EQ(wrapped("a b c d e", 5, "  "), "a b c\n  d e");
    EXPECT_EQ(wrapped("abcdefgh ij", 5, "  "), "abcdefgh\n  ij") << "a longer word has a line of its own";
}

TEST(Wrapped, BeginsAWholeLineAfterALineEnd) {
    EXPECT_EQ(wrapped("ab\nab cd", 5, "  "), "ab\nab cd");
    EXPECT_EQ(wrapped("ab cd\nab cd e", 5, "  "), "ab cd\nab cd\n  e");
    EXPECT_EQ(wrapped("ab\n\ncd", 5, "  "), "ab\n\ncd");
    EXPECT_EQ(wrapped("ab\n", 5, "  "), "ab\n");
}

} // namespace
} // namespace memtest
