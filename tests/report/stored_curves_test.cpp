#include "memtest/report/stored_curves.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace memtest {
namespace {

StoredSweep sweep_of(const std::string& text) {
    std::istringstream in(text);
    return read_sweep(in, "test");
}

const std::string header = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";

TEST(StoredCurves, AThreadsRowsWithALatencyInOrderOfSize) {
    const StoredSweep sweep =
        sweep_of(header + "0, 0.04688, 4.5, \n1, 0.00049, 1.2, \n0, 0.00049, 1.1, \n0, 0.00098, , \n");
    const auto curve = curve_of_thread(sweep, 0);
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_DOUBLE_EQ(curve[0].size_bytes, 512);
    EXPECT_DOUBLE_EQ(curve[0].latency_ns, 1.1);
    EXPECT_DOUBLE_EQ(curve[1].size_bytes, 48 * 1024);
    EXPECT_EQ(figures_of(sweep).size(), 3U);
}

TEST(StoredCurves, TheClockComesFromTheCyclesElseFromTheDescriptionElseIsNotKnown) {
    EXPECT_NEAR(*core_ghz_of(sweep_of("# core clock: 9 GHz\n" + header + "0, 0.00049, 2, 5\n"), 0), 2.5, 1e-12);
    EXPECT_NEAR(*core_ghz_of(sweep_of("# core clock: 3.700 GHz\n" + header + "0, 0.00049, 2, \n"), 0), 3.7, 1e-12);
    EXPECT_EQ(core_ghz_of(sweep_of("# core clock: fast\n" + header + "0, 0.00049, 2, \n"), 0), std::nullopt);
    EXPECT_EQ(core_ghz_of(sweep_of("0, 0.00049, 2\n"), 0), std::nullopt);
}

TEST(StoredCurves, EveryThreadHasItsLevels) {
    std::string text = header;
    for (int thread = 0; thread < 2; ++thread) {
        for (double mib = 1.0 / 2048; mib <= 64; mib *= 2)
            text += std::to_string(thread) + ", " + std::to_string(mib) + ", " + (mib > 0.04 ? "50" : "1") + ", \n";
    }
    const auto reports = report_levels(sweep_of(text));
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports[1].thread, 1);
    ASSERT_EQ(reports[0].hierarchy.caches.size(), 1U);
    EXPECT_NEAR(reports[0].hierarchy.caches[0].latency_ns, 1, 0.01);
}

TEST(StoredCurves, EveryThreadsLevelsAreInCyclesOfItsOwnClock) {
    std::string text = header;
    for (double mib = 1.0 / 2048; mib <= 64; mib *= 2) {
        for (const int thread : {0, 1}) {
            const double ns = mib > 0.04 ? 50 : 1;
            text += fmt::format("{}, {:.5f}, {}, {}\n", thread, mib, ns, ns * (2 + thread));
        }
    }
    const auto reports = report_levels(sweep_of(text));
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_NEAR(reports[0].core_ghz.value(), 2, 1e-9);
    EXPECT_NEAR(reports[1].core_ghz.value(), 3, 1e-9);
}

TEST(StoredCurves, AThreadsClockIsTheMedianOverItsRows) {
    EXPECT_EQ(core_ghz_over({3, 1, 2}), 2);
    EXPECT_EQ(core_ghz_over({}), std::nullopt);
}

} // namespace
} // namespace memtest
