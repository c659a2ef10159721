#include "memtest/kinds/translation.hpp"

#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <variant>

namespace memtest {
namespace {

constexpr double page_bytes = 4096;
const std::vector pages_of_4k{PagesGot{.page_bytes = 4096}};
constexpr std::size_t entries = 64;
constexpr double walk_ns = 8;

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
    EXPECT_EQ(csv_rows(tlb_kind, std::vector{tlb_row({.pages = 72, .rounds = {{1.2, 1.1}, {1.1, 1.15}}}, 4096),
                                             tlb_row({.pages = 73, .rounds = {{3.052, 1.1}}}, 16384),
                                             tlb_row({.pages = 16, .rounds = {{1, 3}}}, std::size_t{2} << 20U)}),
              "72, 288, 1.100, 1.100, 0.000\n73, 1168, 3.052, 1.100, 1.952\n16, 32768, 1.000, 3.000, -2.000\n");
}

TEST(TlbReport, TellsTheTlbsAndWhatFollows) {
    const Findings both = tlb_findings(report_of({first, second}, {{6144, 15}, {16384, 36.0004}}));
    ASSERT_EQ(told_by(both), (Told{{"tlb L1", Code::tlb}, {"tlb L2", Code::tlb}, {"walk", Code::page_walks}}));
    EXPECT_EQ(both.list[0].notice.values["reach_kib"], 288);
    EXPECT_EQ(both.list[1].notice.values["hit_cycles"], 6.993);
    const Findings one = tlb_findings(report_of({first}, {{160, 8}, {16384, 24}}));
    ASSERT_EQ(told_by(one),
              (Told{{"tlb L1", Code::tlb}, {"beyond tlb L1", Code::page_walks}, {"remark", Code::no_second_tlb_edge}}));
    EXPECT_EQ(one.list[2].notice.values["pages"], 16384);
}

TEST(TlbReport, SaysWhereThereIsNoEdgeAndWhereHugePagesAreSplit) {
    const Findings none = tlb_findings(report_of({}, {}));
    ASSERT_EQ(told_by(none), (Told{{"remark", Code::no_tlb_edge}}));
    EXPECT_EQ(none.list[0].notice.values["pages"], 16384);
    TlbReport report = report_of({first, second}, {{6144, 15}, {16384, 36}});
    report.splits_huge_pages = true;
    EXPECT_EQ(tlb_findings(report).list.at(3).notice.code, Code::huge_pages_split);
}

TEST(TlbReport, NamesThePagesWhoseCostWasDisturbed) {
    TlbReport report = report_of({first, second}, {{6144, 15}, {16384, 36}});
    report.translation.disturbed_pages = {8192};
    const Notice notice = tlb_findings(report).list.at(3).notice;
    EXPECT_EQ(notice.code, Code::pages_not_quoted);
    EXPECT_EQ(notice.values["pages"], List{8192});
}

TEST(TlbReport, IsTheSameInJson) {
    const auto findings = tlb_findings(report_of({first, second}, {{6144, 15}, {16384, 36.0004}})).list;
    EXPECT_EQ(dumped(findings.at(1).members),
              R"({"tlbs":[{"level":"L2","entries_low":2270,"entries":3072,"entries_high":3300,"reach_kib":12288.0,)"
              R"("hit_ns":1.89,"miss_ns":12.0,"confidence":"fair"}]})");
    EXPECT_EQ(dumped(findings.at(2).members),
              R"({"beyond":[{"pages":6144,"translation_ns":15.0},{"pages":16384,"translation_ns":36.0}]})");
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
        writer.warn(Notice(Code::busy_machine));
        writer.end({.told = true, .list = {remark(Notice(Code::huge_pages_split))}}, run);
    });
}

/// A run of so many rows.
RunDescription run_of(std::size_t rows, std::size_t planned) {
    RunDescription run;
    run.version = "1.0.0";
    run.core_clock_ghz = 3.7;
    run.pages_got = pages_of_4k;
    run.end = RunEnd{.measured = rows, .planned = planned, .interrupted = rows < planned, .of_rows = true};
    return run;
}

