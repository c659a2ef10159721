#include "memtest/kinds/comparison_screen.hpp"

#include "support/program.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

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

TEST(Screen, HasFewerRowsWhereNamesAndNotesAreLong) {
    Screen screen{.verdict = "Cannot tell.", .header = {"Figure", "Base", "New", "Change", "Noise", "Verdict"}};
    for (int i = 0; i < 10; ++i)
        screen.rows.push_back({"latency of the memory in small pages", "100.0 ns", "200.0 ns", "+100.0 %", "5.0 %",
                               fmt::format("row {}", i)});
    const std::string long_one(200, 'x');
    screen.legend = fmt::format("{} {}", long_one, long_one);
    const std::string text = text_of(screen, false, 80);
    EXPECT_LE(std::ranges::count(text, '\n'), 20) << text;
    EXPECT_TRUE(holds(text, "Figure") && holds(text, "row 3") && !holds(text, "row 9")) << text;
    EXPECT_TRUE(holds(text_of(screen, true, 80), "row 9"));
    for (int i = 0; i < 20; ++i)
        screen.legend += " " + long_one;
    EXPECT_TRUE(holds(text_of(screen, false, 80), "row 3")) << "some rows are always shown";
}

TEST(ComparisonTable, StatesTheLimitsOfNoiseWhereSomeFiguresAreTooNoisy) {
    Comparison comparison{.tolerance_percent = 10};
    const auto text_with = [&](Quantity quantity, Why why, double noise_percent = 50) {
        comparison.figures.push_back({.name = "figure",
                                      .quantity = quantity,
                                      .base = 1,
                                      .latest = 1,
                                      .noise_percent = noise_percent,
                                      .why = why});
        return comparison_table(comparison);
    };
    EXPECT_FALSE(holds(text_with(Quantity::p50, Why::within_noise), "Too noisy"));
    EXPECT_FALSE(holds(text_with(Quantity::page_walk, Why::noise, 0), "Too noisy: ")) << "its noise is not known";
    EXPECT_TRUE(holds(text_with(Quantity::level_latency, Why::noise), "Too noisy: noise of more than 20 %."));
    EXPECT_TRUE(holds(text_with(Quantity::p50, Why::noise), "Too noisy: noise of more than 40 % (of a level: 20 %)."));
}

TEST(ComparisonTable, HasNoValuesOfALevelThatOthersContest) {
    FigureChange figure{
        .name = "L2", .quantity = Quantity::level_latency, .base = 4, .latest = 5, .why = Why::contested};
    EXPECT_EQ(cells_of(figure, "L2"), (std::vector<std::string>{"L2", "", "", "", "", "contested"}));
    figure.quantity = Quantity::size_latency;
    EXPECT_EQ(cells_of(figure, "L2").at(1), "4.00 ns");
}

TEST(ComparisonTable, CallsASizeThatChangedNeitherBetterNorWorse) {
    FigureChange figure{.name = "1 MiB",
                        .quantity = Quantity::size_latency,
                        .base = 5,
                        .latest = 4,
                        .change_percent = -20,
                        .verdict = Verdict::better};
    EXPECT_EQ(cells_of(figure, "1 MiB").back(), "only listed") << "of many sizes some change by themselves";
    figure.quantity = Quantity::level_latency;
    EXPECT_EQ(cells_of(figure, "L2").back(), "better");
}

} // namespace
} // namespace memtest
