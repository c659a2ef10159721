// Files from before there were data lines. Those in tests/data/legacy are cut-down results of memtest 1.0.0.
#include "memtest/report/legacy.hpp"

#include "memtest/report/comparison.hpp"
#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

TEST(LegacySentences, ThatProgramsJudgeByHaveTheirCode) {
    const std::vector<std::pair<std::string_view, Code>> sentences{
        {"other processes use the processors and disturb the figures; measure when the machine is quiet",
         Code::busy_machine},
        {"other processes wait for the processors or hold them, and disturb the figures; measure when the machine is "
         "quiet",
         Code::busy_machine},
        {"others used 36 % of the processors meanwhile, and disturbed the figures; measure again when the machine is "
         "quiet",
         Code::others_used},
        {"7 of 33 sizes did not settle; measure again when the machine is quiet", Code::unsettled},
        {"1 of 1 size did not settle; measure again when the machine is quiet", Code::unsettled},
        {"5 of 12 rows did not settle; measure again when the machine is quiet", Code::unsettled},
        {"16 MiB is less than 4 times the last cache, so the cache serves a part of the accesses; give a larger "
         "--max-size",
         Code::little_memory},
        {"4 MiB is less than 4 times the last cache, which serves a part of the accesses; give a larger --max-size",
         Code::little_memory},
        {"the backward scan ends at 22.2 ns where a short random check shows 221 ns: the prefetcher follows the "
         "stride; --random shows the latency",
         Code::prefetcher_follows_stride}};
    for (const auto& [sentence, code] : sentences) {
        const Notice notice = notice_of_sentence(sentence);
        EXPECT_EQ(notice.code, code) << sentence;
        EXPECT_EQ(text_of(member(notice.values, "text")), sentence);
        EXPECT_EQ(notice_in(json_of(notice)).code, code) << sentence;
    }
}

TEST(LegacySentences, ThatSayOtherThingsKeepTheirWordsAlone) {
    for (const char* sentence :
         {"processor 3 runs under the frequency governor 'powersave': results move with its clock; set 'performance' "
          "(cpupower frequency-set -g performance), or read --cycles",
          "the system reports lines of 128 bytes for L2 of processor 0, not 64; give --line-size 128",
          "4 threads run on 2 physical cores, and share caches and load units; give at most 2 threads, or processors "
          "of different cores with --cpu",
          "the system does not let threads be bound to processors (Operation not permitted): they may move during the "
          "run, away from their caches; repeat it and compare, or let sched_setaffinity pass (seccomp)",
          "/tmp/area is on a disk: its memory is the page cache, which is written back meanwhile; give a file on "
          "tmpfs, hugetlbfs or DAX",
          "this processor learns a random lap by heart: one walked again takes 3.0 ns per access in place of 9.0; "
          "sizes that are walked many times may look faster than they are",
          "this processor learns the order of a random walk: a lap walked again takes 3.0 ns per access in place of "
          "9.0; sizes that are walked many times may look faster than they are",
          "the core's clock moved between 2.000 and 3.000 GHz during the run, and cache latencies in ns with it; "
          "compare cycles (--cycles), or fix the frequency",
          "24 MiB took 43.4 ns per access and 32 MiB, though larger, 23.4 ns: something else filled the caches "
          "meanwhile; sweep again, or give more --visits",
          "at 50.0 % load 256 of 256 batches were set aside: others ran on the processors meanwhile; leave the "
          "processors to this run, or give others with --load-cpu",
          "something else disturbed 0 to 0; measure again", ""}) {
        const Notice notice = notice_of_sentence(sentence);
        EXPECT_EQ(notice.code, Code::unknown) << sentence;
        EXPECT_EQ(text_of(member(notice.values, "text")), sentence);
        EXPECT_FALSE(is_on_whole_result(notice)) << sentence;
    }
}

std::string legacy_path(const std::string& file) {
    return TEST_DATA "/legacy/" + file;
}

struct LegacyLevel {
    int thread = 0;
    std::string name;
    double latency_ns = 0;
    std::string confidence; ///< empty for memory
    std::string reported_kib;
};

/// A stored file, and what memtest 1.0.0 says of it.
struct LegacyFile {
    std::string name;
    const Kind* kind = nullptr;
    std::size_t rows = 0;
    std::vector<Code> warnings{};
    std::size_t remarks = 0;
    std::vector<LegacyLevel> levels{}; ///< of a sweep: what `memtest levels` printed of it
};

class Legacy : public testing::TestWithParam<LegacyFile> {
protected:
    const Result result = read_result(legacy_path(GetParam().name), GetParam().kind);
};

TEST_P(Legacy, IsReadWithItsRunItsRowsAndItsNotices) {
    EXPECT_EQ(why_incomplete(result), std::nullopt);
    EXPECT_EQ(result.run.version, "1.0.0");
    EXPECT_EQ(result.run.cpu_model, "AMD EPYC");
    EXPECT_TRUE(result.run.pages_got.has_value());
    EXPECT_EQ(result.row_count(), GetParam().rows);
    EXPECT_EQ(codes_of(result.warnings), GetParam().warnings);
    EXPECT_EQ(result.remarks.size(), GetParam().remarks);
}

