// memtest compare --measure, which measures the new sweep itself.
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/terminal.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// A sweep of few accesses, with settings that are not the defaults.
const std::string probe = "{} -r -i -p 2 --seed 7 --estimate median --pages 4k --warmup 1 --min-size 1K --points 3 "
                          "-a 400000 --stats ";

/// A baseline that warns of nothing.
const std::string make_base = probe + R"(-m 0.02 2>/dev/null | sed '/^# warning/d; s/,"warnings":.*/}/' > base; )";

/// Multiplies the latencies of a sweep on standard input.
std::string scaled(const std::string& factor) {
    return "awk -F', ' -v OFS=', ' '/^[0-9]/ { $3 = sprintf(\"%.3f\", $3 * " + factor + ") } { print }'";
}

/// Baselines that disagree so much that nothing can be told.
const std::string make_bases_apart = make_base + scaled("4") + " base > base4; " + scaled("16") + " base > base16; ";

/// What a verdict says of a busy machine.
const std::string was_disturbed = " was disturbed: ";

std::vector<double> sizes_in(const Result& sweep) {
    std::vector<double> sizes;
    for (const Row& row : sweep.rows_of<Row>())
        sizes.push_back(static_cast<double>(row.size_bytes));
    return sizes;
}

std::size_t times_measured_again(const Outcome& run) {
    const auto lines = lines_of(run.error);
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [](const std::string& line) { return holds(line, " measured again, "); }));
}

TEST(CompareMeasure, SweepsWithTheSettingsAndSizesOfTheBaselines) {
    const Outcome run = run_in_shell(make_base + "cat base; echo ----; {} compare --measure --tolerance 1000 -o new "
                                                 "base base >verdict; echo $? >&2; cat new");
    EXPECT_EQ(lines_of(run.error).back(), "0") << run.error;
    const std::size_t middle = run.out.find("----\n");
    ASSERT_NE(middle, std::string::npos);
    const Result base = result_of(run.out.substr(0, middle));
    const Result latest = result_of(run.out.substr(middle + 5));
    EXPECT_EQ(describe(differences(base.run, latest.run, Is::setting)), "");
    EXPECT_EQ(base.run.accesses, latest.run.accesses);
    EXPECT_EQ(base.run.seed, latest.run.seed);
    EXPECT_EQ(sizes_in(base), sizes_in(latest));
    EXPECT_EQ(why_incomplete(latest), std::nullopt);
    EXPECT_TRUE(latest.rows_of<Row>().front().min_ns.has_value()) << "it tells its noise";
}

TEST(CompareMeasure, MeasuresAgainWhatCannotBeToldWhileTriesAreLeft) {
    const auto outcome = [](const std::string& words) {
        return run_in_shell(make_bases_apart + "{} compare --measure " + words + " base base4 base16");
    };
    const Outcome run = outcome("");
    EXPECT_EQ(run.status, 4) << run.out;
    EXPECT_EQ(times_measured_again(run), 2U) << run.error;
    EXPECT_TRUE(mentions(run.error, {" 8 visits\n", " 16 visits\n"}));
    EXPECT_EQ(times_measured_again(outcome("--tries 2")), 1U);
    EXPECT_EQ(times_measured_again(outcome("--tries 1")), 0U);
    const Outcome passed = outcome("--tries 1 --unclear pass");
    EXPECT_EQ(passed.status, 0) << passed.out;
    EXPECT_TRUE(holds(passed.out, " --unclear pass")) << passed.out;
}

TEST(CompareMeasure, WhatIsSlowerMustBeSoTwice) {
    const std::string files =
        "{} -r -m 0.004 -a 400000 --stats -o now 2>/dev/null; " + scaled("0.05") + " now > base; ";
    const Outcome run = run_in_shell(files + "{} compare --measure base base base");
    if (!holds(run.out, was_disturbed)) {
        EXPECT_EQ(run.status, 3) << run.out;
        EXPECT_EQ(times_measured_again(run), 1U) << run.error;
    }
    const Outcome once = run_in_shell(files + "{} compare --measure --tries 1 base base base");
    EXPECT_EQ(once.status, holds(once.out, was_disturbed) ? 4 : 3) << once.out;
    EXPECT_EQ(times_measured_again(once), 0U) << once.error;
}

