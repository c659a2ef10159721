// memtest compare --measure, which measures the new sweep itself.
#include "memtest/result/run_description.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// A sweep of few accesses, with settings that are not the defaults.
const std::string probe = "{} -r -i -p 2 --seed 7 --estimate median --pages 4k --warmup 1 --min-size 1K --points 3 "
                          "-a 400000 --stats ";

const std::string make_base = probe + "-m 0.02 -o base 2>/dev/null; ";

std::vector<double> sizes_in(const Result& sweep) {
    std::vector<double> sizes;
    for (const Row& row : sweep.rows_of<Row>())
        sizes.push_back(static_cast<double>(row.size_bytes));
    return sizes;
}

TEST(CompareMeasure, SweepsWithTheSettingsAndSizesOfTheBaselines) {
    const Outcome run = run_in_shell(make_base + "cat base; echo ----; {} compare --measure --tries 1 --tolerance 1000 "
                                                 "-o new base >verdict; cat new");
    const std::size_t middle = run.out.find("----\n");
    ASSERT_NE(middle, std::string::npos);
    const Result base = result_of(run.out.substr(0, middle));
    const Result latest = result_of(run.out.substr(middle + 5));
    EXPECT_EQ(describe(differences(base.run, latest.run, Is::setting)), "");
    EXPECT_EQ(base.run.accesses, latest.run.accesses);
    EXPECT_EQ(base.run.seed, latest.run.seed);
    EXPECT_EQ(sizes_in(base), sizes_in(latest));
    EXPECT_EQ(why_incomplete(latest), std::nullopt);
}

TEST(CompareMeasure, RefusesBaselinesThatItCannotMeasureAsTheyWere) {
    const auto refusal = [](const std::string& make_other) {
        const Outcome run = run_in_shell(make_base + make_other +
                                         " 2>/dev/null > other; {} compare --measure -o new other base; echo $?; ls");
        EXPECT_EQ(run.out, "2\nbase\nerr\nother\nout\n") << run.error;
        return lines_of(run.error).back();
    };
    EXPECT_TRUE(
        mentions(refusal(R"(sed 's/"line_bytes":64/"line_bytes":128/' base)"), {"other and base ", "line (128 "}));
    EXPECT_TRUE(holds(refusal("{} -r -m 0.01 -a 20000 -q"), "other does not state how it was measured"));
    EXPECT_TRUE(mentions(refusal(R"(sed 's/"cpu_model":[^,]*/"cpu_model":"Another"/' base)"),
                         {"other and base ", ": cpu (Another ", "--force"}));
    const std::string awake =
        R"(sed 's/"arguments":\[/"arguments":["--awake",/; s/"threads":/"awake_processors":[4000],&/' base)";
    EXPECT_TRUE(holds(refusal(awake), "awake")) << "before it measures with other processors awake";
}

TEST(CompareMeasure, SaysTheVerdictLastOnATerminal) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const Outcome run =
        run_in_shell(make_base + "{} compare --measure --tries 1 --tolerance 1000 base > " + terminal.path());
    const std::string text = terminal.text();
    const std::size_t verdict = text.find(run.status == 0 ? "\nNo difference: " : "\nCannot tell: ");
    ASSERT_NE(verdict, std::string::npos) << run.error << text;
    EXPECT_EQ(text.find("\n\n", verdict), std::string::npos) << "nothing is after it: " << text;
}

/// The file of a report with two quick parts, without warnings, as of a quiet machine.
const std::string make_report =
    "{} -r -m 0.5 --min-size 524288B --parallel 2 -a 20000 --format json -q -o p 2>/dev/null; "
    "{} tail --size 1 --samples 3000 --seed 3 --format json -q -o t 2>/dev/null; "
    R"sh(sed -i '/"warnings": \[$/,/^  \]/{//!d}' p t; )sh"
    R"sh(printf '{"schema": 3, "command": "report", "parts": {"parallel2": %s, "tail": %s}, "missing": []}' )sh"
    R"sh("$(cat p)" "$(cat t)" > base; )sh";

