#include "memtest/report/loaded.hpp"

#include "memtest/base/error.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Fields = std::vector<std::string>;

const LoadCurve curve{
    .idle_ns = 100, .idle_last_ns = 101.5, .peak = LoadPoint{100, 32, 250}, .knee = LoadPoint{50, 16, 118}};

/// The sentences behind the keys of findings.
std::vector<std::string> lines_of(const Findings& findings) {
    std::vector<std::string> lines;
    for (const Finding& finding : findings.list)
        lines.push_back(finding.key + ": " + finding.sentence);
    return lines;
}

TEST(LoadedReport, TheHeadersAreTheseToTheLetter) {
    EXPECT_EQ(csv_header(loaded_kind), "Load (%), Bandwidth (GB/s), Access latency (ns)");
    EXPECT_EQ(csv_header(loaded_kind, {ColumnGroup::stats}),
              "Load (%), Bandwidth (GB/s), Access latency (ns), Visits (%), Visits, Batches, Set aside, Notes");
    EXPECT_EQ(csv_header(loaded_kind, {ColumnGroup::writes}),
              "Load (%), Bandwidth (GB/s), Access latency (ns), Writes (%)");
}

TEST(LoadedReport, ARowHasOneDecimalOfLoadAndThreeOfItsFiguresAndEmptyFieldsForWhatIsNotKnown) {
    EXPECT_EQ(
        csv_rows(loaded_kind, {loaded_row({.load_percent = 100.0 / 12,
                                           .bytes_per_ns = 2.5006,
                                           .latency_ns = 101,
                                           .visits_percent = 1.234,
                                           .visits = 6,
                                           .batches = 90,
                                           .set_aside = 6,
                                           .notes = {LoadNote::preempted, LoadNote::absent}},
                                          0),
                               loaded_row({.load_percent = 50, .visits = 16, .batches = 3, .set_aside = 253}, 33)}),
        "8.3, 2.501, 101.000, 1.23, 6, 90, 6, preempted absent\n50.0, , , , 16, 3, 253, \n");
}

TEST(LoadedReport, TheSentencesSayWhatIsReadAndWhatIsCounted) {
    EXPECT_EQ(load_sentences(64, {0}, std::size_t{256} << 20U),
              (Fields{"Each loader reads one word of each line, line after line through 256 MiB",
                      "Bandwidth counts 64 B for each line read"}));
    const std::string counted =
        "Bandwidth counts 128 B for each line read, and as many again for one that is changed: it is written back";
    EXPECT_EQ(
        load_sentences(128, {33}, 1536),
        (Fields{"Each loader reads one word of each line, line after line through 1.5 KiB, and changes it in 33 % "
                "of them",
                counted}));
    EXPECT_EQ(load_sentences(128, {0, 33, 50}, 1536),
              (Fields{"Each loader reads one word of each line, line after line through 1.5 KiB, and changes it in 0, "
                      "33 or 50 % of them, one curve for each",
                      counted}));
}

TEST(LoadedReport, TellsIdleLatencyPeakAndKnee) {
    EXPECT_EQ(lines_of(loaded_findings(curve)), (Fields{"idle latency: 100.0 ns, 101.5 ns at the end",
                                                        "peak bandwidth: 32.0 GB/s at 250.0 ns (2.50 times idle)",
                                                        "knee: 16.0 GB/s at 118.0 ns (1.18 times idle)"}));
    LoadCurve flat = curve;
    flat.peak = flat.knee;
    EXPECT_EQ(lines_of(loaded_findings(flat)).back(), "knee: 16.0 GB/s at 118.0 ns (1.18 times idle), the peak: "
                                                      "these loaders do not fill the memory's queues");
    flat.reaches_full_load = false;
    EXPECT_EQ(lines_of(loaded_findings(flat)),
              (Fields{"idle latency: 100.0 ns, 101.5 ns at the end", "knee: 16.0 GB/s at 118.0 ns (1.18 times idle)"}))
        << "full load may take more";
    LoadCurve steep = curve;
    steep.knee = std::nullopt;
    EXPECT_EQ(lines_of(loaded_findings(steep)).back(),
              "knee: none: every load takes more than 1.2 times the idle latency");
    LoadCurve stuck = steep;
    stuck.grows = false;
    EXPECT_EQ(lines_of(loaded_findings(stuck)).back(),
              "knee: none: the bandwidth does not grow with the load, as where "
              "other work loads the memory; measure again");
    EXPECT_TRUE(loaded_findings(LoadCurve{}).list.empty());
}

TEST(LoadedReport, WithAnAwakeRowTheFiguresAreTimesThat) {
    LoadCurve awake = curve;
    awake.awake_ns = 80;
    EXPECT_EQ(lines_of(loaded_findings(awake)),
              (Fields{"idle latency: 100.0 ns, 80.0 ns with the loaders awake, 101.5 ns at the end",
                      "peak bandwidth: 32.0 GB/s at 250.0 ns (3.12 times that with the loaders awake)",
                      "knee: 16.0 GB/s at 118.0 ns (1.48 times that with the loaders awake)"}));
    awake.knee = std::nullopt;
    EXPECT_EQ(lines_of(loaded_findings(awake)).back(),
              "knee: none: every load takes more than 1.2 times the latency with the loaders awake");
}