TEST(CompareMeasure, IsQuietWhereItKeepsWhatItMeasures) {
    const Outcome run =
        run_in_shell(make_bases_apart + "{} compare --measure --status -o new base base4 base16 2>said; "
                                        "cat said; grep -c '^# ' new");
    EXPECT_GT(parse_number<int>(lines_of(run.out).front()).value_or(0), 5) << "nothing but the lines of the file's own";
}

TEST(CompareMeasure, KeepsTheNewRowsOfWhatWasMeasuredAgain) {
    const Outcome run =
        run_in_shell(make_bases_apart + "{} compare --measure --status -o new base base4 base16; cat new");
    const Result latest = result_of(run.out);
    EXPECT_EQ(why_incomplete(latest), std::nullopt);
    EXPECT_TRUE(holds(run.out, "\"code\":\"measured_again\"")) << run.out;
    EXPECT_TRUE(holds(run.out, "\"visits\":16")) << run.out;
    EXPECT_EQ(latest.run.visits, 4U);
    std::vector<double> visits;
    for (const Row& row : latest.rows_of<Row>())
        visits.push_back(static_cast<double>(row.visits_made.value_or(0)));
    EXPECT_EQ(std::ranges::max(visits), 16) << run.out;
}

TEST(CompareMeasure, RefusesBaselinesThatNoOneSweepIsLike) {
    const auto refusal = [](const std::string& make_other) {
        const Outcome run = run_in_shell(make_base + make_other +
                                         " 2>/dev/null > other; {} compare --measure -o new base other; echo $?; "
                                         "ls");
        EXPECT_EQ(run.out, "2\nbase\nerr\nother\nout\n");
        return lines_of(run.error).back();
    };
    EXPECT_TRUE(
        mentions(refusal(R"(sed 's/"line_bytes":64/"line_bytes":128/' base)"), {"base and other ", "line (64 "}));
    EXPECT_TRUE(mentions(refusal(R"(sed 's|"pages":"4k"|"memory_file":"/dev/dax0.0"|' base)"),
                         {"other", "--memory /dev/dax0.0 --overwrite"}));
    EXPECT_TRUE(mentions(refusal(R"(sed 's/,"end":{[^}]*}//' base)"), {"other "}));
    EXPECT_TRUE(mentions(refusal("{} -r -m 0.01 -a 20000 -q"), {"other", "--quiet"}));
    EXPECT_TRUE(mentions(refusal(probe + "-m 0.01"), {"base and other", "--min-size", "--max-size", "--points"}));
}

TEST(CompareMeasure, RefusesWhatThisMachineCannotMeasureByName) {
    const auto refusal = [](const std::string& edit) {
        const Outcome run =
            run_in_shell(make_base + "sed '" + edit + "' base > base1; {} compare --measure -o new base1; echo $?; ls");
        EXPECT_EQ(run.out, "2\nbase\nbase1\nerr\nout\n") << run.error;
        return lines_of(run.error).back();
    };
    EXPECT_TRUE(holds(refusal(R"(s/"processors":/"nodes":{"ids":[900],"verified":true},&/)"), "--node 900: "));
    EXPECT_TRUE(mentions(refusal(R"(s/"cpu_model":[^,]*/"cpu_model":"Another"/)"),
                         {"base1 and new ", ": cpu (Another ", "--force"}));
    EXPECT_TRUE(mentions(refusal(R"(s/"page_bytes":4096/"page_bytes":1073741824/)"),
                         {"base1 and new ", ": pages got (1 GiB ", ", 4 KiB "}));
}

