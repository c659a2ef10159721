#include "memtest/cli/levels_report.hpp"

#include "memtest/cli/numbers.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

constexpr double kib = 1024;

LevelReport sample() {
    LevelReport report;
    report.core_ghz = 2;
    report.hierarchy.caches.resize(2);
    report.hierarchy.caches[0].capacity_low_bytes = 32 * kib;
    report.hierarchy.caches[0].capacity_high_bytes = 48 * kib;
    report.hierarchy.caches[0].capacity_bytes = 32 * kib;
    report.hierarchy.caches[0].latency_ns = 1.605;
    report.hierarchy.caches[0].from_bytes = 512;
    report.hierarchy.caches[0].to_bytes = 16 * kib;
    report.hierarchy.caches[0].confidence = Confidence::high;
    report.hierarchy.caches[1].capacity_low_bytes = mib;
    report.hierarchy.caches[1].capacity_high_bytes = mib;
    report.hierarchy.caches[1].capacity_bytes = mib;
    report.hierarchy.caches[1].latency_ns = 5;
    report.hierarchy.caches[1].from_bytes = 64 * kib;
    report.hierarchy.caches[1].to_bytes = 512 * kib;
    report.hierarchy.memory = Memory{};
    report.hierarchy.memory->latency_ns = 60;
    report.hierarchy.memory->from_bytes = 64 * mib;
    report.hierarchy.memory->to_bytes = 256 * mib;
    return report;
}

TEST(LevelLines, NameCapacityLatencyCyclesAndTheSizesTheyRestOn) {
    EXPECT_EQ(
        level_lines(sample(), false),
        (Description{
            {"level L1",
             "capacity 32 to 48 KiB, best estimate 32 KiB, latency 1.60 ns, 3.2 cycles, from 0.00049 to 0.01562 MiB, "
             "confidence high"},
            {"level L2",
             "capacity 1024 KiB, best estimate 1024 KiB, latency 5.00 ns, 10.0 cycles, from 0.06250 to 0.50000 MiB, "
             "confidence low"},
            {"level memory", "latency 60.00 ns, 120.0 cycles, from 64.00000 to 256.00000 MiB"}}));
}

TEST(LevelLines, GiveNoFigureForACapacityThatIsNotKnown) {
    LevelReport report = sample();
    report.hierarchy.caches[0].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_bytes.reset();
    report.hierarchy.caches[1].capacity_high_bytes.reset();
    const Description lines = level_lines(report, false);
    EXPECT_EQ(lines[0].second.find("capacity 32 to 48 KiB, latency"), 0U) << lines[0].second;
    EXPECT_EQ(lines[1].second.find("capacity at least 1024 KiB, latency"), 0U) << lines[1].second;
}

TEST(LevelLines, SayThatALevelMayHide) {
    LevelReport report = sample();
    report.hierarchy.remarks = {Remark::hidden_level};
    EXPECT_NE(level_lines(report, false).back().second.find("a level may hide here"), std::string::npos);
}

TEST(LevelLines, LeaveOutCyclesWhereTheClockIsNotKnownAndMemoryWhereItWasNotReached) {
    LevelReport report = sample();
    report.core_ghz = std::nullopt;
    report.hierarchy.memory = std::nullopt;
    report.hierarchy.remarks = {Remark::memory_not_reached};
    const Description lines = level_lines(report, false);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1].second.find("cycles"), std::string::npos);
    EXPECT_EQ(lines[2].first, "remark");
    EXPECT_NE(lines[2].second.find("before memory is reached"), std::string::npos);
}

TEST(LevelLines, OfAFurtherThreadNameIt) {
    LevelReport report = sample();
    report.thread = 1;
    EXPECT_EQ(level_lines(report, true).front().first, "thread 1 level L1");
    report.thread = 0;
    EXPECT_EQ(level_lines(report, true).front().first, "level L1");
}

TEST(LevelLines, PutTheReportedCacheBesideTheOneFound) {
    LevelReport report = sample();
    report.compared = {
        {.found = report.hierarchy.caches[0], .reported = ReportedCache{1, 32 << 10, 1}},
        {.found = report.hierarchy.caches[1], .reported = ReportedCache{2, 8 << 20, 1}, .much_smaller = true}};
    const Description lines = level_lines(report, false);
    EXPECT_TRUE(lines[0].second.ends_with(", reported 32 KiB")) << lines[0].second;
    EXPECT_NE(lines[1].second.find("reported 8 MiB (much larger: shared, partitioned"), std::string::npos);
}

TEST(LevelsCsv, HasARowPerLevelAndMemoryLast) {
    const std::vector reports{sample()};
    EXPECT_EQ(levels_csv(reports), "# confidence: L1 high, L2 low\n"
                                   "Level, Capacity (KiB), Latency (ns), Latency (cycles), From (MiB), To (MiB)\n"
                                   "L1, 32-48, 1.605, 3.21, 0.00049, 0.01562\n"
                                   "L2, 1024, 5.000, 10.00, 0.06250, 0.50000\n"
                                   "memory, , 60.000, 120.00, 64.00000, 256.00000\n");
}

TEST(LevelsCsv, NamesTheThreadWhereThereAreSeveral) {
    std::vector reports{sample(), sample()};
    reports[1].thread = 1;
    const std::string csv = levels_csv(reports);
    EXPECT_NE(csv.find("\nThread, Level, "), std::string::npos);
    EXPECT_NE(csv.find("\n0, L1, "), std::string::npos);
    EXPECT_NE(csv.find("\n1, memory, "), std::string::npos);
}

TEST(SweepOrder, IsReadFromTheDescriptionsWord) {
    EXPECT_EQ(sweep_order_of("random"), SweepOrder::random);
    EXPECT_EQ(sweep_order_of("backward"), SweepOrder::stride);
    EXPECT_EQ(sweep_order_of("forward"), SweepOrder::stride);
    EXPECT_EQ(sweep_order_of(""), SweepOrder::unknown);
}

} // namespace
} // namespace memtest
