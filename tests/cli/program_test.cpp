// The command line end to end, as a shell sees it.
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include "memtest/version.hpp"

#include <filesystem>

namespace memtest {
namespace {

const std::string header = "Thread, Mem size (MiB), Access latency (ns)";

const std::string has_first_row = "grep -qs ^0 r.csv.partial"; // of a run with `-o r.csv`

TEST(Program, PrintsTheDescriptionTheHeaderAndARowPerSize) {
    const Outcome run = run_in_shell("{} -m 0.00390625 -a 1000");
    EXPECT_EQ(run.status, 0) << run.error;
    const auto lines = lines_of(run.out);
    ASSERT_GT(lines.size(), 8U);
    EXPECT_TRUE(lines[0].starts_with("# memtest " + std::string(version) + ": backward pointer-based ")) << lines[0];
    const auto begins = std::ranges::find(lines, header);
    ASSERT_GE(begins - lines.begin(), 4);
    EXPECT_TRUE(mentions(*(begins - 2), {"# ", "64 B", "512 B", "0.00390625 MiB"}));
    EXPECT_TRUE(mentions(*(begins - 1), {"# 1000 accesses", "32 batches", "4 visits", "min"}));
    EXPECT_EQ(std::ranges::count(lines, header), 1);
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 5U);
    const std::string shape(R"(0, \d+\.\d{5}, \d+\.\d{3})");
    for (const std::string& row : rows)
        EXPECT_TRUE(fits(row, shape)) << row;
    EXPECT_EQ(rows[0].substr(0, 10), "0, 0.00049");
    EXPECT_EQ(rows[4].substr(0, 10), "0, 0.00391");
    EXPECT_EQ(end_of(run.out), "5 of 5 sizes");
    EXPECT_NE(run.out.find("\n# arguments: -m 0.00390625 -a 1000\n"), std::string::npos) << run.out;
    EXPECT_TRUE(fits(text_of(data_lines(run.out).at(0)["run"]["start"]), R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))
        << run.out;
}

TEST(Program, WalksThroughAFileThatItNamesAndOverwritesOnlyWhenAsked) {
    const Outcome run = run_in_shell("d=$(mktemp -d); cd $d; truncate -s 64K area; "
                                     "{} --memory area -c --min-size 4K -a 1000 && {} --memory area -m 1K; s=$?; "
                                     "rm -r $d; exit $s");
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(mentions(run.error, {"memtest: --memory area: ", "--overwrite\n"}));
    EXPECT_EQ(rows_of(run.out).size(), 14U) << "of two threads, up to 32 KiB each";
    EXPECT_FALSE(found(run.out, R"(\n# memory file: /.*/area\n)").empty()) << run.out;
    EXPECT_FALSE(holds(run.out, "\n# pages: ")) << run.out;
}

TEST(Program, CyclesAreThereWhereTheCoreClockIsAndElseEmpty) {
    const Outcome run = run_in_shell("{} -m 1K -a 1000 --cycles");
    const bool known = run.out.find("\n# core clock: ") != std::string::npos;
    EXPECT_EQ(!data_lines(run.out).at(0)["core_clock_range_ghz"].is_null(), known);
    const std::string shape(std::string(R"(0, [\d.]+, [\d.]+, )") + (known ? R"([\d.]+)" : ""));
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 2U);
    for (const std::string& row : rows)
        EXPECT_TRUE(fits(row, shape)) << row;
}

TEST(Program, QuietPrintsTheHeaderAndTheRowsAlone) {
    const Outcome run = run_in_shell("{} -q -m 1K -a 1000");
    const auto lines = lines_of(run.out);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], header);
}

/// What stands on a terminal of its own once the program has ended, without returns; nothing where none can be made.
std::optional<std::string> on_terminal(const std::string& variables, const std::string& words) {
    std::string out = run_in_shell(variables + " script -qec \"{} " + words + "\" /dev/null").out;
    std::erase(out, '\r');
    return out.empty() ? std::nullopt : std::optional(out);
}

