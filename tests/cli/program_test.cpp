// The command line end to end, as a shell sees it.
#include "support/program.hpp"

#include "memtest/version.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>

namespace memtest {
namespace {

const std::string header = "Thread, Mem size (MiB), Access latency (ns)";

TEST(Program, PrintsTheDescriptionTheHeaderAndARowPerSize) {
    const Outcome run = run_in_shell("{} -m 0.00390625 -a 1000");
    EXPECT_EQ(run.status, 0) << run.error;
    const auto lines = lines_of(run.out);
    ASSERT_GT(lines.size(), 8U);
    EXPECT_EQ(lines[0], "# memtest " + std::string(version) + ": backward pointer-based scan on one thread");
    EXPECT_EQ(lines[1], "# Cache line size 64 B, stride 512 B, max memory size 0.00390625 MiB");
    EXPECT_EQ(lines[2], "# 1000 accesses per size in up to 32 batches over up to 4 visits, reporting the min");
    EXPECT_EQ(std::ranges::count(lines, header), 1);
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 5U);
    const std::regex shape(R"(0, \d+\.\d{5}, \d+\.\d{3})");
    for (const std::string& row : rows)
        EXPECT_TRUE(std::regex_match(row, shape)) << row;
    EXPECT_EQ(rows[0].substr(0, 10), "0, 0.00049");
    EXPECT_EQ(rows[4].substr(0, 10), "0, 0.00391");
    EXPECT_TRUE(lines.back().starts_with("# core clock range: ")) << lines.back();
}

TEST(Program, EveryLineIsARowTheHeaderOrADescriptionLine) {
    const Outcome run = run_in_shell("{} -m 0.01 -a 1000 --random --stats --cycles");
    EXPECT_GE(rows_of(run.out).size(), 5U) << run.error;
    for (const std::string& line : lines_of(run.out))
        EXPECT_TRUE(line.starts_with("# ") || line.starts_with("0, ") || line.starts_with(header)) << line;
}

TEST(Program, QuietPrintsTheHeaderAndTheRowsAlone) {
    const Outcome run = run_in_shell("{} -q -m 1K -a 1000");
    const auto lines = lines_of(run.out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], header);
}

TEST(Program, TwoThreadsGiveTwoRowsPerSizeInTheirOrder) {
    const Outcome run = run_in_shell("{} -c -q -m 0.002 -a 1000");
    if (run.status == 2 && run.error.find("at most 1") != std::string::npos)
        GTEST_SKIP() << "this machine has one processor";
    ASSERT_EQ(run.status, 0) << run.error;
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 6U);
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i][0], i % 2 == 0 ? '0' : '1') << rows[i];
}

TEST(Program, MeasuresEveryOrderLinkAndWidth) {
    for (const char* options : {"", "-f", "-r", "-i", "-f -i", "-r -i", "-r --tlb-locality 4K", "-p 3", "-r -p 5",
                                "-l 8", "-l 24 -s 72", "--warmup 0", "--warmup 3", "--points 5", "--pages 4k",
                                "--visits 2 --stats", "--precision 5", "--batches 3 --estimate median"}) {
        const Outcome run = run_in_shell(std::string("{} -q -m 0.05 -a 5000 ") + options);
        EXPECT_EQ(run.status, 0) << options << ": " << run.error;
        EXPECT_GE(rows_of(run.out).size(), 3U) << options;
    }
}

TEST(Program, CountersAreColumnsBehindAllOthersOrRefusedWithTheReasonAndThoseThatWork) {
    const Outcome all = run_in_shell("{} -q -m 0.002 -a 100000 --counters all");
    if (all.status == 0) {
        EXPECT_TRUE(lines_of(all.out).at(0).starts_with(header + ", Cycles per access, Instructions per access, "));
        return;
    }
    EXPECT_EQ(all.status, 2);
    EXPECT_EQ(all.out, "");
    EXPECT_EQ(lines_of(all.error).size(), 1U) << all.error;
    const std::regex refusal(
        R"(memtest: --counters (.*): not (supported|permitted).*; these work here: ([a-z1, -]+)\n)");
    std::smatch found;
    ASSERT_TRUE(std::regex_match(all.error, found, refusal)) << all.error;
    std::string working = found[3];
    if (working == "none")
        GTEST_SKIP() << "no counter works here";
    std::erase(working, ' ');
    const Outcome run = run_in_shell("{} -q -m 0.002 -a 100000 --counters " + working);
    EXPECT_EQ(run.status, 0) << run.error;
    const auto fields = 3 + std::ranges::count(working, ',') + 1;
    for (const std::string& line : lines_of(run.out))
        EXPECT_EQ(std::ranges::count(line, ',') + 1, fields) << line;
}

TEST(Program, ANodeIsVerifiedOrRefusedWithThoseThereAre) {
    const Outcome refused = run_in_shell("{} --node 999");
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    const std::regex refusal(
        R"(memtest: --node 999: no memory can be had from node 999 here; from these it can: (\d+)(.*)\n)");
    std::smatch found;
    ASSERT_TRUE(std::regex_match(refused.error, found, refusal)) << refused.error;
    const std::string node = found[1];
    const Outcome run = run_in_shell("{} -m 0.002 -a 1000 --node " + node);
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("# node: " + node + " ("), std::string::npos) << run.out;
}

