#include "memtest/cli/commands/commands.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/measure/page_probe.hpp"
#include "memtest/result/result.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <fmt/format.h>

#include <sys/prctl.h>

namespace memtest {
namespace {

const std::string curves = std::string(TEST_DATA) + "/curves/";

/// A shell function that writes a sweep of a machine with an L1 of 32 KiB, an L2 of 1 MiB and memory, the L2 and
/// memory slower by some factors: sweep FACTOR_L2 FACTOR_MEMORY [DESCRIPTION LINE].
const std::string sweep_function =
    "sweep() { [ -z \"$3\" ] || echo \"$3\"; echo \"Thread, Mem size (MiB), Access latency (ns)\"; "
    "awk -v a=$1 -v b=$2 \"BEGIN { for (k = 0.5; k <= 131072; k *= 2) "
    "printf \\\"0, %.5f, %.3f\\\\n\\\", k / 1024, k <= 32 ? 1 : k <= 1024 ? 4 * a : 80 * b }\"; }; ";

TEST(LevelsCommand, ReadsStandardInput) {
    const Outcome run = run_in_shell("{} levels - < " + curves + "xeon_silver_4114.csv");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("\nL1, "), std::string::npos);
}

TEST(TranslationCommand, SaysWhereOneSweepDoesNotTellHowNoisyItWas) {
    const std::string files = sweep_function + "sweep 1.25 1.5 > plain; sweep 1 1 > base; "
                                               "for f in plain base; do sed \"1 s/$/, Spread (%)/; 2,$ s/$/, 1.0/\" $f "
                                               "> $f.stats; done; sed '5 s/1.0$//' base.stats > partly; ";
    const auto asks_for_statistics = [&](const std::string& small, const std::string& huge) {
        const Outcome run = run_in_shell(files + "{} translation " + small + " " + huge);
        EXPECT_EQ(run.status, 0) << run.error;
        return run.out.find("--stats\n") != std::string::npos;
    };
    EXPECT_FALSE(asks_for_statistics("plain.stats", "base.stats"));
    EXPECT_TRUE(asks_for_statistics("plain", "base.stats"));
    EXPECT_TRUE(asks_for_statistics("plain.stats", "base"));
    EXPECT_TRUE(asks_for_statistics("plain.stats", "partly")) << "one size does not";
}

TEST(TranslationCommand, OnATerminalHasTheSizesWithASavingUnlessItIsAskedForAllOrHasNone) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const auto lines_with = [&](const std::string& files) {
        const Outcome run = run_in_shell(sweep_function + "sweep 1 1.5 > small; sweep 1 1 > huge; {} translation " +
                                         files + " > " + terminal.path());
        EXPECT_EQ(run.status, 0) << run.error;
        return terminal.text();
    };
    const std::string screen = lines_with("small huge");
    EXPECT_TRUE(holds(screen, " 128 MiB  ")) << screen;
    EXPECT_FALSE(holds(screen, " 64 KiB  ")) << screen;
    EXPECT_TRUE(holds(screen, "--all prints ")) << screen;
    const std::string all = lines_with("--all small huge");
    EXPECT_TRUE(holds(all, " 64 KiB  ")) << all;
    EXPECT_FALSE(holds(all, "--all prints ")) << all;
    EXPECT_TRUE(holds(lines_with("huge huge"), " 64 KiB  "));
}

TEST(TranslationCommand, RefusesSweepsThatAreNotInTheirOrder) {
    const auto pages = [](const std::string& of_thread) { // as a word of the shell
        const std::string line = data_line(R"("pages_got":[{)" + of_thread + "}]");
        return "'" + line.substr(0, line.size() - 1) + "'";
    };
    const auto mixed = [&](const std::string& percent) {
        return pages(R"("page_bytes":4096,"transparent_page_bytes":2097152,"transparent_percent":)" + percent);
    };
    const std::string kinds[] = {"4 KiB", "4 KiB and 2 MiB transparent (40 % of the memory)",
                                 "4 KiB and 2 MiB transparent (97 % of the memory)", "2 MiB transparent", "1 GiB"};
    const std::string lines[] = {pages(R"("page_bytes":4096)"), mixed("40"), mixed("97"), mixed("100"),
                                 pages(R"("page_bytes":1073741824)")};
    for (std::size_t smaller = 0; smaller + 1 < std::size(kinds); ++smaller) {
        const std::string& kind = kinds[smaller];
        const std::string files =
            sweep_function + "sweep 1 1 " + lines[smaller] + " > small; sweep 1 1 " + lines[smaller + 1] + " > large; ";
        EXPECT_EQ(run_in_shell(files + "{} translation small large").status, 0) << kind;
        const Outcome swapped = run_in_shell(files + "{} translation large small");
        EXPECT_EQ(swapped.status, 2) << kind;
        EXPECT_TRUE(mentions(swapped.error, {"memtest: large ", kinds[smaller + 1], " small ", kind}));
    }
    const Outcome same =
        run_in_shell(sweep_function + "sweep 1 1 " + pages(R"("page_bytes":2097152)") + " > a; {} translation a a");
    EXPECT_EQ(same.status, 2);
    EXPECT_TRUE(mentions(same.error, {"memtest: a ", " 2 MiB "}));
}

