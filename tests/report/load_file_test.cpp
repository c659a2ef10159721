#include "memtest/report/load_file.hpp"

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

} // namespace
} // namespace memtest