/// The stored result of a whole run, or of another, without the remark on split pages.
Result stored_tlb(const RunDescription& run = run_of(numbers_measured().size(), numbers_measured().size())) {
    Result tlb = result_of(tlb_text(Format::csv, run), "tlb");
    tlb.remarks.clear();
    return tlb;
}

TEST(StoredTlb, IsReadWithItsTlbsFromCsvAndJson) {
    const RunDescription run = run_of(numbers_measured().size(), numbers_measured().size());
    for (const Format format : {Format::csv, Format::json}) {
        const Result stored = result_of(tlb_text(format, run));
        EXPECT_EQ(stored.kind, &tlb_kind);
        EXPECT_EQ(stored.run, run);
        EXPECT_EQ(codes_of(stored.warnings), std::vector{Code::busy_machine});
        EXPECT_EQ(codes_of(stored.remarks), std::vector{Code::huge_pages_split});
        EXPECT_EQ(why_incomplete(stored), std::nullopt);
        const TlbReport report = read_tlb(stored);
        EXPECT_EQ(report.page_bytes, page_bytes);
        EXPECT_EQ(report.most_pages, 16384U);
        EXPECT_EQ(report.core_ghz, 3.7);
        ASSERT_EQ(report.translation.tlbs.size(), 1U);
        EXPECT_EQ(report.translation.tlbs.front().entries_low, entries);
    }
}

/// With a second TLB of sixteen times the entries.
Result tlb_with_second() {
    Result tlb = stored_tlb();
    for (TlbRow& row : std::get<std::vector<TlbRow>>(tlb.rows))
        row.spread_ns = row.packed_ns + (row.pages > entries ? 2 : 0) + (row.pages > 16 * entries ? 20 : 0);
    return tlb;
}

TEST(StoredTlb, IsNotSureOfTheSecondTlbOfAVirtualMachine) {
    Result tlb = tlb_with_second();
    for (const bool is_guest : {false, true}) {
        tlb.run.virtual_machine = is_guest;
        EXPECT_EQ(read_tlb(tlb).translation.tlbs.at(1).confidence, is_guest ? Confidence::fair : Confidence::high);
    }
}

TEST(StoredTlb, ClaimsNothingThatItsRemarksDeny) {
    const auto told_with = [](const Notice& remark) {
        Result tlb = tlb_with_second();
        tlb.remarks = {remark};
        return std::pair(confirmed_tlb(tlb).translation.tlbs.size(), confirmed_tlb(tlb).translation.beyond.size());
    };
    using Counts = std::pair<std::size_t, std::size_t>; // of TLBs, and of costs after them
    const Counts both{2, 2};
    EXPECT_EQ(told_with(Notice(Code::huge_pages_split)), both);
    EXPECT_EQ(told_with({Code::no_second_tlb_edge, {{"pages", 16384}}}), (Counts{1, 0}));
    EXPECT_EQ(told_with({Code::no_tlb_edge, {{"pages", 16384}}}), (Counts{0, 0}));
    EXPECT_EQ(told_with({Code::pages_not_quoted, {{"pages", List{4, 8}}}}), both);
    EXPECT_EQ(told_with({Code::pages_not_quoted, {{"pages", List{16384}}}}), (Counts{2, 1}));
}

TEST(StoredTlb, WhoseNumbersOfPagesDoNotAscendIsRefused) {
    const std::string header = csv_header(tlb_kind) + "\n4, 16, 1, 1, 0\n";
    EXPECT_TRUE(
        mentions(refusal_of([&] { static_cast<void>(read_tlb(result_of(header + "4, 16, 1, 1, 0\n", "file"))); }),
                 {"file: row 2", "4 pages"}));
}

/// A random sweep of a machine with an L1 of 32 KiB, an L2 of 2 MiB, and that TLB.
Result sweep_with_translation() {
    Result sweep{.name = "sweep", .kind = &sweep_kind};
    std::vector<Row> rows;
    sweep.run.order = Order::random;
    sweep.run.pages_got = pages_of_4k;
    for (std::size_t size = 512; size <= std::size_t{256} << 20U; size *= 2) {
        const auto bytes = static_cast<double>(size);
        const double cache_ns = bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80;
        const double latency_ns = cache_ns + std::max(0.0, 1 - entries * page_bytes / bytes) * walk_ns;
        Row& row = rows.emplace_back();
        row.size_bytes = size;
        row.latency_ns = latency_ns;
        row.latency_cycles = latency_ns * 3;
    }
    sweep.rows = std::move(rows);
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
    for (const Row& row : sweep.rows_of<Row>()) {
        const auto bytes = static_cast<double>(row.size_bytes);
        const double latency_ns = row.latency_ns.value();
        EXPECT_NEAR(latency_ns, bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80, 0.2);
        EXPECT_NEAR(row.latency_cycles.value() / latency_ns, 3, 1e-9) << "the core's clock stays";
    }
}

