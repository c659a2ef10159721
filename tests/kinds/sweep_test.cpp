#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/sweep_curves.hpp"

#include "memtest/kinds/levels.hpp"
#include "memtest/result/row_notes.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

namespace memtest {
namespace {

const std::string cycles_header = "Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\n";

TEST(Curves, AThreadsRowsWithALatencyInOrderOfSize) {
    const Result sweep =
        result_of(cycles_header + "0, 0.04688, 4.5, \n1, 0.00049, 1.2, \n0, 0.00049, 1.1, \n0, 0.00098, , \n");
    const auto curve = curves_of(sweep).at(0).points;
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_DOUBLE_EQ(curve[0].size_bytes, 512);
    EXPECT_DOUBLE_EQ(curve[0].latency_ns, 1.1);
    EXPECT_DOUBLE_EQ(curve[1].size_bytes, 48 * 1024);
    EXPECT_EQ(latency_curve_of(sweep).size(), 3U);
    ASSERT_EQ(curves_of(sweep).at(1).points.size(), 1U);
    EXPECT_DOUBLE_EQ(curves_of(sweep).at(1).points[0].latency_ns, 1.2);
}

TEST(LatencyCurves, TakeTheRangeOfTheCoreClockFromTheFileForNoise) {
    const auto noise_with = [](const std::string& data) {
        return latency_curve_of(
                   result_of(cycles_header + "0, 0.00049, 1.1, \n" + data_line("", "\"core_clock_range_ghz\":" + data)))
            .begin()
            ->second.noise;
    };
    const double still = noise_with("null");
    EXPECT_NEAR(noise_with(R"({"lowest":3,"highest":3.3})"), std::hypot(still, std::log(1.1) / 2), 1e-12);
    EXPECT_EQ(noise_with(R"({"lowest":0,"highest":3.3})"), still) << "no clock stands still";
    EXPECT_EQ(noise_with(R"({"lowest":3.3,"highest":3})"), still);
    EXPECT_EQ(noise_with(R"({"lowest":1e-300,"highest":1e300})"), still) << "no clock moves by as much";
}

TEST(Curves, ARowIsDisturbedWhoseNotesSayThatItsSmallestBatchMayBe) {
    const auto curve = curves_of(result_of("Thread, Mem size (MiB), Access latency (ns), Notes\n0, 1, 4, \n"
                                           "0, 2, 5, preempted\n0, 4, 6, preempted limit\n0, 8, 7, bimodal\n"
                                           "0, 16, 8, single new\n"))
                           .at(0)
                           .points;
    ASSERT_EQ(curve.size(), 5U);
    for (std::size_t i = 0; i < curve.size(); ++i)
        EXPECT_EQ(curve[i].disturbed, i >= 2) << i;
}

TEST(Curves, TheClockComesFromTheEndElseFromTheThreadsCyclesElseFromTheStartElseIsNotKnown) {
    const std::string rows = cycles_header + "0, 0.00049, 2, 5\n0, 0.00098, 2, 6\n0, 0.00196, 2, 7\n1, 0.00098, 2, 8\n";
    const auto clocks = [](const std::string& text) {
        std::vector<std::optional<double>> all;
        for (const ThreadCurve& curve : curves_of(result_of(text)))
            all.push_back(curve.core_ghz);
        return all;
    };
    using Clocks = std::vector<std::optional<double>>;
    EXPECT_EQ(clocks(data_line(R"("core_clock_ghz":9)", R"("core_clocks_ghz":[3.1,2.2])") + rows), (Clocks{3.1, 2.2}));
    EXPECT_EQ(clocks(data_line(R"("core_clock_ghz":9)", R"("core_clocks_ghz":[3.1])") + rows), (Clocks{3.1, 4}));
    EXPECT_EQ(clocks(data_line(R"("core_clock_ghz":9)") + rows), (Clocks{3, 4}));
    EXPECT_EQ(clocks(data_line(R"("core_clock_ghz":3.7)") + cycles_header + "0, 0.00049, 2, \n"), (Clocks{3.7}));
    EXPECT_EQ(clocks(data_line(R"("core_clock_ghz":"fast")") + cycles_header + "0, 0.00049, 2, \n"),
              (Clocks{std::nullopt}));
    EXPECT_EQ(clocks("0, 0.00049, 2\n"), (Clocks{std::nullopt}));
}

TEST(SweepKind, ARowOfARunHasTheDigitsOfItsFile) {
    Row row;
    row.size_bytes = 1234567;
    row.latency_ns = 1.23456;
    EXPECT_EQ(sweep_kind.as_written(row).latency_ns, 1.235);
    EXPECT_EQ(sweep_kind.as_written(row).size_bytes, 1234567U);
    EXPECT_FALSE(contested_band_of(sweep_kind.as_written(row)) || sweep_kind.as_written(row).latency_cycles);
}

TEST(Curves, EveryThreadsLevelsAreInCyclesOfItsOwnClock) {
    std::string text = cycles_header;
    for (double mib = 1.0 / 2048; mib <= 64; mib *= 2) {
        for (const int thread : {0, 1}) {
            const double ns = mib > 0.04 ? 50 : 1;
            text += fmt::format("{}, {:.5f}, {}, {}\n", thread, mib, ns, ns * (2 + thread));
        }
    }
    const auto reports = report_levels(result_of(text));
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_NEAR(level_rows(reports[0]).at(0).latency_cycles.value(), 2, 0.005);
    EXPECT_NEAR(level_rows(reports[1]).at(0).latency_cycles.value(), 3, 0.005);
}

TEST(Curves, OfAHundredThousandThreadsAreReadInOnePass) {
    std::string text;
    for (int thread = 0; thread < 100'000; ++thread)
        text += fmt::format("{}, 0.00049, 1.5\n{}, 1.00000, 5\n", thread, thread);
    const auto curves = curves_of(result_of(text)); // a pass for each thread would take a minute
    ASSERT_EQ(curves.size(), 100'000U);
    EXPECT_EQ(curves.back().thread, 99'999);
    EXPECT_EQ(curves.back().points.size(), 2U);
}

TEST(NotesOfARow, HaveABandOnlyOfTwoFiguresThatAreLatenciesInOrder) {
    const auto band_of = [](const char* notes) {
        Row row;
        add_notes(row, json(notes));
        EXPECT_EQ(row.low_ns.has_value(), row.high_ns.has_value()) << notes;
        return contested_band_of(row);
    };
    ASSERT_TRUE(band_of(R"({"low_ns": 4, "high_ns": 9})").has_value());
    EXPECT_EQ(band_of(R"({"low_ns": 4, "high_ns": 9})")->low_ns, 4);
    EXPECT_EQ(band_of(R"({"low_ns": 4, "high_ns": 9})")->high_ns, 9);
    EXPECT_TRUE(band_of(R"({"low_ns": 4, "high_ns": 4})").has_value());
    for (const char* none : {R"({"low_ns": 9, "high_ns": 4})", R"({"low_ns": 4})", R"({"high_ns": 9})", "{}",
                             R"({"low_ns": -1, "high_ns": 9})", R"({"low_ns": 4, "high_ns": 1e300})"})
        EXPECT_FALSE(band_of(none).has_value()) << none;
    Row band;
    band.notes = {Note::contested};
    band.low_ns = 4;
    band.high_ns = 9;
    EXPECT_EQ(row_notes(std::vector{Row(), band}),
              json(R"([{"row": 1, "notes": ["contested"], "low_ns": 4.0, "high_ns": 9.0}])"));
}

TEST(CoreClockOfRows, HasTheLowestAndHighestOfAllAndTheMedianOfEachThread) {
    const auto row = [](int thread, std::optional<double> ns, std::optional<double> cycles) {
        Row made;
        made.thread = thread;
        made.latency_ns = ns;
        made.latency_cycles = cycles;
        return made;
    };
    RunDescription run;
    run.threads = 2;
    const RunDescription before = run;
    describe_core_clock(run,
                        std::vector{row(0, 2, 6), row(0, 1, std::nullopt), row(1, 2, 5), row(0, 2, 8), row(0, 2, 7)});
    EXPECT_EQ(run.core_clock_range.value().lowest_ghz, 2.5);
    EXPECT_EQ(run.core_clock_range.value().highest_ghz, 4);
    EXPECT_EQ(run.core_clocks_ghz, (std::vector{3.5, 2.5}));
    RunDescription unknown = before;
    describe_core_clock(unknown, std::vector{row(0, 1, std::nullopt), row(0, std::nullopt, 4)});
    EXPECT_EQ(unknown, before);
    describe_core_clock(unknown, std::vector{row(1, 2, 6)});
    EXPECT_FALSE(unknown.core_clocks_ghz.has_value()) << "that of thread 0 is not known";
}

TEST(SizeOfARow, IsTheExactOneElseRestoredFromMib) {
    const auto sizes = [](const std::string& mib) {
        return result_of("0, " + mib + ", 1\n").rows_of<Row>().at(0).size_bytes;
    };
    EXPECT_EQ(sizes("0.00049"), 512U);
    EXPECT_EQ(sizes("0.04688"), 48U * 1024);
    EXPECT_EQ(sizes("0.00006"), 64U);
    EXPECT_EQ(sizes("0.00110"), 1152U) << "18 lines";
    EXPECT_EQ(
        result_of(R"({"schema": 3, "rows": [{"thread": 0, "size_mib": 1.0, "latency_ns": 5, "size_bytes": 1048570}]})")
            .rows_of<Row>()
            .at(0)
            .size_bytes,
        1048570U);
}

TEST(SizeOfARow, IsOneThat63BitsHold) {
    const auto refusal = [](const std::string& text) {
        return refusal_of([&] { static_cast<void>(result_of(text)); });
    };
    const std::string json = R"({"schema": 3, "rows": [{"thread": 0, "size_mib": 1, "latency_ns": 1, "notes": [], )";
    EXPECT_EQ(refusal("0, 8796093022207, 1\n"), "");
    EXPECT_NE(refusal("0, 8796093022208, 1\n"), "");
    EXPECT_EQ(refusal(json + R"("size_bytes": 9200000000000000000}]})"), "");
    EXPECT_NE(refusal(json + R"("size_bytes": 9300000000000000000}]})"), "");
}

} // namespace
} // namespace memtest