TEST(Commands, TranslationFindsBothSweepsInAReport) {
    const Outcome run = run_in_shell("{} translation " TEST_DATA "/../../.github/machines/epyc-zen3-kvm.json");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(holds(run.out, "\n0, 256.00000, ")) << run.out;
}

const std::string by_version = R"("version":"1.0.0","order":"random")";
const std::string whole_end = data_line(by_version, end_member(19, 19));

/// A sweep as the probe writes it, its L2 slower by some factor, with this end.
std::string written_sweep(const std::string& factor_l2, const std::string& end) {
    return run_in_shell(sweep_function + "sweep " + factor_l2 + " 1").out + end;
}

TEST(Commands, WarnOfASweepThatIsNotWhole) {
    const TextFile whole("whole.csv", written_sweep("1", whole_end));
    const TextFile part("part.csv", written_sweep("1.5", data_line(by_version)));
    const std::string warning =
        "memtest: warning: " + part.path() + " " + why_incomplete(chosen_result(read_file(part.path()))).value();
    for (const std::string& files :
         {"levels " + part.path(), "plot " + part.path(), "translation " + part.path() + " " + whole.path(),
          "translation " + whole.path() + " " + part.path()}) {
        const Outcome run = run_in_shell("{} " + files);
        EXPECT_TRUE(run.error.starts_with(warning)) << run.error;
        EXPECT_EQ(lines_of(run.error).size(), 1U) << run.error;
    }
    EXPECT_EQ(run_in_shell("{} translation " + whole.path() + " " + whole.path()).error, "");
}

TEST(LevelsCommand, PrintsCsvOnATerminalWhereItIsAskedFor) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const TextFile file("levels.csv", written_sweep("1", whole_end));
    static_cast<void>(run_in_shell("{} levels --format csv " + file.path() + " > " + terminal.path()));
    EXPECT_TRUE(holds(terminal.text(), "Level, Capacity low (KiB), "));
    static_cast<void>(run_in_shell("{} levels " + file.path() + " > " + terminal.path()));
    EXPECT_FALSE(holds(terminal.text(), "Level, Capacity low (KiB), "));
}

TEST(CompareCommand, RefusesAFileThatIsGivenTwiceByWhateverPath) {
    const std::string files = sweep_function + "for i in 1 2 3 4; do sweep 1 1 > $i; done; ln -s 1 soft; ln 1 hard; ";
    for (const std::string other : {"1", "soft", "hard", "./1"}) {
        const Outcome compared = run_in_shell(files + "{} compare 1 2 " + other);
        EXPECT_EQ(compared.status, 2) << other;
        EXPECT_TRUE(mentions(compared.error, {other, "twice"})) << compared.error;
        EXPECT_EQ(run_in_shell(files + "{} fleet 1 2 3 4 " + other).status, 2) << other;
    }
}

TEST(TlbCommand, PrintsARowForEachNumberOfPages) {
    const Outcome run = run_in_shell("{} tlb -m 0.2");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(data_lines(run.out).at(0)["run"]["pages"], "4k") << run.out;
    EXPECT_NE(run.out.find("\nPages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n4, "), std::string::npos);
    EXPECT_NE(run.out.find("\n# remark[no_"), std::string::npos) << "too few pages for any TLB but the smallest";
    EXPECT_EQ(end_of(run.out), fmt::format("{0} of {0} rows", rows_of(run.out).size()));
    std::size_t before = 0;
    for (const std::string& row : rows_of(run.out)) {
        EXPECT_GT(std::stoul(row), before);
        before = std::stoul(row);
    }
    EXPECT_GE(before, 32U);
}

TEST(TlbCommand, RunsOnTheProcessorAskedFor) {
    const int processor = allowed_processors().back();
    const Outcome run =
        run_in_shell(signalled("tlb --cpu " + std::to_string(processor) + " > rows", "TERM",
                               "grep -qs ^Pages rows && grep ^Cpus_allowed_list: /proc/$$/status > allowed") +
                     "; cat allowed");
    EXPECT_EQ(run.out, "Cpus_allowed_list:\t" + std::to_string(processor) + "\n") << run.error;
}