/// Whether it ends with levels or, where a busy machine shows none, with what to read with care.
bool has_answer(const std::string& screen) {
    return holds(screen, "\nL1 ") || holds(screen, "\nNote: ");
}

TEST(Program, OnATerminalPrintsTheRowsToTheLetterThenTheLevels) {
    const auto screen = on_terminal("TERM=dumb", "--random -m 0.05 -a 1000 --visits 1");
    if (!screen)
        GTEST_SKIP() << "no terminal can be made here";
    EXPECT_TRUE(screen->starts_with("# memtest " + std::string(version) + ": random")) << *screen;
    EXPECT_NE(screen->find("\n# pages got: "), std::string::npos) << *screen;
    EXPECT_NE(screen->find("\n" + header + "\n"), std::string::npos) << *screen;
    EXPECT_EQ(screen->find("# arguments"), std::string::npos) << *screen;
    EXPECT_EQ(screen->find("# end"), std::string::npos) << *screen;
    const std::string shape(R"(0, \d+\.\d{5}, \d+\.\d{3})");
    const auto rows = rows_of(*screen);
    EXPECT_GE(rows.size(), 10U);
    for (const std::string& row : rows)
        EXPECT_TRUE(fits(row, shape)) << row;
    EXPECT_TRUE(has_answer(screen->substr(screen->find("\n" + rows.back())))) << *screen;
}

TEST(Program, WithAFileATerminalGetsTheLevelsAndTheNameOfTheFile) {
    const auto screen = on_terminal("TERM=dumb", "--random -m 0.05 -a 1000 --visits 1 -o r.csv");
    if (!screen)
        GTEST_SKIP() << "no terminal can be made here";
    EXPECT_TRUE(rows_of(*screen).empty()) << *screen;
    EXPECT_TRUE(has_answer(*screen)) << *screen;
    EXPECT_TRUE(screen->ends_with("wrote r.csv\n")) << *screen;
    const auto quiet = on_terminal("TERM=dumb", "-q -m 1K -a 1000 -o r.csv; cat r.csv");
    EXPECT_EQ(quiet->find("wrote"), std::string::npos) << *quiet;
    const auto file = on_terminal("TERM=dumb", "--random -m 0.05 -a 1000 --visits 1 -o r.csv > /dev/null; cat r.csv");
    EXPECT_NE(file->find("# arguments"), std::string::npos) << *file;
    EXPECT_EQ(file->find("# level"), std::string::npos) << "as it is without a terminal";
}

TEST(Program, OnATerminalNamesNoDeviceAsWritten) {
    const auto screen = on_terminal("TERM=dumb", "-m 1K -a 1000 -o /dev/null; echo end");
    if (!screen)
        GTEST_SKIP() << "no terminal can be made here";
    EXPECT_TRUE(screen->ends_with("end\n")) << *screen;
    EXPECT_EQ(screen->find("wrote"), std::string::npos) << *screen;
}

TEST(Program, WhatIsWrongBeginsInColourOnATerminalThatWantsIt) {
    const std::string plain = "memtest: --line-size 64x: ";
    const auto coloured = on_terminal("NO_COLOR= TERM=xterm", "-l 64x");
    if (!coloured)
        GTEST_SKIP() << "no terminal can be made here";
    EXPECT_TRUE(coloured->starts_with("\033[31mmemtest: \033[m--line-size 64x: ")) << *coloured;
    EXPECT_TRUE(on_terminal("NO_COLOR=1 TERM=xterm", "-l 64x")->starts_with(plain));
    EXPECT_TRUE(on_terminal("NO_COLOR= TERM=dumb", "-l 64x")->starts_with(plain));
    EXPECT_TRUE(run_in_shell("TERM=xterm {} -l 64x").error.starts_with(plain)) << "a file is no terminal";
}

