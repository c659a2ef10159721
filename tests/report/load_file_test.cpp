#include "memtest/report/load_file.hpp"

#include "memtest/report/load_plot.hpp"
#include "memtest/report/sweep_file.hpp"
#include "support/refusal.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memtest {
namespace {

const std::string header = "Load (%), Bandwidth (GB/s), Access latency (ns)\n";

StoredLoad read_text(const std::string& text) {
    const TextFile stored("load", text);
    InputFile file(stored.path());
    return read_load(file).value();
}

bool is_load(const std::string& text) {
    const TextFile stored("maybe", text);
    InputFile file(stored.path());
    return read_load(file).has_value();
}

void expect_three_points(const StoredLoad& load) {
    ASSERT_EQ(load.points.size(), 3U);
    EXPECT_EQ(load.points[1].load_percent, 50);
    EXPECT_EQ(load.points[1].bytes_per_ns, 8.25);
    EXPECT_EQ(load.points[1].latency_ns, 110.5);
    EXPECT_EQ(load.run.cpu_model, "A CPU");
}

TEST(LoadFile, IsReadFromCsvWithAndWithoutStatsAndFromJson) {
    expect_three_points(
        read_text("# memtest 1.0.0: latency\n# cpu: A CPU\n" + header +
                  "0.0, 0.000, 100.000\n50.0, 8.250, 110.500\n75.0, , \n100.0, 16.000, 200.000\n# end: 4 of 4 rows\n"));
    expect_three_points(read_text(
        "# cpu: A CPU\nLoad (%), Bandwidth (GB/s), Access latency (ns), Visits (%), Visits, Batches, Set aside, Notes\n"
        "0.0, 0.000, 100.000, 1.00, 6, 96, 0, \n50.0, 8.250, 110.500, , 1, 16, 0, absent limit\n"
        "100.0, 16.000, 200.000, 1.00, 6, 96, 0, \n"));
    const std::string rows = R"("rows": [{"load_percent": 0.0, "bandwidth_gb_s": 0.0, "latency_ns": 100.0},
        {"load_percent": 50.0, "bandwidth_gb_s": 8.25, "latency_ns": 110.5, "notes": "limit"},
        {"load_percent": 75.0, "bandwidth_gb_s": null, "latency_ns": null},
        {"load_percent": 100.0, "bandwidth_gb_s": 16.0, "latency_ns": 200.0}]})";
    expect_three_points(read_text(R"({"schema": 1, "verb": "loaded", "run": {"cpu_model": "A CPU"}, )" + rows));
    expect_three_points(read_text(R"({"schema":1,"verb":"loaded","run":{"cpu_model":"A CPU"},)" + rows));
}

TEST(LoadFile, IsKnownByItsHeaderOrItsVerbAlone) {
    EXPECT_FALSE(is_load(""));
    EXPECT_FALSE(is_load("\n\n"));
    EXPECT_FALSE(is_load("# Load (%), Bandwidth (GB/s), Access latency (ns)\n"));
    EXPECT_FALSE(is_load("Load (%), Bandwidth (GB/s), Access latency (ns), Other\n1, 2, 3, 4\n"));
    EXPECT_FALSE(is_load("Thread, Mem size (MiB), Access latency (ns)\n" + header));
    EXPECT_FALSE(is_load(R"({"schema": 1, "verb": "tlb", "rows": []})"));
    EXPECT_FALSE(is_load(R"({"schema": 1, "run": {"arguments": ["loaded"]}})"));
    EXPECT_TRUE(is_load("\n# a: b\n" + header + "0.0, 0.000, 100.000\n"));
}

TEST(LoadFile, NamesTheRowThatIsNone) {
    const auto refusal = [](const std::string& rows) {
        const TextFile stored("bad", header + rows);
        InputFile file(stored.path());
        const std::string what = refusal_of([&] { static_cast<void>(read_load(file)); });
        return what.substr(std::min(what.size(), stored.path().size()));
    };
    EXPECT_EQ(refusal("0.0, 0.000, 100.000\n50.0, x, 110\n"),
              ":3: Bandwidth (GB/s) is `x`, not a number from 0 to 1e+12");
    EXPECT_EQ(refusal("0.0, 0.000, 0\n"), ":2: Access latency (ns) is `0`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal("0.0, nan, 1\n"), ":2: Bandwidth (GB/s) is `nan`, not a number from 0 to 1e+12");
    EXPECT_EQ(refusal("0.0, 0.000\n"), ":2: there should be 3 columns, but there are 2");
    EXPECT_EQ(refusal("50.0, , \n"), ": holds no row with a latency");
}

TEST(LoadFile, IsNoSweepAndSaysSo) {
    for (const std::string& text :
         {header + "0.0, 0.000, 100.000\n", std::string(R"({"schema": 1, "verb": "loaded"})")}) {
        const TextFile stored("nosweep", text);
        EXPECT_EQ(refusal_of([&] { static_cast<void>(read_sweep_file(stored.path())); }),
                  stored.path() + ": holds what 'memtest loaded' measured, and a sweep is needed here");
    }
}

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
