#include "memtest/report/loaded.hpp"

#include "memtest/base/error.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <optional>
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
}

TEST(LoadedReport, ARowHasOneDecimalOfLoadAndThreeOfItsFiguresAndEmptyFieldsForWhatIsNotKnown) {
    EXPECT_EQ(csv_rows(loaded_kind, {loaded_row({.load_percent = 100.0 / 12,
                                                 .bytes_per_ns = 2.5006,
                                                 .latency_ns = 101,
                                                 .visits_percent = 1.234,
                                                 .visits = 6,
                                                 .batches = 90,
                                                 .set_aside = 6,
                                                 .notes = {LoadNote::preempted, LoadNote::absent}}),
                                     loaded_row({.load_percent = 50, .visits = 16, .batches = 3, .set_aside = 253})}),
              "8.3, 2.501, 101.000, 1.23, 6, 90, 6, preempted absent\n50.0, , , , 16, 3, 253, \n");
}

TEST(LoadedReport, TheSentencesSayWhatIsReadAndWhatIsCounted) {
    EXPECT_EQ(load_sentences({.line_bytes = 64, .write_percent = 0}, std::size_t{256} << 20U),
              (Fields{"Each loader reads one word of each line, line after line through 256 MiB",
                      "Bandwidth counts 64 B for each line read"}));
    EXPECT_EQ(
        load_sentences({.line_bytes = 128, .write_percent = 33}, 1536),
        (Fields{"Each loader reads one word of each line, line after line through 1.5 KiB, and changes it in 33 % "
                "of them",
                "Bandwidth counts 128 B for each line read, and as many again for one that is changed: it is "
                "written back"}));
}

TEST(LoadedReport, TellsIdleLatencyPeakAndKnee) {
    EXPECT_EQ(lines_of(loaded_findings(curve)), (Fields{"idle latency: 100.0 ns, 101.5 ns at the end",
                                                        "peak bandwidth: 32.0 GB/s at 250.0 ns (2.50 times idle)",
                                                        "knee: 16.0 GB/s at 118.0 ns (1.18 times idle)"}));
    LoadCurve flat = curve;
    flat.peak = flat.knee;
    EXPECT_EQ(lines_of(loaded_findings(flat)).back(), "knee: 16.0 GB/s at 118.0 ns (1.18 times idle), the peak: "
                                                      "these loaders do not fill the memory's queues");
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

TEST(LoadedReport, InJsonItsFindingsAreMembersAndNullWhereThereAreNone) {
    const auto json = [](const std::optional<LoadCurve>& found) {
        const std::string text = written(loaded_kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            writer.end(loaded_findings({.line_bytes = 64, .write_percent = 33}, found));
        });
        const std::size_t begin = text.find("  \"write_percent\"");
        return text.substr(begin, text.find("  \"core_clock_range_ghz\"") - begin);
    };
    EXPECT_EQ(json(curve), "  \"write_percent\": 33,\n  \"idle_latency_ns\": 100.0,\n"
                           "  \"idle_latency_at_end_ns\": 101.5,\n  \"peak_bandwidth_gb_s\": 32.0,\n"
                           "  \"knee_bandwidth_gb_s\": 16.0,\n");
    EXPECT_EQ(json(std::nullopt), "  \"write_percent\": 33,\n  \"idle_latency_ns\": null,\n"
                                  "  \"idle_latency_at_end_ns\": null,\n  \"peak_bandwidth_gb_s\": null,\n"
                                  "  \"knee_bandwidth_gb_s\": null,\n");
}

TEST(LoadedPoints, AreThoseOfTheFileWhoseFiguresAreKnown) {
    const std::string header = "Load (%), Bandwidth (GB/s), Access latency (ns)\n";
    const auto points =
        points_of(result_of(header + "0.0, 0.000, 100.000\n75.0, , \n80.0, , 150.000\n100.0, 16.000, 200.000\n"));
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].load_percent, 100);
    EXPECT_EQ(points[1].bytes_per_ns, 16);
    EXPECT_EQ(points[1].latency_ns, 200);
    EXPECT_THROW(static_cast<void>(points_of(result_of(header + "50.0, , \n"))), Error);
}

} // namespace
} // namespace memtest
