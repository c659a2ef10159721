#include "memtest/kinds/comparison_screen.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

TEST(Screen, HasAtMostTwentyLinesUnlessAllIsAsked) {
    Screen screen{
        .verdict = "Worse: this.", .header = {"Figure", "Base", "New", "Change", "Noise", "Verdict"}, .left_out = 3};
    for (int i = 0; i < 30; ++i) {
        screen.rows.push_back({"row" + std::to_string(i), "1 ns", "2 ns", "+100.0 %", "5.0 %", "worse"});
        screen.notes.push_back({Code::machines_unread, {{"names", List{"machine" + std::to_string(i)}}}});
    }
    const std::string text = text_of(screen, false, 80);
    EXPECT_LE(std::ranges::count(text, '\n'), 20) << text;
    EXPECT_NE(text.find("--all prints 23 rows more and 28 notes more."), std::string::npos) << text;
    EXPECT_NE(text.find("row9 "), std::string::npos);
    EXPECT_EQ(text.find("row10 "), std::string::npos);
    const std::string all = text_of(screen, true, 80);
    for (const char* const last : {"row29 ", "machine29", "Worse: this.\n"})
        EXPECT_NE(all.find(last), std::string::npos) << last;
    EXPECT_EQ(text_of({.verdict = "No difference: none.", .header = screen.header}, true, 80),
              "No difference: none.\n");
}

} // namespace
} // namespace memtest
