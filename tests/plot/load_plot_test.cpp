#include "memtest/plot/load_plot.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memtest {
namespace {

TEST(LoadPlot, IsLatencyOverBandwidthWithACurveForEachFile) {
    StoredLoad one{{.name = "a"}, {{0, 0, 100}, {50, 8, 110}, {100, 16, 200}, {0, 0, 101}}};
    StoredLoad other{{.name = "b"}, {{0, 0, 90}, {100, 20, 150}}};
    one.run.cpu_model = other.run.cpu_model = "A CPU";
    const SizePlot plot = plot_loads({one, other}, {"small", "huge"}, "");
    EXPECT_EQ(plot.title, "Memory access latency under load");
    EXPECT_EQ(plot.subtitle, "A CPU");
    EXPECT_EQ(plot.across, "bandwidth of the loaders (GB/s)");
    ASSERT_EQ(plot.curves.size(), 2U);
    EXPECT_EQ(plot.curves[1].name, "huge");
    ASSERT_EQ(plot.curves[0].points.size(), 3U) << "the idle row behind the load would lead the line back";
    EXPECT_EQ(plot.curves[0].points[2].at, 16);
    EXPECT_EQ(plot.curves[0].points[2].value, 200);
    other.run.cpu_model = "Another";
    EXPECT_EQ(plot_loads({one, other}, {"a", "b"}, "mine").subtitle, "");
    EXPECT_EQ(plot_loads({one, other}, {"a", "b"}, "mine").title, "mine");
}

TEST(LoadPlot, ItsHorizontalAxisBeginsAtZeroAndHasEvenSteps) {
    const StoredLoad one{{.name = "a"}, {{0, 0, 100}, {50, 8.125, 110}, {100, 16.25, 200}}};
    const std::string program = image_program(plot_loads({one}, {"a"}, ""), Image::png);
    EXPECT_NE(program.find("set xlabel \"bandwidth of the loaders (GB/s)\""), std::string::npos) << program;
    EXPECT_NE(program.find("set xrange [-0.1625:16.4125]\n"), std::string::npos) << program;
    EXPECT_EQ(program.find("logscale x"), std::string::npos) << program;
    EXPECT_NE(program.find("\n0 100\n8.125 110\n16.25 200\n"), std::string::npos) << program;
}

} // namespace
} // namespace memtest
