#include "memtest/show/curve_plot.hpp"
#include "support/program.hpp"
#include "support/test.hpp"

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
    EXPECT_TRUE(image_program(two_by_three(), Image::svg).starts_with("reset\nset terminal svg "));
    EXPECT_TRUE(image_program(two_by_three(), Image::pdf).starts_with("reset\nset terminal pdfcairo "));
    EXPECT_TRUE(image_program(two_by_three(), Image::png).starts_with("reset\nset terminal pngcairo "));
    EXPECT_TRUE(image_program(two_by_three(), std::nullopt)
                    .starts_with("reset\nif (GPVAL_TERM eq \"unknown\") set terminal pngcairo "));
}

std::string program_of(std::size_t rows, std::size_t columns, double value) {
    HeatMap map = two_by_three();
    map.rows.assign(rows, "row");
    map.columns.assign(columns, "column");
    map.values.assign(rows, std::vector<std::optional<double>>(columns, value));
    return image_program(map, Image::png);
}

TEST(HeatMap, HasFiguresAndAllNamesUpToSixteenRowsAndColumns) {
    const std::string few = program_of(16, 16, 5);
    EXPECT_TRUE(holds(few, "with labels"));
    EXPECT_TRUE(holds(few, "set xtics (\"column\" 0, \"column\" 1, "));
    EXPECT_TRUE(holds(few, "set ytics (\"row\" 0, \"row\" 1, "));
    EXPECT_TRUE(holds(few, "(0.48):(0.48)")) << "a seam";
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>(1, 17), {17, 1}}) {
        const std::string many = program_of(rows, columns, 5);
        EXPECT_FALSE(holds(many, "with labels"));
        EXPECT_TRUE(holds(many, columns == 17 ? "(\"column\" 0, \"column\" 2, " : "(\"row\" 0, \"row\" 2, "));
        EXPECT_TRUE(holds(many, "(0.5):(0.5)"));
    }
    EXPECT_TRUE(holds(program_of(40, 40, 5), "set xtics (\"column\" 0, \"column\" 3, ")) << "every third";
}

TEST(HeatMap, ItsFiguresAreLightFromTheMiddleOnAndHaveADecimalBelowTen) {
    EXPECT_TRUE(holds(image_program(two_by_three(), Image::png), "\"%.0f\", $3)):($3 > 127.5 ? 0xffffff : 0x202020)"));
    EXPECT_TRUE(holds(program_of(2, 2, 9.9), "\"%.1f\", $3)):($3 > 4.95 ?"));
    EXPECT_TRUE(holds(program_of(2, 2, 10), "\"%.0f\", $3)"));
}

TEST(HeatMap, DrawsOthersBesideItInOneWiderImage) {
    HeatMap map = two_by_three();
    const std::string alone = image_program(map, Image::svg);
    EXPECT_TRUE(holds(alone, "set terminal svg size 760,680 ")) << alone;
    EXPECT_FALSE(holds(alone, "multiplot"));
    HeatMap other = two_by_three();
    other.values[0][0] = 33;
    map.beside.push_back(other);
    const std::string both = image_program(map, Image::svg);
    EXPECT_TRUE(holds(both, "set terminal svg size 1520,680 ")) << both;
    const std::size_t begin = both.find("\nset multiplot layout 1,2\n");
    const std::size_t first = both.find("\n0 0 90.5\n");
    const std::size_t second = both.find("\n0 0 33\n");
    EXPECT_LT(begin, first);
    EXPECT_LT(first, second);
    EXPECT_LT(second, both.find("\nunset multiplot\n"));
}

TEST(HeatMap, ItsColoursReachTheLargestValueHoweverSmall) {
    EXPECT_TRUE(holds(program_of(2, 2, 0.25), "\nset cbrange [0:0.25]\n"));
    HeatMap map = two_by_three();
    map.values = {{0.25, std::nullopt, 0.125}, {std::nullopt, 0.125, 0.125}};
    EXPECT_TRUE(holds(image_program(map, Image::png), "\nset cbrange [0:0.25]\n"));
}

TEST(HeatMap, HasTitlesAndNamesThatFit) {
    HeatMap map = two_by_three();
    const std::string text(200, 't');
    map.title = map.quantity = map.row_axis = map.column_axis = map.rows[0] = map.columns[0] = text;
    const std::string program = image_program(map, Image::png);
    const auto length = [&](const std::string& start) {
        const std::size_t begin = program.find('"', program.find("\nset " + start)) + 1;
        return program.find('"', begin) - begin;
    };
    for (const auto& [start, most] : {std::pair<std::string, std::size_t>("title ", 80),
                                      {"xlabel ", 60},
                                      {"ylabel ", 60},
                                      {"cblabel ", 60},
                                      {"xtics ", 24},
                                      {"ytics ", 24}})
        EXPECT_EQ(length(start), most + 3) << start << "and three points";
}

TEST(HeatMap, ATextFromAFileIsNoCommand) {
    HeatMap map = two_by_three();
    map.subtitle = "a\"; system 'x'";
    EXPECT_TRUE(holds(image_program(map, Image::png), ".\"a\\042; system 'x'\" noenhanced"));
}

} // namespace
} // namespace memtest