TEST(Program, TheSeedIsStated) {
    const Outcome run = run_in_shell("{} -r --seed 42 -m 1K -a 1000");
    EXPECT_NE(run.out.find("# seed: 42\n"), std::string::npos);
}

TEST(Program, HelpAndVersionGoToStandardOutput) {
    const Outcome help = run_in_shell("{} --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(help.out.starts_with("Usage: memtest"));
    const Outcome shown = run_in_shell("{} -V");
    EXPECT_EQ(shown.status, 0);
    EXPECT_EQ(shown.out, "memtest " + std::string(version) + "\n");
}

TEST(Program, BadInputIsOneLineOnStandardErrorAndStatusTwo) {
    for (const char* options : {"-l 64x", "-a 0", "-a -1", "--nothing", "stray", "-f -f", "-s 100", "-l 4", "-r -f",
                                "-m 100000000", "-t 60000", "--cpu 9999", "-m"}) {
        const Outcome run = run_in_shell(std::string("{} ") + options);
        EXPECT_EQ(run.status, 2) << options;
        EXPECT_EQ(run.out, "") << options;
        EXPECT_EQ(lines_of(run.error).size(), 1U) << options << ": " << run.error;
        EXPECT_TRUE(run.error.starts_with("memtest: ")) << run.error;
    }
}

TEST(Program, MoreMemoryThanThereIsNamesBothFigures) {
    const Outcome run = run_in_shell("{} -m 100000000");
    // Of a 32-bit program the address space is the limit.
    const std::regex figures("needs 100000000 MiB of memory, and \\d+ MiB|100000000: give at most 4095 MiB");
    EXPECT_TRUE(std::regex_search(run.error, figures)) << run.error;
}

TEST(Program, WritesToAFile) {
    const Outcome run = run_in_shell("{} -m 1K -a 1000 -o sweep.csv && cat sweep.csv");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(rows_of(run.out).size(), 2U);
}

TEST(Program, AFileThatCannotBeWrittenIsNamedBeforeAnythingIsMeasured) {
    const Outcome run = run_in_shell("{} -o /nowhere/sweep.csv");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.error.find("cannot write /nowhere/sweep.csv: No such file or directory"), std::string::npos)
        << run.error;
}

TEST(Program, ARefusedRunLeavesTheOldFileAlone) {
    const Outcome run = run_in_shell("echo old > sweep.csv; {} -m 100000000 -o sweep.csv; cat sweep.csv");
    EXPECT_EQ(run.out, "old\n");
}

TEST(Program, AFullDiskIsAnErrorThatNamesTheFile) {
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "this system has no /dev/full";
    const Outcome to_output = run_in_shell("{} -m 1K > /dev/full");
    EXPECT_EQ(to_output.status, 1);
    EXPECT_NE(to_output.error.find("cannot write standard output: No space left on device"), std::string::npos)
        << to_output.error;
    const Outcome to_file = run_in_shell("{} -m 1K -o /dev/full");
    EXPECT_EQ(to_file.status, 1);
    EXPECT_NE(to_file.error.find("cannot write /dev/full"), std::string::npos) << to_file.error;
}

TEST(Program, AClosedPipeEndsTheRunQuietly) {
    const Outcome run = run_in_shell("{ {} -m 1 -a 100000; echo status $? >&2; } | head -1");
    EXPECT_EQ(lines_of(run.out).size(), 1U);
    EXPECT_NE(run.error.find("status 141\n"), std::string::npos) << run.error;
    EXPECT_EQ(run.error.find("memtest: cannot"), std::string::npos) << run.error;
}

TEST(Program, ASignalEndsItWithItsStatusAndKeepsTheFinishedRows) {
    // The sweep would take hours; it is interrupted as soon as the first row is there.
    for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}}) {
        const Outcome run = run_in_shell(std::string("{} -m 1 -a 20000000 --visits 1 > rows & "
                                                     "until grep -q ^0 rows 2>/dev/null; do sleep 0.05; done; kill -") +
                                         signal + " $!; wait $!; echo status $?; cat rows");
        EXPECT_TRUE(run.out.starts_with("status " + std::to_string(status) + "\n")) << run.out;
        const auto rows = rows_of(run.out);
        EXPECT_GE(rows.size(), 1U);
        EXPECT_EQ(run.out.back(), '\n') << "no half-written line";
    }
}

TEST(Program, ASignalInALaterRoundLosesNoSizeThatWasVisitedAndClosesTheDocument) {
    // A median that is never settled: its 1000 visits to each size would take minutes.
    const Outcome run = run_in_shell("{} -m 0.001 --precision 0.000001 --estimate median --visits 1000 --format json "
                                     "> rows & sleep 1; kill -INT $!; wait $!; echo status $?; cat rows");
    EXPECT_TRUE(run.out.starts_with("status 130\n")) << run.out;
    EXPECT_TRUE(run.out.ends_with("\"hierarchy\": null\n}\n")) << run.out;
    EXPECT_NE(run.out.find("\"size_bytes\": 512, "), std::string::npos) << run.out;
}

} // namespace
} // namespace memtest