TEST(Program, ATerminalThatCannotEraseGetsNoProgress) {
    const std::string on_terminal = "script -q -c \"{} -m 1K -a 1000\" /dev/null";
    const Outcome usual = run_in_shell("TERM=xterm " + on_terminal);
    if (usual.out.find('\033') == std::string::npos)
        GTEST_SKIP() << "no terminal can be made here: " << usual.error;
    const Outcome dumb = run_in_shell("TERM=dumb " + on_terminal);
    EXPECT_EQ(dumb.out.find('\033'), std::string::npos) << dumb.out;
    EXPECT_NE(dumb.out.find("\n0, 0.00049, "), std::string::npos) << dumb.out;
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

std::vector<std::string> fields_of(const std::string& row) {
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= row.size();) {
        const std::size_t end = std::min(row.find(", ", begin), row.size());
        fields.push_back(row.substr(begin, end - begin));
        begin = end + 2;
    }
    return fields;
}

TEST(Program, HowItIsTimedShowsInTheRow) {
    constexpr std::size_t latency = 2;
    constexpr std::size_t visits = 8;
    constexpr std::size_t batches = 9;
    for (const auto& [estimate, column] : {std::pair{"min", 3U}, {"median", 4U}, {"mean", 5U}}) {
        const Outcome run =
            run_in_shell(std::string("{} -q --stats --min-size 1K -m 1K -a 6000000 --batches 6 --visits 3 "
                                     "--estimate ") +
                         estimate);
        const auto rows = rows_of(run.out);
        ASSERT_EQ(rows.size(), 1U) << run.error;
        const auto fields = fields_of(rows[0]);
        ASSERT_GT(fields.size(), batches) << rows[0];
        EXPECT_EQ(fields[visits], "3") << rows[0];
        EXPECT_EQ(fields[batches], "6") << rows[0];
        EXPECT_EQ(fields[latency], fields.at(column)) << estimate << ": " << rows[0];
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
    const auto refusal =
        found(all.error, R"(^memtest: --counters .*: not (supported|permitted).*; these work here: ([a-z1, -]+)\n$)");
    ASSERT_FALSE(refusal.empty()) << all.error;
    std::string working = refusal[2];
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
    const auto refusal = found(refused.error, R"(^memtest: --node 999: .*: (\d+).*\n$)");
    ASSERT_FALSE(refusal.empty()) << refused.error;
    const std::string node = refusal[1];
    const Outcome run = run_in_shell("{} -m 0.002 -a 1000 --node " + node);
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(data_lines(run.out).at(0)["run"]["nodes"]["ids"], List{std::stoi(node)}) << run.out;
}

TEST(Program, WarningsStandInTheResultToo) {
    // A line of 1024 bytes is no machine's, where the system tells of lines at all.
    const std::string run = "{} -q -m 0.01 -a 1000 -l 1024 -s 1024 ";
    const std::string told = run_in_shell("{} -m 0.01 -a 1000 -l 1024 -s 1024 >/dev/null").error;
    if (told.find("; use --line-size ") == std::string::npos)
        GTEST_SKIP() << "nothing to warn of here: " << told;
    const Outcome csv = run_in_shell("{} -m 0.01 -a 1000 -l 1024 -s 1024");
    EXPECT_FALSE(found(csv.out, "\n# warning.other_line_size.: ").empty()) << csv.out;
    EXPECT_NE(csv.out.find("\"code\":\"other_line_size\""), std::string::npos) << csv.out;
    const Outcome json = run_in_shell(run + "--format json");
    EXPECT_NE(json.out.find("\"code\":\"other_line_size\""), std::string::npos) << json.out;
    EXPECT_EQ(json.error, "") << "quiet";
}

TEST(Program, WhatItSaysOfThePrefetcherIsTheLatencyOfTheLastRow) {
    const Outcome run = run_in_shell("{} -f -m 16 -a 500000 --visits 1");
    ASSERT_EQ(run.status, 0) << run.error;
    std::optional<double> strided_ns;
    for (const Value& data : data_lines(run.out)) {
        for (const Value& warning : data["warnings"].list()) {
            if (notice_in(warning).code == Code::prefetcher_follows_stride)
                strided_ns = warning["strided_ns"].number();
        }
    }
    if (!strided_ns)
        GTEST_SKIP() << "it follows no stride here: " << run.error;
    EXPECT_NEAR(*strided_ns, std::stod(fields_of(rows_of(run.out).back()).at(2)), 0.051);
}

TEST(Program, TheVersionGoesToStandardOutput) {
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

TEST(Program, RefusesAListThatRepeatsItselfWithoutMakingAllOfIt) {
    // All of it are 160 million processors, which take 5 s of processor time.
    const std::string list = "$(yes 0-65536 | head -2500 | paste -sd,)";
    for (const char* option : {"--cpu ", "--node "}) {
        const Outcome run = run_in_shell("ulimit -t 2; {} " + (option + list));
        EXPECT_EQ(run.status, 2) << option;
        EXPECT_EQ(lines_of(run.error).size(), 1U) << option;
    }
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
    EXPECT_TRUE(mentions(to_output.error, {"standard output: "}));
    const Outcome to_file = run_in_shell("{} -m 1K -o /dev/full");
    EXPECT_EQ(to_file.status, 1);
    EXPECT_TRUE(mentions(to_file.error, {" /dev/full: "}));
}

TEST(Program, AWriteErrorInItsMidstEndsItAndKeepsTheRowsBefore) {
    // A limit on the size of files, which the description stays below and the rows do not.
    for (const std::string quiet : {"", "-q "}) { // which has nothing more to write at the end
        const Outcome run = run_in_shell("(ulimit -f 8; {} --points 64 -m 0.05 -a 1000 --visits 1 " + quiet +
                                         "-o r.csv); echo status $?; cat r.csv.partial");
        EXPECT_TRUE(run.out.starts_with("status 1\n")) << run.out;
        EXPECT_TRUE(mentions(run.error, {" r.csv: File too large\n"}));
        EXPECT_GE(rows_of(run.out).size(), 10U) << run.out;
    }
}

TEST(Program, WritesToAnOpenDescriptorInPlaceWhateverNameItHas) {
    for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"}) {
        const Outcome run = run_in_shell("ln -s /dev/stdout link; printf \"old\\n\" > log; "
                                         "(echo head; {} -q -r -m 0.01 -a 100 -o " +
                                         name + "; echo foot $?) >> log; cat log; ls; rm log");
        const auto lines = lines_of(run.out);
        ASSERT_GT(lines.size(), 8U) << name << run.error << run.out;
        EXPECT_EQ(lines[0], "old") << name;
        EXPECT_EQ(lines[1], "head") << name;
        EXPECT_TRUE(lines[2].starts_with("Thread, ")) << name << run.out;
        EXPECT_TRUE(holds(run.out, "\nfoot 0\nerr\nlink\nlog\nout\n")) << name << run.out;
    }
    const Outcome unlinked = run_in_shell("exec 3<> log; rm log; {} -q -r -m 0.01 -a 100 -o /dev/stdout >&3; echo $?; "
                                          "cat /proc/self/fd/3; ls");
    EXPECT_TRUE(unlinked.out.starts_with("0\nThread, ")) << unlinked.out << unlinked.error;
    EXPECT_TRUE(unlinked.out.ends_with("\nerr\nout\n")) << unlinked.out;
}

TEST(Program, AClosedPipeEndsTheRunQuietly) {
    const Outcome run = run_in_shell("{ {} -m 1 -a 100000; echo status $? >&2; } | head -1");
    EXPECT_EQ(lines_of(run.out).size(), 1U);
    EXPECT_NE(run.error.find("status 141\n"), std::string::npos) << run.error;
    EXPECT_EQ(run.error.find("memtest: cannot"), std::string::npos) << run.error;
}

TEST(Program, ASignalEndsItWithItsStatusAndKeepsTheFinishedRows) {
    // The sweep would take hours; it is interrupted as soon as the first row is there.
    for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
        const Outcome run = run_in_shell(signalled("-m 1 -a 20000000 --visits 1 > rows", signal, "grep -qs ^0 rows") +
                                         "; echo status $?; cat rows");
        EXPECT_TRUE(run.out.starts_with("status " + std::to_string(status) + "\n")) << run.out;
        const auto rows = rows_of(run.out);
        EXPECT_GE(rows.size(), 1U);
        EXPECT_TRUE(end_of(run.out).ends_with(" of 21 sizes, interrupted")) << run.out;
    }
}

