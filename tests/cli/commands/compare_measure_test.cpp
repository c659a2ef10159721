// Which parts are measured again, with steps that give made results.
#include "memtest/cli/commands/compare.hpp"

#include "support/modelled_reports.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

std::string document_of(const Result& made) {
    return written(*made.kind, {.format = Format::json}, [&](ResultWriter& writer) {
        RunDescription run = made.run;
        run.end = RunEnd{.measured = made.row_count(), .planned = made.row_count()};
        writer.begin({}, run);
        write_rows(writer, made);
        writer.end({}, run);
    });
}

/// @param noise_percent of the visits to each size
std::string sweep_document(double noise_percent = 0.3) {
    Result sweep = modelled_sweep({}, "huge");
    for (Row& row : std::get<std::vector<Row>>(sweep.rows))
        row.visits_percent = noise_percent;
    return document_of(sweep);
}

std::string tail_document(double p50_ns) {
    return document_of(modelled_tail({.p50 = p50_ns}));
}

/// The median of the tail in each measurement, the last one in all that follow; and how often the parts were measured.
struct MadeMachine {
    std::vector<double> p50_ns;
    std::size_t noisy_sweeps = 0; ///< the first ones
    std::size_t tails = 0;
    std::size_t sweeps = 0;
};

MadeMachine machine; // commands are plain functions

const Command made_tail{.name = "tail", .run = [](const CommandLine& line) {
                            line.output->write(
                                tail_document(machine.p50_ns.at(std::min(machine.tails++, machine.p50_ns.size() - 1))));
                            return ExitStatus::success;
                        }};

const Command made_sweep{.name = "", .run = [](const CommandLine& line) {
                             line.output->write(sweep_document(machine.sweeps++ < machine.noisy_sweeps ? 60 : 0.3));
                             return ExitStatus::success;
                         }};

std::string whole_base() {
    return report_json({{"huge", sweep_document()}, {"tail", tail_document(100)}});
}

Comparison compared_with(const std::vector<double>& p50_ns, OutputFile& output, unsigned tries = 3,
                         const std::string& base = whole_base(), std::size_t noisy_sweeps = 0) {
    machine = {.p50_ns = p50_ns, .noisy_sweeps = noisy_sweeps};
    CompareOptions options;
    options.quiet = true;
    options.tries = tries;
    return measure_steps_and_compare(
        {parse_file(base, "base")}, {{.name = "huge", .command = &made_sweep}, {.name = "tail", .command = &made_tail}},
        output, options);
}

Comparison compared_with(const std::vector<double>& p50_ns, unsigned tries = 3) {
    OutputFile output("");
    return compared_with(p50_ns, output, tries);
}

TEST(MeasureStepsAndCompare, WhatIsWorseOnceIsNotAfterItsPartIsMeasuredAgain) {
    const Comparison comparison = compared_with({200, 100});
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
    EXPECT_EQ(std::ranges::count(comparison.remarks,
                                 Notice(Code::parts_measured_again, {{"tries", 2U},
                                                                     {"parts", List{"latency distribution"}},
                                                                     {"worse_at_first", List{"tail p50 of 256 MiB"}}})),
              1);
    EXPECT_EQ(machine.tails, 2U);
    EXPECT_EQ(machine.sweeps, 1U) << "which is not worse";
}

TEST(MeasureStepsAndCompare, WhatIsWorseTwiceIsWorse) {
    EXPECT_EQ(compared_with({200}).verdict, Verdict::worse);
    EXPECT_EQ(machine.tails, 2U);
    EXPECT_EQ(machine.sweeps, 1U);
}

TEST(MeasureStepsAndCompare, WhatIsTooNoisyToTellIsMeasuredAgainUntilTheTriesAreUsedUp) {
    for (const std::size_t noisy : {1U, 2U, 3U}) {
        OutputFile output("");
        const Comparison comparison = compared_with({100}, output, 3, whole_base(), noisy);
        EXPECT_EQ(comparison.verdict, noisy < 3 ? Verdict::no_difference : Verdict::cannot_tell) << noisy;
        EXPECT_EQ(machine.sweeps, std::min<std::size_t>(noisy + 1, 3));
    }
}

TEST(MeasureStepsAndCompare, NothingIsMeasuredAgainWithOneTry) {
    const Comparison comparison = compared_with({200, 100}, 1);
    EXPECT_EQ(comparison.verdict, Verdict::worse);
    EXPECT_EQ(std::ranges::count(comparison.remarks, Code::parts_measured_again, &Notice::code), 0);
    EXPECT_EQ(machine.tails, 1U);
}

TEST(MeasureStepsAndCompare, WhatTheBaselineLacksIsNotMeasuredAgain) {
    OutputFile output("");
    const Comparison comparison = compared_with({100}, output, 3, report_json({{"huge", sweep_document()}}));
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(machine.tails, 1U);
}

TEST(MeasureStepsAndCompare, WritesTheLastMeasurementOfEachPartOnce) {
    OutputFile output("");
    (void)compared_with({200, 100}, output);
    StoredFile report = parse_file(output.text(), "new");
    ASSERT_EQ(report.results.size(), 2U);
    EXPECT_EQ(part_in(report, "tail").rows_of<PercentileRow>().front().p50_ns, 100);
}

} // namespace
} // namespace memtest
