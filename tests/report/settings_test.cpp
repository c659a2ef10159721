#include "memtest/report/settings.hpp"

#include "memtest/base/units.hpp"
#include "support/described_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

std::vector<std::string> names(const std::vector<SettingDifference>& differences) {
    std::vector<std::string> result;
    for (const SettingDifference& difference : differences)
        result.push_back(difference.setting);
    return result;
}

/// What is told of two runs, the second changed.
template<class Change>
std::vector<std::string> told_of(Change change) {
    RunDescription latest = described_run();
    change(latest);
    return names(settings_differences(described_run(), latest));
}

TEST(Settings, EverySettingThatDiffersIsNamed) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(told_of([](RunDescription& run) { run.order = Order::forward; }), Names{"order"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.link = Link::index; }), Names{"link"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.line_bytes = 128; }), Names{"line"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.stride_bytes = 64; }), Names{"stride"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.threads = 9; }), Names{"threads"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.parallel = 9; }), Names{"parallel"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.estimate = Estimate::mean; }), Names{"estimate"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.mappings = 9; }), Names{"mappings"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.warmup = Warmup{.laps = 0}; }), Names{"warmup"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.pages = PageKind::huge_1g; }), Names{"pages"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.pages_got = std::vector{PagesGot{.page_bytes = 65536}}; }),
              Names{"pages got"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.nodes->ids = {5}; }), Names{"node"});
    EXPECT_EQ(told_of([](RunDescription& run) {
                  run.order = Order::forward;
                  run.threads = 9;
              }),
              (Names{"order", "threads"}));
}

TEST(Settings, BothValuesAreGiven) {
    RunDescription latest = described_run();
    latest.line_bytes = 128;
    const auto differences = settings_differences(described_run(), latest);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].base, "64");
    EXPECT_EQ(differences[0].latest, "128");
}

TEST(Settings, AnotherMachineOrMomentIsNoOtherSetting) {
    EXPECT_TRUE(told_of([](RunDescription& run) {
                    run.cpu_model = "Intel Xeon";
                    run.start = "2030-01-01T00:00:00Z";
                    run.arguments = {"-r"};
                    run.caches.reset();
                    run.seed = 9;
                    run.core_clock_ghz = 9;
                    run.end = RunEnd{};
                    run.nodes->verified = false;
                }).empty());
}

TEST(Settings, SharesOfTransparentPagesDifferWhereTheyAreFarApart) {
    const auto with_share = [](double percent) {
        RunDescription run = described_run();
        run.pages_got = {{.page_bytes = 4096, .transparent_page_bytes = 2 * mib, .transparent_percent = percent}};
        return run;
    };
    EXPECT_EQ(settings_differences(with_share(1), with_share(99)).size(), 1U);
    EXPECT_TRUE(settings_differences(with_share(99), with_share(100)).empty());
}

TEST(Settings, WhatOneFileDoesNotSayIsNoDifference) {
    EXPECT_TRUE(settings_differences({}, described_run()).empty());
    EXPECT_TRUE(settings_differences(described_run(), {}).empty());
    EXPECT_TRUE(told_of([](RunDescription& run) { run.warmup.reset(); }).empty());
}

TEST(Settings, TlbLocalityIsADifferenceWhereTheOtherFileWouldHaveSaidIt) {
    RunDescription random;
    random.order = Order::random;
    RunDescription confined = random;
    confined.tlb_locality_bytes = 262144;
    const auto differences = settings_differences(random, confined);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].setting, "tlb locality");
    EXPECT_EQ(differences[0].base, "none");
    EXPECT_EQ(differences[0].latest, "262144");
    EXPECT_TRUE(settings_differences({}, confined).empty());
}

} // namespace
} // namespace memtest
