#include "memtest/cli/commands/tail.hpp"

#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <filesystem>

namespace memtest {
namespace {

/// Two cores, each with an L1 of 32 KiB and an L2 of 1 MiB, and an L3 of 32 MiB.
class TailOnASmallMachine : public OnAFakeMachine {
protected:
    TailOnASmallMachine() {
        for (const int id : {0, 1}) {
            Processor processor{.id = id, .core = id};
            for (const std::uint64_t bytes : {32 * kib, 1 * mib, 32 * mib})
                processor.caches.push_back({.size_bytes = bytes, .line_bytes = 64, .shared_by = {}});
            machine.allowed.push_back(processor);
        }
    }

    TailRun plan(const std::vector<std::string>& arguments) {
        return plan_tail(options_of_tail(line_for(tail_command, arguments)), machine);
    }

    std::string refusal(const std::vector<std::string>& arguments) {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(TailOnASmallMachine, TheDefaultIsAMillionSamplesWellInsideEachCacheAndOfMemoryIdleOnOneProcessor) {
    machine.current = 1;
    const TailRun run = plan({});
    EXPECT_EQ(run.sweep.sizes, (std::vector<std::size_t>{16 * kib, 512 * kib, 2560 * kib, 256 * mib}));
    EXPECT_EQ(run.team.processors, std::vector{1});
    EXPECT_TRUE(run.sweep.load_percents.empty());
    EXPECT_TRUE(run.sweep.load_processors.empty());
    EXPECT_EQ(run.sweep.samples, std::size_t{1} << 20U);
    EXPECT_EQ(run.sweep.visits, 16U);
    EXPECT_EQ(run.sweep.group, std::nullopt);
    EXPECT_EQ(run.team.shape.order, Order::random);
    EXPECT_LE(run.team.kept_from_bytes, 256 * mib) << "the largest chain is linked once";
}

TEST_F(TailOnASmallMachine, ALoadTakesTheOtherProcessors) {
    const TailRun run = plan({"--load", "100,25", "--writes", "33"});
    EXPECT_EQ(run.sweep.load_percents, (std::vector<double>{25, 100}));
    EXPECT_EQ(run.team.processors, (std::vector{0, 1}));
    EXPECT_EQ(run.sweep.load_processors, std::vector{1});
    EXPECT_EQ(run.sweep.pattern.write_percent, 33U);
}

TEST_F(TailOnASmallMachine, SizesBeyondTheMemoryAskedForAreLeftOut) {
    EXPECT_EQ(plan({"--size", "8"}).sweep.sizes, (std::vector<std::size_t>{16 * kib, 512 * kib, 2560 * kib, 8 * mib}));
    for (Processor& processor : machine.allowed)
        processor.caches.clear();
    EXPECT_EQ(plan({"--size", "8"}).sweep.sizes, (std::vector<std::size_t>{8 * mib})) << "caches are not known";
}

TEST_F(TailOnASmallMachine, ASizeClearlyBelowFourLastCachesIsAdvisedAgainst) {
    EXPECT_EQ(plan({"--size", "128"}).warning, std::nullopt);
    EXPECT_EQ(plan({"--size", "121"}).warning,
              Notice(Code::little_memory,
                     {{"bytes", 121 * mib}, {"caches", 4}, {"option", "size"}, {"least_bytes", 128 * mib}}));
}

TEST_F(TailOnASmallMachine, TakesAGroupAndANumberOfSamples) {
    EXPECT_EQ(plan({"--group", "32"}).sweep.group, 32U);
    EXPECT_EQ(plan({"--samples", "16"}).sweep.samples, 16U);
    EXPECT_EQ(plan({"--samples", "1000"}).sweep.samples, 1008U) << "as many in each of 16 visits";
}

TEST_F(TailOnASmallMachine, OneProcessorIsEnoughUnlessOthersAreToLoad) {
    machine.allowed.pop_back();
    EXPECT_EQ(plan({}).team.processors, std::vector{0});
    EXPECT_TRUE(mentions(refusal({"--load", "100"}), {"memtest tail", "--load", "two processors"}));
    machine.pinning_refused = "Operation not permitted";
    EXPECT_FALSE(plan({}).team.pinned);
}

TEST_F(TailOnASmallMachine, AFileIsItsMemory) {
    system.add("/area", "");
    const std::string path = system.root() / "area";
    std::filesystem::resize_file(path, 80 * mib);
    const TailRun run = plan({"--memory", path});
    EXPECT_EQ(run.team.largest_bytes, 80 * mib);
    ASSERT_TRUE(run.team.memory_file.has_value());
    EXPECT_EQ(run.team.memory_file->path, path);
    EXPECT_TRUE(mentions(refusal({"--memory", path, "--node", "0"}), {"--node 0", "--memory"}));
}

} // namespace
} // namespace memtest
