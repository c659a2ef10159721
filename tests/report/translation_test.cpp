#include "memtest/report/translation.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/sweep.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace memtest {
namespace {

constexpr double page_bytes = 4096;
const std::vector small_pages{PagesGot{.page_bytes = 4096}};
constexpr std::size_t entries = 64;
constexpr double walk_ns = 8;

using Lines = std::vector<std::string>;

Lines lines_of(const Findings& findings) {
    Lines lines;
    for (const Finding& finding : findings.list)
        lines.push_back(finding.key + ": " + finding.sentence);
    return lines;
}

// What memtest tlb tells.

const Tlb first{.entries_low = 72,
                .entries = 72,
                .entries_high = 73,
                .hit_ns = 0.001,
                .miss_ns = 1.9,
                .confidence = Confidence::high};
const Tlb second{.entries_low = 2270,
                 .entries = 3072,
                 .entries_high = 3300,
                 .hit_ns = 1.89,
                 .miss_ns = 12,
                 .confidence = Confidence::fair};

TlbReport report_of(const std::vector<Tlb>& tlbs, const std::vector<CostAtPages>& beyond) {
    return {.translation = {.tlbs = tlbs, .beyond = beyond},
            .page_bytes = page_bytes,
            .most_pages = 16384,
            .core_ghz = 3.7,
            .splits_huge_pages = false};
}

TEST(TlbReport, ItsRowsGiveTheReachInKibAndTheDifference) {
    EXPECT_EQ(csv_header(tlb_kind), "Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)");
    EXPECT_EQ(csv_rows(tlb_kind, {tlb_row({.pages = 72, .rounds = {{1.2, 1.1}, {1.1, 1.15}}}, 4096),
                                  tlb_row({.pages = 73, .rounds = {{3.052, 1.1}}}, 16384),
                                  tlb_row({.pages = 16, .rounds = {{1, 3}}}, std::size_t{2} << 20U)}),
              "72, 288, 1.100, 1.100, 0.000\n73, 1168, 3.052, 1.100, 1.952\n16, 32768, 1.000, 3.000, -2.000\n");
}

TEST(TlbReport, TellsTheTlbsAndWhatFollows) {
    EXPECT_EQ(lines_of(tlb_findings(report_of({first, second}, {{6144, 15}, {16384, 36}}))),
              (Lines{"tlb L1: 72 entries (reach 288 KiB), confidence high",
                     "tlb L2: 2270 to 3300 entries, best estimate 3072 (reach 12 MiB), +1.9 ns (7 cycles), "
                     "confidence fair",
                     "walk: +15.0 ns at twice the reach, +36.0 ns at 16384 pages"}));
    const Lines lines = lines_of(tlb_findings(report_of({first}, {{160, 8}, {16384, 24}})));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], "beyond tlb L1: +8.0 ns at twice the reach, +24.0 ns at 16384 pages");
    EXPECT_TRUE(lines[2].starts_with("remark: no second edge up to 16384 pages")) << lines[2];
}

TEST(TlbReport, SaysWhereThereIsNoEdgeAndWhereHugePagesAreSplit) {
    const Lines lines = lines_of(tlb_findings(report_of({}, {})));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with("remark: no edge up to 16384 pages")) << lines[0];
    TlbReport report = report_of({first, second}, {{6144, 15}, {16384, 36}});
    report.splits_huge_pages = true;
    EXPECT_TRUE(lines_of(tlb_findings(report)).at(3).ends_with("the host of a virtual machine splits them"));
}

TEST(TlbReport, IsTheSameInJson) {
    const auto findings = tlb_findings(report_of({first, second}, {{6144, 15}, {16384, 36.0004}})).list;
    EXPECT_EQ(findings.at(1).members.front().value.json(),
              R"([{"level":"L2","entries_low":2270,"entries":3072,"entries_high":3300,"reach_kib":12288,)"
              R"("hit_ns":1.89,"miss_ns":12.0,"confidence":"fair"}])");
    EXPECT_EQ(findings.at(2).members.front().value.json(),
              R"([{"pages":6144,"translation_ns":15.0},{"pages":16384,"translation_ns":36.0}])");
}

