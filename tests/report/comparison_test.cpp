#include "memtest/report/comparison.hpp"

#include "memtest/report/warnings.hpp"
#include "support/program.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memtest {
namespace {

const Change steady{1.083, 1.084, 0.1, 2.0, Verdict::no_difference};
const Change risen{4.0, 4.4, 10.0, 2.5, Verdict::slower};
const Change fallen{4.0, 3.6, -10.0, 2.5, Verdict::faster};
const Change gone{15.0, 150.0, 900.0, 2.5, Verdict::cannot_tell};
const Change unclear{100.0, 108.0, 8.0, 12.3, Verdict::cannot_tell};

Comparison comparison_of(Verdict verdict, const std::vector<LevelChange>& levels) {
    Comparison comparison;
    comparison.sizes = {{0, 512, steady}, {0, 1.5 * 1024 * 1024, risen}};
    comparison.levels = levels;
    comparison.tolerance_percent = 5;
    comparison.sizes_in_all = 2;
    comparison.enough_in_common = true;
    comparison.verdict = verdict;
    return comparison;
}

std::string comparison_csv(const Comparison& comparison) {
    const TextFile file("comparison", "");
    OutputFile output(file.path());
    write_whole(output, compare_kind, comparison.sizes, comparison_findings(comparison), {});
    output.commit();
    return read_text(file.path());
}

std::string verdict_sentence(const Comparison& comparison) {
    const std::string table = comparison_table(comparison);
    return table.substr(0, table.find('\n') + 1);
}

TEST(ComparisonReport, ShowsTheVerdictThenLevelsThenTheSizesThatDiffer) {
    Comparison comparison = comparison_of(Verdict::slower, {{0, "L1", 9, 1024, steady}, {0, "L2", 5, 1024, risen}});
    comparison.sizes.push_back({0, 2 * 1024 * 1024, unclear});
    EXPECT_EQ(comparison_table(comparison),
              "Slower: L2 (+10.0 %, noise 2.5 %).\n"
              "\n"
              "Level    Base (ns)  New (ns)  Change (%)  Noise (%)  Verdict\n"
              "L1           1.083     1.084        +0.1        2.0  no difference\n"
              "L2           4.000     4.400       +10.0        2.5  slower\n"
              "\n"
              "Size     Base (ns)  New (ns)  Change (%)  Noise (%)  Verdict\n"
              "1.5 MiB      4.000     4.400       +10.0        2.5  slower\n"
              "\n"
              "1 of 3 sizes show no difference, and 1 cannot be told; --all prints them.\n");
}

TEST(ComparisonReport, ShowsEverySizeWhereAllAreAskedFor) {
    EXPECT_EQ(comparison_table(comparison_of(Verdict::slower, {}), true),
              "Slower: 4 or more neighbouring sizes, but no level as a whole.\n"
              "\n"
              "Size     Base (ns)  New (ns)  Change (%)  Noise (%)  Verdict\n"
              "512 B        1.083     1.084        +0.1        2.0  no difference\n"
              "1.5 MiB      4.000     4.400       +10.0        2.5  slower\n");
}

TEST(ComparisonReport, HasNoTableWithoutRows) {
    Comparison comparison = comparison_of(Verdict::no_difference, {});
    comparison.sizes = {{0, 512, steady}, {0, 1024, steady}};
    EXPECT_EQ(comparison_table(comparison),
              "No difference: no 4 neighbouring sizes changed by more than both 5 % and the noise.\n"
              "\n"
              "2 of 2 sizes show no difference; --all prints them.\n");
}

TEST(ComparisonReport, WrapsItsSentenceAtTheColumnsOfATerminal) {
    const Comparison comparison = comparison_of(Verdict::slower, {});
    EXPECT_TRUE(comparison_table(comparison, false, false, 40)
                    .starts_with("Slower: 4 or more neighbouring sizes,\n  but no level as a whole.\n\nSize "));
}

TEST(ComparisonReport, ShowsTheNamesOfFilesEscaped) {
    Comparison comparison = comparison_of(Verdict::cannot_tell, {});
    comparison.incomplete = {"new\x1b[2J.csv is incomplete"};
    const std::string sentence = verdict_sentence(comparison);
    EXPECT_NE(sentence.find("new\\x1b[2J.csv"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\x1b'), std::string::npos) << sentence;
}

TEST(ComparisonReport, SaysThatWhatIsUnclearPasses) {
    const Comparison comparison = comparison_of(Verdict::cannot_tell, {{0, "memory", 9, 1024, unclear}});
    EXPECT_TRUE(comparison_table(comparison, false, true)
                    .starts_with("Cannot tell, passed by --unclear pass: memory (+8.0 %, noise 12.3 %) could not be "
                                 "judged; measure again.\n"));
}

TEST(ComparisonReport, TheCsvKeepsRowsAndRemarksApart) {
    EXPECT_EQ(comparison_csv(comparison_of(Verdict::slower, {{0, "L2", 5, 1024, risen}})),
              "Thread, Mem size (MiB), Base (ns), New (ns), Change (%), Noise (%), Verdict\n"
              "0, 0.00049, 1.083, 1.084, 0.1, 2.0, no difference\n"
              "0, 1.50000, 4.000, 4.400, 10.0, 2.5, slower\n"
              "# level L2: base 4.000 ns, new 4.400 ns, change 10.0 %, noise 2.5 %, slower\n"
              "# verdict: slower\n"
              "# reason: L2 (+10.0 %, noise 2.5 %)\n");
}

TEST(ComparisonReport, NamesTheSweepsInWhichRowsMayBeMissing) {
    Comparison comparison = comparison_of(Verdict::cannot_tell, {});
    comparison.incomplete = {"a is cut", "b is cut, too"};
    EXPECT_EQ(verdict_sentence(comparison), "Cannot tell: a is cut; b is cut, too; measure again.\n");
}

TEST(ComparisonReport, TheFirstSentenceGivesTheReason) {
    EXPECT_EQ(verdict_sentence(comparison_of(Verdict::no_difference, {{0, "L1", 9, 1024, steady}})),
              "No difference: no level changed by more than both 5 % and the noise.\n");
    EXPECT_EQ(verdict_sentence(comparison_of(Verdict::no_difference, {})),
              "No difference: no 4 neighbouring sizes changed by more than both 5 % and the noise.\n");
    EXPECT_EQ(verdict_sentence(comparison_of(Verdict::faster, {{0, "L2", 9, 1024, fallen}})),
              "Faster: L2 (-10.0 %, noise 2.5 %).\n");
    EXPECT_EQ(verdict_sentence(
                  comparison_of(Verdict::cannot_tell, {{0, "L1", 9, 1024, steady}, {0, "memory", 9, 1024, unclear}})),
              "Cannot tell: memory (+8.0 %, noise 12.3 %) could not be judged; measure again.\n");
    EXPECT_EQ(
        verdict_sentence(
            comparison_of(Verdict::cannot_tell, {{0, "L2", 1, 1024, unclear}, {0, "L3", 9, 4096, gone, true}})),
        "Cannot tell: L2 (+8.0 %, noise 12.3 %, one size) could not be judged; L3 (+900.0 %, noise 2.5 %) came "
        "close to the latency of the next level, possibly because other processes fill the cache; measure again.\n");
    Comparison shrunk = comparison_of(Verdict::cannot_tell, {{0, "L1", 9, 1024, steady}});
    shrunk.capacity_shrunk = true;
    EXPECT_EQ(verdict_sentence(shrunk),
              "Cannot tell: 2 or more neighbouring sizes are slower, but no level as a whole, "
              "as when others on this machine fill a cache; measure again.\n");
    EXPECT_EQ(verdict_sentence(comparison_of(Verdict::cannot_tell, {})),
              "Cannot tell: noise hides any difference; measure again.\n");
}

TEST(ComparisonReport, NoiseBeyondAllBoundsIsAWordAndNoNumber) {
    const Change hopeless{4.0, 4.4, 10.0, 1292173.0, Verdict::cannot_tell};
    Comparison comparison = comparison_of(Verdict::cannot_tell, {{0, "L2", 5, 1024, hopeless}});
    comparison.sizes = {{0, 512, hopeless}};
    EXPECT_EQ(comparison_csv(comparison),
              "Thread, Mem size (MiB), Base (ns), New (ns), Change (%), Noise (%), Verdict\n"
              "0, 0.00049, 4.000, 4.400, 10.0, , cannot tell\n"
              "# level L2: base 4.000 ns, new 4.400 ns, change 10.0 %, too noisy, cannot tell\n"
              "# verdict: cannot tell\n"
              "# reason: L2 (+10.0 %, too noisy) could not be judged; measure again\n");
    EXPECT_NE(comparison_table(comparison).find("+10.0       >100  cannot tell\n"), std::string::npos);
}

TEST(ComparisonReport, SizesThatNoiseHidesAreInTheTableOnlyIfTheVerdictIsThatNothingCanBeTold) {
    const Change hidden{4.0, 4.4, 10.0, 20.0, Verdict::cannot_tell};
    for (const Verdict verdict : {Verdict::no_difference, Verdict::slower, Verdict::cannot_tell}) {
        Comparison comparison = comparison_of(verdict, {{0, "L2", 5, 1024, steady}});
        comparison.sizes = {{0, 512, hidden}};
        const bool is_shown = comparison_table(comparison).find("512 B  ") != std::string::npos;
        EXPECT_EQ(is_shown, verdict == Verdict::cannot_tell) << word_of(verdict);
        EXPECT_NE(comparison_table(comparison, true).find("512 B  "), std::string::npos);
    }
}

TEST(ComparisonReport, WhatTheNewSweepLacksIsNamed) {
    Comparison comparison = comparison_of(Verdict::cannot_tell, {{0, "L1", 9, 1024, steady}});
    constexpr double mib = 1024 * 1024;
    comparison.missing = {{0, 8 * mib, 64 * mib, 7, {"L3", "memory"}}};
    EXPECT_EQ(verdict_sentence(comparison),
              "Cannot tell: the new sweep has no L3 and no memory (7 sizes, 8 to 64 MiB); measure again.\n");
    comparison.missing = {{0, 8 * mib, 8 * mib, 1, {}}};
    EXPECT_EQ(verdict_sentence(comparison), "Cannot tell: the new sweep lacks 8 MiB; measure again.\n");
    comparison.missing[0].of_baseline = true;
    EXPECT_EQ(verdict_sentence(comparison), "Cannot tell: a baseline lacks 8 MiB; measure again.\n");
}

TEST(ComparisonReport, WhatDisturbedTheSweepsIsTheReasonNotToTell) {
    Comparison comparison =
        comparison_of(Verdict::cannot_tell, {{0, "L1", 9, 1024, steady}, {0, "L2", 5, 1024, risen}});
    comparison.disturbance = "others used 63 %";
    EXPECT_EQ(verdict_sentence(comparison),
              "Cannot tell: L2 (+10.0 %, noise 2.5 %) slower, but the new sweep was disturbed: others used "
              "63 %; measure again when the machine is quiet.\n");
    EXPECT_TRUE(comparison_csv(comparison)
                    .ends_with("# reason: L2 (+10.0 %, noise 2.5 %) slower, but the new sweep was "
                               "disturbed: others used 63 %; measure again when the "
                               "machine is quiet\n"));
    comparison.levels = {{0, "memory", 9, 1024, unclear}};
    EXPECT_EQ(
        verdict_sentence(comparison),
        "Cannot tell: memory (+8.0 %, noise 12.3 %) could not be judged; the new sweep was disturbed: others used 63 "
        "%; measure again when the machine is quiet.\n");
    comparison = comparison_of(Verdict::cannot_tell, {{0, "L1", 9, 1024, steady}});
    comparison.disturbed = {"a.csv", "b.csv"};
    Comparison both = comparison;
    both.disturbance = "others used 63 %";
    EXPECT_EQ(verdict_sentence(both), "Cannot tell: the new sweep was disturbed: others used 63 %; baselines were "
                                      "disturbed and may hide a rise: a.csv, b.csv; measure again when the machine is "
                                      "quiet.\n");
    EXPECT_EQ(verdict_sentence(comparison), "Cannot tell: baselines were disturbed and may hide a rise: a.csv, b.csv; "
                                            "measure again when the machine is quiet.\n");
}

TEST(ComparisonReport, SweepsThatWarnOfABusyMachineWereDisturbed) {
    const auto rows = [](double factor) {
        std::string text = "Thread, Mem size (MiB), Access latency (ns)\n";
        for (int kib = 1; kib <= 32; kib *= 2)
            text += "0, " + std::to_string(kib / 1024.0) + ", " + std::to_string(factor) + "\n";
        return text;
    };
    const Result base = result_of(rows(1), "base");
    const Result slow = result_of(rows(2), "slow");
    const std::vector<Result> three{base, base, base};
    EXPECT_EQ(compare_results(three, slow, 5).verdict, Verdict::slower);
    Result disturbed = slow;
    disturbed.warnings = {Notice(Code::core_clock_moved), *warning_on_use_by_others(63)};
    const Comparison comparison = compare_results(three, disturbed, 5);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(comparison.disturbance, warning_on_use_by_others(63)->text);
    disturbed.warnings.back() = *warning_on_unsettled(9, 9, "sizes");
    EXPECT_EQ(compare_results(three, disturbed, 5).verdict, Verdict::slower) << "of other warnings nothing follows";

    Result busy = base;
    busy.warnings = {*warning_on_use_by_others(63)};
    const Comparison hidden = compare_results(std::vector{busy, busy, base}, base, 5);
    EXPECT_EQ(hidden.verdict, Verdict::cannot_tell);
    EXPECT_EQ(hidden.disturbed, (std::vector<std::string>{"base", "base"}));
}

TEST(ComparisonReport, NothingIsNotNegative) {
    Comparison comparison = comparison_of(Verdict::no_difference, {});
    comparison.sizes = {{0, 1024, {1.0, 1.0, -0.001, 2.0, Verdict::no_difference}}};
    EXPECT_NE(comparison_csv(comparison).find("1.000, 1.000, 0.0, 2.0"), std::string::npos);
    EXPECT_NE(comparison_table(comparison, true).find("1.000        +0.0        2.0"), std::string::npos)
        << comparison_table(comparison, true);
}

TEST(ComparisonReport, TooLittleInCommonIsSaid) {
    Comparison comparison = comparison_of(Verdict::cannot_tell, {});
    comparison.enough_in_common = false;
    comparison.sizes_in_all = 10;
    EXPECT_EQ(verdict_sentence(comparison), "Cannot tell: only 2 of 10 sizes are in common.\n");
}

TEST(ComparisonReport, SeveralThreadsAreTold) {
    Comparison comparison = comparison_of(Verdict::slower, {{0, "L2", 5, 1024, risen}, {1, "L2", 5, 1024, risen}});
    comparison.sizes.push_back({1, 1024, steady});
    EXPECT_EQ(verdict_sentence(comparison),
              "Slower: L2 of thread 0 (+10.0 %, noise 2.5 %), L2 of thread 1 (+10.0 %, noise 2.5 %).\n");
}

TEST(ComparisonReport, JsonHasTheSameAsNumbers) {
    const Comparison comparison = comparison_of(Verdict::slower, {{0, "L2", 5, 1024, risen}});
    const Findings findings = comparison_findings(comparison);
    ASSERT_EQ(findings.list.size(), 3U);
    EXPECT_EQ(dumped(findings.list[0].members["levels"]),
              R"([{"thread":0,"level":"L2","base_ns":4.0,"new_ns":4.4,"change_percent":10.0,"noise_percent":2.5,)"
              R"("verdict":"slower"}])");
    EXPECT_EQ(findings.list[1].members["verdict"], "slower");
    EXPECT_EQ(findings.list[2].members["reason"], "L2 (+10.0 %, noise 2.5 %)");
    EXPECT_EQ(dumped(row_members(compare_kind, compare_kind.values(comparison.sizes.at(1)))),
              R"({"thread":0,"size_bytes":1572864,"base_ns":4.0,"new_ns":4.4,"change_percent":10.0,)"
              R"("noise_percent":2.5,"verdict":"slower"})");
}

TEST(ComparisonReport, FitsATerminalWhateverItsFigures) {
    const Change huge{123456.789, 654321.012, 12345.6, 1e6, Verdict::no_difference};
    Comparison comparison = comparison_of(Verdict::no_difference, {{31, "memory", 9, 1024, huge}});
    comparison.sizes.clear();
    for (int thread = 0; thread < 128; ++thread)
        comparison.sizes.push_back({thread, 1023.46875 * 1024 * 1024, huge, true});
    comparison.sizes.back().change.verdict = Verdict::cannot_tell;
    comparison.unrecorded = {"one.csv", "two.csv"};
    for (const std::string& line : lines_of(comparison_table(comparison, true, false, 80)))
        EXPECT_LE(line.size(), 80U) << line;
}

/// The ranges of sizes that differ and decide nothing, as "FROM TO CHANGE WHY".
std::vector<std::string> undecided(const Comparison& comparison) {
    std::vector<std::string> ranges;
    for (const Finding& finding : comparison_findings(comparison).list) {
        if (finding.notice.code != Code::undecided_sizes)
            continue;
        for (const Value& range : finding.notice.values["ranges"].list())
            ranges.push_back(dumped(range["from_bytes"]) + " " + dumped(range["to_bytes"]) + " " +
                             dumped(range["change_percent"]) + " " + text_of(range["why"]));
    }
    return ranges;
}

TEST(ComparisonReport, SaysWhySizesThatDifferDoNotDecide) {
    const Change noisy{100.0, 108.0, 8.0, 12.3, Verdict::cannot_tell};
    const Change noisier{100.0, 190.0, 90.0, 120.0, Verdict::cannot_tell};
    const Change lower{100.0, 80.0, -20.0, 120.0, Verdict::cannot_tell};
    const Change little{100.0, 104.0, 4.0, 120.0, Verdict::cannot_tell};
    Comparison comparison = comparison_of(Verdict::no_difference, {{0, "L1", 9, 1024, steady}});
    comparison.sizes = {{0, 512, risen},        {0, 1024, steady}, {0, 2048, noisy},         {0, 3072, noisier},
                        {0, 4096, noisy, true}, {0, 6144, little}, {0, 8192, noisier, true}, {0, 16384, lower, true},
                        {1, 512, steady},       {1, 1024, fallen}};
    EXPECT_EQ(undecided(comparison),
              (std::vector<std::string>{"512.0 512.0 10.0 few", "1024.0 1024.0 -10.0 few", "2048.0 3072.0 90.0 noise",
                                        "4096.0 4096.0 8.0 contested", "8192.0 8192.0 90.0 contested",
                                        "16384.0 16384.0 -20.0 contested"}));
    const std::string table = comparison_table(comparison);
    EXPECT_NE(table.find("\n\nNote: "), std::string::npos) << table;
    EXPECT_NE(table.find("2 to 3 KiB (+90.0 %)"), std::string::npos) << table;
    for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::cannot_tell}) {
        comparison.verdict = verdict;
        EXPECT_TRUE(undecided(comparison).empty()) << "the reason says it";
    }
    comparison = comparison_of(Verdict::no_difference, {});
    comparison.sizes = {{0, 512, steady}, {0, 1024, little}};
    EXPECT_TRUE(undecided(comparison).empty());
}

TEST(ComparisonReport, NamesFilesThatDoNotRecordWhatDisturbedThemOnceEach) {
    std::string plain = "Thread, Mem size (MiB), Access latency (ns)\n";
    for (int kib = 1; kib <= 32; kib *= 2)
        plain += "0, " + std::to_string(kib / 1024.0) + ", 2\n";
    const Result quiet = result_of(plain, "quiet.csv");
    Result described = quiet;
    described.name = "described.csv";
    described.run.version = "1.0.0";
    described.run.end = RunEnd{.measured = 6, .planned = 6};
    const Comparison comparison = compare_results(std::vector{quiet, described, quiet}, described, 5);
    EXPECT_EQ(comparison.unrecorded, std::vector<std::string>{"quiet.csv"});
    EXPECT_EQ(comparison.verdict, Verdict::no_difference) << "it is judged by its rows";
    const std::string csv = comparison_csv(comparison);
    EXPECT_NE(csv.find("\n# remark[doubts_unrecorded]: quiet.csv does not record"), std::string::npos) << csv;
    EXPECT_TRUE(compare_results(std::vector{described}, described, 5).unrecorded.empty());
}

TEST(ComparisonReport, NamesBaselinesWhoseMachineIsNotToldFromThatOfTheNewSweep) {
    std::string plain = "Thread, Mem size (MiB), Access latency (ns)\n";
    for (int kib = 1; kib <= 32; kib *= 2)
        plain += "0, " + std::to_string(kib / 1024.0) + ", 2\n";
    const Result old = result_of(plain, "old.csv");
    const Result named = result_of(data_line(R"("cpu_model":"A CPU")") + plain, "named.csv");
    const auto remarks = [](const std::vector<Result>& baselines, const Result& latest) {
        std::vector<Notice> found;
        for (const Finding& finding : comparison_findings(compare_results(baselines, latest, 5)).list) {
            if (finding.notice.code == Code::machines_not_told_apart)
                found.push_back(finding.notice);
        }
        return found;
    };
    const Notice expected(Code::machines_not_told_apart, {{"base", "old.csv"}, {"latest", "named.csv"}});
    EXPECT_EQ(remarks({old, named, old}, named), std::vector{expected}) << "once each";
    EXPECT_TRUE(remarks({named}, named).empty());
    EXPECT_EQ(remarks({named}, old).size(), 1U);
    const Comparison comparison = compare_results(std::vector{old}, named, 5);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference) << "it is judged by its rows";
    EXPECT_TRUE(holds(comparison_csv(comparison), "\n# data: {\"remarks\":[{\"code\":")) << "as data";
    EXPECT_TRUE(holds(comparison_csv(comparison), "\"code\":\"machines_not_told_apart\",\"base\":\"old.csv\""));
    EXPECT_TRUE(holds(comparison_table(comparison), "old.csv and named.csv"));
}

} // namespace
} // namespace memtest