TEST(LevelsCommand, TakesOfAReportTheSweepInThePagesOfTheTlbs) {
    const std::string sweep = read_text(TEST_DATA "/stored/sweep.json");
    std::string huge = read_text(TEST_DATA "/stored/huge.json");
    const std::string pages = R"("page_bytes":4096)";
    for (std::size_t at = 0; (at = huge.find(pages, at)) != std::string::npos; ++at)
        huge.replace(at, pages.size(), R"("page_bytes":65536)");
    const TextFile report(
        "r.json", report_json({{"sweep", sweep}, {"huge", huge}, {"tlb", read_text(TEST_DATA "/stored/tlb.json")}}));
    const auto levels = [&](const std::string& words) {
        return run_in_shell("{} levels " + words + " " + report.path() + " " + report.path());
    };
    EXPECT_EQ(levels("").status, 0) << levels("").error;
    EXPECT_EQ(levels("").out, levels("--part sweep").out);
    EXPECT_EQ(levels("--part huge").status, 2);
}

TEST(TlbCommand, RefusesHugePagesThatTheProcessIsDenied) {
    // What a run inherits, and its kernel heeds: no transparent huge pages.
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        GTEST_SKIP() << "huge pages cannot be kept from a process here";
    const Outcome run = run_in_shell("{} tlb --pages thp -m 80");
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(mentions(run.error, {"memtest: --pages thp: "}));
}

TEST(TlbCommand, WhenInterruptedPrintsWhatItHasAndNoConclusion) {
    const Outcome run =
        run_in_shell(signalled("tlb > file", "TERM", "grep -qs ^Pages file") + "; echo status $?; cat file");
    EXPECT_TRUE(run.out.starts_with("status 143\n")) << run.out;
    EXPECT_EQ(run.out.back(), '\n') << "no half-written line";
    EXPECT_EQ(run.out.find("# tlb"), std::string::npos);
    EXPECT_EQ(run.out.find("# remark"), std::string::npos);
    const auto said = found(run.out, R"(\n# .* 4 to (\d+) pages)");
    ASSERT_FALSE(said.empty()) << run.out;
    const std::string planned = std::to_string(numbers_of_pages(std::stoul(said[1])).size());
    EXPECT_TRUE(end_of(run.out).ends_with(" of " + planned + " rows, interrupted")) << run.out;
}

/// Whether `memtest cores` has a pair to measure here.
bool has_two_processors() {
    return allowed_processors().size() > 1 && !refusal_to_pin();
}

// On a virtual machine `memtest cores` spreads its visits over two seconds, so these are its only two runs.
TEST(CoresCommand, PrintsARowForEachPairAndWhetherItIsWhole) {
    if (!has_two_processors())
        GTEST_SKIP() << "there is one processor";
    const Outcome run = run_in_shell("{} cores --smt");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(run.error, "");
    EXPECT_NE(run.out.find("\nReader, Owner, Latency (ns), Relation\n"), std::string::npos) << run.out;
    EXPECT_FALSE(mentions(lines_of(run.out).at(1), {"flushes"}));
    const auto described = data_lines(run.out).at(0)["run"];
    EXPECT_EQ(described["clean_lines"], false) << run.out;
    EXPECT_GT(described["max_seconds"].number().value_or(0), 4)
        << "two of preparing, two of watching the pairs, and the visits";
    const auto rows = rows_of(run.out);
    const std::string shape(R"(\d+, \d+, (\d+\.\d{3})?, (same core|same last-level cache|same package|different )"
                            R"(packages))");
    for (const std::string& row : rows)
        EXPECT_TRUE(fits(row, shape)) << row;
    const std::string count = std::to_string(rows.size());
    EXPECT_EQ(end_of(run.out), count + " of " + count + " rows");
}

