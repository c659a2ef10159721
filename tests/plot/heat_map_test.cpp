#include "memtest/plot/heat_map.hpp"
#include "support/program.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

HeatMap two_by_three() {
    return {.title = "title",
            .quantity = "latency (ns)",
            .row_axis = "from",
            .column_axis = "to",
            .rows = {"0", "7"},
            .columns = {"0", "1", "5"},
            .values = {{90.5, 150, std::nullopt}, {149, 91, 255}}};
}

TEST(HeatMap, HoldsTheKnownCellsByColumnAndRow) {
    const std::string program = image_program(two_by_three(), Image::png);
    EXPECT_TRUE(holds(program, "\n$cells << END\n0 0 90.5\n1 0 150\n0 1 149\n1 1 91\n2 1 255\nEND\n")) << program;
    EXPECT_TRUE(holds(program, "\nset ytics (\"0\" 0, \"7\" 1)\n"));
    EXPECT_TRUE(holds(program, "\nset xtics (\"0\" 0, \"1\" 1, \"5\" 2)\n"));
}

TEST(HeatMap, TheFirstRowIsOnTopAndColoursBeginAtZero) {
    const std::string program = image_program(two_by_three(), Image::png);
    EXPECT_TRUE(holds(program, "\nset yrange [1.5:-0.5]\n"));
    EXPECT_TRUE(holds(program, "\nset xrange [-0.5:2.5]\n"));
    EXPECT_TRUE(holds(program, "\nset cbrange [0:255]\n"));
}

TEST(HeatMap, ChoosesTheTerminalOfTheImageOrLeavesItToGnuplot) {
    EXPECT_TRUE(image_program(two_by_three(), Image::svg).starts_with("set terminal svg "));
    EXPECT_TRUE(image_program(two_by_three(), Image::pdf).starts_with("set terminal pdfcairo "));
    EXPECT_TRUE(image_program(two_by_three(), Image::png).starts_with("set terminal pngcairo "));
    EXPECT_TRUE(image_program(two_by_three(), std::nullopt)
                    .starts_with("if (GPVAL_TERM eq \"unknown\") set terminal pngcairo "));
}

TEST(HeatMap, HasFiguresAndAllNamesWhereThereAreFewCellsOnly) {
    EXPECT_TRUE(holds(image_program(two_by_three(), Image::png), "with labels"));
    HeatMap large = two_by_three();
    constexpr std::size_t size = 40;
    large.rows.assign(size, "row");
    large.columns.assign(size, "column");
    large.values.assign(size, std::vector<std::optional<double>>(size, 5.0));
    const std::string program = image_program(large, Image::png);
    EXPECT_FALSE(holds(program, "with labels"));
    EXPECT_TRUE(holds(program, "set xtics (\"column\" 0, \"column\" 3, ")) << "every third";
}

TEST(HeatMap, ATextFromAFileIsNoCommand) {
    HeatMap map = two_by_three();
    map.subtitle = "a\"; system 'x'";
    EXPECT_TRUE(holds(image_program(map, Image::png), ".\"a\\042; system 'x'\" noenhanced"));
}

} // namespace
} // namespace memtest