StoredFile report_in(const std::string& text) {
    return parse_file(text, "report");
}

/// The names of the parts of the report that a run printed; none, and a failure, if it printed none.
std::vector<std::string> parts_in(const Outcome& run) {
    std::vector<std::string> parts;
    const std::size_t start = run.out.find('{');
    if (start == std::string::npos) {
        ADD_FAILURE() << "no report: " << run.error;
        return parts;
    }
    const StoredFile report = report_in(run.out.substr(start));
    for (const Result& part : report.results)
        parts.push_back(part.part);
    return parts;
}

TEST(CompareMeasure, MeasuresThePartsOfAReportAsTheyWereMeasured) {
    const Outcome run = run_in_shell(make_report + "cat base; {} compare --measure --tolerance 1000 -o new base "
                                                   ">verdict; echo $? >&2; echo; cat new");
    const std::string status = lines_of(run.error).back();
    EXPECT_TRUE(status == "0" || status == "4") << run.error;
    const std::size_t second = run.out.find("\n{") + 1;
    StoredFile base = report_in(run.out.substr(0, second));
    StoredFile latest = report_in(run.out.substr(second));
    for (const StoredFile* report : {&base, &latest}) {
        ASSERT_EQ(report->results.size(), 2U) << run.out;
        ASSERT_EQ(report->results[0].part, "parallel2");
        ASSERT_EQ(report->results[1].part, "tail");
    }
    EXPECT_EQ(describe(differences(part_in(base, "tail").run, part_in(latest, "tail").run, Is::setting)), "");
    EXPECT_EQ(part_in(latest, "tail").run.seed, 3U);
    EXPECT_EQ(std::ranges::count(part_in(latest, "tail").run.arguments.value(), "--size"), 1);
    EXPECT_EQ(latest.results[0].run.parallel, 2U);
    EXPECT_EQ(latest.results[0].run.accesses, 20000U);
    EXPECT_NE(part_in(latest, "tail").run.start, std::nullopt);
}

TEST(CompareMeasure, MeasuresTheNamedPartsOfAReport) {
    const auto measured = [](const std::string& names) {
        const Outcome run =
            run_in_shell(make_report + "{} compare --measure --tries 1 " + names + " --status -o new base; cat new");
        return parts_in(run);
    };
    EXPECT_EQ(measured("--part tail"), (std::vector<std::string>{"tail"}));
    EXPECT_EQ(measured("--part parallel,tail"), (std::vector<std::string>{"parallel2", "tail"}));
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

TEST(CompareMeasure, MissesAPartThatThisMachineCannotMeasure) {
    const Outcome run = run_in_shell(
        make_report + R"(sed 's/"--seed"/"--cpu", "99999", "--help", "--seed"/' base > other; )"
                      "{} compare --measure --tries 1 --tolerance 1000 --format json -o new other >verdict; "
                      "echo $? >&2; cat verdict >&2; cat new");
    EXPECT_EQ(parts_in(run), (std::vector<std::string>{"parallel2"})) << run.error;
    EXPECT_TRUE(holds(run.out, R"("part":"tail")")) << run.out;
    EXPECT_TRUE(holds("\n" + run.error, "\n4\n")) << run.error;
    EXPECT_TRUE(holds(run.error, R"("code":"part_not_measured")")) << run.error;
}

TEST(CompareMeasure, KeepsThePartsThatWereMeasuredBeforeARefusal) {
    const Outcome run = run_in_shell(
        make_report + R"(sed 's/"tail",.*"cpu_model": *"[^"]*"/&/; )"
                      R"(/"command": *"tail"/,$ s/"cpu_model": *"[^"]*"/"cpu_model": "Another"/' base > other; )"
                      "{} compare --measure -o new other; echo $? >&2; cat new.partial");
    EXPECT_EQ(lines_of(run.error).back(), "2") << run.error;
    EXPECT_EQ(parts_in(run), (std::vector<std::string>{"parallel2", "tail"}));
}

} // namespace
} // namespace memtest
