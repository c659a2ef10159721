#include "memtest/plot/sweep_plot.hpp"

#include "memtest/base/error.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace memtest {
namespace {

StoredSweep sweep_of(const std::string& text, const std::string& name = "sweep.csv") {
    std::istringstream in(text);
    return read_sweep(in, name);
}

const std::string header = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";
const std::string rows = header + "0, 0.00391, 1.000, 3.00\n0, 0.00781, 2.000, 6.00\n";

SizePlot plot_of(const std::vector<StoredSweep>& sweeps, const SweepPlotStyle& style = {}) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < sweeps.size(); ++i)
        labels.push_back(std::string(1, static_cast<char>('a' + i)));
    return plot_sweeps(sweeps, labels, style);
}

std::vector<std::string> names_of(const SizePlot& plot) {
    std::vector<std::string> names;
    for (const PlotCurve& curve : plot.curves)
        names.push_back(curve.name);
    return names;
}

std::string values_of(const PlotCurve& curve) {
    std::ostringstream text;
    for (const PlotPoint& point : curve.points) {
        text << point.at << ':';
        if (point.value)
            text << *point.value;
        text << ' ';
    }
    return text.str();
}

std::string refusal_of(const std::vector<StoredSweep>& sweeps, const SweepPlotStyle& style = {}) {
    try {
        static_cast<void>(plot_of(sweeps, style));
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing refused";
}

using Names = std::vector<std::string>;

TEST(SweepPlot, TakesTheSmallestOfSeveralValuesOfASizeWhateverTheirOrder) {
    for (const char* several : {"0, 1, 3, \n0, 1, 2, \n0, 1, 4, \n", "0, 1, , \n0, 1, 4, \n0, 1, 2, \n0, 1, , \n"})
        EXPECT_EQ(values_of(plot_of({sweep_of(header + several)}).curves.at(0)), "1.04858e+06:2 ") << several;
}

TEST(SweepPlot, CallsAFileByItsNameWithoutFoldersAndEnding) {
    EXPECT_EQ(sweep_label("a/b.c/run.1.csv"), "run.1");
    EXPECT_EQ(sweep_label("run"), "run");
    EXPECT_EQ(sweep_label(".csv"), ".csv");
    EXPECT_EQ(sweep_label("standard input"), "standard input");
}

TEST(SweepPlot, PointsAreInOrderOfSizeAndTheSmallestOfARepeatedSizeCounts) {
    const auto plot = plot_of({sweep_of("0, 0.00781, 3\n0, 0.00391, 1\n0, 0.00781, 2\n")});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:1 8192:2 ");
}

TEST(SweepPlot, AnUnknownLatencyIsAGap) {
    const auto plot = plot_of({sweep_of("0, 0.00391, 1\n0, 0.00781, \n0, 0.01562, 3\n")});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:1 8192: 16384:3 ");
}

TEST(SweepPlot, EachThreadHasACurve) {
    const auto plot = plot_of({sweep_of(rows), sweep_of("0, 0.00391, 1\n7, 0.00391, 2\n")});
    EXPECT_EQ(names_of(plot), (Names{"a", "b, thread 0", "b, thread 7"}));
    EXPECT_EQ(values_of(plot.curves.at(2)), "4096:2 ");
}

TEST(SweepPlot, ManyThreadsOfASweepAreOneEntryOfTheLegend) {
    std::string many;
    for (int thread = 0; thread < 30; ++thread)
        many += std::to_string(thread) + ", 0.00391, 1\n";
    const auto names = names_of(plot_of({sweep_of(rows), sweep_of(many)}));
    ASSERT_EQ(names.size(), 31U);
    EXPECT_EQ(names[0], "a");
    EXPECT_EQ(names[1], "b, 30 threads");
    EXPECT_EQ(names[2], "");
    EXPECT_EQ(names[30], "");
}

TEST(SweepPlot, WhatAllSweepsSayIsUnderTheTitleAndWhatDiffersIsInTheLegend) {
    const std::string common = "# order: random\n# link: pointer\n# line: 64\n# parallel: 4\n# cpu: EPYC\n";
    const auto plot = plot_of({sweep_of(common + "# pages got: 4 KiB\n" + rows, "x.csv"),
                               sweep_of(common + "# pages got: 2 MiB\n" + rows, "y.csv")});
    EXPECT_EQ(plot.subtitle, "random, 4 parallel chains, EPYC") << "and what goes without saying is not told";
    EXPECT_EQ(names_of(plot), (Names{"a, pages 4 KiB", "b, pages 2 MiB"}));
}

TEST(SweepPlot, AFileWithoutADescriptionIsNamedLikeOneWithIt) {
    const auto described = sweep_of("# order: random\n# stride: 512\n" + rows);
    const auto plot = plot_of({described, sweep_of(rows)});
    EXPECT_EQ(names_of(plot), (Names{"a", "b"})) << "what is not known is no difference";
    EXPECT_EQ(plot.subtitle, "") << "and not said of both";
    EXPECT_EQ(names_of(plot_of({described})), Names{"a"});
    EXPECT_EQ(names_of(plot_of({sweep_of(rows)})), Names{"a"});
}

TEST(SweepPlot, CyclesAreThoseOfTheColumn) {
    const auto plot = plot_of({sweep_of(rows)}, {.cycles = true});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:3 8192:6 ");
    EXPECT_EQ(plot.quantity, "latency (core cycles)");
    EXPECT_EQ(refusal_of({sweep_of("0, 0.00391, 1\n")}, {.cycles = true}),
              "sweep.csv has no latency in cycles; measure with --cycles");
}

TEST(SweepPlot, ARatioIsTheTimeOfTheFirstOverThatOfEachAtTheSizesThatItHas) {
    const auto plot = plot_of({sweep_of(rows), sweep_of("0, 0.00781, 1\n0, 0.01562, 1\n")}, {.ratio = true});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:1 8192:1 ");
    EXPECT_EQ(values_of(plot.curves.at(1)), "8192:2 ");
    EXPECT_EQ(plot.title, "Speed relative to a");
}

TEST(SweepPlot, ARatioIsAgainstTheSameThreadElseTheFirst) {
    const auto plot = plot_of({sweep_of("0, 0.00391, 1\n1, 0.00391, 4\n"), sweep_of("1, 0.00391, 2\n2, 0.00391, 2\n")},
                              {.ratio = true});
    EXPECT_EQ(values_of(plot.curves.at(2)), "4096:2 ");
    EXPECT_EQ(values_of(plot.curves.at(3)), "4096:0.5 ");
}

TEST(SweepPlot, ARatioWithoutASizeInCommonIsRefused) {
    EXPECT_TRUE(refusal_of({sweep_of(rows), sweep_of("0, 1.00000, 1\n", "other.csv")}, {.ratio = true})
                    .starts_with("other.csv shares no size with the first sweep; "));
}

TEST(SweepPlot, LevelsAreThoseOfTheFirstSweep) {
    std::string text = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";
    for (double mib = 1.0 / 2048; mib <= 64; mib *= 2)
        text += "0, " + std::to_string(mib) + (mib > 0.04 ? ", 50, 100\n" : ", 1, 2\n");
    const auto flat = sweep_of(rows);
    const auto plot = plot_of({sweep_of(text), flat}, {.levels = true});
    ASSERT_EQ(plot.levels.size(), 2U);
    ASSERT_EQ(plot.levels[0].words.size(), 3U);
    EXPECT_EQ(plot.levels[0].words[0], "L1");
    EXPECT_TRUE(plot.levels[0].words[1].ends_with(" KiB")) << plot.levels[0].words[1];
    EXPECT_EQ(plot.levels[0].words[2], "1 ns");
    EXPECT_NEAR(plot.levels[0].ends_at_bytes, 48 * 1024, 16 * 1024);
    EXPECT_TRUE(plot.levels[0].has_line);
    EXPECT_EQ(plot.levels[1].words, (Names{"memory", "50 ns"}));
    EXPECT_FALSE(plot.levels[1].has_line);
    EXPECT_TRUE(plot_of({flat, sweep_of(text)}, {.levels = true}).levels.empty());
    EXPECT_TRUE(plot_of({sweep_of(text)}).levels.empty());
    EXPECT_EQ(plot_of({sweep_of(text)}, {.cycles = true, .levels = true}).levels.at(1).words.at(1), "100 cycles");
}

TEST(SweepPlot, ATitleReplacesTheUsualOne) {
    EXPECT_EQ(plot_of({sweep_of(rows)}).title, "Memory access latency");
    EXPECT_EQ(plot_of({sweep_of(rows)}, {.title = "mine"}).title, "mine");
}

TEST(SweepPlot, ASweepWithoutAnyLatencyIsRefused) {
    EXPECT_EQ(refusal_of({sweep_of("0, 0.00391, \n")}), "sweep.csv has no latency of any size");
}

} // namespace
} // namespace memtest