TEST(LoadedReport, TellsTheAwakeLatencyAlsoWhereTheRowAsleepIsEmpty) {
    LoadCurve awake = curve;
    awake.idle_ns.reset();
    awake.awake_ns = 80;
    EXPECT_EQ(lines_of(loaded_findings(awake)).front(),
              "idle latency: 80.0 ns with the loaders awake, 101.5 ns at the end");
}

TEST(LoadedReport, WithoutALatencyWithoutLoadTellsNoKnee) {
    LoadCurve loads_alone = curve;
    loads_alone.idle_ns.reset();
    loads_alone.idle_last_ns.reset();
    EXPECT_EQ(lines_of(loaded_findings(loads_alone)), Fields{"peak bandwidth: 32.0 GB/s at 250.0 ns"});
}

TEST(LoadedReport, WarnsOfAnEmptyRowByWhatTheLoadersDid) {
    const std::string why =
        ": others ran on the processors meanwhile; leave the processors to this run, or give others "
        "with --load-cpu";
    LoadRow row{.batches = 5, .set_aside = 11};
    EXPECT_EQ(warning_on(row, {3, 7}), "without load, the loaders asleep, 11 of 16 batches were set aside" + why);
    row.notes = {LoadNote::awake, LoadNote::few};
    EXPECT_EQ(warning_on(row, {3, 7}), "without load, the loaders awake, 11 of 16 batches were set aside" + why);
    row = {.load_percent = 50, .batches = 5, .set_aside = 11, .never_ran = {1}};
    EXPECT_EQ(warning_on(row, {3, 7}),
              "at 50.0 % load 11 of 16 batches were set aside: processor 7 never loaded at the calibrated rate; leave "
              "the processors to this run, or give others with --load-cpu");
    row.latency_ns = 100;
    EXPECT_EQ(warning_on(row, {3, 7}), std::nullopt);
}

TEST(LoadedReport, RemarksOnWhatBeingAwakeChangesWhereItDoes) {
    LoadCurve awake = curve;
    awake.awake_ns = 75;
    EXPECT_EQ(loaded_findings(awake).list.back().key, "knee");
    awake.awake_differs = true;
    EXPECT_EQ(lines_of(loaded_findings(awake)).back(),
              "remark: without load an access takes 100.0 ns while the loaders sleep and 75.0 ns while they are awake, "
              "25 % less, as where the package slows its clocks while cores sleep");
    awake.awake_ns = 110;
    EXPECT_EQ(
        lines_of(loaded_findings(awake)).back(),
        "remark: without load an access takes 100.0 ns while the loaders sleep and 110.0 ns while they are awake, "
        "10 % more, as where awake cores share their power or hardware threads a core");
    awake.idle_ns.reset();
    EXPECT_EQ(lines_of(loaded_findings(awake)).back().substr(0, 4), "knee") << "there is no figure to name";
}

TEST(LoadedReport, OfSeveralCurvesEachSentenceNamesItsWritesAndJsonHasAListOfThem) {
    LoadCurve other = curve;
    other.awake_ns = 75;
    other.awake_differs = true;
    other.knee.reset();
    const Findings findings = loaded_findings({0, 50}, {curve, other});
    const Fields lines = lines_of(findings);
    EXPECT_EQ(std::ranges::count(lines, "knee: writes 0 %: 16.0 GB/s at 118.0 ns (1.18 times idle)"), 1);
    EXPECT_EQ(std::ranges::count(lines, "knee: writes 50 %: none: every load takes more than 1.2 times the latency "
                                        "with the loaders awake"),
              1);
    const std::string text = written(loaded_kind, {.format = Format::json}, [&](ResultWriter& writer) {
        writer.begin();
        writer.end(findings);
    });
    const std::string curves =
        R"(  "curves": [
    {"write_percent":0,"idle_latency_ns":100.0,"awake_latency_ns":null,"idle_latency_at_end_ns":101.5,"peak_bandwidth_gb_s":32.0,"knee_bandwidth_gb_s":16.0},
    {"write_percent":50,"idle_latency_ns":100.0,"awake_latency_ns":75.0,"idle_latency_at_end_ns":101.5,"peak_bandwidth_gb_s":32.0,"knee_bandwidth_gb_s":null}
  ],
)";
    EXPECT_NE(text.find(curves), std::string::npos) << text;
    EXPECT_NE(text.find("\"write_percent\": null,\n  \"idle_latency_ns\": null"), std::string::npos) << text;
    EXPECT_NE(text.find("    \"writes 50 %: without load an access takes"), std::string::npos) << text;
    EXPECT_TRUE(loaded_findings({0, 50}, {}).list.empty()) << "of a run that is not whole";
    EXPECT_EQ(lines_of(loaded_findings({0, 50}, {curve})).front(),
              "idle latency: writes 0 %: 100.0 ns, 101.5 ns at the end")
        << "of one that ended within the second curve";
}

