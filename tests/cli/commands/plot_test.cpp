// memtest plot end to end, with the gnuplot that is installed or with one that only acts as such.
#include "memtest/base/text.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace memtest {
namespace {

const std::string stored_curves = std::string(TEST_DATA) + "/curves/";
const std::string sweep = stored_curves + "xeon_silver_4114.csv";

bool has_gnuplot() {
    return run_in_shell("command -v gnuplot").status == 0;
}

/// A gnuplot, first in PATH, that runs these commands of a shell.
std::string with_gnuplot(const std::string& commands) {
    return "mkdir bin; printf \"%s\\n\" \"#!/bin/sh\" \"" + commands +
           "\" > bin/gnuplot; chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH; ";
}

TEST(PlotCommand, PrintsAProgramThatHoldsTheData) {
    const Outcome run = run_in_shell("PATH=/bin:/usr/bin; {} plot --label \"my Xeon\" --title mine " + sweep);
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(run.error, "");
    EXPECT_TRUE(holds(run.out, "\n512 1.605\n")) << run.out;
    EXPECT_TRUE(holds(run.out, "title \"my Xeon\"")) << run.out;
    EXPECT_TRUE(holds(run.out, "set title \"mine\"")) << run.out;
}

TEST(PlotCommand, ReadsAPipeWhereNoFileIsNamed) {
    const Outcome named = run_in_shell("{} plot - < " + sweep);
    const Outcome piped = run_in_shell("cat " + sweep + " | {} plot");
    EXPECT_EQ(piped.status, 0) << piped.error;
    EXPECT_TRUE(holds(piped.out, "\n512 1.605\n")) << piped.out;
    EXPECT_EQ(piped.out, named.out);
}

TEST(PlotCommand, AsksForAFileWhereATerminalIsStandardInput) {
    const Outcome run = run_in_shell("script -q -c \"echo begin; timeout 10 {} plot\" /dev/null");
    if (!run.out.starts_with("begin"))
        GTEST_SKIP() << "no terminal can be made here: " << run.error;
    EXPECT_TRUE(mentions(run.out, {"memtest plot ", "--help'"}));
}

TEST(PlotCommand, WritesAProgramToAFileOfThatEnding) {
    const Outcome run = run_in_shell("{} plot -o a.gp " + sweep + " && {} plot " + sweep + " | cmp - a.gp");
    EXPECT_EQ(run.status, 0) << run.error << run.out;
}

/// What `memtest nodes` prints on a machine of two nodes.
const std::string nodes_file = "printf \"%s\\n\" \"Processors of node, Memory of node, Latency (ns)\" \"0, 0, 90.000\" "
                               "\"0, 1, 150.000\" \"1, 0, 151.000\" \"1, 1, 91.000\" > nodes; ";

TEST(PlotCommand, DrawsAMatrixAsAHeatMap) {
    const Outcome run = run_in_shell(nodes_file + "cat nodes | {} plot --title mine");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(holds(run.out, "\n1 0 150\n0 1 151\n")) << run.out;
    EXPECT_TRUE(holds(run.out, "set title \"mine\"")) << run.out;
    if (!has_gnuplot())
        GTEST_SKIP() << "gnuplot is not installed";
    const Outcome image = run_in_shell(nodes_file + "{} plot -o map.svg nodes && cat map.svg");
    EXPECT_EQ(image.status, 0) << image.error;
    EXPECT_TRUE(holds(image.out, "Memory of node")) << image.out.substr(0, 1000);
}

TEST(PlotCommand, DrawsInCharactersOnATerminalAndRefusesWhatNeedsColours) {
    const auto shown = [](const std::string& words) {
        return run_in_shell(nodes_file + with_gnuplot("grep -c . >/dev/null; echo drawn by gnuplot") +
                            "script -e -q -c \"{} plot " + words + "\" /dev/null </dev/null");
    };
    const Outcome curve = shown(sweep);
    if (curve.out.empty())
        GTEST_SKIP() << "no terminal can be made here: " << curve.error;
    EXPECT_TRUE(holds(curve.out, "drawn by gnuplot")) << curve.out;
    const Outcome matrix = shown("nodes");
    EXPECT_EQ(matrix.status, 2) << matrix.out;
    EXPECT_TRUE(mentions(matrix.out, {"nodes", "--output"})) << matrix.out;
}

TEST(PlotCommand, NamesItsFileOnATerminalOnly) {
    const std::string draw = "{} plot -o p.gp " + sweep;
    EXPECT_EQ(run_in_shell(draw).out, "");
    const Outcome run = run_in_shell("script -q -c \"" + draw + "\" /dev/null </dev/null | tr -d \"\\r\"");
    if (!holds(run.out, "p.gp"))
        GTEST_SKIP() << "no terminal can be made here: " << run.error;
    EXPECT_TRUE(run.out.ends_with("wrote p.gp\n")) << run.out;
}

TEST(PlotCommand, LetsGnuplotDieOfWhatItCannotWrite) {
    const Outcome run = run_in_shell(with_gnuplot("sed -n s/^SigIgn:.//p /proc/self/status") + "{} plot -o a.svg " +
                                     sweep + "; cat a.svg");
    ASSERT_EQ(run.status, 0) << run.error;
    const auto ignored = std::stoull(run.out, nullptr, 16);
    for (const int signal : {SIGPIPE, SIGXFSZ})
        EXPECT_EQ(ignored >> static_cast<unsigned>(signal - 1) & 1U, 0U) << signal << ": " << run.out;
}

TEST(PlotCommand, WarnsOfMissingRowsWhateverWasMeasuredAndDrawsTheOthers) {
    const std::string begin = "memtest: warning: standard input ";
    for (const std::string header :
         {"Thread, Mem size (MiB), Access latency (ns)", "Load (%), Bandwidth (GB/s), Access latency (ns)",
          "Processors of node, Memory of node, Latency (ns)"}) {
        const auto warning = [&](const std::string& rows) {
            const TextFile file("missing", header + "\n" + rows);
            const Outcome run = run_in_shell("{} plot < " + file.path());
            EXPECT_EQ(run.status, 0) << header;
            EXPECT_TRUE(holds(run.out, "\nplot ")) << header << run.out;
            return run.error;
        };
        const std::string version = R"("version":"1.0.0")";
        const std::string one = "1, 2, 3.5\n";
        EXPECT_EQ(warning(one + data_line(version, end_member(1, 1, false, "rows"))), "") << header;
        EXPECT_TRUE(
            mentions(warning(one + data_line(version, end_member(1, 4, false, "rows"))), {begin, "1 of 4 rows"}))
            << header;
        for (const std::string& rows : {one + data_line(version), one + "1, 3"}) {
            const std::string text = warning(rows);
            EXPECT_TRUE(mentions(text, {begin})) << header;
            EXPECT_EQ(lines_of(text).size(), 1U) << text;
        }
    }
}

TEST(PlotCommand, RefusesDeepJsonOfAnyCommandAndWhatIsNotDrawn) {
    for (const char* command : {"tlb", "loaded", "cores", "nodes"}) {
        const TextFile deep("deep", R"({"schema": 3, "command": ")" + std::string(command) + R"(", "rows": [)" +
                                        std::string(20'000, '[') + std::string(20'000, ']') + "]}");
        const Outcome run = run_in_shell("{} plot - < " + deep.path());
        EXPECT_EQ(run.status, 2) << command;
        EXPECT_EQ(lines_of(run.error).size(), 1U) << run.error;
        EXPECT_TRUE(run.error.starts_with("memtest: standard input: ")) << run.error;
    }
    const TextFile tlb("tlb", "Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n4, 16, 1, 1, 0\n");
    EXPECT_TRUE(mentions(run_in_shell("{} plot - < " + tlb.path()).error, {"standard input: ", "'memtest tlb'"}));
}

TEST(PlotCommand, WritesWhatGnuplotDrawsOfTheProgramWhateverItsSettings) {
    const Outcome run = run_in_shell(with_gnuplot("[ \\\"\\$*\\\" = -d ] && [ -z \\\"\\$GNUTERM\\\" ] && cat") +
                                     "GNUTERM=x11; export GNUTERM; {} plot -o x.SVG " + sweep + " && cat x.SVG");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(run.out.starts_with("reset\nset terminal svg ")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n512 1.605\n")) << run.out;
}

TEST(PlotCommand, ReplacesTheFileOnlyWhenGnuplotSucceeds) {
    for (const char* gnuplot : {"echo half; echo first >&2; echo the pen is dry >&2; exit 1",
                                "echo half; kill -9 \\$\\$", "cat >/dev/null"}) {
        const Outcome run = run_in_shell(with_gnuplot(gnuplot) + "echo old > x.png; {} plot -o x.png " + sweep +
                                         "; e=$?; cat x.png; ls; exit $e");
        EXPECT_EQ(run.status, 1) << gnuplot;
        EXPECT_EQ(run.out, "old\nbin\nerr\nout\nx.png\n")
            << gnuplot << " must leave the old file and nothing beside it";
        EXPECT_EQ(lines_of(run.error).size(), 1U) << run.error;
        EXPECT_EQ(holds(run.error, " signal 9\n"), holds(gnuplot, "kill")) << run.error;
    }
    const Outcome dry = run_in_shell(with_gnuplot("echo the pen is dry >&2; exit 1") + "{} plot --terminal " + sweep);
    EXPECT_TRUE(mentions(dry.error, {"memtest: gnuplot ", ": the pen is dry\n"}));
    EXPECT_EQ(dry.out, "");
}

TEST(PlotCommand, FindsAFolderThatCannotBeWrittenBeforeItReadsAPipe) {
    const Outcome run = run_in_shell("mkfifo pipe; timeout 10 {} plot -o nowhere/x.png <> pipe");
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(mentions(run.error, {"nowhere/x.png: "}));
}

TEST(PlotCommand, SaysInOneSentenceThatGnuplotIsMissing) {
    if (is_emulated())
        GTEST_SKIP() << "the emulator would be missing, too";
    const Outcome run = run_in_shell("PATH=/nowhere; {} plot -o x.png " + sweep);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(mentions(run.error, {"memtest: gnuplot ", "gnuplot-nox"}));
    EXPECT_EQ(lines_of(run.error).size(), 1U);
}

TEST(PlotCommand, OneSignalEndsAGnuplotThatHangsAndLeavesNothing) {
    for (const char* words : {"plot -o x.svg ", "plot --terminal "}) {
        const Outcome run = run_in_shell(with_gnuplot("echo \\$\\$ > gnuplot.id; exec sleep 1000") +
                                         signalled(words + sweep, "TERM", "[ -s gnuplot.id ]") +
                                         "; echo status $?; ps -o stat= -p $(cat gnuplot.id) | grep -v Z; ls");
        EXPECT_EQ(run.out, "status 143\nbin\nerr\ngnuplot.id\nout\n") << words << run.error;
    }
}

TEST(PlotCommand, ANameOfAFileWithEveryControlCharacterIsShownOnOneLine) {
    std::string name = "a";
    for (int byte = 1; byte < 256; byte += byte == 31 ? 96 : 1) // and what is not UTF-8
        name += static_cast<char>(byte);
    const TextFile file("plot-name", name + ".");
    const Outcome run = run_in_shell("n=$(cat " + file.path() +
                                     "); n=${n%.}; printf \"0, 1, 2\\n0, 2\" > \"$n\"; "
                                     "{} plot --levels \"$n\"");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(lines_of(run.error).size(), 2U) << run.error;
    for (const std::string& line : lines_of(run.error + run.out))
        EXPECT_EQ(escaped(line), line);
    EXPECT_TRUE(holds(run.error, escaped(name))) << run.error;
    EXPECT_TRUE(holds(run.out, "\nplot ")) << run.out;
}

TEST(PlotCommand, DrawsInCharactersAsLargeAsTheTerminalAndNotHigherThanWide) {
    const auto size = [](const std::string& rows_and_columns) {
        const Outcome run = run_in_shell(with_gnuplot("grep terminal") + "script -q -c \"stty " + rows_and_columns +
                                         "; {} plot --terminal " + sweep + "\" /dev/null </dev/null");
        return run.out.substr(0, run.out.find_first_of("\r\n"));
    };
    if (!run_in_shell("script -q -c \"stty size\" /dev/null </dev/null").out.starts_with("0"))
        GTEST_SKIP() << "no terminal can be made here";
    EXPECT_EQ(size("rows 30 cols 90"), "set terminal dumb size 90,27")
        << "a line for the command, one for the next and one for the legend";
    EXPECT_EQ(size("rows 18 cols 40"), "set terminal dumb size 40,15");
    EXPECT_EQ(size("rows 90 cols 50"), "set terminal dumb size 50,19");
    EXPECT_EQ(size("rows 17 cols 39"), "set terminal dumb size 40,15") << "the fewest columns that show a curve";
    EXPECT_EQ(size("rows 0 cols 0"), "set terminal dumb size 80,31") << "not known";
}

TEST(PlotCommand, TakesFormFeedsOutOfAPlotInCharactersWhereverTheyStand) {
    const Outcome run = run_in_shell(with_gnuplot("cat >/dev/null; printf '\\\\fa b  \\\\n\\\\f  \\\\nc\\\\fd'") +
                                     "{} plot --terminal " + sweep);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.out, "a b\n\ncd\n  A  xeon_silver_4114\n");
}

TEST(PlotCommand, DrawsImagesOfEachKind) {
    if (!has_gnuplot())
        GTEST_SKIP() << "gnuplot is not installed";
    const Outcome png = run_in_shell("{} plot -o x.png " + sweep + " && cat x.png");
    EXPECT_TRUE(png.out.starts_with("\x89PNG\r\n\x1a\n")) << png.error;
    EXPECT_TRUE(holds(png.out, "IEND"));
    const Outcome svg = run_in_shell("{} plot -o x.svg " + sweep + " && cat x.svg");
    EXPECT_TRUE(svg.out.starts_with("<?xml ")) << svg.error;
    EXPECT_TRUE(holds(svg.out, "</svg>"));
    EXPECT_TRUE(holds(svg.out, ">xeon_silver_4114<") || holds(svg.out, "xeon_silver_4114</")) << svg.out;
    const Outcome pdf = run_in_shell("{} plot -o x.pdf " + sweep + " && cat x.pdf");
    EXPECT_TRUE(pdf.out.starts_with("%PDF")) << pdf.error;
    EXPECT_TRUE(holds(pdf.out, "%%EOF"));
    EXPECT_EQ(png.error + svg.error + pdf.error, "");
}

/// A sweep whose levels are close to each other, in a file.
const std::string close_levels =
    "awk \"BEGIN { for (s = 512; s < 2 ^ 29; s *= 1.189207) printf \\\"0, %.5f, %.3f\\n\\\", "
    "s / 2 ^ 20, s < 49152 ? 1.25 : s < 98304 ? 4.5 : s < 2 ^ 20 ? 13.6 : 1234.5 }\" > "
    "close; ";

TEST(PlotCommand, DrawsInCharactersWithoutPrintingOneNumberOverAnother) {
    if (!has_gnuplot())
        GTEST_SKIP() << "gnuplot is not installed";
    for (const std::size_t columns : {std::size_t{80}, std::size_t{120}}) {
        const Outcome run = run_in_shell(close_levels + "script -q -c \"stty rows 30 cols " + std::to_string(columns) +
                                         "; {} plot --terminal --levels close\" /dev/null </dev/null | tr -d \"\\r\"");
        if (run.out.empty())
            GTEST_SKIP() << "no terminal can be made here: " << run.error;
        for (const char* label : {"L1", "L2", "L3", "memory", "1000 ns", "100 ns", "10 ns", "64 KiB", "1 MiB"})
            EXPECT_TRUE(holds(" " + run.out, std::string(" ") + label + " ")) << label << '\n' << run.out;
        for (const char* level : {", 1.25 ns\n", ", 4.5 ns\n", ", 13.6 ns\n", "  memory  1234 ns\n"})
            EXPECT_TRUE(holds(run.out, level)) << level << '\n' << run.out;
        for (const std::string& line : lines_of(run.out)) {
            EXPECT_LE(line.size(), columns) << line;
            EXPECT_FALSE(line.ends_with(' ')) << line;
        }
    }
}

TEST(PlotCommand, GnuplotHasNothingToSayOnTheProgramOfEachFeature) {
    if (!has_gnuplot())
        GTEST_SKIP() << "gnuplot is not installed";
    const std::string two = stored_curves + "n150_gracemont.csv " + sweep;
    for (const std::string& words :
         {sweep, "--levels " + two, "--ratio " + two, "--title mine " + two, std::string("--cycles cycles"),
          std::string("one"), std::string("wide"), std::string("gaps")}) {
        const Outcome run = run_in_shell(
            "echo 0, 1, 2 > one; printf \"0, 0.00001, 0.001\\n0, 8796093022207, 1e12\\n\" > wide; "
            "printf \"0, 1, \\n0, 2, 2\\n0, 3, \\n0, 4, 2\\n0, 5, \\n\" > gaps; "
            "printf \"Thread, Mem size (MiB), Access latency (ns), Latency (cycles)\\n0, 1, 2, 3\\n0, 2, 4, 6\\n\" "
            "> cycles; {} plot " +
            words + " > program && GNUTERM=svg timeout 60 gnuplot -d program");
        EXPECT_EQ(run.status, 0) << words;
        EXPECT_EQ(run.error, "") << words;
        EXPECT_TRUE(holds(run.out, "</svg>")) << words;
    }
}

TEST(PlotCommand, TextsAreShownAndNeverRunWhateverTheyHold) {
    if (!has_gnuplot())
        GTEST_SKIP() << "gnuplot is not installed";
    struct Case {
        std::string text;
        std::string in_svg; ///< as an SVG writes it
    };
    const std::vector<Case> cases{{"'90s", "'90s"},
                                  {"'''", "'''"},
                                  {"a\"; !touch hacked #", "; !touch hacked #"},
                                  {"`touch hacked`", "`touch hacked`"},
                                  {"\".system(\"touch hacked\").\"", ".system("},
                                  {"end\\", "end\\"},
                                  {"a\n!touch hacked\n", "a"},
                                  {"a\nEND\n!touch hacked", "a"},
                                  {"@x ${y}_z^w %d %s", "@x ${y}_z^w %d %s"},
                                  {"caf\xE9 \xE2\x98\x83", "caf\\xe9 \xE2\x98\x83"},
                                  {"<&>", "&lt;&amp;"}};
    for (const auto& [text, in_svg] : cases) {
        const TextFile file("plot-text", text);
        const TextFile described("described", data_line("\"cpu_model\":" + dumped(Value(text))) + "0, 1, 2\n");
        for (const char* words : {"--title \"$text\" f", "--label \"$text\" f", "-- \"$text\"", "described"}) {
            const Outcome run = run_in_shell(
                "text=$(cat " + file.path() + "); echo 0, 1, 2 > f; cp f -- \"./$text\"; " + "cp " + described.path() +
                " described; {} plot -o x.svg " + words + "; e=$?; [ ! -e hacked ] || echo hacked; cat x.svg; exit $e");
            EXPECT_EQ(run.status, 0) << text << " in " << words;
            EXPECT_EQ(run.error, "") << text << " in " << words;
            EXPECT_TRUE(run.out.starts_with("<?xml ")) << text << " in " << words;
            const bool is_replaced = words == std::string_view("described") && holds(text, "\xE9"); // as no JSON has it
            EXPECT_TRUE(is_replaced || holds(run.out, in_svg)) << text << " in " << words << run.out;
        }
    }
}

} // namespace
} // namespace memtest
