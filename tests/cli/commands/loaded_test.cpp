// memtest loaded end to end, on the processors that there are.
#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/machine/system_files.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

const std::string loaded_header = "Load (%), Bandwidth (GB/s), Access latency (ns)";

/// A run of half a second, with 256 KiB for each of two threads: a warm-up of so little is brief.
class LoadedCommand : public testing::Test {
protected:
    LoadedCommand() {
        const std::vector<int> allowed = allowed_processors();
        if (allowed.size() > 1)
            small = "loaded --cpu " + std::to_string(allowed[0]) + " --load-cpu " + std::to_string(allowed[1]) +
                    " --size 0.25 --pages 4k ";
    }

    void SetUp() override {
        if (small.empty() || refusal_to_pin())
            GTEST_SKIP() << "two processors are needed";
    }

    std::string small;
    const std::string quick = "--loads 1 --precision 50 ";
};

TEST_F(LoadedCommand, PrintsTheDescriptionTheHeaderAndIdleTwiceFirstAndLast) {
    const Outcome run = run_in_shell("{} " + small + "--loads 2 --precision 50");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    ASSERT_EQ(run.status, 0) << run.error;
    const auto lines = lines_of(run.out);
    EXPECT_TRUE(fits(lines.at(0), R"(# memtest .* processor \d+ .* processor \d+ .*)")) << lines[0];
    const auto begins = std::ranges::find(lines, loaded_header);
    ASSERT_GE(begins - lines.begin(), 4);
    EXPECT_LE(begins - lines.begin(), 10) << "a person reads no more";
    EXPECT_TRUE(mentions(*(begins - 3), {"# ", " reads ", " 256 KiB"}));
    EXPECT_TRUE(mentions(*(begins - 1), {"# Rows: ", " 2 loads from ", " the median ", " 16 visits", " 50 %"}));
    EXPECT_EQ(std::ranges::count(lines, loaded_header), 1);
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 5U) << run.out;
    const std::string idle(R"(0\.0, 0\.000, \d+\.\d{3})");
    EXPECT_TRUE(fits(rows.front(), idle)) << rows.front();
    EXPECT_TRUE(fits(rows[1], idle)) << rows[1];
    EXPECT_TRUE(fits(rows.back(), idle)) << rows.back();
    EXPECT_TRUE(fits(rows[2], R"(\d{1,3}\.\d, \d+\.\d{3}, \d+\.\d{3})")) << rows[2];
    EXPECT_TRUE(fits(rows[3], R"(100\.0, \d+\.\d{3}, \d+\.\d{3})")) << rows[3];
    EXPECT_NE(run.out.find("\n# idle latency: "), std::string::npos) << run.out;
    EXPECT_EQ(end_of(run.out), "5 of 5 rows");
    const auto last_cache = last_cache_bytes(read_processors(SystemFiles(), {allowed_processors().front()}));
    EXPECT_EQ(holds(run.out, "\"code\":\"little_memory\",\"bytes\":262144,"), last_cache > 64 * kib) << run.out;
}

TEST_F(LoadedCommand, QuietPrintsTheHeaderAndTheRowsAlone) {
    const Outcome run = run_in_shell("{} " + small + quick + "--writes 50 -q -o file && cat file");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    EXPECT_EQ(run.status, 0) << run.error;
    const auto lines = lines_of(run.out);
    ASSERT_EQ(lines.size(), 5U) << run.out;
    EXPECT_EQ(lines[0], loaded_header) << "a single share of writes needs no column";
    EXPECT_EQ(run.error, "");
}

TEST_F(LoadedCommand, InJsonIsOneDocumentWithTheSameRows) {
    const Outcome run =
        run_in_shell("{} " + small + quick + "--format json --stats --writes 33 --seed 7 --estimate mean");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    const Value document = json_or_null(run.out);
    ASSERT_TRUE(document.has_members()) << run.out << run.error;
    EXPECT_EQ(document["command"], "loaded");
    EXPECT_EQ(document["write_percent"], 33);
    EXPECT_TRUE(document["run"]["line_bytes"].number());
    EXPECT_EQ(document["run"]["max_size"]["bytes"], 256 << 10);
    EXPECT_EQ(document["run"]["seed"], 7);
    EXPECT_EQ(document["run"]["order"], "random");
    EXPECT_EQ(document["run"]["estimate"], "mean");
    EXPECT_EQ(document["run"]["precision_percent"], 50);
    EXPECT_EQ(document["run"]["visits"], 16);
    ASSERT_EQ(document["rows"].list().size(), 4U);
    EXPECT_EQ(document["rows"][1]["notes"][0], "awake");
    EXPECT_TRUE(document["awake_latency_ns"].number());
    EXPECT_EQ(document["rows"][0]["bandwidth_gb_s"], 0.0);
    EXPECT_EQ(document["rows"][2]["load_percent"], 100.0);
    EXPECT_TRUE(document["rows"][2]["batches_set_aside"].number());
    EXPECT_EQ(document["end"]["rows_planned"], 4);
    EXPECT_EQ(document["complete"], true);
}

TEST_F(LoadedCommand, OfSeveralSharesOfWritesPrintsACurveEachWhichOnePlotDraws) {
    const Outcome run = run_in_shell("{} " + small + quick + "--writes 0,50 -o file && cat file && {} plot file");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_NE(run.out.find("\n" + loaded_header + ", Writes (%)\n"), std::string::npos) << run.out;
    const auto data = data_lines(run.out);
    ASSERT_EQ(data.size(), 1U) << run.out;
    EXPECT_EQ(data.front()["end"]["rows_measured"], 8) << run.out;
    for (const char* writes : {"0", "50"}) {
        const std::string percent = std::string("writes ") + writes + " %";
        const std::string row = R"(\d{1,3}\.\d, (\d+\.\d{3}, \d+\.\d{3}|, ), )" + std::string(writes);
        const auto rows = rows_of(run.out);
        EXPECT_EQ(std::ranges::count_if(rows, [&](const std::string& r) { return fits(r, row); }), 4) << run.out;
        EXPECT_NE(run.out.find("\n# idle latency: " + percent + ": "), std::string::npos) << run.out;
        EXPECT_NE(run.out.find("title \"file, " + percent + "\""), std::string::npos) << run.out;
    }
}

TEST_F(LoadedCommand, WhenInterruptedKeepsTheRowsInFilePartialAndSaysHowMany) {
    const Outcome run = run_in_shell(
        "echo old > r; " + signalled(small + "--loads 64 --precision 0.001 -o r", "TERM", "grep -qs ^0 r.partial") +
        "; echo status $?; cat r r.partial");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    EXPECT_TRUE(run.out.starts_with("status 143\nold\n# memtest ")) << run.out;
    const auto lines = lines_of(run.out);
    EXPECT_TRUE(fits(end_of(run.out), R"(\d+ of 67 rows, interrupted)")) << lines.back();
    EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) { return line.starts_with("0.0, 0.000, "); }));
    EXPECT_EQ(run.out.find("# idle latency"), std::string::npos) << "no conclusion";
}

TEST_F(LoadedCommand, OnATerminalTheRowsWithoutLoadAreExplained) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const Outcome run = run_in_shell("{} " + small + quick + "> " + terminal.path());
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(holds(terminal.text(), "\n# Rows: "));
}

} // namespace
} // namespace memtest
