#include "memtest/plot/curve_plot.hpp"
#include "support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// One curve from 512 B to 64 MiB, from 1 to 90 ns.
SizePlot plot_of_one() {
    return {.title = "title",
            .quantity = "latency (ns)",
            .unit = "ns",
            .curves = {{.name = "one", .points = {{512, 1.0}, {65536, 4.5}, {67108864, 90.0}}}}};
}

/// The line of a program that starts with a text; empty where there is none.
std::string line_with(const std::string& program, const std::string& start) {
    const auto at = program.find("\n" + start);
    return at == std::string::npos ? "" : program.substr(at + 1, program.find('\n', at + 1) - at - 1);
}

TEST(GnuplotString, LeavesPlainTextAsItIs) {
    EXPECT_EQ(gnuplot_string("random, pages 4 KiB (57 %)", 100), "\"random, pages 4 KiB (57 %)\"");
    EXPECT_EQ(gnuplot_string("", 100), "\"\"");
    EXPECT_EQ(gnuplot_string("'90s", 100), "\"'90s\"");
    EXPECT_EQ(gnuplot_string("größe ☃ \xF0\x9F\x90\x8C", 100), "\"größe ☃ \xF0\x9F\x90\x8C\"");
}

TEST(GnuplotString, HoldsNoCharacterThatEndsItOrStartsACommand) {
    EXPECT_EQ(gnuplot_string("a\"; system 'x'", 100), "\"a\\042; system 'x'\"");
    EXPECT_EQ(gnuplot_string("\\", 100), "\"\\134\"");
    EXPECT_EQ(gnuplot_string("`touch x`", 100), "\"\\140touch x\\140\"");
    EXPECT_EQ(gnuplot_string("@macro", 100), "\"\\100macro\"");
}

TEST(GnuplotString, IsOneLineWithoutControlCharacters) {
    EXPECT_EQ(gnuplot_string("a\nb\r\tc\x1b[31m", 100), "\"a b  c [31m\"");
    EXPECT_EQ(gnuplot_string("a\x7f", 100), "\"a?\"");
    EXPECT_EQ(gnuplot_string(std::string("a\0b", 3), 100), "\"a b\"");
    EXPECT_EQ(gnuplot_string("\xC2\x9B", 100), "\"??\"") << "a terminal takes it for the start of an escape sequence";
}

TEST(GnuplotString, IsUtf8WhateverItIsMadeOf) {
    EXPECT_EQ(gnuplot_string("\x80", 100), "\"?\"");
    EXPECT_EQ(gnuplot_string("caf\xE9", 100), "\"caf?\"") << "cut off";
    EXPECT_EQ(gnuplot_string("\xE9t\xE9", 100), "\"?t?\"") << "Latin-1";
    EXPECT_EQ(gnuplot_string("\xC0\xAF", 100), "\"??\"") << "longer than it needs to be";
    EXPECT_EQ(gnuplot_string("\xED\xA0\x80", 100), "\"???\"") << "a surrogate";
    EXPECT_EQ(gnuplot_string("\xF4\x90\x80\x80", 100), "\"????\"") << "beyond the last";
    EXPECT_EQ(gnuplot_string("\xEF\xBF\xBF", 100), "\"???\"") << "no character, which no SVG may hold";
}

TEST(GnuplotString, IsCutOffBetweenCharacters) {
    EXPECT_EQ(gnuplot_string("abcde", 5), "\"abcde\"");
    EXPECT_EQ(gnuplot_string("äöüß", 3), "\"äöü...\"");
}

TEST(GnuplotProgram, ChoosesTheTerminalOfTheImage) {
    EXPECT_TRUE(image_program(plot_of_one(), Image::png).starts_with("set terminal pngcairo "));
    EXPECT_TRUE(image_program(plot_of_one(), Image::svg).starts_with("set terminal svg "));
    EXPECT_TRUE(image_program(plot_of_one(), Image::pdf).starts_with("set terminal pdfcairo "));
    EXPECT_TRUE(
        text_program(plot_of_one(), {.columns = 90, .lines = 20}).starts_with("set terminal dumb size 90,20\n"));
}

TEST(GnuplotProgram, WithoutAnImageLeavesTheTerminalToGnuplotWhereThatHasOne) {
    EXPECT_TRUE(image_program(plot_of_one(), std::nullopt)
                    .starts_with("if (GPVAL_TERM eq \"unknown\") set terminal pngcairo "));
}

TEST(GnuplotProgram, HoldsTheDataAndBreaksTheCurveWhereAValueIsNotKnown) {
    SizePlot plot = plot_of_one();
    plot.curves[0].points[1].value = std::nullopt;
    const std::string program = image_program(plot, Image::png);
    EXPECT_TRUE(holds(program, "\n$curve1 << END\n512 1\n\n67108864 90\nEND\n")) << program;
    EXPECT_TRUE(
        line_with(program, "plot ").starts_with("plot $curve1 using 1:2 with linespoints title \"one\" noenhanced "))
        << program;
}

TEST(GnuplotProgram, NamesSizesInPowersOfTwoFromTheFirstToTheLast) {
    const std::string sizes = line_with(image_program(plot_of_one(), Image::png), "set xtics (");
    EXPECT_TRUE(sizes.starts_with("set xtics (\"\" 512 1, \"1 KiB\" 1024 0, \"\" 2048 1, \"4 KiB\" 4096 0, ")) << sizes;
    EXPECT_TRUE(sizes.ends_with(", \"64 MiB\" 67108864 0)")) << sizes;
    EXPECT_TRUE(holds(image_program(plot_of_one(), Image::png), "\nset logscale x 2\n"));
}

