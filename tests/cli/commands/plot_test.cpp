// memtest plot end to end, with the gnuplot that is installed or with one that only acts as such.
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <deque>

namespace memtest {
namespace {

const std::string stored_curves = std::string(TEST_DATA) + "/curves/";
const std::string sweep = stored_curves + "xeon_silver_4114.csv";

bool has_gnuplot() {
    return run_in_shell("command -v gnuplot").status == 0;
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

TEST(PlotCommand, WritesWhatGnuplotDrawsOfTheProgramWhateverItsSettings) {
    const Outcome run = run_in_shell(with_gnuplot("[ \\\"\\$*\\\" = -d ] && [ -z \\\"\\$GNUTERM\\\" ] && cat") +
                                     "GNUTERM=x11; export GNUTERM; {} plot -o x.SVG " + sweep + " && cat x.SVG");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(run.out.starts_with("reset\nset terminal svg ")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n512 1.605\n")) << run.out;
}

TEST(PlotCommand, FindsAFolderThatCannotBeWrittenBeforeItReadsAPipe) {
    const Outcome run = run_in_shell("mkfifo pipe; timeout 10 {} plot -o nowhere/x.png <> pipe");
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(mentions(run.error, {"nowhere/x.png: "}));
}

TEST(PlotCommand, OneSignalEndsAGnuplotThatHangsAndLeavesNothing) {
    for (const char* words : {"plot -o x.svg ", "plot --terminal "}) {
        const Outcome run = run_in_shell(with_gnuplot("echo \\$\\$ > gnuplot.id; exec sleep 1000") +
                                         signalled(words + sweep, "TERM", "[ -s gnuplot.id ]") +
                                         "; echo status $?; ps -o stat= -p $(cat gnuplot.id) | grep -v Z; ls");
        EXPECT_EQ(run.out, "status 143\nbin\nerr\ngnuplot.id\nout\n") << words << run.error;
    }
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
    const Outcome map = run_in_shell(nodes_file + "{} plot --title mine -o map.svg nodes && cat map.svg");
    EXPECT_TRUE(holds(map.out, "Memory of node") && holds(map.out, "mine<")) << map.out << map.error;
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
        for (const char* level :
             {", 1.25 ns\n", ", 4.5 ns\n", "\n  Levels (?: uncertain)\n", ", 13.6 ns\n", "  memory  1234 ns\n"})
            EXPECT_TRUE(holds(run.out, level)) << level << '\n' << run.out;
        EXPECT_GT(std::ranges::count(run.out, '*'), 5) << "the line of the curve, which the legend names: " << run.out;
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
    const std::string stored = TEST_DATA "/stored/";
    const std::string loads = stored + "loaded.csv";
    for (const std::string& words :
         {sweep, "--levels " + two, "--ratio " + two, "--title mine " + two, std::string("--cycles cycles"),
          std::string("one"), std::string("wide"), std::string("gaps"), loads, stored + "loaded_short.csv " + loads,
          stored + "tail.csv", stored + "prefetch.csv"}) {
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
    std::deque<TextFile> files;
    std::string set = "echo 0, 1, 2 > f; "; // $t0, $t1, ..., and files of these names
    std::string labels;
    std::string names = "--";
    for (std::size_t i = 0; i < cases.size(); ++i) {
        files.emplace_back("plot-text" + std::to_string(i), cases[i].text);
        const std::string text = "t" + std::to_string(i);
        set += text + "=$(cat " + files.back().path() + "); cp f -- \"./$" + text + "\"; cp f " + text + "; ";
        labels += " --label \"$" + text + "\" " + text;
        names += " \"$" + text + "\"";
    }
    const auto expect_shown = [&](const std::string& words, std::size_t begin, std::size_t end) {
        const Outcome run = run_in_shell(set + "{} plot -o x.svg " + words +
                                         "; e=$?; [ ! -e hacked ] || echo hacked; cat x.svg; exit $e");
        EXPECT_EQ(run.status, 0) << words;
        EXPECT_EQ(run.error, "") << words;
        EXPECT_TRUE(run.out.starts_with("<?xml ")) << words;
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_replaced = holds(words, "described") && holds(cases[i].text, "\xE9"); // as no JSON has it
            EXPECT_TRUE(is_replaced || holds(run.out, cases[i].in_svg)) << cases[i].text << words << run.out;
        }
    };
    expect_shown(labels, 0, cases.size());
    expect_shown(names, 0, cases.size());
    for (std::size_t begin = 0; begin < cases.size(); begin += 6) { // of a title no more is shown
        const std::size_t end = std::min(begin + 6, cases.size());
        std::string title;
        std::string all;
        for (std::size_t i = begin; i < end; ++i) {
            title += " $t" + std::to_string(i);
            all += " " + cases[i].text;
        }
        expect_shown("--title \"" + title + "\" f", begin, end);
        const TextFile described("described", data_line("\"cpu_model\":" + dumped(Value(all))) + "0, 1, 2\n");
        expect_shown(described.path(), begin, end);
    }
}

} // namespace
} // namespace memtest