TEST(CompareMeasure, RefusesItsOptionsWhereNothingIsMeasured) {
    EXPECT_TRUE(mentions(run_in_shell("{} compare --tries 2 a b").error, {"--tries 2 ", "--measure"}));
    EXPECT_TRUE(mentions(run_in_shell("{} compare -o c a b").error, {"--output c ", "--measure"}));
    EXPECT_EQ(run_in_shell("{} compare --measure").status, 2);
}

TEST(CompareMeasure, WritesTheNewSweepAndTheVerdictInTheFormatAskedFor) {
    const Outcome run = run_in_shell(make_base + "{} compare --measure --tries 1 --tolerance 1000 --format json -o new "
                                                 "base base base && head -c 1 new");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(run.out.starts_with("{")) << run.out;
    EXPECT_TRUE(run.out.ends_with("}\n{")) << run.out;
}

TEST(CompareMeasure, SaysTheVerdictFirstOnATerminal) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    for (const char* output : {"", "-o new "}) {
        const Outcome run = run_in_shell(make_base + "{} compare --measure --tolerance 1000 " + output +
                                         "base base base > " + terminal.path());
        const std::string text = terminal.text();
        EXPECT_TRUE(text.starts_with(run.status == 0 ? "No difference: " : "Cannot tell: ")) << run.error << text;
        EXPECT_TRUE(run.status == 0 || run.status == 4) << "on a busy machine";
    }
}

TEST(CompareMeasure, AnInterruptionKeepsWhatWasMeasured) {
    const std::string words = "compare --measure --tries 10 -o new slow slow4 slow16 2> told";
    const Outcome run = run_in_shell(make_base + "sed 's/\"accesses\":400000/\"accesses\":3000000/' base > slow; " +
                                     scaled("4") + " slow > slow4; " + scaled("16") + " slow > slow16; " +
                                     signalled(words, "TERM", "grep -qs measured.again told") +
                                     "; echo $? >&2; ls new 2>&1; cat new.partial; cat told >&2");
    EXPECT_TRUE(holds("\n" + run.error, "\n143\n")) << run.error;
    EXPECT_TRUE(mentions(run.error, {"memtest: warning: ", " new.partial\n"}));
    const Result part = result_of(run.out.substr(run.out.find("# memtest")));
    ASSERT_TRUE(part.run.end.has_value()) << run.out;
    EXPECT_TRUE(part.run.end->interrupted);
    EXPECT_EQ(part.run.end->measured, part.row_count());
    EXPECT_GT(part.row_count(), 10U) << "all rows of the first try";
}

/// The file of a report with two quick parts, without warnings, as of a quiet machine.
const std::string make_report =
    "{} -r -m 0.5 --min-size 524288B --parallel 2 -a 20000 --format json -q -o p 2>/dev/null; "
    "{} tail --size 1 --samples 3000 --seed 3 --format json -q -o t 2>/dev/null; "
    R"sh(sed -i '/"warnings": \[$/,/^  \]/{//!d}' p t; )sh"
    R"sh(printf '{"schema": 3, "verb": "report", "parts": {"parallel2": %s, "tail": %s}, "missing": []}' )sh"
    R"sh("$(cat p)" "$(cat t)" > base; )sh";

ReportResults report_in(const std::string& text) {
    std::istringstream in(text);
    return report_of(read_file(in, "report"));
}

/// The names and settings of the parts in a file, from where it begins in the text.
std::vector<std::string> parts_in(const std::string& text) {
    std::vector<std::string> parts;
    const ReportResults report = report_in(text.substr(text.find('{')));
    for (const Result* part : parts_of(report))
        parts.push_back(part->part);
    return parts;
}

/// Whether the new report was disturbed, which is no fault of the program.
bool was_in_doubt(const Outcome& run) {
    return run.status == 4 && holds(run.out, R"("doubt":"disturbed")");
}