// What a stored result of it tells.

std::vector<std::size_t> numbers_measured() {
    std::vector<std::size_t> all = numbers_of_pages(16384);
    all.insert(std::ranges::upper_bound(all, entries), entries + 1);
    return all;
}

/// What `memtest tlb` writes on a machine with one TLB.
std::string tlb_text(Format format, const RunDescription& run) {
    return written(tlb_kind, {.format = format}, [&](ResultWriter& writer) {
        writer.begin({}, run);
        for (const std::size_t pages : numbers_measured())
            writer.row(tlb_row({.pages = pages, .rounds = {{1 + (pages > entries ? walk_ns : 0), 1}}}, 4096));
        writer.warn("of the run");
        writer.end({.told = true, .list = {remark("something")}}, run);
    });
}

/// A run of so many rows.
RunDescription run_of(std::size_t rows, std::size_t planned) {
    RunDescription run;
    run.version = "1.0.0";
    run.core_clock_ghz = 3.7;
    run.pages_got = small_pages;
    run.end = RunEnd{.measured = rows, .planned = planned, .interrupted = rows < planned, .of_rows = true};
    return run;
}

/// The stored result of a whole run, or of another.
Result stored_tlb(const RunDescription& run = run_of(numbers_measured().size(), numbers_measured().size())) {
    return result_of(tlb_text(Format::csv, run), "tlb");
}

TEST(StoredTlb, IsReadWithItsTlbsFromCsvAndJson) {
    const RunDescription run = run_of(numbers_measured().size(), numbers_measured().size());
    for (const Format format : {Format::csv, Format::json}) {
        const Result stored = result_of(tlb_text(format, run));
        EXPECT_EQ(stored.kind, &tlb_kind);
        EXPECT_EQ(stored.run, run);
        EXPECT_EQ(stored.warnings, Lines{"of the run"});
        EXPECT_EQ(stored.remarks, Lines{"something"});
        EXPECT_EQ(why_incomplete(stored), std::nullopt);
        const TlbReport report = read_tlb(stored);
        EXPECT_EQ(report.page_bytes, page_bytes);
        EXPECT_EQ(report.most_pages, 16384U);
        EXPECT_EQ(report.core_ghz, 3.7);
        ASSERT_EQ(report.translation.tlbs.size(), 1U);
        EXPECT_EQ(report.translation.tlbs.front().entries_low, entries);
    }
}

TEST(StoredTlb, WhoseNumbersOfPagesDoNotAscendIsRefused) {
    const std::string header = csv_header(tlb_kind) + "\n4, 16, 1, 1, 0\n";
    EXPECT_EQ(refusal_of([&] { static_cast<void>(read_tlb(result_of(header + "4, 16, 1, 1, 0\n", "file"))); }),
              "file: row 2 has 4 pages, not more than the row before");
}

/// A random sweep of a machine with an L1 of 32 KiB, an L2 of 2 MiB, and that TLB.
Result sweep_with_translation() {
    Result sweep{.name = "sweep", .kind = &sweep_kind};
    sweep.run.order = Order::random;
    sweep.run.pages_got = small_pages;
    for (std::size_t size = 512; size <= std::size_t{256} << 20U; size *= 2) {
        const auto bytes = static_cast<double>(size);
        const double cache_ns = bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80;
        const double latency_ns = cache_ns + std::max(0.0, 1 - entries * page_bytes / bytes) * walk_ns;
        sweep.rows.push_back({{0, bytes / (1024 * 1024), latency_ns, latency_ns * 3}});
    }
    return sweep;
}

std::size_t caches_in(const Result& sweep) {
    return report_levels(sweep).front().hierarchy.caches.size();
}

TEST(TakeTranslationOff, ATlbNoLongerLooksLikeACacheAndTheCachesStay) {
    Result sweep = sweep_with_translation();
    EXPECT_EQ(caches_in(sweep), 3U) << "the shoulder is as high as a cache's";
    EXPECT_TRUE(subtract_translation(sweep, stored_tlb()));
    EXPECT_EQ(caches_in(sweep), 2U);
    for (const ResultRow& row : sweep.rows) {
        const double bytes = size_of(row);
        const double latency_ns = row.number(sweep_column::latency_ns).value();
        EXPECT_NEAR(latency_ns, bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80, 0.2);
        EXPECT_NEAR(row.number(sweep_column::cycles).value() / latency_ns, 3, 1e-9) << "the core's clock stays";
    }
}