TEST(LoadedReport, InJsonItsFindingsAreMembersAndNullWhereThereAreNone) {
    const auto json = [](const std::vector<LoadCurve>& found) {
        const std::string text = written(loaded_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.end(loaded_findings({33}, found));
        });
        const std::size_t begin = text.find("  \"write_percent\"");
        return text.substr(begin, text.find("  \"core_clock_range_ghz\"") - begin);
    };
    EXPECT_EQ(json({curve}), "  \"write_percent\": 33,\n  \"idle_latency_ns\": 100.0,\n"
                             "  \"awake_latency_ns\": null,\n"
                             "  \"idle_latency_at_end_ns\": 101.5,\n  \"peak_bandwidth_gb_s\": 32.0,\n"
                             "  \"knee_bandwidth_gb_s\": 16.0,\n  \"curves\": [],\n  \"remarks\": [],\n");
    EXPECT_EQ(json({}), "  \"write_percent\": 33,\n  \"idle_latency_ns\": null,\n"
                        "  \"awake_latency_ns\": null,\n"
                        "  \"idle_latency_at_end_ns\": null,\n  \"peak_bandwidth_gb_s\": null,\n"
                        "  \"knee_bandwidth_gb_s\": null,\n  \"curves\": null,\n  \"remarks\": null,\n");
}

const std::string header = "Load (%), Bandwidth (GB/s), Access latency (ns)";

TEST(LoadedPoints, AreThoseOfTheFileWhoseFiguresAreKnown) {
    const auto curves = load_curves_of(
        result_of(header + "\n0.0, 0.000, 100.000\n75.0, , \n80.0, , 150.000\n100.0, 16.000, 200.000\n"));
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_FALSE(curves[0].write_percent.has_value());
    const auto& points = curves[0].points;
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].load_percent, 100);
    EXPECT_EQ(points[1].bytes_per_ns, 16);
    EXPECT_EQ(points[1].latency_ns, 200);
    EXPECT_THROW(static_cast<void>(load_curves_of(result_of(header + "\n50.0, , \n"))), Error);
}

TEST(LoadedPoints, OfASecondRowAheadOfTheLoadAreAwakeWhateverTheFirstHas) {
    const auto are_awake = [](const std::string& rows) {
        std::string awake;
        const auto curves = load_curves_of(result_of(header + "\n" + rows));
        for (const LoadPoint& point : curves.front().points)
            awake += point.awake ? 'a' : '-';
        return awake;
    };
    EXPECT_EQ(are_awake("0, 0, 100\n0, 0, 90\n50, 8, 110\n0, 0, 100\n"), "-a--");
    EXPECT_EQ(are_awake("0, , \n0, 0, 90\n50, 8, 110\n0, 0, 100\n"), "a--") << "the first was disturbed";
    EXPECT_EQ(are_awake("0, 0, 100\n50, 8, 110\n0, 0, 100\n"), "---") << "as older files are";
    EXPECT_EQ(are_awake("0, 0, 100\n50, , \n0, 0, 100\n"), "--") << "the load was disturbed";
}

TEST(LoadedPoints, AreAwakeWhereTheNotesOfTheFileSaySoWhateverTheirPlace) {
    const auto curves = load_curves_of(result_of(
        header + ", Visits (%), Visits, Batches, Set aside, Notes\n0, 0, 100, 1, 3, 48, 0, \n"
                 "0, 0, 101, 1, 3, 48, 0, \n0, 0, 90, 1, 3, 47, 1, awake preempted\n50, 8, 110, 1, 3, 48, 0, \n"));
    std::vector<double> awake_ns;
    for (const LoadPoint& point : curves.front().points) {
        if (point.awake)
            awake_ns.push_back(point.latency_ns);
    }
    EXPECT_EQ(awake_ns, std::vector{90.0});
}

TEST(LoadedPoints, OfSeveralSharesOfWritesAreCurvesOfTheirOwn) {
    const auto curves =
        load_curves_of(result_of(header + ", Writes (%)\n0, 0, 100, 0\n0, 0, 90, 0\n50, 8, 110, 0\n0, 0, 100, 0\n"
                                          "0, 0, 101, 50\n0, 0, 91, 50\n50, 7, 120, 50\n0, 0, 100, 50\n0, , , 100\n"));
    ASSERT_EQ(curves.size(), 2U) << "one has no point";
    EXPECT_EQ(curves[0].write_percent, 0U);
    EXPECT_EQ(curves[1].write_percent, 50U);
    ASSERT_EQ(curves[1].points.size(), 4U);
    EXPECT_FALSE(curves[1].points[0].awake);
    EXPECT_TRUE(curves[1].points[1].awake);
    EXPECT_FALSE(curves[1].points[2].awake || curves[1].points[3].awake);
    EXPECT_EQ(curves[1].points[2].latency_ns, 120);
}

} // namespace
} // namespace memtest
