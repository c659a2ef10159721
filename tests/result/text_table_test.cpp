#include "memtest/result/text_table.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

const TextTable table{.rows = {{"Name", "n"}, {"a", "12"}, {"bcdef", ""}}, .right = "lr"};

TEST(TextTable, AlignsWordsToTheLeftAndNumbersToTheRight) {
    EXPECT_EQ(aligned_text(table), "Name    n\na      12\nbcdef\n");
}

TEST(TextTable, HasAnEmptyLineForAnEmptyRow) {
    EXPECT_EQ(aligned_text({.rows = {{"a", "b"}, {}, {"cc", "d"}}, .right = "ll"}), "a   b\n\ncc  d\n");
}

TEST(TextTable, InMarkdownHasTheSameCellsBelowARule) {
    EXPECT_EQ(markdown_table(table), "| Name  |   n |\n"
                                     "| ----- | --: |\n"
                                     "| a     |  12 |\n"
                                     "| bcdef |     |\n");
}

TEST(TextTable, BreaksItsNamesWhereItIsWiderThanATerminal) {
    const auto rows_in = [](std::size_t columns) {
        TextTable wide{.rows = {{"a name of many words", "new"}, {}, {"b", ""}}, .right = "ll"};
        fit_names(wide, columns);
        return wide.rows.size();
    };
    EXPECT_EQ(rows_in(25), 3U) << "it is as wide";
    EXPECT_EQ(rows_in(24), 4U);
    EXPECT_EQ(rows_in(17), 4U) << "names of 12 characters";
    EXPECT_EQ(rows_in(16), 3U) << "of fewer, each word would take a line";
}

TEST(TextTable, IsEmptyWithoutRows) {
    EXPECT_EQ(aligned_text({}), "");
    EXPECT_EQ(markdown_table({.rows = {{"Name", "n"}}, .right = "lr"}), "");
}

TEST(TextTable, KeepsALineInColumnsThatAreKnownBeforeItsCells) {
    const std::vector<std::string> cells{"a", "1", "word"};
    const std::vector<std::size_t> widths{3, 4, 8};
    EXPECT_EQ(aligned_line(cells, "lrl", widths), "a       1  word\n");
}

} // namespace
} // namespace memtest
