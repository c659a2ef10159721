#include "memtest/show/curve_plot.hpp"
#include "support/program.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <tuple>

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

TEST(GnuplotString, IsEscapedAndShortened) {
    EXPECT_EQ(gnuplot_string("a\nb\x1b[31m", 100), "\"a\\134nb\\134x1b[31m\"");
    EXPECT_EQ(gnuplot_string("\x9b", 100), "\"\\134x9b\"");
    EXPECT_EQ(gnuplot_string("abcde", 5), "\"abcde\"");
    EXPECT_EQ(gnuplot_string("äöüß", 3), "\"äöü...\"");
}

TEST(GnuplotProgram, BeginsWithTheTerminalAndTheSizeOfTheImage) {
    for (const auto& [image, start] : {std::pair(Image::png, "reset\nset terminal pngcairo size 1000,600 "),
                                       {Image::svg, "reset\nset terminal svg size 1000,600 "},
                                       {Image::pdf, "reset\nset terminal pdfcairo size 1000/72.0,600/72.0 "}})
        EXPECT_TRUE(image_program(plot_of_one(), image).starts_with(start)) << image_program(plot_of_one(), image);
}

TEST(GnuplotProgram, InCharactersHasItsFirstPointOffTheAxis) {
    SizePlot plot = plot_of_one();
    plot.across = "bandwidth";
    plot.curves[0].points = {{0, 1.0}, {44, 2.0}};
    EXPECT_EQ(line_with(text_program(plot, {.columns = 80, .lines = 24}), "set xrange"), "set xrange [-1:45]")
        << "a character and a half of 66";
    plot.across.clear();
    plot.curves[0].points = {{1024, 1.0}};
    EXPECT_EQ(line_with(text_program(plot, {.columns = 80, .lines = 24}), "set xrange"),
              "set xrange [503.997:2080.52]");
}