TEST(GnuplotProgram, HasALineOfTitleForEachThatThereIs) {
    SizePlot plot = plot_of_one();
    EXPECT_EQ(line_with(image_program(plot, Image::png), "set title"), "set title \"title\" noenhanced font \",13\"");
    plot.subtitle = "below";
    EXPECT_EQ(line_with(image_program(plot, Image::png), "set title"),
              R"(set title "title"."\n"."below" noenhanced font ",13")");
}

TEST(GnuplotProgram, HasRoomAroundASingleSize) {
    SizePlot plot = plot_of_one();
    plot.curves[0].points = {{512, 1.6}};
    const std::string program = image_program(plot, Image::png);
    EXPECT_EQ(line_with(program, "set xtics"), "set xtics (\"256 B\" 256 0, \"512 B\" 512 0, \"1 KiB\" 1024 0)");
    EXPECT_EQ(line_with(program, "set yrange"), "set yrange [1.45455:1.76]");
    EXPECT_EQ(line_with(program, "set ytics"), "set ytics (1.5, 1.6, 1.7)");
}

TEST(GnuplotProgram, HasFewTicksWhateverTheRange) {
    EXPECT_EQ(line_with(image_program(plot_of_one(), Image::png), "set ytics"), "set ytics (1, 2, 5, 10, 20, 50)");
    SizePlot plot = plot_of_one();
    plot.curves[0].points = {{1, 1e-18}, {18446744073709551616.0, 1e18}};
    const std::string program = image_program(plot, Image::png);
    const std::string values = line_with(program, "set ytics");
    EXPECT_LT(std::ranges::count(values, ','), 12) << values;
    EXPECT_GT(std::ranges::count(values, ','), 4) << values;
    EXPECT_LT(std::ranges::count(line_with(program, "set xtics"), 'B'), 12);
}

TEST(GnuplotProgram, DrawsALineDownFromEachLevelThatEnds) {
    SizePlot plot = plot_of_one();
    EXPECT_FALSE(holds(image_program(plot, Image::png), "set arrow"));
    const std::string range = line_with(image_program(plot, Image::png), "set yrange");
    plot.levels = {{.words = {"L1", "48 KiB"}, .ends_at_bytes = 49152},
                   {.words = {"memory"}, .ends_at_bytes = 67108864, .has_line = false}};
    const std::string program = image_program(plot, Image::png);
    EXPECT_TRUE(line_with(program, "set arrow").starts_with("set arrow from first 49152, graph 0 to first 49152, "));
    EXPECT_FALSE(holds(program, "set arrow from first 6.71089e+07"));
    EXPECT_TRUE(line_with(program, "set label").starts_with("set label \"L1\".\"\\n\".\"48 KiB\" at first 49152, "))
        << program;
    EXPECT_TRUE(holds(program, "\nset label \"memory\" at first 6.71089e+07, ")) << program;
    EXPECT_NE(line_with(program, "set yrange"), range) << "there is room for the words above the curves";
}

/// The dashes, the colour and the shape of a curve, by its number from 1 on.
std::string look_of(const std::string& program, std::size_t curve) {
    const std::string start = program.substr(program.rfind("$curve" + std::to_string(curve) + " using"));
    const std::string line = start.substr(0, start.find('\n'));
    return line.substr(line.find(" dashtype"), line.find(" linewidth") - line.find(" dashtype"));
}

TEST(GnuplotProgram, CurvesLookDifferentButForThoseWithoutAName) {
    SizePlot plot = plot_of_one();
    for (const char* name : {"two", "", "three"})
        plot.curves.push_back({.name = name, .points = {{512, 2.0}}});
    const std::string program = image_program(plot, Image::png);
    EXPECT_NE(look_of(program, 1), look_of(program, 2));
    EXPECT_EQ(look_of(program, 2), look_of(program, 3));
    EXPECT_NE(look_of(program, 3), look_of(program, 4));
    EXPECT_TRUE(holds(program, "$curve3 using 1:2 with linespoints notitle dashtype")) << program;
}

TEST(GnuplotProgram, ColoursShapesAndDashesTellManyCurvesApart) {
    constexpr std::size_t many = 7 * 5 * 4;
    SizePlot plot = plot_of_one();
    plot.curves.resize(many, plot.curves.front());
    const std::string program = image_program(plot, Image::png);
    std::set<std::string> looks;
    for (std::size_t curve = 1; curve <= many; ++curve)
        looks.insert(look_of(program, curve));
    EXPECT_EQ(looks.size(), many);
}

TEST(GnuplotProgram, InCharactersHasTheUnitBesideTheNumbers) {
    const std::string program = text_program(plot_of_one(), {});
    EXPECT_EQ(line_with(program, "set format y"), "set format y \"%g ns\"");
    EXPECT_FALSE(holds(program, "set ylabel"));
    EXPECT_FALSE(holds(program, "set grid"));
    EXPECT_EQ(line_with(image_program(plot_of_one(), Image::png), "set ylabel"), "set ylabel \"latency (ns)\"");
}

} // namespace
} // namespace memtest