TEST(CoresCommand, PrintsCleanLinesBothWaysAsJsonWhichIsDrawn) {
    if (!has_two_processors() || !can_flush_lines())
        GTEST_SKIP() << "there is one processor, or it cannot flush lines";
    const Outcome run =
        run_in_shell("{} cores --smt --both --clean --max-time 0.5 --format json -o file && cat file && "
                     "{} plot file > drawn && grep -c cells drawn >&2");
    if (is_emulated() && run.status == 2 && holds(run.error, "--clean "))
        GTEST_SKIP() << "the emulated processor cannot flush lines";
    const Value document = json_or_null(run.out);
    const bool has_latency = std::ranges::any_of(
        document["rows"].list(), [](const Value& row) { return row["latency_ns"].number().has_value(); });
    EXPECT_EQ(run.status, has_latency ? 0 : 2) << run.error; // others may hold a processor in every lap
    EXPECT_EQ(document["command"], "cores") << run.out;
    EXPECT_EQ(document["run"]["clean_lines"], true);
    EXPECT_TRUE(document["rows"][0]["reader"].number());
    EXPECT_EQ(document["rows"].list().size() % 2, 0U) << "each pair both ways";
    EXPECT_TRUE(std::ranges::any_of(document["rows"].list(), [&](const Value& row) {
        return row["reader"] == document["rows"][0]["owner"] && row["owner"] == document["rows"][0]["reader"];
    })) << run.out;
    EXPECT_TRUE(document["remarks"].is_list());
    EXPECT_EQ(document["complete"], true);
}

TEST(NodesCommand, PrintsARowForEachPairOfNodesAndBandwidthWhereAskedTo) {
    // On a busy machine the load threads may never run together; then their column is empty.
    for (const auto& [option, column, field] :
         {std::tuple("", "", ""), {"--bandwidth ", ", Bandwidth (GB/s)", R"(, (\d+\.\d{3})?)"}}) {
        const std::string nodes = std::string("{} nodes --size 0.125 ") + option;
        const Outcome run = run_in_shell(nodes);
        ASSERT_EQ(run.status, 0) << run.error;
        EXPECT_TRUE(holds(run.out, fmt::format("\nProcessors of node, Memory of node, Latency (ns){}\n", column)));
        const auto rows = rows_of(run.out);
        EXPECT_FALSE(rows.empty());
        for (const std::string& row : rows)
            EXPECT_TRUE(fits(row, std::string(R"(\d+, \d+, \d+\.\d{3})") + field)) << row;
        EXPECT_EQ(end_of(run.out), fmt::format("{0} of {0} rows", rows.size()));
        const Value document = json_or_null(run_in_shell(nodes + "--format json").out);
        EXPECT_EQ(document["rows"].list().size(), rows.size());
        EXPECT_TRUE(document["rows"][0].members().contains("bandwidth_gb_s"));
        EXPECT_EQ(document["complete"], true);
    }
}

TEST(Commands, DescribeTheSettingsThatOthersNeedToMeasureTheSame) {
    for (const auto& [words, bytes] : {std::pair("tlb -m 0.2", 0U), {"nodes --size 0.125 --pages 4k", 131072U}}) {
        const Outcome run = run_in_shell("{} " + std::string(words) + " --seed 7 --format json");
        ASSERT_EQ(run.status, 0) << run.error;
        const Value described = json(run.out)["run"];
        EXPECT_EQ(described["seed"], 7) << words;
        EXPECT_EQ(described["pages"], "4k") << words;
        EXPECT_GE(described["line_bytes"].count(), 16U) << words;
        EXPECT_EQ(described["max_size"].is_null() ? 0U : described["max_size"]["bytes"].count(), bytes) << words;
    }
}

TEST(NodesCommand, ARunThatIsInterruptedLeavesItsRowsBesideTheFile) {
    // It cannot end before the signal: no visits agree to so little.
    const Outcome run = run_in_shell(
        signalled("nodes --size 64 --precision 0.000001 -q -o result", "TERM", "grep -qs ^Proc result.partial") +
        "; echo status $?; ls; cat result.partial");
    EXPECT_TRUE(run.out.starts_with("status 143\n")) << run.out;
    EXPECT_NE(run.out.find("result.partial\nProcessors of node, "), std::string::npos) << run.out;
}

TEST(NodesCommand, WarnsOfASizeThatTheLastCacheServesButNotWhenQuiet) {
    const Outcome run = run_in_shell("{} nodes --size 0.125");
    if (run.out.find("\"caches\":[{") == std::string::npos)
        GTEST_SKIP() << "the system does not tell of caches";
    EXPECT_TRUE(holds(run.out, "\"code\":\"little_memory\",\"bytes\":131072,")) << run.out;
    EXPECT_TRUE(holds(run.error, "memtest: warning: ")) << run.error;
    EXPECT_EQ(run_in_shell("{} nodes -q --size 0.125").error, "");
}

TEST(Commands, HaveAHelpOfTheirOwnWhichTheCommandHelpPrintsToo) {
    for (const Command& command : commands()) {
        const std::string name(command.name);
        const std::string help = name.empty() ? overview() : help_of(command);
        const Outcome asked = run_in_shell("{} " + name + " --help && {} help " + name + " && {} --help " + name +
                                           " && {} " + name + " -h");
        EXPECT_EQ(asked.status, 0) << name;
        EXPECT_EQ(asked.out, help + help + help + help);
    }
    EXPECT_EQ(run_in_shell("{} help sweep").out, help_of(commands().front()));
}

