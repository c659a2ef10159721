#include "memtest/cli/probe/plan.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/probe/advice.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/report/description.hpp"
#include "memtest/version.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// Two cores with two hardware threads each, all that a run asks of a machine.
class OnASmallMachine : public testing::Test {
protected:
    OnASmallMachine() {
        for (const int id : {0, 1, 2, 3})
            system.add_processor(id, 0, id % 2, "0-3");
        machine.allowed = read_processors(system.files(), {0, 1, 2, 3});
        machine.caches = read_caches(system.files(), 0);
        machine.available_bytes = 8192 * mib;
        machine.cpu_model = "Test CPU";
        machine.kernel = "Linux 6.1 x86_64";
        machine.clock = {.cost_ns = 25, .resolution_ns = 25};
    }

    RunPlan plan(const std::vector<std::string>& arguments) {
        return plan_run(parse_probe_options(arguments), machine, system.files());
    }

    std::string refusal(const std::vector<std::string>& arguments) {
        try {
            (void)plan(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::usage);
            return error.what();
        }
        return "";
    }

    FakeSystem system;
    Machine machine;
};

TEST_F(OnASmallMachine, TheDefaultRunIsTheClassicSweepOnTheCurrentProcessor) {
    machine.current = 2;
    const RunPlan run = plan({});
    EXPECT_EQ(run.sweep.sizes.size(), 41U);
    EXPECT_EQ(run.sweep.sizes.front(), 512U);
    EXPECT_EQ(run.team.largest_bytes, 1024 * mib);
    EXPECT_EQ(run.team.processors, std::vector<int>{2});
    EXPECT_FALSE(run.lowered.has_value());
}

TEST_F(OnASmallMachine, AStrideLargerThanTheSmallestSizeStartsTheSweep) {
    EXPECT_EQ(plan({"-s", "4K"}).sweep.sizes.front(), 4096U);
    EXPECT_EQ(plan({"-r", "-p", "16"}).sweep.sizes.front(), 1024U);
}

TEST_F(OnASmallMachine, MoreMemoryThanIsAvailableIsRefusedWithBothFigures) {
    EXPECT_EQ(refusal({"-m", "9000"}),
              "--max-size 9000 MiB on 1 thread needs 9000 MiB of memory, and 7936 MiB can be used "
              "here; give at most 7936 MiB");
    EXPECT_EQ(refusal({"-m", "5G", "-c"}),
              "--max-size 5120 MiB on 2 threads needs 10240 MiB of memory, and 7936 MiB can be "
              "used here; give at most 3968 MiB");
    EXPECT_EQ(refusal({"-m", "3968", "-c"}), "");
}

TEST_F(OnASmallMachine, TheDefaultSizeIsLoweredToWhatFits) {
    machine.available_bytes = 600 * mib;
    const RunPlan run = plan({"-c"});
    EXPECT_EQ(run.max_bytes, 290 * mib);
    ASSERT_TRUE(run.lowered.has_value());
    EXPECT_EQ(run.lowered->available_bytes, 600 * mib);
    EXPECT_EQ(run.lowered->from_bytes, default_max_bytes);
    EXPECT_EQ(run.sweep.sizes.back(), 256 * mib);
    EXPECT_EQ(headline(run)[1], "Cache line size 64 B, stride 512 B, max memory size 290 MiB");
}

TEST_F(OnASmallMachine, WhereHardlyAnythingFitsThatIsSaid) {
    machine.available_bytes = 4 * mib;
    EXPECT_NE(refusal({}).find("0 MiB can be used here"), std::string::npos);
}

TEST_F(OnASmallMachine, WhereAvailableMemoryIsNotKnownNothingIsRefused) {
    machine.available_bytes = std::nullopt;
    EXPECT_EQ(plan({"-m", "100G"}).max_bytes, std::size_t{100} << 30U);
}

