#include "memtest/kinds/report.hpp"

#include "memtest/base/units.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/tail.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// Three levels at 1, 4 and 80 ns.
Result sweep() {
    std::string text = "Thread, Mem size (MiB), Access latency (ns)\n";
    for (double kib_size = 0.5; kib_size <= 131072; kib_size *= 2)
        text += "0, " + std::to_string(kib_size / 1024) + ", " +
                (kib_size <= 32     ? "1"
                 : kib_size <= 1024 ? "4"
                                    : "80") +
                "\n";
    return result_of(text);
}

TEST(MachineInBrief, HasTheLevelsOfItsSweep) {
    StoredFile results{.is_report = true};
    set_part(results, "sweep", sweep());
    const MachineInBrief machine = in_brief(results, "one");
    EXPECT_EQ(machine.name, "one");
    ASSERT_EQ(machine.caches_kib.size(), 2U);
    EXPECT_NEAR(machine.caches_kib[0], 32, 16);
    EXPECT_NEAR(machine.caches_kib[1], 1024, 512);
    EXPECT_EQ(machine.memory_ns, 80);
    EXPECT_TRUE(machine.sweep);
    EXPECT_FALSE(machine.p99_9_ns);
    EXPECT_FALSE(machine.knee_gb_s);
    EXPECT_FALSE(machine.nearest_ns);
}

TEST(MachineInBrief, HasTheTailOfTheLargestSizeWithoutLoad) {
    StoredFile results{.is_report = true};
    set_part(results, "tail", Result{.kind = &tail_kind, .rows = std::vector<PercentileRow>(4)});
    auto& rows = std::get<std::vector<PercentileRow>>(part_in(results, "tail").rows);
    const std::vector<std::pair<std::uint64_t, double>> sizes_and_loads{
        {mib, 0}, {8 * mib, 0}, {4 * mib, 0}, {16 * mib, 100}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].size_bytes = sizes_and_loads[i].first;
        rows[i].load_percent = sizes_and_loads[i].second;
        rows[i].p99_9_ns = 100.0 * static_cast<double>(i + 1);
    }
    EXPECT_EQ(in_brief(results, "").p99_9_ns, 200);
    rows[1].p99_9_ns = std::nullopt;
    EXPECT_EQ(in_brief(results, "").p99_9_ns, std::nullopt) << "that of a smaller size is another figure";
}

TEST(MachineInBrief, HasTheKneeOfTheLoad) {
    StoredFile results{.is_report = true};
    set_part(results, "loaded", Result{.kind = &loaded_kind, .rows = std::vector<LoadRow>{}});
    auto& rows = std::get<std::vector<LoadRow>>(part_in(results, "loaded").rows);
    for (const auto& [percent, gb_s, ns] : {std::array{0.0, 0.0, 80.0}, {50, 20, 84}, {100, 40, 200}})
        rows.push_back({.load_percent = percent, .bytes_per_ns = gb_s, .latency_ns = ns});
    EXPECT_EQ(in_brief(results, "").knee_gb_s, 20);
}

TEST(MachineInBrief, HasTheNearestAndTheFarthestPairThatTheClockCouldTell) {
    StoredFile results{.is_report = true};
    set_part(results, "cores", Result{.kind = &cores_kind, .rows = std::vector<CoresRow>(4)});
    auto& rows = std::get<std::vector<CoresRow>>(part_in(results, "cores").rows);
    rows[0].latency_ns = 50;
    rows[1].latency_ns = 20;
    rows[2].latency_ns = 90;
    const MachineInBrief machine = in_brief(results, "");
    EXPECT_EQ(machine.nearest_ns, 20);
    EXPECT_EQ(machine.farthest_ns, 90);
}

TEST(MachinesInBrief, HaveAColumnForEachCacheOfAnyAndNothingWhereAFigureIsUnknown) {
    const std::vector<MachineInBrief> machines{{.name = "one", .caches_kib = {32, 1024}, .memory_ns = 80},
                                               {.name = "two", .caches_kib = {48}, .p99_9_ns = 200, .farthest_ns = 90}};
    const TextTable table = table_of(machines);
    using Cells = std::vector<std::string>;
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[1], (Cells{"one", "32 KiB", "1 MiB", "80.0", "", "", "", ""}));
    EXPECT_EQ(table.rows[2], (Cells{"two", "48 KiB", "", "", "", "200.0", "", "90.0"}));
    EXPECT_EQ(table.rows[0].size(), 8U);
    EXPECT_EQ(table.right.size(), 8U);
}

TEST(MachinesInBrief, FitATerminalOfUsualWidthWithThreeCaches) {
    const std::vector<MachineInBrief> machines{{.name = "this machine",
                                                .caches_kib = {48, 1280, 30720},
                                                .memory_ns = 100,
                                                .knee_gb_s = 100,
                                                .p99_9_ns = 1000,
                                                .nearest_ns = 20,
                                                .farthest_ns = 100}};
    const std::string text = aligned_text(table_of(machines));
    EXPECT_LE(text.find('\n'), 80U) << text;
}

} // namespace
} // namespace memtest
