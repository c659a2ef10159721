// What the kinds of results look like.

#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/show/curve_plot.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <sstream>
#include <variant>

namespace memtest {
namespace {

const std::string header = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";
const std::string rows = header + "0, 0.00391, 1.000, 3.00\n0, 0.00781, 2.000, 6.00\n";

SizePlot curves_of(const std::vector<Result>& results, const std::vector<std::string>& labels,
                   const PlotStyle& style = {}) {
    return std::get<SizePlot>(results.front().kind->facts.plot(results, labels, style));
}

SizePlot plot_of(const std::vector<Result>& sweeps, const PlotStyle& style = {}) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < sweeps.size(); ++i)
        labels.push_back(std::string(1, static_cast<char>('a' + i)));
    return curves_of(sweeps, labels, style);
}

HeatMap map_of(const Result& matrix) {
    return std::get<HeatMap>(matrix.kind->facts.plot({matrix}, {""}, {}));
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

using Names = std::vector<std::string>;

TEST(SweepPlot, PointsAreInOrderOfSize) {
    EXPECT_EQ(values_of(plot_of({result_of("0, 0.00098, 3\n0, 0.00049, 1\n")}).curves.at(0)), "512:1 1024:3 ");
}

TEST(SweepPlot, AnUnknownLatencyIsAGap) {
    const auto plot = plot_of({result_of("0, 0.00391, 1\n0, 0.00781, \n0, 0.01562, 3\n")});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:1 8192: 16384:3 ");
}

TEST(SweepPlot, EachThreadHasACurve) {
    const auto plot = plot_of({result_of(rows), result_of("0, 0.00391, 1\n7, 0.00391, 2\n")});
    EXPECT_EQ(names_of(plot), (Names{"a", "b, thread 0", "b, thread 7"}));
    EXPECT_EQ(values_of(plot.curves.at(2)), "4096:2 ");
}

TEST(SweepPlot, ThreadsAreNamedOneByOneUpToTwentyFourCurvesAndElseAreOneEntry) {
    const auto names = [](int threads) {
        std::string many;
        for (int thread = 0; thread < threads; ++thread)
            many += std::to_string(thread) + ", 0.00391, 1\n";
        return names_of(plot_of({result_of(rows), result_of(many)}));
    };
    EXPECT_EQ(names(23).at(23), "b, thread 22");
    EXPECT_EQ(names(24).at(0), "a");
    EXPECT_EQ(names(24).at(1), "b, 24 threads");
    EXPECT_EQ(names(24).at(24), "");
}

const std::string pages_4k = R"("pages_got":[{"page_bytes":4096}])";
const std::string pages_2m = R"("pages_got":[{"page_bytes":2097152}])";

TEST(SweepPlot, WhatAllSweepsSayIsUnderTheTitleAndWhatDiffersIsInTheLegend) {
    const std::string common = R"("order":"random","link":"pointer","line_bytes":64,"parallel":4,"cpu_model":"EPYC",)";
    const auto plot = plot_of({result_of(data_line(common + pages_4k) + rows, "x.csv"),
                               result_of(data_line(common + pages_2m) + rows, "y.csv")});
    EXPECT_EQ(plot.subtitle, "random, 4 parallel chains, EPYC") << "and what goes without saying is not told";
    EXPECT_EQ(names_of(plot), (Names{"a, pages 4 KiB", "b, pages 2 MiB"}));
}

TEST(SweepPlot, AFileWithoutADescriptionIsNamedLikeOneWithIt) {
    const auto described = result_of(data_line(R"("order":"random","stride_bytes":512)") + rows);
    const auto plot = plot_of({described, result_of(rows)});
    EXPECT_EQ(names_of(plot), (Names{"a", "b"})) << "what is not known is no difference";
    EXPECT_EQ(plot.subtitle, "") << "and not said of both";
    EXPECT_EQ(names_of(plot_of({described})), Names{"a"});
    EXPECT_EQ(names_of(plot_of({result_of(rows)})), Names{"a"});
}

TEST(SweepPlot, ALabelOfTheUserReplacesTheWholeGeneratedOne) {
    const Result small = result_of(data_line(pages_4k) + rows);
    const Result huge = result_of(data_line(pages_2m) + rows + "1, 0.00391, 1.500, 4.00\n");
    EXPECT_EQ(names_of(plot_of({small, huge}, {.has_labels = true})), (Names{"a", "b, thread 0", "b, thread 1"}));
}

TEST(SweepPlot, TellsWhoseLevelsAreDrawnOnlyBesideOtherCurves) {
    const Result sweep = result_of(rows);
    EXPECT_EQ(plot_of({sweep}, {.levels = true}).levels_of, "");
    EXPECT_EQ(plot_of({sweep, sweep}, {.levels = true}).levels_of, "a");
}

TEST(SweepPlot, CyclesAreThoseOfTheColumn) {
    const auto plot = plot_of({result_of(rows)}, {.cycles = true});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:3 8192:6 ");
    EXPECT_EQ(plot.quantity, "latency (core cycles)");
}

TEST(SweepPlot, ARatioIsTheTimeOfTheFirstOverThatOfEachAtTheSizesThatItHas) {
    const auto plot = plot_of({result_of(rows), result_of("0, 0.00781, 1\n0, 0.01562, 1\n")}, {.ratio = true});
    EXPECT_EQ(values_of(plot.curves.at(0)), "4096:1 8192:1 ");
    EXPECT_EQ(values_of(plot.curves.at(1)), "8192:2 ");
    EXPECT_EQ(plot.title, "Speed relative to a");
}

TEST(SweepPlot, ARatioIsAgainstTheSameThreadElseTheFirst) {
    const auto plot = plot_of(
        {result_of("0, 0.00391, 1\n1, 0.00391, 4\n"), result_of("1, 0.00391, 2\n2, 0.00391, 2\n")}, {.ratio = true});
    EXPECT_EQ(values_of(plot.curves.at(2)), "4096:2 ");
    EXPECT_EQ(values_of(plot.curves.at(3)), "4096:0.5 ");
}

TEST(SweepPlot, ARatioToAnUnknownLatencyIsAGap) {
    const auto plot = plot_of({result_of("0, 0.00391, \n0, 0.00781, 2\n"), result_of("0, 0.00391, 1\n0, 0.00781, 1\n")},
                              {.ratio = true});
    EXPECT_EQ(values_of(plot.curves.at(1)), "4096: 8192:2 ");
}

TEST(SweepPlot, LevelsAreThoseOfTheFirstSweep) {
    std::string text = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";
    for (double mib = 1.0 / 2048; mib <= 64; mib *= 2)
        text += "0, " + std::to_string(mib) + (mib > 0.04 ? ", 50, 100\n" : ", 1, 2\n");
    const auto flat = result_of(rows);
    const auto plot = plot_of({result_of(text), flat}, {.levels = true});
    ASSERT_EQ(plot.levels.size(), 2U);
    EXPECT_EQ(plot.levels[0].words, (Names{"L1", "45.3 KiB", "1 ns"}));
    EXPECT_EQ(plot.levels[1].words, (Names{"memory", "50 ns"}));
    EXPECT_TRUE(plot.levels[0].has_line && !plot.levels[1].has_line);
    EXPECT_TRUE(plot_of({flat, result_of(text)}, {.levels = true}).levels.empty());
    EXPECT_TRUE(plot_of({result_of(text)}).levels.empty());
    EXPECT_EQ(plot_of({result_of(text)}, {.cycles = true, .levels = true}).levels.at(1).words.at(1), "100 cycles");
    EXPECT_EQ(plot_of({result_of(text), result_of(text)}, {.ratio = true, .levels = true}).levels.at(1).words,
              Names{"memory"})
        << "its axis has no ns";
    Result contested = result_of(text);
    Row& behind = std::get<std::vector<Row>>(contested.rows).at(7); // 64 KiB
    behind.low_ns = 1;
    behind.high_ns = 50;
    EXPECT_EQ(plot_of({contested}, {.levels = true}).levels.at(0).words.at(1), "45.3 KiB?");
}

TEST(SweepPlot, MemoryWhoseLatencyRisesByAQuarterHasBothLatencies) {
    const auto words_of_memory = [](double last_ns, const PlotStyle& style) {
        std::string text = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";
        for (int doubling = -11; doubling <= 5; ++doubling)
            text += fmt::format("0, {:.5f}, {}\n", std::exp2(doubling), doubling > -5 ? "100, 300" : "1, 3");
        text += fmt::format("0, 64, {}, {}\n", last_ns, 3 * last_ns);
        return plot_of({result_of(text)}, style).levels.at(1).words;
    };
    EXPECT_EQ(words_of_memory(125, {.levels = true}).at(1), "100 ns") << "as the table";
    EXPECT_EQ(words_of_memory(130, {.levels = true}).at(1), "100 to 130 ns");
    EXPECT_EQ(words_of_memory(130, {.cycles = true, .levels = true}).at(1), "300 cycles");
}

TEST(SweepPlot, ALevelEndsAtItsBestCapacityElseInTheMiddleOfItsRange) {
    const auto levels =
        plot_of({chosen_result(read_file(TEST_DATA "/curves/i7_1360p_gracemont.csv"))}, {.levels = true}).levels;
    ASSERT_EQ(levels.size(), 4U);
    EXPECT_NEAR(levels[0].ends_at_bytes, std::sqrt(2) * 32 * 1024, 1) << "from 32 to 64 KiB";
    EXPECT_NEAR(levels[1].ends_at_bytes, 2048 * 1024, 1) << "from 1 to 4 MiB";
    EXPECT_NEAR(levels[2].ends_at_bytes, 14387 * 1024, 1024) << "the best of 8 to 32 MiB";
}

TEST(SweepPlot, ARatioOfManySizesTakesOnePassOverThem) {
    std::string many;
    for (int i = 1; i <= 100'000; ++i)
        many += fmt::format("0, {:.5f}, 1\n", i * 0.001);
    const Result sweep = result_of(many); // looking for each size among all would take half a minute
    EXPECT_EQ(plot_of({sweep, sweep}, {.ratio = true}).curves.at(1).points.size(), 100'000U);
}

Result loads_of(const std::string& load_rows, const std::string& cpu = "A CPU") {
    return result_of(data_line(R"("cpu_model":")" + cpu + "\"", R"("command":"loaded")") + csv_header(loaded_kind) +
                     "\n" + load_rows);
}

TEST(SweepPlot, AContestedSizeHasItsLowAndHighLatencyAsABand) {
    Result sweep = result_of(rows);
    auto& sizes = std::get<std::vector<Row>>(sweep.rows);
    sizes[1].low_ns = 1.5;
    sizes[1].high_ns = 4;
    const PlotCurve curve = plot_of({sweep}).curves.at(0);
    EXPECT_EQ(curve.points.at(0).low, std::nullopt);
    EXPECT_EQ(curve.points.at(1).low, 1.5);
    EXPECT_EQ(curve.points.at(1).high, 4);
    const SizePlot both = plot_of({result_of(rows), sweep});
    EXPECT_EQ(both.curves.at(0).points.at(1).high, std::nullopt);
    EXPECT_EQ(both.curves.at(1).points.at(1).high, 4) << "each sweep has its own";
    EXPECT_EQ(plot_of({sweep}, {.cycles = true}).curves.at(0).points.at(1).high, std::nullopt) << "the band is in ns";
    EXPECT_EQ(plot_of({sweep, sweep}, {.ratio = true}).curves.at(1).points.at(1).high, std::nullopt);
}

TEST(PrefetchPlot, IsLatencyByStrideWithACurveForEachDirectionAndKindOfPages) {
    const auto row = [](Pattern pattern, PageKind pages, std::uint64_t stride, double ns) {
        return PatternFigure{.pattern = pattern, .pages = pages, .stride_bytes = stride, .latency_ns = ns};
    };
    const Result result{
        .kind = &prefetch_kind,
        .rows = std::vector{
            row(Pattern::forward, PageKind::base, 128, 7), row(Pattern::forward, PageKind::base, 64, 5),
            row(Pattern::backward, PageKind::base, 64, 6), row(Pattern::forward, PageKind::transparent_huge, 64, 4),
            row(Pattern::start, PageKind::base, 64, 90), PatternFigure{.pattern = Pattern::random, .latency_ns = 100}}};
    const SizePlot plot = curves_of({result}, {"a"});
    EXPECT_EQ(names_of(plot), (Names{"forward, 4k pages", "backward, 4k pages", "forward, thp pages"}));
    EXPECT_EQ(values_of(plot.curves.at(0)), "64:5 128:7 ");
    EXPECT_EQ(values_of(plot.curves.at(1)), "64:6 ");
    EXPECT_TRUE(plot.across_is_logarithmic);
    EXPECT_EQ(names_of(curves_of({result, result}, {"a", "b"})).at(3), "b, forward, 4k pages");
}

TEST(LoadPlot, IsLatencyOverBandwidthWithACurveForEachFile) {
    const Result one = loads_of("0, 0, 100\n50, 8, 110\n100, 16, 200\n0, 0, 101\n");
    const std::string rows_of_other = "0, 0, 90\n100, 20, 150\n";
    const SizePlot plot = curves_of({one, loads_of(rows_of_other)}, {"small", "huge"});
    EXPECT_EQ(plot.subtitle, "A CPU");
    EXPECT_TRUE(mentions(plot.across, {"(GB/s)"}));
    ASSERT_EQ(plot.curves.size(), 2U);
    EXPECT_EQ(plot.curves[1].name, "huge");
    EXPECT_EQ(values_of(plot.curves[0]), "0:100 8:110 16:200 ")
        << "the idle row behind the load would lead the line back";
    EXPECT_EQ(curves_of({one, loads_of(rows_of_other, "Another")}, {"a", "b"}).subtitle, "");
}

TEST(LoadPlot, HasACurveForEachShareOfWritesThatBeginsWithTheLoadersAwake) {
    const std::string family = csv_header(loaded_kind, {ColumnGroup::writes}) +
                               "\n0, 0, 100, 0\n0, 0, 90, 0\n100, 16, 200, 0\n0, 0, 101, 0\n"
                               "0, 0, 100, 50\n0, 0, 91, 50\n100, 12, 220, 50\n0, 0, 102, 50\n";
    const SizePlot plot = curves_of({result_of(family)}, {"a"});
    ASSERT_EQ(plot.curves.size(), 2U);
    EXPECT_EQ(plot.curves[0].name, "a, writes 0 %");
    EXPECT_EQ(plot.curves[1].name, "a, writes 50 %");
    EXPECT_EQ(values_of(plot.curves[0]), "0:90 16:200 ");
    EXPECT_EQ(values_of(plot.curves[1]), "0:91 12:220 ");
    const SizePlot interrupted = curves_of({loads_of("0, 0, 100\n0, 0, 90\n")}, {"a"});
    EXPECT_EQ(values_of(interrupted.curves.at(0)), "0:90 ");
}

TEST(LoadPlot, DrawsTheQuartilesOfBandwidthAndLatencyWhereTheFileHasThem) {
    const Result result = result_of(
        data_line(R"("cpu_model":"A CPU")", R"("command":"loaded")") + csv_header(loaded_kind, {ColumnGroup::stats}) +
        "\n0, 0, 100, 1, 6, 96, 0, awake, 0, 0, 99, 101\n100, 16, 200, 1, 6, 96, 0, , 15, 18, 190, 230\n");
    const std::string program = image_program(curves_of({result}, {"a"}), Image::svg);
    EXPECT_NE(program.find("\n16 200 190 230 15 18\n"), std::string::npos) << program;
    EXPECT_NE(program.find("using 1:2:5:6:3:4 with xyerrorbars"), std::string::npos) << program;
    EXPECT_NE(program.find("set xrange [-0.18:18.18]\n"), std::string::npos) << program;
    EXPECT_EQ(image_program(curves_of({loads_of("0, 0, 100\n100, 16, 200\n")}, {"a"}), Image::svg).find("errorbars"),
              std::string::npos);
}

Result tail_of(const std::string& tail_rows) {
    return result_of(data_line(R"("cpu_model":"A CPU")", R"("command":"tail")") + csv_header(tail_kind) + "\n" +
                     tail_rows);
}

TEST(TailPlot, IsTheShareOfSlowerAccessesOverLatencyWithACurveForEachRow) {
    const Result one = tail_of("256, 0, 1000000, 150, 300, 400, 500, 2000, 3000\n"
                               "256, 100, 1000000, 250, 500, 700, , , 3000\n");
    const SizePlot plot = curves_of({one}, {"a"});
    EXPECT_EQ(plot.subtitle, "A CPU");
    EXPECT_TRUE(mentions(plot.quantity, {"(%)"}));
    EXPECT_TRUE(mentions(plot.across, {"(ns)"}));
    ASSERT_EQ(plot.curves.size(), 2U);
    EXPECT_EQ(plot.curves[0].name, "256 MiB");
    EXPECT_EQ(plot.curves[1].name, "256 MiB under full load");
    EXPECT_EQ(values_of(plot.curves[1]), "250:50 500:10 700:1 ");
    const SizePlot both = curves_of({one, tail_of("256, 0, 1000000, 104, 300, , , , 3000\n")}, {"a", "b"});
    ASSERT_EQ(both.curves.size(), 3U);
    EXPECT_EQ(both.curves[0].name, "a, 256 MiB");
    EXPECT_EQ(both.curves[2].name, "b, 256 MiB");
    EXPECT_EQ(values_of(both.curves[2]), "104:50 300:10 ");
}

TEST(TailPlot, ALabelOfTheUserNamesTheOnlyCurveOfAFile) {
    const std::string row = "256, 0, 1000000, 150, 300, 400, 500, 2000, 3000\n";
    EXPECT_EQ(names_of(curves_of({tail_of(row)}, {"mine"}, {.has_labels = true})), Names{"mine"});
    const std::string two = row + "16, 100, 1000000, 15, 30, 40, 50, 200, 300\n";
    EXPECT_EQ(names_of(curves_of({tail_of(two)}, {"mine"}, {.has_labels = true})),
              (Names{"mine, 256 MiB", "mine, 16 MiB under full load"}));
}

struct Cell {
    int row = 0;
    int column = 0;
    std::optional<double> latency_ns = std::nullopt;
    std::optional<double> bytes_per_ns = std::nullopt;
};

Result matrix_of(const Kind& kind, const std::vector<Cell>& cells) {
    Result matrix{.name = "file", .kind = &kind};
    matrix.run.cpu_model = "Test CPU";
    std::vector<CoresRow> of_cores;
    std::vector<NodesRow> of_nodes;
    for (const auto& [row, column, latency_ns, bytes_per_ns] : cells) {
        of_cores.push_back({row, column, latency_ns});
        of_nodes.push_back({row, column, latency_ns, bytes_per_ns});
    }
    if (&kind == &cores_kind)
        matrix.rows = of_cores;
    else
        matrix.rows = of_nodes;
    return matrix;
}

TEST(MatrixPlot, OfCoresNamesTheirKindsBesideTheRows) {
    Result cores = matrix_of(cores_kind, {{0, 1, 90.0}, {0, 2, 250.0}});
    cores.run.kinds_here = {{"P-core", {0, 1}}, {"E-core", {2, 3}}};
    EXPECT_EQ(map_of(cores).rows, (Names{"0 P-core", "1 P-core", "2 E-core"}));
    EXPECT_EQ(map_of(cores).columns, (Names{"0", "1", "2"}));
}

TEST(MatrixPlot, OfNodesHasItsOwnRowsAndColumns) {
    const HeatMap map = map_of(matrix_of(nodes_kind, {{0, 0, 90.0}, {0, 2, 250.0}, {3, 0, 150.0}}));
    EXPECT_EQ(map.rows, (Names{"0", "3"}));
    EXPECT_EQ(map.columns, (Names{"0", "2"}));
    EXPECT_EQ(map.values[0][1], 250.0);
    EXPECT_EQ(map.values[1][0], 150.0);
    EXPECT_EQ(map.values[1][1], std::nullopt);
    EXPECT_EQ(map.row_axis, "Processors of node");
    EXPECT_EQ(map.column_axis, "Memory of node");
    EXPECT_EQ(map.subtitle, "Test CPU");
}

TEST(MatrixPlot, OfNodesHasTheBandwidthBesideTheLatencyIfAnyIsKnown) {
    const HeatMap map = map_of(matrix_of(nodes_kind, {{0, 0, 90.0, 40.0}, {0, 2, 250.0, std::nullopt}}));
    EXPECT_EQ(map.values[0][0], 90.0);
    ASSERT_EQ(map.beside.size(), 1U);
    const HeatMap& bandwidth = map.beside.front();
    EXPECT_EQ(bandwidth.columns, map.columns);
    EXPECT_EQ(bandwidth.values[0][0], 40.0);
    EXPECT_EQ(bandwidth.values[0][1], std::nullopt);
    EXPECT_TRUE(mentions(bandwidth.quantity, {"GB/s"}));
    EXPECT_FALSE(mentions(bandwidth.title, {map.title}));
    EXPECT_TRUE(map_of(matrix_of(nodes_kind, {{0, 0, 90.0}})).beside.empty());
}

TEST(MatrixPlot, OfCoresHasAllProcessorsOnBothAxes) {
    const HeatMap map = map_of(matrix_of(cores_kind, {{0, 4, 20.0}, {0, 10, 90.0}, {4, 10, 91.0}}));
    EXPECT_EQ(map.rows, (Names{"0", "4", "10"}));
    EXPECT_EQ(map.columns, map.rows);
    EXPECT_EQ(map.values[1][2], 91.0);
    EXPECT_EQ(map.values[2][1], std::nullopt) << "was not measured";
}

TEST(MatrixPlot, OfCoresSaysInItsTitleThatLinesWereClean) {
    Result cores = matrix_of(cores_kind, {{0, 4, 20.0}});
    EXPECT_FALSE(mentions(map_of(cores).title, {"clean"})) << "where the file does not tell";
    cores.run.clean_lines = false;
    EXPECT_FALSE(mentions(map_of(cores).title, {"clean"}));
    cores.run.clean_lines = true;
    EXPECT_TRUE(mentions(map_of(cores).title, {"clean"}));
}

TEST(MatrixPlot, RefusesWhatHasNothingToDrawOrTooMuch) {
    EXPECT_TRUE(mentions(refusal_of([] {
                             static_cast<void>(map_of(matrix_of(nodes_kind, {{0, 0, std::nullopt}})));
                         }),
                         {"file"}));
    std::vector<Cell> many;
    for (int id = 0; id < 1024; ++id)
        many.push_back({.row = 0, .column = id, .latency_ns = 1.0});
    EXPECT_EQ(map_of(matrix_of(nodes_kind, many)).columns.size(), 1024U);
    many.push_back({.row = 0, .column = 1024, .latency_ns = 1.0});
    EXPECT_TRUE(
        mentions(refusal_of([&] { static_cast<void>(map_of(matrix_of(nodes_kind, many))); }), {"file", "1024"}));
}

} // namespace
} // namespace memtest
