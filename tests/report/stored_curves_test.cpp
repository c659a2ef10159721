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
    ASSERT_EQ(curve_of_thread(sweep, 1).size(), 1U);
    EXPECT_DOUBLE_EQ(curve_of_thread(sweep, 1)[0].latency_ns, 1.2);
}

TEST(StoredCurves, ARowIsDisturbedWhoseNotesSayThatItsSmallestBatchMayBe) {
    const auto curve = curve_of_thread(sweep_of("Thread, Mem size (MiB), Access latency (ns), Notes\n0, 1, 4, \n"
                                                "0, 2, 5, preempted\n0, 4, 6, preempted limit\n0, 8, 7, bimodal\n"
                                                "0, 16, 8, single\n"),
                                       0);
    ASSERT_EQ(curve.size(), 5U);
    for (std::size_t i = 0; i < curve.size(); ++i)
        EXPECT_EQ(curve[i].disturbed, i >= 2) << i;
}

TEST(StoredCurves, TheClockComesFromTheThreadsCyclesElseFromTheDescriptionElseIsNotKnown) {
    const auto measured =
        clocks_of_thread(sweep_of("# core clock: 9 GHz\n" + header + "0, 0.00098, 2, 5\n1, 0.00098, 2, 6\n"), 0);
    ASSERT_EQ(measured.size(), 1U);
    EXPECT_DOUBLE_EQ(measured[0].size_bytes, 1024);
    EXPECT_DOUBLE_EQ(measured[0].ghz, 2.5);
    const auto described = clocks_of_thread(sweep_of("# core clock: 3.700 GHz\n" + header + "0, 0.00049, 2, \n"), 0);
    ASSERT_EQ(described.size(), 1U);
    EXPECT_DOUBLE_EQ(described[0].ghz, 3.7);
    EXPECT_TRUE(clocks_of_thread(sweep_of("# core clock: fast\n" + header + "0, 0.00049, 2, \n"), 0).empty());
    EXPECT_TRUE(clocks_of_thread(sweep_of("0, 0.00049, 2\n"), 0).empty());
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
    EXPECT_NEAR(cycles_at(reports[0], 0).value(), 2, 0.005);
    EXPECT_NEAR(cycles_at(reports[1], 0).value(), 3, 0.005);
}

} // namespace
} // namespace memtest