TEST_P(Legacy, ASweepShowsTheLevelsThatItShowed) {
    if (result.kind != &sweep_kind)
        return;
    std::vector<LevelRow> rows;
    for (const LevelReport& report : report_levels(result))
        std::ranges::move(level_rows(report), std::back_inserter(rows));
    ASSERT_EQ(rows.size(), GetParam().levels.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LegacyLevel& then = GetParam().levels[i];
        EXPECT_EQ(rows[i].thread, then.thread);
        EXPECT_EQ(rows[i].level, then.name);
        EXPECT_NEAR(rows[i].latency_ns, then.latency_ns, then.latency_ns / 20) << then.name << ": methods get better";
        EXPECT_EQ(text_of(json_of(rows[i].confidence)), then.confidence) << then.name;
        EXPECT_EQ(text_of(json_of(rows[i].reported_kib)), then.reported_kib) << then.name;
    }
}

std::vector<LegacyFile> legacy_files() {
    return {
        {.name = "cores.csv", .kind = &cores_kind, .rows = 6, .remarks = 2},
        {.name = "cores.json", .kind = &cores_kind, .rows = 6, .remarks = 1},
        {.name = "loaded.csv",
         .kind = &loaded_kind,
         .rows = 7,
         .warnings = {Code::unknown, Code::unknown, Code::unsettled}},
        {.name = "loaded.json", .kind = &loaded_kind, .rows = 7, .warnings = {Code::unsettled}},
        {.name = "nodes.csv", .kind = &nodes_kind, .rows = 1, .remarks = 1},
        {.name = "nodes.json", .kind = &nodes_kind, .rows = 1, .remarks = 1},
        {.name = "stride.csv",
         .kind = &sweep_kind,
         .rows = 33,
         .warnings = {Code::prefetcher_follows_stride, Code::unsettled},
         .levels = {{0, "L1", 1.233, "low", "32"}, {0, "L2", 3.865, "low", "512"}, {0, "L3", 10.381, "low", "32768"}}},
        {.name = "stride.json",
         .kind = &sweep_kind,
         .rows = 33,
         .warnings = {Code::prefetcher_follows_stride, Code::unsettled},
         .levels = {{0, "L1", 1.248, "low", "32"}}},
        {.name = "sweep.csv",
         .kind = &sweep_kind,
         .rows = 33,
         .warnings = {Code::others_used},
         .levels = {{0, "L1", 1.250, "low", "32"},
                    {0, "L2", 3.722, "low", "512"},
                    {0, "L3", 16.035, "low", "32768"},
                    {0, "memory", 159.362, "", ""}}},
        {.name = "sweep.json",
         .kind = &sweep_kind,
         .rows = 33,
         .remarks = 2,
         .levels = {{0, "L1", 1.233, "high", "32"},
                    {0, "L2", 3.713, "low", "512"},
                    {0, "L3", 18.173, "low", "32768"},
                    {0, "memory", 170.524, "", ""}}},
        {.name = "sweep_plain.csv",
         .kind = &sweep_kind,
         .rows = 33,
         .warnings = {Code::others_used},
         .remarks = 2,
         .levels = {{0, "L1", 1.245, "high", "32"},
                    {0, "L2", 3.843, "high", "512"},
                    {0, "L3", 16.143, "high", "32768"},
                    {0, "memory", 169.395, "", ""}}},
        {.name = "tail.csv", .kind = &tail_kind, .rows = 4, .remarks = 4},
        {.name = "tail.json", .kind = &tail_kind, .rows = 4, .remarks = 4},
        {.name = "tail_histogram.csv", .kind = &tail_histogram_kind, .rows = 20, .remarks = 4},
        {.name = "threads.csv",
         .kind = &sweep_kind,
         .rows = 62,
         .warnings = {Code::unknown, Code::prefetcher_follows_stride, Code::unsettled},
         .levels = {{0, "L1", 1.233, "low", "32"},
                    {0, "L2", 3.700, "low", "512"},
                    {0, "L3", 10.188, "low", "32768"},
                    {1, "L1", 1.233, "low", "32"},
                    {1, "L2", 3.701, "low", "512"},
                    {1, "L3", 10.067, "low", "32768"}}},
        {.name = "tlb.csv", .kind = &tlb_kind, .rows = 55},
        {.name = "tlb.json", .kind = &tlb_kind, .rows = 55, .remarks = 1},
        {.name = "writes.csv", .kind = &loaded_kind, .rows = 12, .warnings = {Code::unknown, Code::unsettled}}};
}

INSTANTIATE_TEST_SUITE_P(Of, Legacy, testing::ValuesIn(legacy_files()), [](const auto& file) {
    std::string name = file.param.name;
    std::ranges::replace(name, '.', '_');
    return name;
});

TEST(LegacySweeps, AreJudgedAsTheyWere) {
    const auto verdict = [](const char* base, const char* latest) {
        return compare_results(std::vector{read_result(legacy_path(base))}, read_result(legacy_path(latest)), 5)
            .verdict;
    };
    EXPECT_EQ(verdict("sweep.csv", "sweep_plain.csv"), Verdict::cannot_tell) << "others used the machine";
    EXPECT_EQ(verdict("sweep_plain.csv", "sweep.json"), Verdict::cannot_tell) << "the base was disturbed";
    EXPECT_EQ(verdict("sweep.json", "sweep_plain.csv"), Verdict::no_difference);
    EXPECT_EQ(verdict("sweep.json", "sweep.json"), Verdict::no_difference);
    EXPECT_EQ(verdict("stride.csv", "stride.json"), Verdict::no_difference);
    EXPECT_EQ(verdict("stride.json", "stride.csv"), Verdict::no_difference);
    EXPECT_EQ(verdict("threads.csv", "threads.csv"), Verdict::cannot_tell) << "too noisy";
}

} // namespace
} // namespace memtest