TEST(Program, AnInterruptedRunLeavesTheOldResultAndNamesWhatThereIs) {
    const Outcome run =
        run_in_shell("echo old > r.csv; " + signalled("-m 1 -a 20000000 --visits 1 -o r.csv", "TERM", has_first_row) +
                     "; echo status $?; cat r.csv; ls; grep -c ^0 r.csv.partial");
    const auto lines = lines_of(run.out);
    ASSERT_EQ(lines.size(), 7U) << run.out << run.error;
    EXPECT_EQ(lines[0], "status 143");
    EXPECT_EQ(lines[1], "old");
    EXPECT_EQ(std::vector(lines.begin() + 2, lines.begin() + 6),
              (std::vector<std::string>{"err", "out", "r.csv", "r.csv.partial"}));
    EXPECT_GE(std::stoi(lines[6]), 1);
    EXPECT_TRUE(mentions(run.error, {"memtest: warning: ", " r.csv.partial\n"}));
}

/// For run_in_shell: starts the program with these words, and ends it as soon as it sleeps and would catch that. One
/// that heeds no signal is killed after a time that no run here takes.
std::string ended_asleep(const std::string& words) {
    return "{} " + words +
           " & p=$!; (sleep 20; kill -KILL $p 2>/dev/null) >/dev/null 2>&1 & n=0; "
           "until [ $(grep -c -e ^State:.S -e ^SigCgt:.*[4-7c-f]...$ /proc/$p/status) -eq 2 ] || [ $n -eq 400 ]; do "
           "n=$((n + 1)); sleep 0.05; done; kill -TERM $p; wait $p";
}