TEST(CompareMeasure, MeasuresThePartsOfAReportAsTheyWereMeasured) {
    const Outcome run = run_in_shell(make_report + "cat base; {} compare --measure --tolerance 1000 -o new base "
                                                   ">verdict; echo $? >&2; echo; cat new");
    const std::string status = lines_of(run.error).back();
    EXPECT_TRUE(status == "0" || status == "4") << run.error;
    const std::size_t second = run.out.find("\n{") + 1;
    const ReportResults base = report_in(run.out.substr(0, second));
    const ReportResults latest = report_in(run.out.substr(second));
    ASSERT_TRUE(base.tail && latest.tail && base.parallel.size() == 1 && latest.parallel.size() == 1) << run.out;
    EXPECT_EQ(describe(differences(base.tail->run, latest.tail->run, Is::setting)), "");
    EXPECT_EQ(latest.tail->run.seed, 3U);
    EXPECT_EQ(std::ranges::count(latest.tail->run.arguments.value(), "--size=1"), 1);
    EXPECT_EQ(latest.parallel[0].run.parallel, 2U);
    EXPECT_EQ(latest.parallel[0].run.accesses, 20000U);
    EXPECT_NE(latest.tail->run.start, std::nullopt);
}

TEST(CompareMeasure, MeasuresTheNamedPartsOfAReport) {
    const auto measured = [](const std::string& names) {
        const Outcome run =
            run_in_shell(make_report + "{} compare --measure --tries 1 " + names + " --status -o new base; cat new");
        return parts_in(run.out);
    };
    EXPECT_EQ(measured("--part tail"), (std::vector<std::string>{"tail"}));
    EXPECT_EQ(measured("--part parallel,tail"), (std::vector<std::string>{"parallel2", "tail"}));
}

TEST(CompareMeasure, APartThatIsWorseMustBeSoTwice) {
    const std::string faster_before = make_report + "sed -i 's/\"latency_ns\": *[0-9.]*/\"latency_ns\": 0.001/' base; ";
    const auto noted = [](const Outcome& run) {
        return holds(run.out, R"("parts_measured_again","parts":["parallel")");
    };
    const Outcome twice = run_in_shell(faster_before + "{} compare --measure --format json -o new base; cat new >&2");
    EXPECT_EQ(twice.status, 0) << "of cat";
    const Outcome verdict = run_in_shell(faster_before + "{} compare --measure --format json base");
    EXPECT_TRUE(noted(verdict)) << verdict.out;
    EXPECT_TRUE(verdict.status == 3 || was_in_doubt(verdict)) << verdict.out;
    const Outcome once = run_in_shell(faster_before + "{} compare --measure --tries 1 --format json base");
    EXPECT_FALSE(noted(once)) << once.out;
    EXPECT_EQ(parts_in(twice.error.substr(twice.error.find("\n{") + 1)),
              (std::vector<std::string>{"parallel2", "tail"}))
        << "each once";
}

TEST(CompareMeasure, MeasuresAPartAgainThatOthersDoNotConfirm) {
    std::string in_same_pages = make_report;
    in_same_pages.replace(in_same_pages.find(" -a 20000"), 0, " --pages 4k");
    in_same_pages.replace(in_same_pages.find(" --samples 3000"), 0, " --pages 4k --group 1");
    const Outcome run = run_in_shell(in_same_pages + "sed -i 's/\"latency_ns\": *[0-9.]*/\"latency_ns\": 0.001/' base; "
                                                     "{} compare --measure --format json base");
    EXPECT_TRUE(holds(run.out, R"("parts_measured_again","parts":["parallel")")) << run.out << run.error;
    const bool is_disturbed = holds(run.out, R"("doubt":"disturbed")"); // which is no fault of the program
    EXPECT_TRUE(holds(run.out, R"("doubt":"unconfirmed")") || is_disturbed) << run.out;
    EXPECT_TRUE(run.status != 3 || is_disturbed) << run.out;
}

