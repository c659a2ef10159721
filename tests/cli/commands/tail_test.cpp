// memtest tail end to end, on the processors that there are.
#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/result/notice.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

const std::string tail_header =
    "Mem size (MiB), Load (%), Accesses, p50 (ns), p90 (ns), p99 (ns), p99.9 (ns), p99.99 (ns), Max (ns)";

/// A run of a tenth of a second: a warm-up of so little memory is brief.
class TailCommand : public testing::Test {
protected:
    void SetUp() override {
        const Outcome run = run_in_shell("{} tail --cpu 99999"); // the program may be one for another architecture
        ASSERT_EQ(run.status, 2) << run.error;
        ASSERT_EQ(lines_of(run.error).size(), 1U) << run.error;
        if (mentions(run.error, {"memtest tail ", "architecture"})) // without a counter
            GTEST_SKIP() << run.error;
    }

    const std::string small = "tail --size 0.25 --pages 4k --samples 3000 ";
};

TEST_F(TailCommand, PrintsTheDescriptionTheHeaderAndMemoryLast) {
    const int processor = allowed_processors().front();
    const Outcome run = run_in_shell("{} " + small + "--cpu " + std::to_string(processor));
    ASSERT_EQ(run.status, 0) << run.error;
    const auto last_cache = last_cache_bytes(read_processors(SystemFiles(), {processor}));
    const Notice little(Code::little_memory,
                        {{"bytes", 256 * kib}, {"caches", 4}, {"option", "size"}, {"least_bytes", 4 * last_cache}});
    EXPECT_EQ(run.error, last_cache > 64 * kib ? "memtest: warning: " + sentence_of(little) + "\n" : "");
    const auto lines = lines_of(run.out);
    EXPECT_TRUE(mentions(lines.at(0), {"# memtest ", " processor " + std::to_string(processor)}));
    EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
        return fits(line, R"(# .* one load .* [0-9.]+ ns)");
    })) << run.out;
    EXPECT_EQ(std::ranges::count(lines, tail_header), 1);
    const auto rows = rows_of(run.out);
    ASSERT_GE(rows.size(), 1U) << run.out;
    for (const std::string& row : rows)
        EXPECT_TRUE(fits(row, R"(\d+\.\d{5}, 0\.0, \d+(, [0-9.]*){6})")) << row;
    EXPECT_TRUE(rows.back().starts_with("0.25000, ")) << rows.back();
    EXPECT_NE(run.out.find("\n# counter: "), std::string::npos) << run.out;
    EXPECT_TRUE(fits(end_of(run.out), R"((\d) of \1 rows)")) << lines.back();
}

TEST_F(TailCommand, PercentilesAscend) {
    const Outcome run = run_in_shell("{} " + small + "--seed 7 --format json");
    const Value document = json_or_null(run.out);
    ASSERT_TRUE(document.has_members()) << run.out << run.error;
    EXPECT_EQ(document["command"], "tail");
    EXPECT_EQ(document["run"]["seed"], 7);
    EXPECT_EQ(document["run"]["order"], "random");
    EXPECT_TRUE(document["run"]["line_bytes"].number());
    EXPECT_EQ(document["run"]["max_size"]["bytes"], 256 << 10);
    EXPECT_GT(document["resolution_ns"].number(), 0);
    EXPECT_TRUE(document["readings_ns"].number());
    EXPECT_EQ(document["complete"], true);
    const auto& row = document["rows"].list().back();
    EXPECT_EQ(row["size_mib"], 0.25);
    EXPECT_GE(row["accesses"].count(), 3000U);
    EXPECT_LE(row["p50_ns"].number(), row["p90_ns"].number());
    EXPECT_LE(row["p90_ns"].number(), row["p99_ns"].number());
    EXPECT_LE(row["p99_ns"].number(), row["max_ns"].number());
    EXPECT_GE(row["group"].count(), 1U);
    EXPECT_TRUE(row["set_aside_percent"].number());
}

TEST_F(TailCommand, AGroupIsSaidInTheHeader) {
    const Outcome run = run_in_shell("{} " + small + "--group 8");
    EXPECT_FALSE(found(run.out, "\n# .* group of 8 .*\n(# .*\n)*# .* groups ").empty()) << run.out;
    const std::string of_groups = "\n# A percentile of groups ";
    const std::string of_what_comes = "\n# If the counter is too coarse ";
    EXPECT_FALSE(holds(run.out, of_what_comes));
    EXPECT_TRUE(holds(run.out, of_groups));
    for (const std::string group : {"--group 1", ""}) {
        const std::string out = run_in_shell("{} " + small + group).out;
        EXPECT_FALSE(holds(out, of_groups)) << group;
        EXPECT_EQ(holds(out, of_what_comes), group.empty()) << group;
    }
}

TEST_F(TailCommand, UnderLoadThereIsARowMoreForEachSize) {
    const auto allowed = allowed_processors();
    if (allowed.size() < 2 || refusal_to_pin())
        GTEST_SKIP() << "two processors are needed";
    const Outcome run = run_in_shell("{} " + small + "--load 50,100 -q");
    if (gave_up_on_busy_machine(run))
        GTEST_SKIP() << run.error;
    ASSERT_EQ(run.status, 0) << run.error;
    const auto rows = rows_of(run.out);
    ASSERT_GE(rows.size(), 3U) << run.out;
    EXPECT_TRUE(rows[rows.size() - 3].starts_with("0.25000, 0.0, ")) << run.out;
    EXPECT_TRUE(rows[rows.size() - 2].starts_with("0.25000, 50.0, ")) << run.out;
    EXPECT_TRUE(rows[rows.size() - 1].starts_with("0.25000, 100.0, ")) << run.out;
}

} // namespace
} // namespace memtest