TEST(Program, ASignalIsHeededWhereAFifoHasNoReaderOrOneThatReadsNothing) {
    const Outcome waits = run_in_shell("mkfifo f; " + ended_asleep("-m 1K -o f"));
    EXPECT_EQ(waits.status, 143) << waits.error;
    const Outcome writes = run_in_shell("mkfifo f; exec 3<>f; dd if=/dev/zero of=f oflag=nonblock 2>/dev/null; " +
                                        ended_asleep("-m 1K > f"));
    EXPECT_EQ(writes.status, 143) << writes.error;
}

TEST(Program, WritesToStandardOutputWhereTheFileIsADash) {
    const Outcome run = run_in_shell("{} -m 1K -a 1000 -o - && ls");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(rows_of(run.out).size(), 2U);
    EXPECT_TRUE(run.out.ends_with("\nerr\nout\n")) << "no file is created: " << run.out;
}

TEST(Program, WritesDirectlyToWhatIsNoFile) {
    const Outcome fifo = run_in_shell("mkfifo f; {} -m 1K -a 1000 -o f & cat f; wait $!");
    EXPECT_EQ(fifo.status, 0) << fifo.error;
    EXPECT_EQ(rows_of(fifo.out).size(), 2U);
    const Outcome pipe = run_in_shell("{} -m 1K -a 1000 -o /dev/stdout | cat");
    EXPECT_EQ(rows_of(pipe.out).size(), 2U) << pipe.error;
}

