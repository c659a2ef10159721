#include "memtest/cli/plan.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/measure/walker.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/warnings.hpp"
#include "memtest/version.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memtest {
namespace {

using Notices = std::vector<Notice>;
using Codes = std::vector<Code>;

/// Two cores with two hardware threads each, all that a run asks of a machine.
class OnASmallMachine : public OnAFakeMachine {
protected:
    OnASmallMachine() {
        system.add("/proc/cpuinfo", "model name: Test CPU\n");
        for (const int id : {0, 1, 2, 3})
            system.add_processor(id, 0, id % 2, "0-3");
        allow({0, 1, 2, 3});
        machine.kernel = "Linux 6.1 x86_64";
    }

    RunPlan plan(const std::vector<std::string>& arguments) {
        return plan_run(options_of_sweep(line_for(sweep_command, arguments)), machine);
    }

    std::string refusal(const std::vector<std::string>& arguments) {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }

    Notices warnings(const std::vector<std::string>& arguments) { return warnings_before(plan(arguments), machine); }

    Codes codes(const std::vector<std::string>& arguments) {
        Codes all;
        for (const Notice& warning : warnings(arguments))
            all.push_back(warning.code);
        return all;
    }
};

TEST_F(OnASmallMachine, TheDefaultRunIsTheClassicSweepOnTheCurrentProcessor) {
    machine.current = 2;
    const RunPlan run = plan({});
    EXPECT_EQ(run.sweep.sizes.size(), 41U);
    EXPECT_EQ(run.sweep.sizes.front(), 512U);
    EXPECT_EQ(run.team.largest_bytes, 1024 * mib);
    EXPECT_EQ(run.team.processors, std::vector<int>{2});
    EXPECT_FALSE(run.largest.lowered_from_bytes.has_value());
}

TEST_F(OnASmallMachine, TheRandomSweepBesideAStridedOneIsAnOrdinaryOneToFourTimesTheLastCache) {
    const Options strided = options_of_sweep(line_for(
        sweep_command, {"--cpu", "1", "--min-size", "1M", "-a", "1000", "--visits", "2", "--points", "8", "-s", "1K"}));
    const RunPlan beside = plan_random_beside(strided, 1024 * mib, machine);
    const RunPlan ordinary = plan({"--random", "--cpu", "1", "-m", fmt::format("{}", beside.largest.bytes / mib)});
    EXPECT_EQ(beside.largest.bytes, 4 * last_cache_bytes(with_ids(machine.allowed, {1})));
    EXPECT_EQ(beside.sweep.sizes, ordinary.sweep.sizes);
    EXPECT_EQ(beside.sweep.timing, ordinary.sweep.timing);
    EXPECT_EQ(beside.team.shape.order, Order::random);
    EXPECT_EQ(beside.team.processors, std::vector<int>{1});
    EXPECT_EQ(beside.team.warmup_laps, std::nullopt);
    EXPECT_EQ(plan_random_beside(strided, 3 * mib, machine).largest.bytes, 3 * mib) << "as far as the strided one";
    EXPECT_EQ(plan_random_beside(strided, mib, machine, false).sweep.sizes,
              (std::vector<std::size_t>{64 * kib, 128 * kib, 256 * kib, 512 * kib, mib}))
        << "what tells a followed stride";
}

TEST_F(OnASmallMachine, TheRandomSweepBesideIsInHugePagesUnlessTheUserChoseOthers) {
    machine.transparent_policy = "madvise";
    ASSERT_TRUE(machine.gives_transparent_pages());
    const auto pages = [&](const std::vector<std::string>& arguments) {
        return plan_random_beside(options_of_sweep(line_for(sweep_command, arguments)), mib, machine).team.pages;
    };
    EXPECT_EQ(pages({}), PageKind::transparent_huge);
    EXPECT_EQ(pages({"--pages", "4k"}), PageKind::base);
    machine.transparent_policy = "never";
    EXPECT_EQ(pages({}), PageKind::system_default);
}

/// What a file with a description says.
RunDescription read_back(const RunDescription& run) {
    RunDescription read;
    for (const bool at_end : {false, true}) {
        for (const auto& [name, value] : run_members(run, at_end)) {
            EXPECT_TRUE(read_run_member(read, name, value, at_end)) << name;
        }
    }
    return read;
}

TEST_F(OnASmallMachine, AwakeAreTheOtherCoresAndTheDescriptionNamesThem) {
    EXPECT_TRUE(plan({}).awake.empty());
    EXPECT_FALSE(describe_run(plan({}), machine, {ThreadFacts{}}).awake.has_value());
    const RunPlan run = plan({"--awake", "--cpu", "2"});
    EXPECT_EQ(run.awake, std::vector<int>{1}) << "0 is a sibling of 2, and 3 of 1";
    const RunDescription described = read_back(describe_run(run, machine, {ThreadFacts{}}));
    EXPECT_EQ(described.awake, std::vector<int>{1});
}

TEST_F(OnASmallMachine, TheSizesAreThoseAskedForInWholeLinesFromTheStrideOn) {
    EXPECT_EQ(plan({"-s", "4K"}).sweep.sizes.front(), 4096U);
    EXPECT_EQ(plan({"-r", "-p", "16"}).sweep.sizes.front(), 1024U);
    EXPECT_EQ(plan({"-m", "2K", "--min-size", "1K", "--points", "4"}).sweep.sizes,
              (std::vector<std::size_t>{1024, 1280, 1536, 1792, 2048}));
    EXPECT_EQ(plan({"-m", "2K", "-r", "-l", "1000"}).sweep.sizes, (std::vector<std::size_t>{1000, 2000}));
}

TEST_F(OnASmallMachine, TheDefaultSizeIsLoweredToWhatFits) {
    machine.available_bytes = 600 * mib;
    const RunPlan run = plan({"-c"});
    EXPECT_EQ(run.largest.bytes, 290 * mib);
    ASSERT_TRUE(run.largest.lowered_from_bytes.has_value());
    EXPECT_EQ(run.largest.available_bytes, 600 * mib);
    EXPECT_EQ(run.largest.lowered_from_bytes, default_max_bytes);
    EXPECT_EQ(run.sweep.sizes.back(), 256 * mib);
}

TEST_F(OnASmallMachine, ASmallestSizeThatFitsInNoWholeMibibyteStillIsMeasured) {
    machine.available_bytes = 145 * mib / 2; // 64.5 MiB are usable
    const std::size_t first = 64 * mib + 8;  // in whole lines
    EXPECT_EQ(plan({"-r", "-l", "24", "--min-size", "64M"}).sweep.sizes, std::vector{first});
}

TEST_F(OnASmallMachine, WhatIsNeededNeverReadsAsWhatThereIsAndTheMostThatIsNamedFits) {
    system.add("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
    machine.available_bytes = 63 * mib + mib / 2; // 55.5 MiB are usable, 54 MiB in whole huge pages
    EXPECT_TRUE(mentions(refusal({"--pages", "thp", "-m", "55"}), {"--max-size 55 MiB", "56 MiB", "55 MiB", "54 MiB"}));
    EXPECT_EQ(refusal({"--pages", "thp", "-m", "54"}), "");
    EXPECT_EQ(plan({"--pages", "thp"}).largest.bytes, 54 * mib);
    EXPECT_TRUE(mentions(refusal({"-m", "55.6"}), {"--max-size 55.6 MiB", " 56 MiB", " 55 MiB"}));
}

TEST_F(OnASmallMachine, SizesNearTheLargestNumberAreRefusedWhateverIsKnownOfTheMemory) {
    if (sizeof(std::size_t) < 8)
        GTEST_SKIP() << "a 32-bit target has no such sizes";
    for (const char* pages : {"4k", "thp"})
        EXPECT_NE(refusal({"-c", "--pages", pages, "-m", "17592186044415.99"}).find("reduce it to"), std::string::npos);
    reserve(8);
    EXPECT_NE(
        refusal({"-c", "--pages", "2m", "--points", "1", "--min-size", "17592186044415M", "-m", "17592186044415.99"})
            .find("and 8 are free"),
        std::string::npos);
}

TEST_F(OnASmallMachine, WhereAvailableMemoryIsNotKnownNothingIsRefused) {
    machine.available_bytes = std::nullopt;
    EXPECT_EQ(plan({"-m", "100G"}).largest.bytes, std::size_t{100} << 30U);
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
    reserve(100);
    EXPECT_EQ(plan({"-m", "4", "--pages", "2m"}).team.area_bytes, 4 * mib);
}

TEST_F(OnASmallMachine, TheTimingOfTheSweepIsThatOfTheOptions) {
    const TimingPlan timing =
        plan({"-a", "777", "--visits", "3", "--batches", "5", "--estimate", "median"}).sweep.timing;
    EXPECT_EQ(timing.accesses, 777U);
    EXPECT_EQ(timing.visits, 3U);
    EXPECT_EQ(timing.batches, 5U);
    EXPECT_EQ(timing.estimate, Estimate::median);
    EXPECT_EQ(plan({"--visits", "5"}).sweep.timing.visits, 5U) << "also with a precision";
    EXPECT_EQ(plan({"--precision", "7"}).sweep.timing.precision_percent, 7);
}

TEST_F(OnASmallMachine, ThatDoesNotPinThreadsTheRunGoesOnAndSaysSo) {
    EXPECT_TRUE(plan({}).team.pinned);
    machine.pinning_refused = "Operation not permitted";
    const RunPlan run = plan({"-c"});
    EXPECT_FALSE(run.team.pinned);
    EXPECT_EQ(describe_run(run, machine, {2, ThreadFacts{}}).processors,
              (ProcessorsUsed{.ids = {0, 1}, .relation = "", .not_pinned = "Operation not permitted"}));
}

class OnAFile : public OnASmallMachine {
protected:
    /// The plan with a file of this size, all holes.
    RunPlan plan_on(std::uintmax_t bytes, std::vector<std::string> arguments = {}) {
        system.add("/area", "");
        std::filesystem::resize_file(path, bytes);
        arguments.insert(arguments.end(), {"--memory", path});
        return plan(arguments);
    }

    std::string refusal_on(std::uintmax_t bytes, const std::vector<std::string>& arguments = {}) {
        return refusal_of([&] { static_cast<void>(plan_on(bytes, arguments)); });
    }

    /// Of a file that would take up to 100000 MiB of free memory, and has some of it.
    LargestSize share_on_tmpfs(std::optional<std::size_t> asked, std::uint64_t held_bytes = 1024 * mib) {
        TeamPlan team = plan({}).team;
        team.memory_file = MappedFile{.path = "F",
                                      .bytes = 100'000 * mib,
                                      .page_bytes = 4 * kib,
                                      .backing = Backing::free_memory,
                                      .held_bytes = held_bytes};
        return share_of_memory({.option = "size", .asked = asked, .usual = 256 * mib, .least = 1, .least_name = ""},
                               team, machine);
    }

    std::string path = system.root() / "area";
};

TEST_F(OnAFile, TheDefaultIsNoMoreThanTheFileHas) {
    std::optional<RunPlan> run = plan_on(8 * mib);
    EXPECT_EQ(run->largest.bytes, 8 * mib);
    EXPECT_EQ(run->team.area_bytes, 8 * mib);
    EXPECT_FALSE(run->largest.lowered_from_bytes.has_value()) << "it is what was asked for";
    run.reset(); // each plan locks the file
    EXPECT_EQ(plan_on(2048 * mib).largest.bytes, default_max_bytes);
    EXPECT_EQ(plan_on(8 * mib, {"-m", "1"}).team.area_bytes, 1 * mib) << "the rest is not overwritten";
}

TEST_F(OnAFile, ThreadsShareItOut) {
    const RunPlan run = plan_on(9 * mib, {"-t", "3"});
    EXPECT_EQ(run.largest.bytes, 3 * mib);
    EXPECT_EQ(placement_of(run.team, 2).file->offset, 6 * mib);
    EXPECT_EQ(placement_of(run.team, 2).file->path, path);
    EXPECT_EQ(placement_of(plan({}).team, 0).file.has_value(), false);
}

TEST_F(OnAFile, ThatIsTooSmallItsSizeAndTheRemedyAreNamed) {
    EXPECT_TRUE(mentions(refusal_on(8 * mib, {"-m", "9"}), {path, "--max-size 9 MiB", "--max-size to 8 MiB"}));
    EXPECT_TRUE(mentions(refusal_on(8 * mib, {"-m", "5", "-c"}),
                         {path, "2 threads", "10 MiB", "8 MiB", "--max-size to 4 MiB"}));
    EXPECT_EQ(refusal_on(8 * mib, {"-m", "8"}), "");
    EXPECT_TRUE(mentions(refusal_on(0, {"-c"}), {path, "2 threads", "8 KiB", "0 B", "truncate -s 2097152K"}));
    EXPECT_TRUE(mentions(refusal_on(4 * mib, {"--min-size", "8M", "-m", "16"}), {"truncate -s 16384K"}))
        << "less than that does not help";
}

TEST_F(OnAFile, OfADeviceThatIsTooSmallTheRemedyHelps) {
    const auto refusal_of_4_mib = [&](const std::vector<std::string>& arguments) {
        const Options options = options_of_sweep(line_for(sweep_command, arguments));
        TeamPlan team = team_for(options, machine);
        team.memory_file = MappedFile{.path = "D", .bytes = 4 * mib, .page_bytes = 2 * mib, .is_device = true};
        return refusal_of([&] { static_cast<void>(share_for_sweep(options, team, machine)); });
    };
    EXPECT_TRUE(mentions(refusal_of_4_mib({"-m", "5"}), {"--memory D", "needs 6 MiB", "reduce --max-size to 4 MiB"}));
    EXPECT_TRUE(mentions(refusal_of_4_mib({"--min-size", "8M"}), {"needs 8 MiB", "4 MiB", "reduce --min-size"}));
    EXPECT_TRUE(mentions(refusal_of_4_mib({"-t", "3", "-m", "1"}), {"needs 6 MiB", "4 MiB", "fewer threads"}));
}

TEST_F(OnAFile, FreeMemoryIsTheLimitForWhatItDoesNotYetHold) {
    const auto refusal = [&](std::size_t asked, std::uint64_t held_bytes) {
        return refusal_of([&] { static_cast<void>(share_on_tmpfs(asked, held_bytes)); });
    };
    constexpr std::size_t usable = 7936 * mib;
    EXPECT_EQ(share_on_tmpfs(usable).bytes, usable);
    EXPECT_TRUE(mentions(refusal(usable + mib, 1024 * mib), {"--memory", "7937 MiB", "7936 MiB", "--size"}))
        << "what it holds may lie elsewhere";
    EXPECT_EQ(refusal(usable + mib, 100'000 * mib - usable), "") << "more than all of it is never needed";
    EXPECT_NE(refusal(usable + mib, 100'000 * mib - usable - mib), "");
    machine.available_bytes = std::nullopt;
    EXPECT_EQ(share_on_tmpfs(99'000 * mib).bytes, 99'000 * mib);
}

TEST_F(OnAFile, TheDescriptionNamesTheFileAndNoKindOfPagesAskedFor) {
    const RunDescription run = describe_run(plan_on(mib), machine, {ThreadFacts{}});
    EXPECT_EQ(run.memory_file, path);
    EXPECT_EQ(run.pages, std::nullopt);
    TeamPlan team = plan({}).team;
    team.memory_file = MappedFile{.path = "./area"};
    EXPECT_EQ(describe_machine(team, machine, {ThreadFacts{}}).memory_file, std::filesystem::current_path() / "area");
    EXPECT_EQ(describe_run(plan({}), machine, {ThreadFacts{}}).memory_file, std::nullopt);
}

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

TEST_F(OnAMachineOfTwoNodes, TheMemoryOfANodeIsTheLimitForTheThreadsOnIt) {
    EXPECT_EQ(refusal({"-m", "620", "--node", "2"}), "");
    EXPECT_TRUE(mentions(refusal({"-m", "621", "--node", "2"}), {"--max-size 621 MiB", "621 MiB", "620 MiB"}));
    EXPECT_NE(refusal({"-c", "-m", "400", "--node", "2"}).find("reduce it to 310 MiB"), std::string::npos);
    EXPECT_EQ(refusal({"-c", "-m", "400", "--node", "0,2"}), "");
    EXPECT_EQ(refusal({"-m", "621"}), "") << "without a node any will do";
    EXPECT_EQ(plan({"--node", "2"}).largest.bytes, 620 * mib) << "the default is lowered";
}

TEST_F(OnASmallMachine, TheOnlyNodeHasWhatTheMachineHas) {
    machine.numa_nodes = {{.id = 0, .available_bytes = mib}};
    EXPECT_EQ(refusal({"-m", "621", "--node", "0"}), "");
}

TEST_F(OnAMachineOfTwoNodes, TheOnlyNodeThatMayBeUsedIsTheLimitWithAndWithoutNode) {
    machine.numa_nodes = {{.id = 2, .available_bytes = 640 * mib}};
    machine.has_forbidden_numa_nodes = true;
    for (const std::string& refused : {refusal({"-m", "621"}), refusal({"-m", "621", "--node", "2"})})
        EXPECT_TRUE(mentions(refused, {"--max-size 621 MiB", "only 620 MiB", "node 2"}));
    EXPECT_NE(refusal({"-c", "-m", "400"}).find("reduce it to 310 MiB"), std::string::npos);
    EXPECT_EQ(plan({}).largest.bytes, 620 * mib) << "the default is lowered";
}

TEST_F(OnAMachineOfTwoNodes, WhatTheNodesThatMayBeUsedHaveTogetherIsTheLimitOfAllThreads) {
    machine.available_bytes = 80'000 * mib;
    machine.has_forbidden_numa_nodes = true;
    EXPECT_EQ(refusal({"-m", "6820"}), "");
    EXPECT_TRUE(mentions(refusal({"-m", "6821"}), {" 6820 MiB", " nodes 0,2;"}));
    EXPECT_NE(refusal({"-c", "-m", "6000"}).find("reduce it to 3410 MiB"), std::string::npos);
    machine.numa_nodes.front().available_bytes = std::nullopt;
    EXPECT_EQ(refusal({"-m", "6821"}), "") << "one of them does not say";
}

TEST_F(OnAMachineOfTwoNodes, TheDescriptionSaysWhichNodesWereAskedForAndWhetherThatIsWhatCame) {
    const auto node_of = [&](const std::vector<std::string>& arguments, const std::vector<ThreadFacts>& facts) {
        return describe_run(plan(arguments), machine, facts).nodes;
    };
    const ThreadFacts verified{.node_verified = true};
    EXPECT_EQ(node_of({}, {{}}), std::nullopt);
    EXPECT_EQ(node_of({"-c", "--node", "0"}, {verified, verified}), (NodesUsed{.ids = {0}, .verified = true}));
    EXPECT_EQ(node_of({"-c", "--node", "2,0"}, {verified, verified}), (NodesUsed{.ids = {2, 0}, .verified = true}));
    EXPECT_EQ(node_of({"-c", "--node", "0"}, {verified, {}}), (NodesUsed{.ids = {0}, .verified = false}));
}

TEST_F(OnASmallMachine, TheDescriptionHoldsWhatTellsRunsApart) {
    machine.transparent_policy = "madvise";
    machine.memory_bytes = 16000 * mib + 1;
    const RunPlan run =
        plan({"-r", "-c",       "--seed", "7",          "--tlb-locality", "2M", "-a", "5000", "--precision",
              "3",  "--visits", "9",      "--estimate", "mean",           "-p", "2",  "-i",   "--warmup",
              "4",  "-l",       "128"});
    const ThreadFacts plain{.pages = {.page_bytes = 4096}, .core_ghz = 3.5};
    const ThreadFacts mixed{.pages = {.page_bytes = 4096,
                                      .transparent_bytes = 3 * mib,
                                      .transparent_page_bytes = 2 * mib,
                                      .total_bytes = 4 * mib},
                            .core_ghz = 3.6};
    RunDescription expected;
    expected.version = version;
    expected.order = Order::random;
    expected.link = Link::index;
    expected.line_bytes = 128;
    expected.tlb_locality_bytes = 2 * mib;
    expected.largest_size = LargestSize{.bytes = 1024 * mib};
    expected.threads = 2;
    expected.parallel = 2;
    expected.seed = 7;
    expected.estimate = Estimate::mean;
    expected.accesses = 5000;
    expected.precision_percent = 3;
    expected.visits = 9;
    expected.warmup = Warmup{.laps = 4};
    expected.pages = PageKind::system_default;
    expected.pages_got = {{.page_bytes = 4096},
                          {.page_bytes = 4096, .transparent_page_bytes = 2 * mib, .transparent_percent = 75}};
    expected.transparent_policy = "madvise";
    expected.processors = ProcessorsUsed{.ids = {0, 1}, .relation = "same last-level cache", .not_pinned = ""};
    expected.cpu_model = "Test CPU";
    expected.caches = {{.level = 1, .size_bytes = 32 * kib, .data_only = true},
                       {.level = 2, .size_bytes = mib},
                       {.level = 3, .size_bytes = 32 * mib, .shared_by = 4}};
    expected.memory_bytes = 16000 * mib;
    expected.kernel = "Linux 6.1 x86_64";
    expected.core_clock_ghz = 3.5;
    EXPECT_EQ(describe_run(run, machine, {plain, mixed}), expected);
}

TEST_F(OnASmallMachine, TheDescriptionNamesStrideCountersAndThatTheMachineIsVirtual) {
    machine.virtualization.is_guest = true;
    const RunDescription run =
        describe_run(plan({"--counters", "cycles,page-faults", "-s", "1K"}), machine, {ThreadFacts{}});
    EXPECT_EQ(run.counters, (std::vector{Counter::cycles, Counter::page_faults}));
    EXPECT_EQ(run.stride_bytes, 1024U);
    EXPECT_EQ(run.seed, std::nullopt);
    EXPECT_EQ(run.accesses, std::nullopt) << "as many as the precision takes";
    EXPECT_EQ(run.batches, std::nullopt);
    EXPECT_EQ(run.precision_percent, 2);
    EXPECT_EQ(run.warmup, (Warmup{.laps = 2, .most_ms = 200}));
    EXPECT_EQ(run.virtual_machine, true);
}

TEST_F(OnASmallMachine, TheDescriptionNamesTheVulnerabilitiesThatAffectTheProcessor) {
    system.add("/sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n");
    system.add("/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI; and more\n");
    EXPECT_EQ(describe_run(plan({}), machine, {ThreadFacts{}}).mitigations,
              std::vector<std::string>{"meltdown: Mitigation: PTI"});
}

TEST_F(OnASmallMachine, TheDescriptionSaysWhyTheLargestSizeWasLowered) {
    machine.available_bytes = 600 * mib + 5;
    EXPECT_EQ(describe_run(plan({}), machine, {ThreadFacts{}}).largest_size,
              (LargestSize{.bytes = 581 * mib, .lowered_from_bytes = 1024 * mib, .available_bytes = 600 * mib}));
}

TEST_F(OnASmallMachine, TheDescriptionNamesTheGovernorOfTheProcessorThatIsMeasured) {
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    system.add("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    const RunPlan run = plan({"-t", "2", "--cpu", "1,0"});
    EXPECT_EQ(describe_run(run, machine, {ThreadFacts{}, ThreadFacts{}}).governor, "performance") << "the first one";
}

/// A core of each of two kinds, which share an L3; lines are twice as long in the first cache of the second.
class OnAHybridMachine : public OnASmallMachine {
protected:
    OnAHybridMachine() {
        system.add_cache(1, 0, 1, "Data", "64K", "1", "128");
        system.add_cache(1, 2, 2, "Unified", "4096K", "1");
        allow({0, 1});
    }

    std::string caches(const std::vector<std::string>& arguments) {
        const RunPlan run = plan(arguments);
        const std::vector<ThreadFacts> facts(run.team.processors.size());
        return text_of(describe_run(run, machine, facts).caches.value_or(std::vector<ReportedCache>{}));
    }
};

TEST_F(OnAHybridMachine, TheCachesAreThoseOfTheProcessorsThatAreMeasured) {
    EXPECT_EQ(caches({"--cpu", "0"}), "L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 4");
    EXPECT_EQ(caches({"--cpu", "1"}), "L1d 64 KiB, L2 4 MiB, L3 32 MiB shared by 4");
    EXPECT_EQ(caches({"--cpu", "0,1", "-c"}), "L3 32 MiB shared by 4") << "what both have";
}

TEST_F(OnAHybridMachine, TheLineSizeIsThatOfTheProcessorsThatAreMeasured) {
    EXPECT_EQ(warnings({"--cpu", "0"}), Notices{});
    EXPECT_EQ(warnings({"--cpu", "1"}),
              (Notices{{Code::other_line_size,
                        {{"line_bytes", 128}, {"cache", "L1d"}, {"processor", 1}, {"given_bytes", 64}}}}));
    EXPECT_EQ(codes({"--cpu", "0,1", "-c"}), Codes{Code::other_line_size});
}

using WarningsOnASmallMachine = OnASmallMachine;

TEST_F(WarningsOnASmallMachine, AreNoneWhereThereIsNothingToSay) {
    EXPECT_EQ(warnings({}), Notices{});
}

TEST_F(WarningsOnASmallMachine, NameTheGovernorOfTheProcessorThatIsMeasured) {
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    EXPECT_EQ(warnings({}), (Notices{{Code::frequency_governor, {{"processor", 0}, {"governor", "powersave"}}}}));
    EXPECT_EQ(warnings({"--cpu", "1"}), Notices{}) << "another processor's governor does not matter";
    system.add("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    EXPECT_EQ(warnings({}), Notices{});
}

TEST_F(WarningsOnASmallMachine, NameALineSizeOtherThanTheSystems) {
    const auto found = warnings({"-l", "256", "-s", "1K"});
    ASSERT_EQ(codes({"-l", "256", "-s", "1K"}), Codes{Code::other_line_size});
    EXPECT_EQ(found[0].values["line_bytes"], 64);
    EXPECT_EQ(found[0].values["given_bytes"], 256);
    EXPECT_EQ(warnings({"-l", "128"}), Notices{}) << "a pair, which some processors fetch";
}

TEST_F(WarningsOnASmallMachine, DoNotNameALineSizeThatTheSystemDoesNotTell) {
    for (Processor& processor : machine.allowed) {
        for (Cache& cache : processor.caches)
            cache.line_bytes = 0;
    }
    EXPECT_EQ(warnings({"-l", "128"}), Notices{});
}

TEST_F(WarningsOnASmallMachine, CountThreadsThatShareACore) {
    EXPECT_EQ(warnings({"-t", "2"}), Notices{});
    EXPECT_EQ(warnings({"-t", "3"}),
              (Notices{{Code::threads_share_cores, {{"threads", 3}, {"cores", 2}, {"most_threads", 2}}}}));
    EXPECT_EQ(warnings({"-c", "--cpu", "0,2"}),
              (Notices{{Code::threads_share_cores, {{"threads", 2}, {"cores", 1}, {"most_threads", 2}}}}));
}

TEST_F(WarningsOnASmallMachine, SayWhyThreadsAreNotPinned) {
    machine.pinning_refused = "Operation not permitted";
    EXPECT_EQ(warnings({}), (Notices{{Code::not_pinned, {{"reason", "Operation not permitted"}}}}));
}

TEST_F(WarningsOnASmallMachine, AreNotGivenOnWhatHoldsForEveryRunOnTheMachine) {
    machine.virtualization.is_guest = true;
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    EXPECT_EQ(warnings({}), Notices{});
    EXPECT_EQ(warnings({"--pages", "thp"}), Notices{});
}

TEST(WarningOnPrefetching, HasTheSizesAndTheLatenciesOfBothWalks) {
    EXPECT_EQ(
        warning_on_prefetching(Order::backward,
                               {.from_bytes = 32 * kib, .last_bytes = 64 * mib, .strided_ns = 11.2, .random_ns = 160}),
        Notice(Code::prefetcher_follows_stride, {{"order", "backward"},
                                                 {"from_bytes", 32768},
                                                 {"last_bytes", 67108864},
                                                 {"strided_ns", 11.2},
                                                 {"random_ns", 160.0}}));
}

TEST(WarningOnLearnedLaps, HasBothLaps) {
    const ForeseenChains foreseen{.learned = ChainTimes{.foreseen_ns = 60, .unforeseen_ns = 100},
                                  .followed = ChainTimes{.foreseen_ns = 70, .unforeseen_ns = 99}};
    const Notice learned(Code::learned_laps, {{"first_ns", 100.0}, {"later_ns", 60.0}});
    const Notice followed(Code::followed_addresses, {{"pointer_ns", 70.0}, {"index_ns", 99.0}});
    EXPECT_EQ(warnings_on_foreseen(foreseen, {}), (std::vector{learned, followed}));
    EXPECT_EQ(warnings_on_foreseen(foreseen, {.orders = 2}), std::vector{followed});
    EXPECT_EQ(warnings_on_foreseen(foreseen, {.link = Link::index}), std::vector{learned});
    EXPECT_TRUE(warnings_on_foreseen({}, {}).empty());
}

TEST(WarningOnMovingClock, IsGivenBeyondATenth) {
    EXPECT_EQ(warning_on_moving_clock({3.0, 3.4}),
              Notice(Code::core_clock_moved, {{"lowest_ghz", 3.0}, {"highest_ghz", 3.4}}));
    EXPECT_EQ(warning_on_moving_clock({3.0, 3.2}), std::nullopt);
}

TEST(WarningOnMemoryClocks, IsOfTheControllerThatMovedByMoreThanDriversRound) {
    const auto warning = [](std::optional<double> before_ghz, std::optional<double> after_ghz) {
        std::vector<std::vector<ScaledClock>> readings(2);
        for (auto& reading : readings) {
            const bool is_first = &reading == &readings.front();
            reading = {{1, 3, 2.0, "fixed"}, {1, 3, is_first ? before_ghz : after_ghz, "dmc_ondemand"}};
        }
        return warning_on_memory_clocks(readings);
    };
    const Notice moved(Code::memory_clock_moved,
                       {{"lowest_ghz", 1.0}, {"highest_ghz", 1.02}, {"governor", "dmc_ondemand"}});
    EXPECT_EQ(warning(1, 1.02), moved);
    EXPECT_EQ(warning(1.02, 1), moved);
    EXPECT_EQ(warning(1, 1.009), std::nullopt);
    EXPECT_EQ(warning(1, std::nullopt), std::nullopt);
    EXPECT_EQ(warning_on_memory_clocks({}), std::nullopt);
}

TEST(WarningOnUseByOthers, IsGivenFromAFifthOn) {
    EXPECT_EQ(warning_on_use_by_others(62.7), Notice(Code::others_used, {{"percent", 63.0}}));
    EXPECT_TRUE(is_disturbance(*warning_on_use_by_others(20)));
    EXPECT_EQ(warning_on_use_by_others(19), std::nullopt);
}

TEST(WarningOnUnsettled, IsGivenFromAFifthOn) {
    EXPECT_EQ(warning_on_unsettled(17, 41, "sizes"),
              Notice(Code::unsettled, {{"count", 17}, {"of", 41}, {"things", "sizes"}}));
    EXPECT_EQ(warning_on_unsettled(2, 10, "rows"),
              Notice(Code::unsettled, {{"count", 2}, {"of", 10}, {"things", "rows"}}));
    EXPECT_TRUE(warning_on_unsettled(1, 1, "sizes").has_value());
    EXPECT_EQ(warning_on_unsettled(8, 41, "sizes"), std::nullopt);
    EXPECT_EQ(warning_on_unsettled(0, 0, "sizes"), std::nullopt);
}

TEST(WarningOnLittleMemory, IsGivenClearlyBelowFourLastCaches) {
    const std::vector<Processor> processors{{.id = 0, .caches = {{.level = 2, .size_bytes = mib, .shared_by = {0}}}}};
    EXPECT_EQ(warning_on_little_memory(3890 * kib, processors, "size"),
              Notice(Code::little_memory,
                     {{"bytes", 3890 * kib}, {"caches", 4}, {"option", "size"}, {"least_bytes", 4 * mib}}));
    EXPECT_EQ(warning_on_little_memory(3892 * kib, processors, "size"), std::nullopt) << "by a twentieth";
}

TEST(WarningOnContested, HasARangeForNeighbouringSizesAndTheLatenciesOfAllThreads) {
    const auto row = [](std::uint64_t bytes, std::optional<double> low_ns, std::optional<double> high_ns) {
        Row made;
        made.size_bytes = bytes;
        made.low_ns = low_ns;
        made.high_ns = high_ns;
        return made;
    };
    const auto range = [](std::uint64_t from, std::uint64_t to, double low_ns, double high_ns) {
        return Members{{"from_bytes", from}, {"to_bytes", to}, {"low_ns", low_ns}, {"high_ns", high_ns}};
    };
    const std::vector<Row> rows{row(4 * mib, 20, 30), row(mib, 4, 9),        row(2 * mib, 3, 50), row(8 * mib, 1, {}),
                                row(512, {}, 99),     row(16 * mib, 60, 99), row(mib, 3.5, 8)};
    const Notice of_all(Code::contested_sizes,
                        {{"ranges", List{range(mib, 4 * mib, 3, 50), range(16 * mib, 16 * mib, 60, 99)}}});
    EXPECT_EQ(warnings_on_contested(rows), std::vector{of_all});
    const ReportedCache last{.level = 3, .size_bytes = mib, .shared_by = 1};
    const auto split = warnings_on_contested(rows, true, {last});
    ASSERT_EQ(split.size(), 2U);
    EXPECT_EQ(split[0].values, (Members{{"ranges", List{range(mib, 2 * mib, 3, 50)}}, {"virtual", true}}));
    EXPECT_EQ(split[1].values["ranges"], (List{range(4 * mib, 4 * mib, 20, 30), range(16 * mib, 16 * mib, 60, 99)}));
    EXPECT_EQ(split[1].values["beyond_caches"], true);
    for (const auto& threads : {std::vector{row(mib, 4, 9), row(mib, 3.5, 8)}, {row(mib, 3.5, 8), row(mib, 4, 9)}})
        EXPECT_EQ(warnings_on_contested(threads).front().values["ranges"], List{range(mib, mib, 3.5, 9)});
    EXPECT_TRUE(warnings_on_contested(std::vector{row(mib, {}, {})}).empty());
}

TEST(WarningOnContested, BlamesNoOtherGuestForACacheOfOneProcessor) {
    const auto contested = [](std::uint64_t bytes) {
        Row row;
        row.size_bytes = bytes;
        row.low_ns = 4;
        row.high_ns = 9;
        return row;
    };
    Row sound;
    sound.size_bytes = 2 * mib;
    const auto whys = [&](const std::vector<Row>& rows, int shared_by) {
        std::vector<std::string> names;
        for (const Notice& warning : warnings_on_contested(
                 rows, true,
                 {{.level = 2, .size_bytes = mib, .shared_by = shared_by}, {.level = 3, .size_bytes = mib}})) {
            for (const char* name : {"private", "virtual", "beyond_caches"}) {
                if (warning.values[name].is_true())
                    names.emplace_back(name);
            }
        }
        return names;
    };
    const std::vector<Row> apart{contested(mib), sound, contested(3 * mib), contested(4 * mib)};
    EXPECT_EQ(whys(apart, 1), (std::vector<std::string>{"private", "virtual", "beyond_caches"}));
    EXPECT_EQ(whys(apart, 2), (std::vector<std::string>{"virtual", "beyond_caches"})) << "of the other processor";
    EXPECT_EQ(whys({contested(mib), contested(2 * mib)}, 1), std::vector<std::string>{"virtual"}) << "one range";
}

TEST(WarningOnDisturbance, NamesTheSizeThatTookLongestAgainstALargerOne) {
    const std::vector<CurvePoint> curve{{1 * mib, 4}, {2 * mib, 50}, {3 * mib, 150}, {4 * mib, 13}, {6 * mib, 14}};
    EXPECT_EQ(warning_on_disturbance(curve, Order::random),
              Notice(Code::disturbed_size,
                     {{"bytes", 3.0 * mib}, {"ns", 150.0}, {"larger_bytes", 4.0 * mib}, {"larger_ns", 13.0}}));
}

TEST(WarningOnDisturbance, IsNotGivenWhereLatencyRisesOrNoiseExplainsTheFall) {
    EXPECT_EQ(
        warning_on_disturbance(std::vector<CurvePoint>{{1 * mib, 1}, {2 * mib, 1}, {3 * mib, 100}}, Order::random),
        std::nullopt);
    for (const auto& [ns, is_given] : {std::pair(12.5, false), {12.6, true}})
        EXPECT_EQ(
            warning_on_disturbance(std::vector<CurvePoint>{{1 * mib, ns}, {2 * mib, 10}}, Order::random).has_value(),
            is_given)
            << ns;
    EXPECT_EQ(warning_on_disturbance(std::vector<CurvePoint>{{1 * mib, 12}}, Order::random), std::nullopt);
    EXPECT_EQ(warning_on_disturbance({}, Order::random), std::nullopt);
}

TEST(WarningOnDisturbance, OfAStrideSweepNamesASizeThatTowersOverItsNeighbours) {
    const auto of = [](double middle_ns) {
        return warning_on_disturbance(
            std::vector<CurvePoint>{{512 * mib, 299}, {768 * mib, middle_ns}, {1024 * mib, 408}, {1536 * mib, 200}},
            Order::backward);
    };
    EXPECT_EQ(of(935),
              Notice(Code::disturbed_size,
                     {{"bytes", 768.0 * mib}, {"ns", 935.0}, {"larger_bytes", 1024.0 * mib}, {"larger_ns", 408.0}}));
    EXPECT_EQ(of(600), std::nullopt) << "a prefetcher may come and go with the size";
}

} // namespace
} // namespace memtest