TEST(TakeTranslationOff, LeavesOutSizesOfMorePagesThanWereMeasuredUnlessMemoryIsAmongThem) {
    const double told_bytes = static_cast<double>(numbers_measured().back()) * page_bytes;
    const auto largest_mib = [](const Result& sweep) { return sweep.rows_of<Row>().back().size_bytes >> 20U; };
    const auto left_out = [&](const Result& sweep) {
        EXPECT_EQ(codes_of(sweep.warnings), (std::vector{Code::translation_untold}));
        EXPECT_EQ(sweep.warnings.front().values["told_to_bytes"], told_bytes);
        return sweep.warnings.front().values["are_left_out"];
    };
    Result sweep = sweep_with_translation();
    sweep.run.end = RunEnd{.measured = 20, .planned = 20};
    EXPECT_TRUE(subtract_translation(sweep, stored_tlb()));
    EXPECT_EQ(left_out(sweep), true);
    EXPECT_EQ(largest_mib(sweep), 64U) << "told of 16384 pages";
    EXPECT_EQ(sweep.run.end, (RunEnd{.measured = 18, .planned = 18}));

    Result late = sweep_with_translation(); // a last cache of which 64 MiB is no eighth
    for (Row& row : std::get<std::vector<Row>>(late.rows))
        *row.latency_ns += row.size_bytes > 2 << 20 && row.size_bytes <= 16 << 20 ? -40 : 0;
    EXPECT_FALSE(subtract_translation(late, stored_tlb())) << "not the full cost";
    EXPECT_EQ(left_out(late), false);
    EXPECT_EQ(largest_mib(late), 256U);

    Result short_sweep = sweep_with_translation();
    std::erase_if(std::get<std::vector<Row>>(short_sweep.rows),
                  [](const Row& row) { return row.size_bytes > 64 << 20; });
    EXPECT_TRUE(subtract_translation(short_sweep, stored_tlb()));
    EXPECT_TRUE(short_sweep.warnings.empty());
}

TEST(TakeTranslationOff, OfHugePagesThatAreSplitDoesNotTakeAllOff) {
    Result sweep = sweep_with_translation();
    Result split = stored_tlb();
    split.remarks.emplace_back(Code::huge_pages_split);
    EXPECT_FALSE(subtract_translation(sweep, split));
    EXPECT_EQ(codes_of(sweep.warnings), (std::vector{Code::page_walks_remain, Code::translation_untold}));
}

TEST(TakeTranslationOff, OfAResultThatIsNotWholeDoesNotTakeAllOff) {
    Result sweep = sweep_with_translation();
    EXPECT_FALSE(subtract_translation(sweep, stored_tlb(run_of(numbers_measured().size(), 60))));
    sweep = sweep_with_translation();
    EXPECT_FALSE(subtract_translation(sweep, stored_tlb(run_of(60, 60)))) << "rows are missing";
}