TEST(Program, AClosedStandardOutputIsAWriteError) {
    for (const char* options : {"-m 1K", "--help", "levels --help"}) {
        const Outcome run = run_in_shell(std::string("{} ") + options + " >&-");
        EXPECT_EQ(run.status, 1) << options;
        EXPECT_TRUE(run.error.ends_with(" standard output: Bad file descriptor\n")) << run.error;
    }
}

TEST(Program, NoClosedStreamGetsIntoTheResult) {
    const Outcome run =
        run_in_shell(signalled("-m 1 -a 20000000 --visits 1 -o r.csv <&- >&- 2>&-", "TERM", has_first_row) +
                     "; echo status $?; cat r.csv.partial");
    EXPECT_TRUE(run.out.starts_with("status 143\n")) << run.out;
    EXPECT_GE(rows_of(run.out).size(), 1U);
    EXPECT_EQ(run.out.find("memtest: "), std::string::npos) << run.out;
}

TEST(Program, WhatCannotBeSaidChangesNoStatus) {
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "this system has no /dev/full";
    const std::string without_reader = "mkfifo e; : <e & exec 4>e; wait; ";
    for (const char* silenced : {"2>/dev/full", "2>&-", "2>&4"}) {
        EXPECT_EQ(run_in_shell(without_reader + "{} -l 64x " + silenced).status, 2) << silenced;
        EXPECT_EQ(run_in_shell(without_reader + "{} -o /nowhere/x " + silenced).status, 1) << silenced;
        EXPECT_EQ(run_in_shell(without_reader + "{} levels /nowhere/x " + silenced).status, 2) << silenced;
        const Outcome run = run_in_shell(
            without_reader +
            signalled(std::string("-m 1 -a 20000000 --visits 1 -o r.csv ") + silenced, "TERM", has_first_row) +
            "; echo $?; cat r.csv.partial");
        EXPECT_TRUE(run.out.starts_with("143\n")) << silenced << run.out;
        EXPECT_GE(rows_of(run.out).size(), 2U) << silenced; // the status, and a row
    }
}

TEST(Program, ASignalInALaterRoundLosesNoSizeThatWasVisitedAndClosesTheDocument) {
    // A mean never settles (medians may be equal): 1000 visits to each size take 10 s, and the signal comes after 0.3.
    const Outcome run = run_in_shell(signalled("-m 0.001 --precision 0.000001 --estimate mean --visits 1000 "
                                               "--format json > rows",
                                               "INT", "[ $(cut -d\" \" -f14 /proc/$$/stat) -ge 30 ]") +
                                     "; echo status $?; cat rows");
    EXPECT_TRUE(run.out.starts_with("status 130\n")) << run.out;
    EXPECT_TRUE(run.out.ends_with("\"complete\": false\n}\n")) << run.out.substr(0, 2000);
    EXPECT_NE(run.out.find("\"size_bytes\":512,"), std::string::npos) << run.out.substr(0, 2000);
}

TEST(Program, AwakeNamesTheOtherCoresInTheDescriptionOrIsRefusedInOneLine) {
    const Outcome run = run_in_shell("{} --awake -m 1K -a 1000");
    if (run.status == 2) {
        EXPECT_EQ(lines_of(run.error).size(), 1U) << run.error;
        EXPECT_EQ(run.out, "");
        GTEST_SKIP() << "two cores are needed, and threads bound to them";
    }
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_FALSE(found(run.out, "\n# awake: [0-9]").empty()) << run.out;
    EXPECT_EQ(run_in_shell("{} -m 1K -a 1000").out.find("# awake"), std::string::npos);
    EXPECT_TRUE(mentions(run_in_shell("{} --awke").error, {"'--awke'", " --awake?"}));
}

} // namespace
} // namespace memtest