TEST(CompareMeasure, RefusesPartsThatItCannotMeasureAsTheyWere) {
    const auto refusal = [](const std::string& edit) {
        const Outcome run = run_in_shell(make_report + "sed '" + edit +
                                         "' base > base1; {} compare --measure -o new base1; echo $?; ls");
        EXPECT_TRUE(run.out.starts_with("2\n")) << run.out << run.error;
        EXPECT_FALSE(holds(run.out, "\nnew\n")) << run.out;
        return lines_of(run.error).back();
    };
    EXPECT_TRUE(mentions(refusal(R"(s/"arguments": *\[[^]]*\]/"arguments": null/)"), {"base1 (parallel2)", "--part"}));
    EXPECT_TRUE(mentions(refusal(R"(s|"--parallel", *"2"|"--memory", "err", "--overwrite"|)"),
                         {"base1 (parallel2)", "err", "--part"}))
        << "no file makes the program overwrite another";
    EXPECT_TRUE(mentions(refusal(R"(s/"--parallel"/"--paralel"/)"), {"base1 (parallel2)", "--paralel"}));
    EXPECT_TRUE(mentions(refusal(R"(s/"cpu_model": *"[^"]*"/"cpu_model": "Another"/)"),
                         {"base1 (parallel2)", "new (parallel2)", "cpu (Another", "--force"}));
}

TEST(CompareMeasure, MissesAPartWhoseArgumentsMeasureSomethingElse) {
    const Outcome run = run_in_shell(
        make_report + R"(sed 's/"--seed"/"--histogram", "--help", "--seed"/' base > other; )"
                      "{} compare --measure --tries 1 --tolerance 1000 --format json -o new other >verdict; "
                      "echo $? >&2; cat verdict >&2; cat new");
    EXPECT_EQ(parts_in(run.out), (std::vector<std::string>{"parallel2"})) << run.error;
    EXPECT_TRUE(holds(run.out, R"("part":"tail")")) << run.out;
    EXPECT_TRUE(holds("\n" + run.error, "\n4\n")) << run.error;
    EXPECT_TRUE(holds(run.error, R"("code":"part_not_measured")")) << run.error;
}

TEST(CompareMeasure, KeepsThePartsThatWereMeasuredBeforeARefusal) {
    const Outcome run = run_in_shell(
        make_report + R"(sed 's/"tail",.*"cpu_model": *"[^"]*"/&/; )"
                      R"(/"verb": *"tail"/,$ s/"cpu_model": *"[^"]*"/"cpu_model": "Another"/' base > other; )"
                      "{} compare --measure -o new other; echo $? >&2; cat new.partial");
    EXPECT_EQ(lines_of(run.error).back(), "2") << run.error;
    EXPECT_EQ(parts_in(run.out), (std::vector<std::string>{"parallel2", "tail"}));
}

TEST(Compare, TakesTheNamedPartsOfReports) {
    const std::string stored = TEST_DATA "/stored/";
    const TextFile report("a.json", report_json({{"sweep", read_text(stored + "sweep.json")},
                                                 {"tlb", read_text(stored + "tlb.json")},
                                                 {"tail", read_text(stored + "tail.json")}}));
    const auto parts = [&](const std::string& names) {
        const Outcome run =
            run_in_shell("{} compare --format csv --all " + names + " " + report.path() + " " + report.path());
        std::set<std::string> found;
        for (const std::string& line : lines_of(run.out)) {
            if (!line.starts_with("#") && !line.starts_with("Part,"))
                found.insert(line.substr(0, line.find(',')));
        }
        return found;
    };
    EXPECT_EQ(parts("--part tail,tlb"), (std::set<std::string>{"tail", "tlb"}));
    EXPECT_EQ(parts("--part levels,tail"), (std::set<std::string>{"sweep", "tail"}));
    EXPECT_TRUE(mentions(run_in_shell("{} compare --part nodes " + report.path() + " " + report.path()).error,
                         {"--part nodes: ", report.path()}));
    EXPECT_TRUE(mentions(run_in_shell("{} compare --part tlb,tail " + report.path() + " " + stored + "tail.json").error,
                         {"--part tail: "}));
}

} // namespace
} // namespace memtest