TEST(TakeTranslationOff, OfAResultThatIsNotWholeDoesNotTakeAllOff) {
    Result sweep = sweep_with_translation();
    EXPECT_FALSE(subtract_translation(sweep, stored_tlb(run_of(numbers_measured().size(), 60))));
    sweep = sweep_with_translation();
    EXPECT_FALSE(subtract_translation(sweep, stored_tlb(run_of(60, 60)))) << "rows are missing";
}

TEST(TakeTranslationOff, RefusesACostThatIsMostOfAnAccessAndLeavesTheSweepAsItWas) {
    Result sweep = sweep_with_translation();
    sweep.rows.back().values[sweep_column::latency_ns] = 9.0;
    EXPECT_EQ(refusal_of([&] { static_cast<void>(subtract_translation(sweep, stored_tlb())); }),
              "tlb cannot be taken off sweep: it tells of 8.0 ns at 256 MiB, where an access takes 9.0 ns: it was "
              "disturbed, or is of another machine; measure it again");
    EXPECT_EQ(caches_in(sweep), caches_in(sweep_with_translation()));
}

TEST(TakeTranslationOff, RefusesSweepsOfWhichTheCostIsNotKnown) {
    const auto refuses = [&](const auto& change, const char* why) {
        Result sweep = sweep_with_translation();
        change(sweep.run);
        return refusal_of([&] { static_cast<void>(subtract_translation(sweep, stored_tlb())); }).find(why) !=
               std::string::npos;
    };
    EXPECT_TRUE(refuses([](RunDescription& run) { run.order = Order::backward; }, "--random"));
    EXPECT_TRUE(refuses([](RunDescription& run) { run.tlb_locality_bytes = 65536; }, "--tlb-locality"));
    EXPECT_TRUE(refuses(
        [](RunDescription& run) {
            run.pages_got = std::vector{PagesGot{.transparent_page_bytes = 2097152, .transparent_percent = 100}};
        },
        "--pages"));
    EXPECT_FALSE(refuses([](RunDescription&) {}, "cannot"));
}

// What memtest translation tells.

TEST(TranslationReport, HasARowForEachSizeAndSumsThemUp) {
    const std::vector<TranslationCost> costs{
        {.thread = 0, .size_bytes = 512, .small_pages_ns = 1.5, .huge_pages_ns = 1.5},
        {.thread = 0, .size_bytes = 1024 * 1024, .small_pages_ns = 15, .huge_pages_ns = 10, .cost_ns = 5}};
    EXPECT_EQ(csv_header(translation_kind),
              "Thread, Mem size (MiB), Small pages (ns), Huge pages (ns), Translation (ns), Translation (%)");
    const auto rows = translation_rows(costs);
    EXPECT_EQ(csv_rows(translation_kind, rows),
              "0, 0.00049, 1.500, 1.500, , \n0, 1.00000, 15.000, 10.000, 5.000, 50.0\n");
    EXPECT_EQ(Value(row_members(translation_kind, rows[1])).json(),
              R"({"thread":0,"size_bytes":1048576,"small_pages_ns":15.0,"huge_pages_ns":10.0,"translation_ns":5.0,)"
              R"("translation_percent":50.0})");
    EXPECT_EQ(lines_of(translation_findings(costs, true)),
              Lines{"cost: known at 1 of 2 sizes; at the others noise explains the difference"});
}

TEST(TranslationReport, RemarksOnReversedSizesAndOnSweepsThatDoNotTellTheirNoise) {
    const std::vector<TranslationCost> costs{{.reversed = true}};
    const Lines lines = lines_of(translation_findings(costs, false));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(lines[1].starts_with("remark: at 1 size huge pages were slower by more than noise explains"))
        << lines[1];
    EXPECT_TRUE(lines[2].starts_with("remark: not all sizes say how noisy they were")) << lines[2];
}

} // namespace
} // namespace memtest