TEST(TakeTranslationOff, RefusesACostThatIsMostOfAnAccessAndLeavesTheSweepAsItWas) {
    Result sweep = sweep_with_translation();
    std::get<std::vector<Row>>(sweep.rows).back().latency_ns = 9.0;
    EXPECT_TRUE(mentions(refusal_of([&] { static_cast<void>(subtract_translation(sweep, stored_tlb())); }),
                         {"tlb", "sweep", "8.0 ns", "256 MiB", "9.0 ns"}));
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
        {.thread = 0,
         .size_bytes = 512,
         .small_pages_ns = 1.5,
         .huge_pages_ns = 1.5,
         .withheld = Withheld::explained_by_noise},
        {.thread = 0, .size_bytes = 1024 * 1024, .small_pages_ns = 15, .huge_pages_ns = 10, .cost_ns = 5}};
    EXPECT_EQ(
        csv_header(translation_kind),
        "Thread, Mem size (MiB), Small pages (ns), Huge pages (ns), Translation (ns), Translation (%), Not quoted");
    EXPECT_EQ(csv_rows(translation_kind, costs),
              "0, 0.00049, 1.500, 1.500, , , noise\n0, 1.00000, 15.000, 10.000, 5.000, 50.0, \n");
    EXPECT_EQ(dumped(row_members(translation_kind, translation_kind.values(costs[1]))),
              R"({"thread":0,"size_bytes":1048576,"small_pages_ns":15.0,"huge_pages_ns":10.0,"translation_ns":5.0,)"
              R"("translation_percent":50.0,"low_ns":5.0,"high_ns":5.0,"not_quoted":null})");
    const Findings findings = translation_findings(costs, true);
    ASSERT_EQ(told_by(findings), (Told{{"cost", Code::costs_known}}));
    EXPECT_EQ(findings.list[0].notice.values, (Members{{"known", 1}, {"of", 2}, {"within_noise", 1}}));
}

TEST(TranslationReport, RemarksOnReversedAndDisturbedSizesAndOnSweepsThatDoNotTellTheirNoise) {
    const std::vector<TranslationCost> costs{{.size_bytes = 32 * kib, .withheld = Withheld::reversed},
                                             {.size_bytes = 64 * kib, .withheld = Withheld::disturbed},
                                             {.size_bytes = 128 * kib, .withheld = Withheld::disturbed}};
    const Findings findings = translation_findings(costs, false);
    ASSERT_EQ(told_by(findings), (Told{{"cost", Code::costs_known},
                                       {"remark", Code::huge_pages_slower},
                                       {"remark", Code::withheld_costs},
                                       {"remark", Code::noise_assumed}}));
    EXPECT_EQ(findings.list[1].notice.values["sizes"], 1);
    EXPECT_EQ(findings.list[2].notice.values["sizes"], 2);
    EXPECT_EQ(findings.list[2].notice.values["names"], (List{"64 KiB", "128 KiB"}));
}

TEST(TranslationReport, HasASentenceOfItsOwnForEachReasonButNoise) {
    std::set<std::string> sentences;
    for (const Withheld why : all_values<Withheld>()) {
        const std::vector<TranslationCost> costs{
            {.size_bytes = 1 << 20, .small_pages_ns = 15, .huge_pages_ns = 10, .withheld = why}};
        for (const Notice& remark : translation_findings(costs, true).remarks())
            sentences.insert(sentence_of(remark));
    }
    EXPECT_EQ(sentences.size(), all_values<Withheld>().size() - 1);
}

TEST(TranslationReport, QuotesNoCostAtASizeThatAWarningNames) {
    Result huge_pages = sweep_with_translation();
    Result small_pages = huge_pages;
    for (Row& row : std::get<std::vector<Row>>(small_pages.rows))
        *row.latency_ns += row.size_bytes >= 16 * mib ? walk_ns : 0;
    const auto withheld_at = [&](std::uint64_t bytes) {
        const auto costs = translation_costs(small_pages, huge_pages);
        return std::ranges::find(costs, static_cast<double>(bytes), &TranslationCost::size_bytes)->withheld;
    };
    EXPECT_EQ(withheld_at(32 * mib), std::nullopt);
    huge_pages.warnings.push_back(
        {Code::disturbed_size, {{"bytes", 32 * mib}, {"ns", 90}, {"larger_bytes", 64 * mib}, {"larger_ns", 60}}});
    EXPECT_EQ(withheld_at(32 * mib), Withheld::disturbed);
    EXPECT_EQ(withheld_at(64 * mib), std::nullopt);
    for (Row& row : std::get<std::vector<Row>>(huge_pages.rows)) {
        if (row.size_bytes == 32 * mib) {
            row.low_ns = *row.latency_ns;
            row.high_ns = 2 * *row.latency_ns;
        }
    }
    EXPECT_EQ(withheld_at(32 * mib), Withheld::contested) << "a size has one cause";
}

} // namespace
} // namespace memtest