TEST(GnuplotProgram, HasATitleThatFits) {
    SizePlot plot = plot_of_one();
    plot.title = std::string(200, 't');
    const auto length = [](const std::string& program) {
        const std::string line = line_with(program, "set title");
        return line.rfind('"', line.find(" noenhanced")) - line.find('"') - 1;
    };
    EXPECT_EQ(length(image_program(plot, Image::svg)), 110U + 3);
    EXPECT_EQ(length(text_program(plot, {.columns = 80, .lines = 24})), 66U + 3) << "and three points";
    plot.quantity = plot.across = plot.curves[0].name = plot.title;
    plot.levels = {{.words = {plot.title, plot.title}, .ends_at_bytes = 49152}};
    const std::string program = image_program(plot, Image::svg);
    const auto xs = [&](const std::string& start) {
        const std::size_t begin = program.find('t', program.find(start) + start.size());
        return program.find_first_not_of('t', begin) - begin;
    };
    EXPECT_EQ(xs("set ylabel \""), 60U);
    EXPECT_EQ(xs("set xlabel \""), 60U);
    EXPECT_EQ(xs("linespoints title \""), 64U);
    EXPECT_EQ(xs("set label \""), 40U);
    plot.unit = plot.title;
    const std::string tick = line_with(text_program(plot, {.columns = 80, .lines = 24}), "set ytics");
    EXPECT_EQ(tick.find('"', tick.find('"') + 1) - tick.find('"') - 1, 40U + 3);
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

TEST(GnuplotProgram, HasRoomAroundASingleSize) {
    SizePlot plot = plot_of_one();
    plot.curves[0].points = {{512, 1.6}};
    const std::string program = image_program(plot, Image::png);
    EXPECT_EQ(line_with(program, "set xtics"), "set xtics (\"256 B\" 256 0, \"512 B\" 512 0, \"1 KiB\" 1024 0)");
    EXPECT_EQ(line_with(program, "set yrange"), "set yrange [1.45455:1.76]");
    plot.curves[0].points = {{1024, 1.6}, {1536, 1.6}};
    EXPECT_EQ(line_with(image_program(plot, Image::png), "set xrange"), "set xrange [955.426:1646.24]");
    plot.curves[0].points = {{512, 1.6}};
    EXPECT_EQ(line_with(program, "set ytics"), R"(set ytics ("1.5" 1.5, "1.6" 1.6, "1.7" 1.7))");
    plot.curves[0].points = {{512, 100}, {1024, 200}};
    EXPECT_EQ(line_with(image_program(plot, Image::png), "set ytics"),
              R"(set ytics ("100" 100, "150" 150, "200" 200))");
}

TEST(GnuplotProgram, HasFewTicksWhateverTheRange) {
    EXPECT_EQ(line_with(image_program(plot_of_one(), Image::png), "set ytics"),
              R"(set ytics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50))");
    SizePlot plot = plot_of_one();
    plot.curves[0].points = {{1, 1e-18}, {18446744073709551616.0, 1e18}};
    const std::string program = image_program(plot, Image::png);
    const std::string values = line_with(program, "set ytics");
    EXPECT_LT(std::ranges::count(values, ','), 12) << values;
    EXPECT_GT(std::ranges::count(values, ','), 4) << values;
    EXPECT_LT(std::ranges::count(line_with(program, "set xtics"), 'B'), 12);
}

/// Where the ticks of the vertical axis are.
std::string values_of_ticks(const std::string& program) {
    const std::string line = line_with(program, "set ytics");
    std::string values;
    for (std::size_t at = 0; (at = line.find("\" ", at)) != std::string::npos; ++at)
        values += (values.empty() ? "" : " ") + line.substr(at + 2, line.find_first_of(",)", at) - at - 2);
    return values;
}

TEST(GnuplotProgram, HasEvenTicksInANarrowRangeRoundOnesInAWideOneAndPowersOfTenBeyond) {
    struct Case {
        double low;
        double high;
        const char* ticks;
    };
    for (const Case& c :
         std::initializer_list<Case>{{1, 1.01, "1 1.1"},
                                     {3, 3.4, "3 3.5"},
                                     {7, 14, "8 10 12 14"},
                                     {14, 25, "15 20 25"},
                                     {7, 15, "8 10 15"},
                                     {1, 2.2, "1 1.5 2"},
                                     {1.5, 10, "1.5 2 3 4 5 6 8 10"},
                                     {1, 8, "1 2 5"},
                                     {1, 4000, "1 3 10 30 100 300 1000 3000"},
                                     {1, 1e8, "1 10 100 1000 10000 100000 1e+06 1e+07 1e+08"},
                                     {0.002, 1e15, "0.1 10 1000 100000 1e+07 1e+09 1e+11 1e+13 1e+15"}}) {
        SizePlot plot = plot_of_one();
        plot.curves[0].points = {{512, c.low}, {1024, c.high}};
        EXPECT_EQ(values_of_ticks(image_program(plot, Image::svg)), c.ticks) << c.low << " to " << c.high;
    }
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

TEST(GnuplotProgram, EveryRoundOfColoursHasAnotherFilledShapeAndOtherDashes) {
    SizePlot plot = plot_of_one();
    plot.curves.resize(36, plot.curves.front());
    const std::string program = image_program(plot, Image::png);
    for (const auto& [curve, dashes, shape] :
         {std::tuple(1, 1, 7), {7, 1, 7}, {8, 2, 5}, {15, 3, 9}, {22, 4, 13}, {29, 1, 11}, {36, 2, 7}}) {
        const std::string look = look_of(program, static_cast<std::size_t>(curve));
        EXPECT_TRUE(look.starts_with(fmt::format(" dashtype {} ", dashes))) << curve << look;
        EXPECT_TRUE(look.ends_with(fmt::format(" pointtype {}", shape))) << curve << look;
    }
}

TEST(GnuplotProgram, OfMoreThan80PointsHasSmallOnes) {
    for (const auto& [points, size] : {std::pair<std::size_t, const char*>(80, " linewidth 1.8 pointsize 0.5\n"),
                                       {81, " linewidth 1.2 pointsize 0.1\n"}}) {
        SizePlot plot = plot_of_one();
        plot.curves[0].points.resize(points, {1024, 2.0});
        EXPECT_TRUE(image_program(plot, Image::svg).ends_with(size)) << points;
    }
}

TEST(GnuplotProgram, NamesEachTickOnceAndWithoutAnExponent) {
    for (double high = 1.02; high < 1e9; high *= 1.07) {
        SizePlot plot = plot_of_one();
        plot.curves[0].points = {{512, 1000}, {1024, 1000 * high}};
        for (const std::string& program : {image_program(plot, Image::png), text_program(plot, {80, 20})}) {
            const std::string line = line_with(program, "set ytics");
            std::set<std::string> labels;
            std::size_t count = 0;
            for (std::size_t at = 0; (at = line.find('"', at)) != std::string::npos; ++count) {
                const std::size_t end = line.find('"', at + 1);
                labels.insert(line.substr(at + 1, end - at - 1));
                EXPECT_FALSE(holds(*labels.rbegin(), "e+")) << line;
                at = end + 1;
            }
            EXPECT_EQ(labels.size(), count) << line;
            EXPECT_GT(count, 0U) << line;
            EXPECT_LE(count, 16U) << line;
        }
    }
}

/// The height at which something of a label or an arrow begins.
double height_of(const std::string& program, const std::string& start, const std::string& before) {
    const std::string line = line_with(program, start);
    const auto at = line.find("graph ", line.find(before));
    return at == std::string::npos ? -1 : std::stod(line.substr(at + 6));
}

TEST(GnuplotProgram, WordsOfCloseLevelsStandAboveTheLineThatTheyWouldCover) {
    SizePlot plot = plot_of_one();
    const auto with_second_level_at = [&](double bytes) {
        plot.levels = {{.words = {"L1", "48 KiB"}, .ends_at_bytes = 49152},
                       {.words = {"L2", "1.25 MiB"}, .ends_at_bytes = bytes}};
        return image_program(plot, Image::png);
    };
    const std::string apart = with_second_level_at(1310720);
    EXPECT_EQ(height_of(apart, "set label \"L1\"", "first"), 1);
    EXPECT_EQ(height_of(apart, "set label \"L2\"", "first"), 1);
    const std::string close = with_second_level_at(98304);
    EXPECT_LT(height_of(close, "set label \"L1\"", "first"), 0.9);
    EXPECT_EQ(height_of(close, "set label \"L2\"", "first"), 1);
    EXPECT_LT(height_of(close, "set arrow from first 49152", "to first"), 0.9) << "the line begins below, too";
    const std::string in_characters = text_program(plot, {.columns = 80, .lines = 24});
    EXPECT_NEAR(height_of(in_characters, "set label \"L1\"", "first"), 1 - 1.0 / 18, 1e-5);
    EXPECT_NEAR(height_of(close, "set label \"L1\"", "first"), 1 - 60.0 / 440, 1e-5);
    // Ten characters of 7 of the 880 pixels for 17.2 doublings; in characters the name alone, 4 of 66 for 17.8.
    for (const auto& [doublings, covers] : {std::pair(1.36, true), {1.38, false}})
        EXPECT_EQ(height_of(with_second_level_at(49152 * std::exp2(doublings)), "set label \"L1\"", "first") < 1,
                  covers)
            << doublings;
    for (const auto& [doublings, covers] : {std::pair(1.07, true), {1.09, false}}) {
        static_cast<void>(with_second_level_at(49152 * std::exp2(doublings)));
        const std::string text = text_program(plot, {.columns = 80, .lines = 24});
        EXPECT_EQ(height_of(text, "set label \"L1\"", "first") < 1, covers) << doublings;
    }
}

TEST(GnuplotProgram, DrawsTheRangeOfContestedSizes) {
    SizePlot plot = plot_of_one();
    EXPECT_FALSE(holds(image_program(plot, Image::png), "filledcurves"));
    plot.curves[0].points[1].low = 2;
    plot.curves[0].points[1].high = 900;
    const std::string program = image_program(plot, Image::png);
    EXPECT_TRUE(holds(program, "\n512 1 1 1\n65536 4.5 2 900\n67108864 90 90 90\n")) << program;
    EXPECT_TRUE(holds(program, "plot $curve1 using 1:3:4 with filledcurves ")) << program;
    EXPECT_TRUE(holds(line_with(program, "set ytics"), "\"500\" 500")) << "the range has room";
    plot.curves.push_back(plot.curves[0]);
    const std::string both = image_program(plot, Image::png);
    EXPECT_EQ(both.find("title \"contested"), both.rfind("title \"contested")) << "the legend says it once";
    EXPECT_TRUE(holds(both, "$curve2 using 1:3:4 with filledcurves ")) << both;
    const std::string text = text_program(plot, {});
    EXPECT_TRUE(holds(text, ":3:4 with yerrorbars ")) << text;
    EXPECT_TRUE(holds(text_legend(plot, 80).back(), "contested")) << text_legend(plot, 80).back();
    plot.curves[0].points[0].value = std::nullopt;
    EXPECT_TRUE(holds(image_program(plot, Image::png), "$curve1 << END\n\n65536 4.5 2 900\n")) << "a gap stays one";
}

TEST(GnuplotProgram, DrawsNoRangeOfWhichOneEndIsKnown) {
    SizePlot plot = plot_of_one();
    plot.curves[0].points[0].low = plot.curves[0].points[1].high = 9;
    EXPECT_FALSE(holds(image_program(plot, Image::png), "filledcurves"));
    EXPECT_EQ(text_legend(plot, 80).size(), 1U);
    plot.curves[0].points[1].low = 2;
    plot.curves[0].points[1].at_low = plot.curves[0].points[2].at_high = 70000;
    EXPECT_TRUE(holds(image_program(plot, Image::png), "filledcurves"));
    EXPECT_FALSE(holds(image_program(plot, Image::png), "xyerrorbars"));
}

TEST(GnuplotProgram, DrawsBarsWhereAnyPointHasARangeAcross) {
    SizePlot plot = plot_of_one();
    plot.across = "bandwidth";
    PlotPoint& point = plot.curves[0].points[1];
    point.low = 2;
    point.high = 9;
    point.at_low = 60000;
    point.at_high = 70000;
    const std::string program = image_program(plot, Image::png);
    EXPECT_TRUE(holds(program, "\n512 1 1 1 512 512\n65536 4.5 2 9 60000 70000\n")) << program;
    EXPECT_TRUE(
        holds(program, "plot $curve1 using 1:2:5:6:3:4 with xyerrorbars pointsize 0 linewidth 1 linecolor rgb \"#"))
        << program;
    const std::string text = text_program(plot, {});
    EXPECT_FALSE(holds(text, "xyerrorbars")) << "in characters they would hide each other";
    EXPECT_TRUE(holds(text, ":3:4 with yerrorbars ")) << text;
    EXPECT_EQ(text_legend(plot, 80).size(), 2U) << "the curve, and what its bars show";
}

TEST(TextLegend, HasALetterForEachNamedCurveAndTheWordsOfEachLevel) {
    SizePlot plot = plot_of_one();
    for (const char* name : {"", "two"})
        plot.curves.push_back({.name = name, .points = {{512, 2.0}}});
    plot.levels = {{.words = {"L1", "48 KiB", "1.25 ns"}, .ends_at_bytes = 49152},
                   {.words = {"memory", "90 ns?"}, .ends_at_bytes = 67108864, .has_line = false}};
    plot.levels_of = "one";
    EXPECT_EQ(text_legend(plot, 80),
              (std::vector<std::string>{"  A *  one", "  B #  two", "  Levels of one (?: uncertain)",
                                        "  L1      48 KiB, 1.25 ns", "  memory  90 ns?"}));
    plot.levels_of = std::string(100, 'x');
    EXPECT_TRUE(holds(image_program(plot, Image::svg), " (?: uncertain)\""));
    const std::string program = text_program(plot, {});
    EXPECT_TRUE(holds(program, "$curve1 using 1:2 with linespoints linetype 1 pointtype 1")) << program;
    EXPECT_TRUE(holds(program, "$curve2 using 1:2 with linespoints linetype 1 pointtype 1")) << program;
    EXPECT_TRUE(holds(program, "$curve3 using 1:2 with linespoints linetype 2 pointtype 2")) << program;
}

TEST(TextLegend, BeginsWithTheFirstLetterAgainWhereTheAlphabetEnds) {
    SizePlot plot = plot_of_one();
    plot.curves.resize(28, plot.curves.front());
    const std::vector<std::string> lines = text_legend(plot, 80);
    EXPECT_EQ(lines.at(25), "  Z @  one");
    EXPECT_EQ(lines.at(26), "  A &  one");
    EXPECT_EQ(lines.at(27), "  B =  one");
    for (PlotCurve& curve : plot.curves)
        curve.points[1].low = curve.points[1].high = 5;
    const std::string program = text_program(plot, {});
    EXPECT_TRUE(holds(program, "$curve26 using 1:2 with linespoints linetype 5 pointtype 26,")) << program;
    EXPECT_TRUE(holds(program, "$curve27 using 1:2 with linespoints linetype 6 pointtype 1,")) << program;
    EXPECT_TRUE(holds(program, "$curve28 using 1:($4 > $3 ? $2 : NaN):3:4 with yerrorbars linetype 7 pointtype 2 "))
        << program;
}

TEST(TextLegend, IsNoWiderThanTheTerminalAndCommandsItNothing) {
    SizePlot plot = plot_of_one();
    plot.curves[0].name = "a\n\x1b[2J" + std::string(200, 'x');
    const auto lines = text_legend(plot, 40);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_LE(lines[0].size(), 40U);
    EXPECT_TRUE(lines[0].starts_with("  A *  a\\n\\x1b[2Jxxx")) << lines[0];
}

TEST(GnuplotProgram, LeavesOutOfItsAxesWhatALogarithmCannotShow) {
    const std::string plain = image_program(plot_of_one(), Image::svg);
    for (const double number : {0.0, -1.0, 5e-324, 0.9e-30, 1.1e30, 1.7e308}) {
        SizePlot plot = plot_of_one();
        plot.curves.front().points.push_back({.at = number, .value = number, .low = number, .high = number});
        const std::string program = image_program(plot, Image::svg);
        for (const char* const axis : {"set xrange", "set yrange", "set xtics", "set ytics"})
            EXPECT_EQ(line_with(program, axis), line_with(plain, axis)) << number;
        plot.curves.front().points = {{.at = number, .value = number}};
        EXPECT_FALSE(line_with(image_program(plot, Image::svg), "set yrange").empty()) << number;
        plot.across = "bandwidth";
        EXPECT_FALSE(line_with(image_program(plot, Image::svg), "set yrange").empty()) << number;
        plot.across_is_logarithmic = true;
        EXPECT_EQ(line_with(image_program(plot, Image::svg), "set yrange"), "set yrange [0.909091:1.1]") << number;
    }
    SizePlot plot = plot_of_one();
    plot.across = "time";
    plot.across_is_logarithmic = true;
    plot.curves.front().points = {{1e-30, 1}, {1e30, 1}};
    EXPECT_EQ(line_with(image_program(plot, Image::svg), "set xrange"), "set xrange [9.09091e-31:1.1e+30]");
}

} // namespace
} // namespace memtest
