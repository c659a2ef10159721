#include "memtest/report/figure_comparison.hpp"

#include "memtest/report/figure_table.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// Percentiles of one size, those above the median slower by a factor.
Result made_tail(double factor = 1) {
    PercentileRow row;
    row.size_bytes = 1 << 26;
    row.accesses = 1000000;
    row.p50_ns = 80;
    row.p90_ns = 90 * factor;
    row.p99_ns = 100 * factor;
    row.p99_9_ns = 300 * factor;
    Result tail{.name = "tail.csv", .kind = &tail_kind, .rows = std::vector<PercentileRow>{row}};
    tail.part = "tail";
    return tail;
}

/// The same with this sweep as another part.
ReportResults made_report(double tail_factor, const Result& sweep) {
    ReportResults report{};
    report.small_pages = sweep;
    report.small_pages->part = "sweep";
    report.tail = made_tail(tail_factor);
    return report;
}

/// An L1 of 32 KiB, an L2 of 1 MiB and memory, which is slower by a factor.
Result made_sweep(double factor = 1) {
    std::vector<Row> rows;
    for (std::uint64_t size = 1024; size <= (std::uint64_t{1} << 27U); size *= 2) {
        Row row;
        row.size_bytes = size;
        row.latency_ns = size <= 32768 ? 1.0 : size <= 1048576 ? 4.0 : 80.0 * factor;
        row.visits_percent = 1;
        rows.push_back(row);
    }
    return {.name = "sweep.csv", .kind = &sweep_kind, .rows = rows};
}

const FigureChange& named(const FigureComparison& comparison, const std::string& name) {
    const auto found = std::ranges::find(comparison.figures, name, &FigureChange::name);
    EXPECT_NE(found, comparison.figures.end()) << name;
    return found == comparison.figures.end() ? comparison.figures.front() : *found;
}

FigureComparison compared(const Result& base, const Result& latest) {
    const std::vector<Result> baselines(3, base);
    return compare_by_figures(baselines, latest, 5);
}

FigureComparison compared(const ReportResults& base, const ReportResults& latest) {
    const std::vector<ReportResults> baselines(3, base);
    return compare_reports(baselines, latest, 5);
}

std::vector<Notice> reasons_in(const FigureComparison& comparison) {
    std::vector<Notice> reasons;
    for (const Finding& finding : comparison_findings(comparison).list) {
        for (const Value& reason : finding.members["reasons"].list())
            reasons.push_back(notice_in(reason));
    }
    return reasons;
}

std::vector<Notice> remarks_in(const FigureComparison& comparison) {
    std::vector<Notice> remarks;
    for (const Finding& finding : comparison_findings(comparison).list) {
        if (finding.is_remark)
            remarks.push_back(finding.notice);
    }
    return remarks;
}

TEST(FigureComparison, JudgesAResultByItsFigures) {
    EXPECT_EQ(compared(made_tail(), made_tail()).verdict, Verdict::no_difference);
    const FigureComparison worse = compared(made_tail(), made_tail(1.5));
    EXPECT_EQ(worse.verdict, Verdict::slower);
    EXPECT_EQ(named(worse, "p99 of 64 MiB").change.verdict, Verdict::slower);
    EXPECT_EQ(named(worse, "p50 of 64 MiB").change.verdict, Verdict::no_difference);
    EXPECT_EQ(compared(made_tail(1.5), made_tail()).verdict, Verdict::faster);
}

TEST(FigureComparison, CannotTellAnythingOfADisturbedResult) {
    Result disturbed = made_tail(1.5);
    disturbed.warnings = {{Code::others_used, {{"percent", 40}}}};
    const FigureComparison comparison = compared(made_tail(), disturbed);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_FALSE(comparison.only_noisy);
    for (const FigureChange& figure : comparison.figures)
        EXPECT_EQ(figure.doubt, Doubt::disturbed) << figure.name;
    const std::vector<Notice> reasons = reasons_in(comparison);
    ASSERT_EQ(codes_of(reasons), std::vector{Code::figures_in_doubt});
    EXPECT_EQ(reasons.front().values["how"], "other processes used 40 % of the CPUs") << "by what";
}