TEST_F(OnASmallMachine, MapsMoreThanASmallLargestSizeWhereMemoryIsPlentiful) {
    EXPECT_EQ(plan({"-m", "1"}).team.area_bytes, 4 * mib);
    EXPECT_EQ(plan({"-m", "16"}).team.area_bytes, 32 * mib);
    EXPECT_EQ(plan({"-m", "64"}).team.area_bytes, 64 * mib);
    EXPECT_EQ(plan({"-m", "1"}).team.largest_bytes, 1 * mib);
    machine.available_bytes = 20 * mib; // 12 of which can be used
    EXPECT_EQ(plan({"-m", "1"}).team.area_bytes, 1 * mib);
    machine.available_bytes = std::nullopt;
    EXPECT_EQ(plan({"-m", "1"}).team.area_bytes, 1 * mib) << "not known to be plentiful";
}

TEST_F(OnASmallMachine, MapsNoMoreReservedPagesThanTheLargestSizeTakes) {
    system.add("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "100\n");
    system.add("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "100\n");
    EXPECT_EQ(plan({"-m", "4", "--pages", "2m"}).team.area_bytes, 4 * mib);
}

TEST_F(OnASmallMachine, TheTimingOfTheSweepIsThatOfTheOptions) {
    const TimingPlan timing =
        plan({"-a", "777", "--visits", "3", "--batches", "5", "--estimate", "median"}).sweep.timing;
    EXPECT_EQ(timing.accesses, 777U);
    EXPECT_EQ(timing.visits, 3U);
    EXPECT_EQ(timing.batches, 5U);
    EXPECT_EQ(timing.estimate, Estimate::median);
    EXPECT_EQ(plan({"--precision", "7"}).sweep.timing.precision_percent, 7);
}

TEST_F(OnASmallMachine, ProcessorsThatMayNotBeUsedAreRefusedWithThoseThatMay) {
    EXPECT_EQ(refusal({"--cpu", "7"}), "--cpu 7: processor 7 may not be used here; these may: 0-3");
    EXPECT_EQ(plan({"--cpu", "3"}).team.processors, std::vector<int>{3});
    EXPECT_NE(refusal({"-t", "5"}).find("at most 4"), std::string::npos);
}

TEST_F(OnASmallMachine, ThatDoesNotPinThreadsTheRunGoesOnAndSaysSo) {
    EXPECT_TRUE(plan({}).team.pinned);
    machine.pinning_refused = "Operation not permitted";
    const RunPlan run = plan({"-c"});
    EXPECT_FALSE(run.team.pinned);
    const Description lines = describe_run(run, machine, {2, ThreadFacts{}});
    EXPECT_EQ(std::ranges::count(lines, std::pair<std::string, std::string>(
                                            "processors", "0,1 (not pinned: Operation not permitted)")),
              1);
}

TEST_F(OnASmallMachine, ThatDoesNotPinThreadsRefusesToRunOnTheProcessorAskedFor) {
    machine.pinning_refused = "Operation not permitted";
    EXPECT_EQ(refusal({"--cpu", "1"}), "--cpu 1: the system does not let threads be bound to processors: Operation not "
                                       "permitted; leave --cpu out");
}

TEST_F(OnASmallMachine, TooFewReservedHugePagesAreRefused) {
    EXPECT_NE(refusal({"--pages", "2m"}).find("no huge pages of 2 MiB"), std::string::npos);
}

TEST_F(OnASmallMachine, AClockTooCoarseIsRefused) {
    FakeClock jiffies(25, 10'000'000);
    machine.clock = measure_clock(jiffies);
    EXPECT_NE(refusal({}).find("steps by 10000 us"), std::string::npos);
    FakeClock microseconds(25, 1000);
    machine.clock = measure_clock(microseconds);
    EXPECT_EQ(refusal({}), "");
}

// --- nodes
// ------------------------------------------------------------------------------------------------------------

class OnAMachineOfTwoNodes : public OnASmallMachine {
protected:
    OnAMachineOfTwoNodes() {
        machine.numa_nodes = {{.id = 0, .available_bytes = 6400 * mib}, {.id = 2, .available_bytes = 640 * mib}};
    }
};

TEST_F(OnAMachineOfTwoNodes, ANodeIsForAllThreadsOrForOneEach) {
    EXPECT_TRUE(plan({"-c"}).team.nodes.empty());
    EXPECT_EQ(plan({"-c", "--node", "0"}).team.nodes, (std::vector{0, 0}));
    EXPECT_EQ(plan({"-c", "--node", "2,0"}).team.nodes, (std::vector{2, 0}));
}

TEST_F(OnAMachineOfTwoNodes, ANodeWithoutMemoryIsRefusedWithThoseThatHaveSome) {
    EXPECT_EQ(refusal({"--node", "1"}), "--node 1: no memory can be had from node 1 here; from these it can: 0,2");
    EXPECT_NE(refusal({"-c", "--node", "0,9"}).find("node 9"), std::string::npos);
}

TEST_F(OnAMachineOfTwoNodes, TheMemoryOfANodeIsTheLimitForTheThreadsOnIt) {
    EXPECT_EQ(refusal({"-m", "620", "--node", "2"}), "");
    EXPECT_EQ(refusal({"-m", "621", "--node", "2"}),
              "--max-size 621 MiB on 1 thread needs 621 MiB of memory, and 620 MiB can be used on node 2; give at most "
              "620 MiB");
    EXPECT_NE(refusal({"-c", "-m", "400", "--node", "2"}).find("give at most 310 MiB"), std::string::npos);
    EXPECT_EQ(refusal({"-c", "-m", "400", "--node", "0,2"}), "");
    EXPECT_EQ(refusal({"-m", "621"}), "") << "without a node any will do";
    EXPECT_EQ(plan({"--node", "2"}).max_bytes, 620 * mib) << "the default is lowered";
}

TEST_F(OnASmallMachine, TheOnlyNodeHasWhatTheMachineHas) {
    machine.numa_nodes = {{.id = 0, .available_bytes = mib}};
    EXPECT_EQ(refusal({"-m", "621", "--node", "0"}), "");
}

TEST_F(OnAMachineOfTwoNodes, TheOnlyNodeThatMayBeUsedIsTheLimitWithAndWithoutNode) {
    machine.numa_nodes = {{.id = 2, .available_bytes = 640 * mib}};
    machine.has_forbidden_numa_nodes = true;
    const std::string expected = "--max-size 621 MiB on 1 thread needs 621 MiB of memory, and 620 MiB can be used on "
                                 "node 2; give at most 620 MiB";
    EXPECT_EQ(refusal({"-m", "621"}), expected);
    EXPECT_EQ(refusal({"-m", "621", "--node", "2"}), expected);
    EXPECT_NE(refusal({"-c", "-m", "400"}).find("give at most 310 MiB"), std::string::npos);
    EXPECT_EQ(plan({}).max_bytes, 620 * mib) << "the default is lowered";
}

TEST_F(OnAMachineOfTwoNodes, WhatTheNodesThatMayBeUsedHaveTogetherIsTheLimitOfAllThreads) {
    machine.available_bytes = 80'000 * mib;
    machine.has_forbidden_numa_nodes = true;
    EXPECT_EQ(refusal({"-m", "6820"}), "");
    EXPECT_NE(refusal({"-m", "6821"}).find("6820 MiB can be used on nodes 0,2;"), std::string::npos);
    EXPECT_NE(refusal({"-c", "-m", "6000"}).find("give at most 3410 MiB"), std::string::npos);
    machine.numa_nodes.front().available_bytes = std::nullopt;
    EXPECT_EQ(refusal({"-m", "6821"}), "") << "one of them does not say";
}

TEST_F(OnAMachineOfTwoNodes, TheDescriptionSaysWhichNodesWereAskedForAndWhetherThatIsWhatCame) {
    const auto node_of = [&](const std::vector<std::string>& arguments, const std::vector<ThreadFacts>& facts) {
        for (const auto& [key, value] : describe_run(plan(arguments), machine, facts)) {
            if (key == "node")
                return value;
        }
        return std::string("nothing");
    };
    const ThreadFacts verified{.node_verified = true};
    EXPECT_EQ(node_of({}, {{}}), "nothing");
    EXPECT_EQ(node_of({"-c", "--node", "0"}, {verified, verified}), "0 (verified)");
    EXPECT_EQ(node_of({"-c", "--node", "2,0"}, {verified, verified}), "2,0 (verified)");
    EXPECT_EQ(node_of({"-c", "--node", "0"}, {verified, {}}),
              "0 (not verified: the kernel does not tell where memory is)");
}

// --- what the output says of it
// ---------------------------------------------------------------------------------------

TEST_F(OnASmallMachine, TheHeadlineIsTheContracts) {
    const auto lines = headline(plan({}));
    EXPECT_EQ(lines[0], "memtest " + std::string(version) + ": backward pointer-based scan on one thread");
    EXPECT_EQ(lines[1], "Cache line size 64 B, stride 512 B, max memory size 1024 MiB");
    EXPECT_EQ(lines[2], "Each size visited until known to 2 %, at most 16 times, reporting the min");
}

TEST_F(OnASmallMachine, TheHeadlineNamesWhatIsMeasured) {
    EXPECT_EQ(headline(plan({"-r", "-i", "-c"}))[0],
              "memtest " + std::string(version) + ": random index-based scan on two threads");
    EXPECT_EQ(headline(plan({"-f", "-t", "3", "-p", "2"}))[0],
              "memtest " + std::string(version) + ": forward pointer-based scan on 3 threads, 2 chains side by side");
    EXPECT_EQ(headline(plan({"-r", "-m", "0.25"}))[1], "Cache line size 64 B, max memory size 0.25 MiB");
    EXPECT_EQ(headline(plan({"--precision", "5", "--estimate", "mean", "--visits", "9", "-a", "1000"}))[2],
              "At most 1000 accesses per size, visited until known to 5 %, at most 9 times, reporting the mean");
    EXPECT_EQ(headline(plan({"-a", "10000000"}))[2],
              "10000000 accesses per size in 32 batches over 4 visits, reporting the min");
    EXPECT_EQ(headline(plan({"-a", "1000000", "--visits", "1"}))[2],
              "1000000 accesses per size in up to 32 batches, reporting the min");
}

TEST_F(OnASmallMachine, TheDescriptionHoldsWhatTellsRunsApart) {
    const RunPlan run = plan({"-r", "-c", "--seed", "7", "--tlb-locality", "2M"});
    const std::vector<ThreadFacts> facts(2, {.pages = {.page_bytes = 4096}, .core_ghz = 3.5});
    const Description expected{{"order", "random"},
                               {"link", "pointer"},
                               {"line", "64"},
                               {"tlb locality", "2097152"},
                               {"threads", "2"},
                               {"parallel", "1"},
                               {"estimate", "min"},
                               {"visits", "16"},
                               {"warmup", "1, at most 10 ms"},
                               {"pages", "default"},
                               {"pages got", "4 KiB"},
                               {"cpu", "Test CPU"},
                               {"processors", "0,1 (same last-level cache)"},
                               {"caches", "L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 4"},
                               {"kernel", "Linux 6.1 x86_64"},
                               {"core clock", "3.500 GHz"},
                               {"seed", "7"}};
    EXPECT_EQ(describe_run(run, machine, facts), expected);
}

TEST_F(OnASmallMachine, TheDescriptionNamesTheCounters) {
    const Description lines = describe_run(plan({"--counters", "cycles,page-faults"}), machine, {ThreadFacts{}});
    EXPECT_EQ(std::ranges::count(lines, std::pair<std::string, std::string>("counters", "cycles, page-faults")), 1);
}

TEST_F(OnASmallMachine, TheDescriptionSaysWhyTheLargestSizeWasLowered) {
    machine.available_bytes = 600 * mib;
    for (const auto& [key, value] : describe_run(plan({}), machine, {ThreadFacts{}})) {
        if (key == "max size") {
            EXPECT_EQ(value, "lowered from 1024 MiB to 581 MiB: 600 MiB are available");
            return;
        }
    }
    FAIL() << "nothing said";
}

// --- advice
// -----------------------------------------------------------------------------------------------------------

class AdviceOnASmallMachine : public OnASmallMachine {
protected:
    std::string advice(const std::vector<std::string>& arguments) {
        std::string all;
        for (const std::string& sentence : advice_before(plan(arguments), machine, system.files()))
            all += sentence + "\n";
        return all;
    }
};

TEST_F(AdviceOnASmallMachine, IsNotGivenWhereThereIsNothingToSay) {
    EXPECT_EQ(advice({}), "");
}

TEST_F(AdviceOnASmallMachine, OnTheGovernorNamesItAndThePerformanceOne) {
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    EXPECT_NE(advice({}).find("'powersave'"), std::string::npos);
    EXPECT_EQ(advice({"--cpu", "1"}), "") << "another processor's governor does not matter";
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    EXPECT_EQ(advice({}), "");
}

TEST_F(AdviceOnASmallMachine, OnTransparentHugePagesUnlessThePagesWereChosen) {
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    EXPECT_NE(advice({}).find("--pages"), std::string::npos);
    EXPECT_EQ(advice({"--pages", "4k"}), "");
}

TEST_F(AdviceOnASmallMachine, OnALineSizeOtherThanTheSystems) {
    EXPECT_NE(advice({"-l", "128"}).find("--line-size 64"), std::string::npos);
}

TEST_F(AdviceOnASmallMachine, OnThreadsThatShareACore) {
    EXPECT_EQ(advice({"-t", "2"}), "");
    EXPECT_NE(advice({"-t", "3"}).find("3 threads run on 2 physical cores"), std::string::npos);
    EXPECT_NE(advice({"-c", "--cpu", "0,2"}).find("1 physical core,"), std::string::npos);
}

TEST_F(AdviceOnASmallMachine, OnThreadsThatAreNotPinned) {
    machine.pinning_refused = "Operation not permitted";
    EXPECT_NE(advice({}).find("(Operation not permitted): they may move"), std::string::npos);
}

TEST_F(AdviceOnASmallMachine, OnAHypervisor) {
    machine.hypervisor = true;
    EXPECT_NE(advice({}).find("virtual machine"), std::string::npos);
}

TEST(AdviceOnPrefetching, IsGivenWhereAStrideEndsFarBelowTheRandomOrder) {
    EXPECT_EQ(
        advice_on_prefetching(Order::backward, 11.2, 160),
        "the backward scan ends at 11.2 ns where a short random check shows 160 ns: the prefetcher follows the stride; "
        "--random shows the latency");
    EXPECT_EQ(advice_on_prefetching(Order::forward, 100, 160), std::nullopt);
}

TEST(AdviceOnDisturbance, NamesTheSizeThatTookLongestAgainstALargerOne) {
    const std::vector<CurvePoint> curve{{1 * mib, 4}, {2 * mib, 50}, {3 * mib, 150}, {4 * mib, 13}, {6 * mib, 14}};
    EXPECT_EQ(advice_on_disturbance(curve), "3 MiB took 150.0 ns per access and 4 MiB, though larger, 13.0 ns: "
                                            "something else filled the caches meanwhile; sweep again, or give "
                                            "more --visits");
}

TEST(AdviceOnDisturbance, IsNotGivenWhereLatencyRisesOrNoiseExplainsTheFall) {
    EXPECT_EQ(advice_on_disturbance(std::vector<CurvePoint>{{1 * mib, 1}, {2 * mib, 1}, {3 * mib, 100}}), std::nullopt);
    EXPECT_EQ(advice_on_disturbance(std::vector<CurvePoint>{{1 * mib, 12}, {2 * mib, 10}}), std::nullopt);
    EXPECT_EQ(advice_on_disturbance(std::vector<CurvePoint>{{1 * mib, 12}}), std::nullopt);
    EXPECT_EQ(advice_on_disturbance({}), std::nullopt);
}

} // namespace
} // namespace memtest