TEST(Commands, TheOverviewIsAtMostSixtyLinesAndNamesTheHelpThatHasAllOptions) {
    const std::string text = overview();
    EXPECT_LE(lines_of(text).size(), 60U);
    EXPECT_NE(text.find("'memtest help sweep'"), std::string::npos);
    for (const std::string& line : lines_of(text))
        EXPECT_LE(line.size(), 80U) << line;
    for (const std::string_view option : {"--random", "--max-size", "--pages", "--output", "--help"})
        EXPECT_NE(text.find(option), std::string::npos) << option;
    EXPECT_EQ(text.find("--tlb-locality"), std::string::npos);
}

TEST(Commands, HelpNamesEveryOptionAndKeepsToEightyColumns) {
    for (const Command& command : commands()) {
        const std::string help = help_of(command);
        EXPECT_EQ(command.examples[0].line.empty(), command.name == "help");
        for (const Example& example : command.examples)
            EXPECT_NE(help.find(example.line), std::string::npos) << example.line;
        for (const OptionText& option : options_of(command))
            EXPECT_NE(help.find("--" + std::string(option.name)), std::string::npos) << option.name;
        for (const std::string& line : lines_of(help))
            EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(Commands, ReadWhatTheProbeWrites) {
    const Outcome run = run_in_shell("{} -r -m 1 -a 20000 --stats --cycles -o sweep 2>/dev/null && {} levels sweep && "
                                     "cp sweep same && {} compare --status sweep same");
    EXPECT_TRUE(run.status == 0 || run.status == 4) << "a sweep is not slower than itself, however noisy it is";
    EXPECT_TRUE(holds(run.out, "Level, Capacity low (KiB), ")) << run.out << run.error;
}

// Of sizes SweepPlot.ARatioOfManySizesTakesOnePassOverThem proves the same.
TEST(Commands, TakeNoTimeInTheSquareOfTheThreads) {
    // In proportion it is two seconds of processor time each; in the square, half a minute and more.
#ifdef MEMTEST_SANITIZED
    const std::string most_seconds = "100"; // a sanitizer slows all of it down
#else
    const std::string most_seconds = "25";
#endif
    const Outcome run = run_in_shell(
        sweep_function +
        "for ns in 1 2; do { sweep 1 1; seq -f \"%.0f, $ns.0, 5.0\" 100000; } > $ns; done; ulimit -t " + most_seconds +
        "; for words in \"levels 1\" \"plot 1\" \"compare 1 2\"; do {} $words > out.txt; echo $?; done");
    EXPECT_EQ(run.out, "0\n0\n0\n") << run.error;
}

TEST(Commands, SayWhyTheyCannotRead) {
    for (const char* command : {"levels ", "plot ", "compare " TEST_DATA "/curves/xeon_silver_4114.csv ",
                                "translation " TEST_DATA "/curves/xeon_silver_4114.csv "}) {
        const auto error_of = [command](const std::string& words, int status) {
            const Outcome run = run_in_shell(std::string("{} ") + command + words);
            EXPECT_EQ(run.status, status) << command;
            EXPECT_EQ(run.out, "") << command;
            return run.error;
        };
        EXPECT_TRUE(mentions(error_of("/", 2), {"memtest: /: ", ": Is a directory\n"}));
        EXPECT_TRUE(mentions(error_of("- </", 2), {"memtest: standard input: ", ": Is a directory\n"}));
        EXPECT_TRUE(mentions(error_of("- <&-", 1), {"memtest: standard input: ", ": Bad file descriptor\n"}));
    }
    const Outcome endless =
        run_in_shell("yes \"# a: $(head -c 60000 /dev/zero | tr \\\\0 b)\" | head -c 600000000 | {} levels -");
    EXPECT_EQ(endless.status, 2);
    EXPECT_TRUE(mentions(endless.error, {"memtest: standard input: ", " 512 MiB"}));
}

TEST(Commands, TheProbePrintsTheLevelsBehindTheRows) {
    const Outcome run = run_in_shell("{} -r -m 4 -a 20000 --levels 2>/dev/null");
    const auto lines = lines_of(run.out);
    ASSERT_FALSE(lines.empty());
    EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
        return line.starts_with("# level ") || line.starts_with("# remark[");
    })) << run.out;
}

} // namespace
} // namespace memtest