TEST(FigureComparison, TellsByWhatAPartOfAReportWasDisturbed) {
    ReportResults latest = made_report(1.5, made_sweep());
    latest.tail->warnings.emplace_back(Code::loads_missed, Members{{"rows", 1}, {"of", 1}, {"by_percent", 10}});
    auto& row = std::get<std::vector<PercentileRow>>(latest.tail->rows).front();
    row.load_percent = 100;
    row.achieved_percent = 80;
    ReportResults base = made_report(1, made_sweep());
    std::get<std::vector<PercentileRow>>(base.tail->rows).front().load_percent = 100;
    const FigureComparison comparison = compared(base, latest);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    const std::vector<Notice> reasons = reasons_in(comparison);
    ASSERT_EQ(codes_of(reasons), std::vector{Code::figures_in_doubt});
    EXPECT_TRUE(mentions(text_of(reasons.front().values["how"]), {"missed their target"}))
        << dumped(reasons.front().values);
}

TEST(FigureComparison, JudgesTheSweepsOfAReportByTheirLevels) {
    const FigureComparison slower = compared(made_report(1, made_sweep()), made_report(1, made_sweep(1.2)));
    EXPECT_EQ(slower.verdict, Verdict::slower);
    const FigureChange memory = named(slower, "memory latency");
    EXPECT_EQ(memory.part, "sweep");
    EXPECT_EQ(memory.change.verdict, Verdict::slower);
    EXPECT_NEAR(memory.change.change_percent, 20, 1e-6);
    EXPECT_EQ(named(slower, "p50 of 64 MiB").part, "tail");
    EXPECT_EQ(compared(made_report(1, made_sweep()), made_report(1, made_sweep())).verdict, Verdict::no_difference);
}

TEST(FigureComparison, JudgesSweepsByTheirFiguresWhereABaselineHasNoLevels) {
    Result single = made_sweep();
    single.rows = std::vector<Row>{std::get<std::vector<Row>>(single.rows).back()};
    const std::vector<ReportResults> baselines{made_report(1, made_sweep()), made_report(1, single)};
    const FigureComparison comparison = compare_reports(baselines, made_report(1, made_sweep()), 5);
    for (const FigureChange& figure : comparison.figures) {
        if (figure.part == "sweep") {
            EXPECT_EQ(figure.change.verdict, Verdict::cannot_tell) << figure.name;
        }
    }
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

TEST(FigureComparison, TellsNothingOfTheLevelsOfADisturbedSweep) {
    ReportResults latest = made_report(1, made_sweep(1.2));
    latest.small_pages->warnings = {{Code::others_used, {{"percent", 40}}}};
    const FigureComparison comparison = compared(made_report(1, made_sweep()), latest);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(named(comparison, "memory latency").doubt, Doubt::disturbed);
    EXPECT_EQ(comparison.unclear.size(), 1U);
    EXPECT_FALSE(comparison.only_noisy);
}

TEST(FigureComparison, NamesPartsThatAreNotInAllReportsAndDoesNotJudgeThem) {
    ReportResults latest = made_report(1.5, made_sweep());
    ReportResults base = made_report(1, made_sweep());
    base.tail.reset();
    for (const auto& [one, other] : {std::pair(base, latest), std::pair(latest, base)}) {
        const FigureComparison comparison = compared(one, other);
        EXPECT_EQ(comparison.verdict, Verdict::no_difference);
        ASSERT_EQ(codes_of(comparison.remarks), (std::vector{Code::parts_left_out}));
        EXPECT_EQ(comparison.remarks.front().values["parts"], List{"tail"});
    }
    latest.small_pages.reset();
    EXPECT_EQ(compared(base, latest).verdict, Verdict::cannot_tell) << "nothing is in common";
}

TEST(FigureComparison, NamesEachSettingThatDiffersOnce) {
    ReportResults base = made_report(1, made_sweep());
    ReportResults latest = base;
    for (Result* part : {&*base.tail, &*base.small_pages, &*latest.tail, &*latest.small_pages}) {
        const bool is_new = part == &*latest.tail || part == &*latest.small_pages;
        part->run.governor = is_new ? "powersave" : "performance";
        part->run.microcode = "0x1";
        part->run.mitigations = std::vector<std::string>{"mds: Mitigation: Clear CPU buffers",
                                                         is_new ? "meltdown: Vulnerable" : "meltdown: PTI"};
    }
    const FigureComparison comparison = compared(base, latest);
    ASSERT_EQ(codes_of(comparison.remarks), std::vector{Code::runs_differ});
    EXPECT_EQ(codes_of(remarks_in(comparison)), (std::vector{Code::runs_differ, Code::figures_not_counted}));
    EXPECT_EQ(comparison.remarks.front().values["differences"],
              (List{Members{{"key", "governor"}, {"base", "performance"}, {"new", "powersave"}},
                    Members{{"key", "mitigations"}, {"base", "meltdown: PTI"}, {"new", "meltdown: Vulnerable"}}}));
}

TEST(FigureComparison, OfResultsSaysWhichSettingIsNew) {
    Result base = made_tail();
    Result latest = made_tail();
    base.run.governor = "performance";
    latest.run.governor = "powersave";
    EXPECT_EQ(compared(base, latest).remarks.at(0).values["differences"],
              (List{Members{{"key", "governor"}, {"base", "performance"}, {"new", "powersave"}}}));
}

TEST(FigureComparison, TableFitsAnyTerminal) {
    ReportResults report{};
    report.tlb = read_result(TEST_DATA "/stored/tlb.csv");
    report.tlb->part = "tlb";
    report.tail = read_result(TEST_DATA "/stored/tail.csv");
    report.tail->part = "tail";
    report.prefetch = read_result(TEST_DATA "/stored/prefetch.csv");
    report.prefetch->part = "prefetch";
    report.loaded = read_result(TEST_DATA "/stored/loaded.csv");
    report.loaded->part = "loaded";
    const std::string table = comparison_table(compared(report, report), true, false, 80);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
}

TEST(FigureComparison, BreaksLongNamesAtBlanksWhereTheTableIsTooWide) {
    FigureComparison comparison{.verdict = Verdict::cannot_tell};
    const auto add = [&](const std::string& name) {
        comparison.figures.push_back(
            {.name = name,
             .quantity = Quantity::loaded_latency,
             .change = {.base = 123.4, .latest = 567.8, .change_percent = 360, .noise_percent = 200},
             .doubt = Doubt::not_in_base});
    };
    add("latency at 50 % of peak at 100 % writes");
    add("latency at 75 % of peak");
    const std::string table = comparison_table(comparison, true, false, 80);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
    EXPECT_NE(table.find("\nlatency at 50 % of peak at 100\n  % writes  "), std::string::npos) << table;
    EXPECT_NE(table.find("\nlatency at 75 % of peak  "), std::string::npos) << table;
}

TEST(FigureComparison, LeavesFiguresThatNoiseHidesOutOfTheTableOfReports) {
    FigureComparison comparison{.verdict = Verdict::no_difference};
    comparison.figures = {
        {.part = "tail", .name = "p99.9 of 64 MiB", .quantity = Quantity::p99_9, .change = {.base = 1, .latest = 2}},
        {.part = "tlb", .name = "L2 TLB hit", .quantity = Quantity::tlb_hit, .change = {.base = 1, .latest = 2}}};
    for (FigureChange& figure : comparison.figures)
        figure.change.verdict = Verdict::cannot_tell;
    const std::string some = comparison_table(comparison);
    EXPECT_EQ(some.find("p99.9 of 64 MiB  "), std::string::npos) << some;
    EXPECT_NE(some.find("L2 TLB hit  "), std::string::npos) << "it counts";
    EXPECT_NE(comparison_table(comparison, true).find("p99.9 of 64 MiB  "), std::string::npos);
}

TEST(FigureComparison, CallsWhatNoiseHidesNotCountedUnlessItMakesTheVerdictUnclear) {
    FigureComparison comparison{.verdict = Verdict::cannot_tell};
    comparison.figures = {{.name = "p99.9", .quantity = Quantity::p99_9, .change = {.base = 1, .latest = 2}},
                          {.name = "hit", .quantity = Quantity::tlb_hit, .change = {.base = 1, .latest = 2}}};
    for (FigureChange& figure : comparison.figures)
        figure.change.verdict = Verdict::cannot_tell;
    const std::string table = comparison_table(comparison);
    EXPECT_TRUE(mentions(table, {"\np99.9 ", "not counted\nhit ", "cannot tell\n"})) << table;
    ASSERT_EQ(codes_of(remarks_in(comparison)), std::vector{Code::figures_not_counted});
    EXPECT_EQ(remarks_in(comparison).front().values["count"], 1);
    comparison.figures.pop_back();
    EXPECT_EQ(codes_of(reasons_in(comparison)), std::vector{Code::noise_hides_all});
    EXPECT_TRUE(remarks_in(comparison).empty());
    EXPECT_EQ(comparison_table(comparison).find("not counted"), std::string::npos) << "there is no other";
    comparison.figures.front().quantity = Quantity::saving;
    comparison.figures.push_back({.name = "hit", .quantity = Quantity::tlb_hit, .change = {.base = 1, .latest = 1}});
    EXPECT_EQ(codes_of(remarks_in(comparison)), std::vector{Code::figures_not_counted}) << "a saving";
}

TEST(FigureComparison, SaysOfHowManyFiguresNoDifferenceIsTold) {
    FigureComparison comparison{.tolerance_percent = 5, .verdict = Verdict::no_difference};
    comparison.figures.resize(3, {.name = "p50", .quantity = Quantity::p50, .change = {.base = 1, .latest = 1}});
    EXPECT_FALSE(reasons_in(comparison).front().values.contains("not_judged"));
    comparison.figures[2].change.verdict = Verdict::cannot_tell;
    comparison.figures.push_back({.name = "saved", .quantity = Quantity::saving});
    const Notice reason = reasons_in(comparison).front();
    EXPECT_EQ(reason.values["of"], 3) << "a saving does not decide";
    EXPECT_EQ(reason.values["not_judged"], 1);
}

TEST(FigureComparison, LeavesFiguresWithoutDifferenceOutOfTheTableOfReports) {
    const FigureComparison comparison = compared(made_report(1, made_sweep()), made_report(1.5, made_sweep()));
    const std::string some = comparison_table(comparison);
    EXPECT_NE(some.find("p99 of 64 MiB"), std::string::npos);
    EXPECT_EQ(some.find("p50 of 64 MiB  "), std::string::npos) << some;
    EXPECT_NE(comparison_table(comparison, true).find("p50 of 64 MiB  "), std::string::npos);
}

/// Chains side by side through one size, as parts of a report.
ReportResults made_chains(double factor) {
    ReportResults report{};
    for (const unsigned chains : {1U, 2U}) {
        Row row;
        row.size_bytes = 1 << 26;
        row.latency_ns = 80 * factor / chains;
        row.visits_percent = 1;
        Result& part =
            report.parallel.emplace_back(Result{.name = "chains", .kind = &sweep_kind, .rows = std::vector<Row>{row}});
        part.run.parallel = chains;
        part.part = fmt::format("parallel{}", chains);
    }
    return report;
}

TEST(FigureComparison, HasOneTableForAllNumbersOfChains) {
    const FigureComparison slower = compared(made_chains(1), made_chains(2));
    EXPECT_EQ(named(slower, "2 chains at 64 MiB").part, "parallel2");
    const std::string table = comparison_table(slower);
    EXPECT_TRUE(mentions(table, {"\nParallel ", "parallel 1 chain at 64 MiB", "parallel 2 chains at 64 MiB"})) << table;
    EXPECT_EQ(table.find("\n\nParallel", table.find("\n\nParallel") + 1), std::string::npos) << table;
}

TEST(FigureComparison, IsNotMadeUnclearByPartsOfWhichNoFigureCounts) {
    ReportResults report = made_report(1, made_sweep());
    report.tail.reset();
    report.cores = read_result(TEST_DATA "/stored/cores.csv");
    report.cores->part = "cores";
    report.cores->run.virtual_machine = true; // noise hides all of its figures
    EXPECT_EQ(compared(report, report).verdict, Verdict::no_difference);
    report.small_pages.reset();
    EXPECT_EQ(compared(report, report).verdict, Verdict::cannot_tell) << "there is no other";
}

TEST(FigureComparison, IsNotOnlyNoisyIfAnythingElseWouldBeInDoubtWithoutTheWorseFigure) {
    ReportResults latest = made_chains(2);
    latest.tail = made_tail();
    latest.tail->warnings = {{Code::others_used, {{"percent", 40}}}};
    ReportResults base = made_chains(1);
    base.tail = made_tail();
    const FigureComparison comparison = compared(base, latest);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
    EXPECT_FALSE(comparison.only_noisy) << "compare --measure may withdraw what is worse";
}

TEST(FigureComparison, DoesNotBlameAWarningThatIsNoDisturbance) {
    Result base = made_tail();
    base.warnings = {{Code::others_used, {{"percent", 40}}}};
    Result latest = made_tail();
    latest.warnings = {Notice(Code::learned_laps)};
    const std::vector<Notice> reasons = reasons_in(compared(base, latest));
    ASSERT_EQ(codes_of(reasons), std::vector{Code::figures_in_doubt});
    EXPECT_TRUE(mentions(text_of(reasons.front().values["how"]), {"40 %"}));
}

/// A comparison of so many figures that became worse.
FigureComparison made_worse(std::size_t count, const Change& change) {
    FigureComparison comparison{.verdict = Verdict::slower};
    comparison.figures.resize(count, {.name = "p50", .quantity = Quantity::p50, .change = change});
    for (FigureChange& figure : comparison.figures)
        figure.change.verdict = Verdict::slower;
    return comparison;
}

TEST(FigureComparison, NamesFourFiguresAndTellsHowManyMoreOrAllFive) {
    const auto reason = [](std::size_t count) {
        const std::string table = comparison_table(made_worse(count, {.base = 1, .latest = 2}));
        return table.substr(0, table.find('\n'));
    };
    for (const auto& [count, named, more] :
         {std::tuple(1, 1, ""), {5, 5, ""}, {6, 4, " and 2 more"}, {9, 4, " and 5 more"}}) {
        const std::string text = reason(static_cast<std::size_t>(count));
        EXPECT_EQ(std::ranges::count(text, '('), named) << text;
        EXPECT_EQ(text.find(" more") != std::string::npos, count > 5) << text;
        EXPECT_NE(text.find(more), std::string::npos) << text;
    }
}

TEST(FigureComparison, PrintsFourDigitsAndNoNoiseAbove100Percent) {
    const auto row = [](double base, double latest, double noise_percent) {
        const std::string table = comparison_table(
            made_worse(1, {.base = base, .latest = latest, .change_percent = 100, .noise_percent = noise_percent}));
        std::string line = table.substr(table.rfind("\np50") + 1);
        line.erase(std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
                   line.end());
        return line;
    };
    EXPECT_EQ(row(99.99, 100, 100), "p50 99.99 ns 100.0 ns +100 % 100.0 % worse\n");
    EXPECT_EQ(row(999.9, 1000, 100.1), "p50 999.9 ns 1000 ns +100 % >100 % worse\n");
    EXPECT_EQ(row(1, 0, 0), "p50 1.00 ns worse\n") << "what is not known is blank";
}

TEST(FigureComparison, NamesTheFiguresThatAreWorse) {
    const auto worse = [](const ReportResults& base, const ReportResults& latest) {
        std::vector<std::string> names;
        for (const WorseFigure& figure : compared(base, latest).worse)
            names.push_back(figure.part + ": " + figure.name);
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(worse(made_chains(1), made_chains(2)),
              (Names{"parallel1: 1 chain at 64 MiB", "parallel2: 2 chains at 64 MiB"}));
    EXPECT_EQ(worse(made_chains(2), made_chains(1)), Names());
    const ReportResults base = made_report(1, made_sweep());
    EXPECT_EQ(worse(base, made_report(1, made_sweep(1.2))), Names{"sweep: "});
    EXPECT_EQ(worse(base, made_report(1.5, made_sweep())), (Names{"tail: p99 of 64 MiB", "tail: p99.9 of 64 MiB"}));
}

/// A sweep in huge pages and a tail, the memory of each slower by a factor.
ReportResults with_memory(double sweep_factor, double tail_factor) {
    Result sweep = made_sweep(sweep_factor);
    sweep.run.pages = PageKind::transparent_huge;
    ReportResults report = made_report(1, sweep);
    report.tail->run.pages = PageKind::transparent_huge;
    std::get<std::vector<PercentileRow>>(report.tail->rows).front().p50_ns = 80 * tail_factor;
    return report;
}

TEST(FigureComparison, CountsAChangeOfMemoryOnlyIfOtherPartsShowIt) {
    const ReportResults base = with_memory(1, 1);
    const FigureComparison once = compared(base, with_memory(1.2, 1));
    EXPECT_EQ(once.verdict, Verdict::cannot_tell);
    EXPECT_EQ(named(once, "memory latency").doubt, Doubt::unconfirmed);
    EXPECT_TRUE(once.worse.empty());
    EXPECT_TRUE(once.changed.empty());
    EXPECT_FALSE(once.only_noisy) << "far beyond the noise of the sweep";
    const auto noisy = [](ReportResults report) {
        for (Row& row : std::get<std::vector<Row>>(report.small_pages->rows))
            row.visits_percent = 3;
        return report;
    };
    const FigureComparison by_little = compared(noisy(base), noisy(with_memory(1.08, 1)));
    EXPECT_EQ(named(by_little, "memory latency").doubt, Doubt::unconfirmed);
    EXPECT_TRUE(by_little.only_noisy);
    ReportResults without = noisy(with_memory(1.08, 1));
    std::get<std::vector<PercentileRow>>(without.tail->rows).front().p99_9_ns.reset();
    EXPECT_TRUE(compared(noisy(base), without).only_noisy) << "p99.9 is missing, which does not count";
    const FigureComparison better = compared(base, with_memory(0.8, 1));
    EXPECT_EQ(better.verdict, Verdict::no_difference);
    EXPECT_EQ(named(better, "memory latency").doubt, Doubt::unconfirmed);
    EXPECT_EQ(reasons_in(better).front().values["thing"], "figure that most parts confirm");
    const FigureComparison tail = compared(base, with_memory(1, 1.5));
    EXPECT_EQ(named(tail, "p50 of 64 MiB").doubt, Doubt::unconfirmed);
    EXPECT_EQ(tail.verdict, Verdict::no_difference);
    const FigureComparison both = compared(base, with_memory(1.2, 1.2));
    EXPECT_EQ(both.verdict, Verdict::slower);
    EXPECT_EQ(named(both, "memory latency").change.verdict, Verdict::slower);
    EXPECT_EQ(both.worse.begin()->part, "sweep");
}

TEST(FigureComparison, CountsTheOtherLevelsOfASweepWithAnUnconfirmedOne) {
    ReportResults latest = with_memory(1.2, 1);
    for (Row& row : std::get<std::vector<Row>>(latest.small_pages->rows)) {
        if (row.size_bytes > 32768 && row.size_bytes <= 1048576)
            row.latency_ns = 6.0;
    }
    const FigureComparison comparison = compared(with_memory(1, 1), latest);
    EXPECT_EQ(named(comparison, "memory latency").doubt, Doubt::unconfirmed);
    EXPECT_EQ(named(comparison, "L2 latency").change.verdict, Verdict::slower) << "no other part measures it";
    EXPECT_EQ(comparison.verdict, Verdict::slower);
    EXPECT_EQ(comparison.worse.size(), 1U);
}

TEST(FigureComparison, FindsNoDifferenceWhereAFallIsUnconfirmed) {
    const FigureComparison fallen = compared(with_memory(1, 1), with_memory(0.8, 1));
    EXPECT_EQ(named(fallen, "memory latency").doubt, Doubt::unconfirmed);
    EXPECT_EQ(fallen.verdict, Verdict::no_difference);
}

TEST(FigureComparison, SaysWhatElseIsInDoubtWhereARiseIsUnconfirmed) {
    ReportResults base = with_memory(1, 1);
    base.small_pages->warnings = {{Code::others_used, {{"percent", 40}}}};
    const FigureComparison comparison = compared(base, with_memory(1.2, 1));
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    ASSERT_EQ(comparison.unclear.size(), 1U);
    EXPECT_EQ(comparison.unclear.front().code, Code::baselines_disturbed);
    EXPECT_FALSE(comparison.only_noisy);
}

} // namespace
} // namespace memtest
