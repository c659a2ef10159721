#include "memtest/cli/commands/loaded.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/kinds/loaded.hpp"
#include "support/fake_machine.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <atomic>
#include <filesystem>

namespace memtest {
namespace {

/// Two cores with two hardware threads each; processors 0 and 2 are siblings, and so are 1 and 3.
class LoadedOnASmallMachine : public OnAFakeMachine {
protected:
    LoadedOnASmallMachine() {
        for (const int id : {0, 1, 2, 3})
            system.add_processor(id, 0, id % 2, "0-3");
        system.add("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        allow({0, 1, 2, 3});
        machine.transparent_policy = "madvise";
        machine.numa_nodes = {{.id = 0, .available_bytes = 8192 * mib}};
    }

    LoadedRun plan(const std::vector<std::string>& arguments) {
        return plan_loaded(options_of_loaded(line_for(loaded_command, arguments)), machine);
    }

    std::string refusal(const std::vector<std::string>& arguments) {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(LoadedOnASmallMachine, TheOtherCoresLoadUnlessProcessorsAreNamed) {
    machine.current = 2;
    EXPECT_EQ(plan({}).team.processors, (std::vector<int>{2, 1}));
    EXPECT_EQ(plan({"--cpu", "3"}).team.processors, (std::vector<int>{3, 0}));
    EXPECT_EQ(plan({"--load-cpu", "3,0"}).team.processors, (std::vector<int>{2, 3, 0}));
    EXPECT_EQ(plan({"--load-cpu", "2,1"}).team.processors, (std::vector<int>{0, 2, 1}))
        << "the current one loads, so another one is measured";
    EXPECT_EQ(plan({"--load-cpu", "3,0"}).sweep.load_processors, (std::vector<int>{3, 0}));
}

TEST_F(LoadedOnASmallMachine, TheChainIsLinkedOnceSoThatEachStepWalksOnFromTheLast) {
    const LoadedRun run = plan({});
    EXPECT_EQ(run.team.kept_from_bytes, run.team.largest_bytes);
}

TEST_F(LoadedOnASmallMachine, OfOneCoreTheSiblingLoads) {
    allow({1, 3});
    machine.current = 3;
    EXPECT_EQ(plan({}).team.processors, (std::vector<int>{3, 1}));
}

TEST_F(LoadedOnASmallMachine, WithoutReportedCachesAThreadTakesAtLeast2Mib) {
    for (Processor& processor : machine.allowed)
        processor.caches.clear();
    machine.available_bytes = 3 * mib;
    EXPECT_TRUE(holds(refusal({}), "the minimum that reaches memory, 2 MiB,")) << refusal({});
}

TEST_F(LoadedOnASmallMachine, TheDefaultsAreAMedianTo2PercentInHugePages) {
    const LoadedRun run = plan({});
    EXPECT_EQ(run.team.shape.order, Order::random);
    EXPECT_EQ(run.team.shape.line_bytes, 64U);
    EXPECT_EQ(run.team.pages, PageKind::transparent_huge);
    EXPECT_EQ(run.team.largest_bytes, 256 * mib) << "8 times the last cache, of 32 MiB";
    EXPECT_EQ(run.team.area_bytes, run.team.largest_bytes);
    EXPECT_TRUE(run.team.pinned);
    EXPECT_EQ(run.sweep.steps, 12U);
    EXPECT_EQ(rows_of(run.sweep), 15U);
    EXPECT_EQ(run.write_percents, std::vector{0U});
    EXPECT_EQ(run.sweep.timing.estimate, Estimate::median);
    EXPECT_EQ(run.sweep.timing.precision_percent, 2);
    EXPECT_EQ(run.sweep.timing.visits, 16U);
    EXPECT_FALSE(run.largest.lowered_from_bytes.has_value());
}

TEST_F(LoadedOnASmallMachine, AFileIsTheMemoryOfAllInPagesOfItsOwn) {
    system.add("/area", "some data");
    const std::string path = system.root() / "area";
    std::filesystem::resize_file(path, 200 * mib);
    EXPECT_TRUE(mentions(refusal({"--memory", path, "--overwrite", "--size", "101"}),
                         {"--memory", "--size 101 MiB", "202 MiB", "200 MiB", "100 MiB", "--size"}));
    const LoadedRun run = plan({"--memory", path, "--overwrite"});
    EXPECT_EQ(run.team.largest_bytes, 100 * mib);
    EXPECT_EQ(run.team.area_bytes, 100 * mib);
    EXPECT_EQ(run.team.pages, PageKind::system_default);
    ASSERT_TRUE(run.team.memory_file.has_value());
    EXPECT_EQ(run.team.memory_file->path, path);
}

TEST_F(LoadedOnASmallMachine, AFileIsEnlargedToWhatIsAskedForAndNoFurther) {
    system.add("/area", "");
    const std::string path = system.root() / "area";
    EXPECT_TRUE(mentions(refusal({"--memory", path, "--size", "4"}), {"needs 8 MiB", "truncate -s 8192K"}));
    EXPECT_TRUE(mentions(refusal({"--memory", path}), {"truncate -s 524288K"}));
}

TEST_F(LoadedOnASmallMachine, EveryOptionReachesThePlan) {
    const LoadedRun run = plan({"--writes", "33", "--size", "1.5", "--loads", "3", "--pages", "4k", "--node", "0",
                                "--seed", "7", "--precision", "5", "--estimate", "mean"});
    EXPECT_EQ(run.write_percents, std::vector{33U});
    EXPECT_EQ(run.team.largest_bytes, 3 * mib / 2);
    EXPECT_EQ(run.sweep.steps, 3U);
    EXPECT_EQ(run.team.pages, PageKind::base);
    EXPECT_EQ(run.team.nodes, (std::vector<int>{0, 0}));
    EXPECT_EQ(run.team.shape.seed, 7U);
    EXPECT_EQ(run.sweep.timing.precision_percent, 5);
    EXPECT_EQ(run.sweep.timing.estimate, Estimate::mean);
}

TEST_F(LoadedOnASmallMachine, TheLineIsTheOneThatTheSystemReports) {
    for (const int index : {0, 2, 3})
        system.add_cache(1, index, 3, "Unified", "32768K", "0-3", "128");
    allow({0, 1, 2, 3});
    const LoadedRun run = plan({"--cpu", "1"});
    EXPECT_EQ(run.team.shape.line_bytes, 128U);
    EXPECT_EQ(run.sweep.pattern.line_bytes, 128U);
}

TEST_F(LoadedOnASmallMachine, WithoutTransparentHugePagesTheSystemsOwnAreTaken) {
    machine.transparent_policy = "never";
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    EXPECT_EQ(plan({}).team.pages, PageKind::system_default);
}

TEST_F(LoadedOnASmallMachine, TheSizeIsEightTimesALargeCacheOrWhatFits) {
    for (const int id : {0, 1, 2, 3})
        system.add_cache(id, 3, 3, "Unified", "65536K", "0-3");
    allow({0, 1, 2, 3});
    EXPECT_EQ(plan({}).team.largest_bytes, 512 * mib);
    machine.available_bytes = 800 * mib;
    const LoadedRun lowered = plan({});
    EXPECT_EQ(lowered.team.largest_bytes, 386 * mib) << "in whole huge pages";
    EXPECT_EQ(lowered.largest.lowered_from_bytes, 512 * mib);
    machine.available_bytes = 200 * mib;
    EXPECT_TRUE(mentions(refusal({}), {"128 MiB", "256 MiB", "192 MiB", "--load-cpu"}));
}

TEST_F(LoadedOnASmallMachine, ASizeClearlyBelowFourLastCachesIsAdvisedAgainst) {
    EXPECT_EQ(plan({"--size", "128"}).warning, std::nullopt);
    EXPECT_EQ(plan({"--size", "121"}).warning,
              Notice(Code::little_memory,
                     {{"bytes", 121 * mib}, {"caches", 4}, {"option", "size"}, {"least_bytes", 128 * mib}}));
    machine.available_bytes = 240 * mib;
    EXPECT_LT(plan({}).team.largest_bytes, 128 * mib);
    EXPECT_EQ(plan({}).warning, std::nullopt) << "no larger one fits";
}

TEST_F(LoadedOnASmallMachine, ReservedPagesAreNeededForEveryThread) {
    reserve(63);
    EXPECT_TRUE(mentions(refusal({"--pages", "2m", "--size", "64"}), {"--pages 2m: 64 ", "2 MiB", " 63 "}));
    EXPECT_EQ(refusal({"--pages", "2m", "--size", "62"}), "");
}

TEST_F(LoadedOnASmallMachine, NodesAreOneForAllOrOneForEach) {
    machine.numa_nodes = {{.id = 0, .available_bytes = 4096 * mib}, {.id = 1, .available_bytes = 4096 * mib}};
    EXPECT_EQ(plan({"--node", "1,0"}).team.nodes, (std::vector<int>{1, 0}));
    EXPECT_TRUE(mentions(refusal({"--node", "2"}), {"--node 2", "0,1"}));
}

TEST_F(LoadedOnASmallMachine, SeveralSharesOfWritesKeepTheirOrderAndAreRefusedTwiceEmptyOrBeyondAll) {
    EXPECT_EQ(plan({"--writes", "50,0,100"}).write_percents, (std::vector<unsigned>{50, 0, 100}));
    for (const char* list : {"0,101", "0,,50", "50,", "", "0,50,0", "0,-1", "0,half"}) {
        EXPECT_TRUE(mentions(refusal({"--writes", list}), {"--writes", "0 to 100"}));
    }
}

/// What curves of two shares of writes make of a result; those in `without` have no figure under load.
class LoadedCurves : public testing::Test {
protected:
    std::string measured(const std::vector<unsigned>& write_percents, const std::set<unsigned>& without) {
        OutputFile output("");
        Options options;
        options.quiet = true;
        MeasuredResult result(output, loaded_kind, options, {}, interrupted);
        result.begin({}, {}, 2);
        result.measure([&] {
            measure_curves(result, write_percents, curves, [&](unsigned percent, std::vector<LoadRow>& rows) {
                rows.push_back({.load_percent = 0, .bytes_per_ns = 0, .latency_ns = 80});
                if (without.contains(percent))
                    throw MachineBusy("busy");
                rows.push_back({.load_percent = 100, .bytes_per_ns = 8, .latency_ns = 120});
                if (percent == interrupted_at)
                    interrupted = true;
            });
        });
        for (const Notice& warning : result.so_far().warnings) {
            if (warning.code == Code::no_figure_under_load)
                warned.push_back(static_cast<unsigned>(warning.values["write_percent"].count().value_or(0)));
        }
        try {
            result.throw_failure();
        } catch (const MachineBusy& busy) {
            return busy.what();
        }
        return "";
    }

    std::vector<LoadCurve> curves;
    std::vector<unsigned> warned;
    std::atomic<bool> interrupted = false;
    std::optional<unsigned> interrupted_at;
};

TEST_F(LoadedCurves, WithoutAFigureCostAWarningAndNoOtherCurve) {
    EXPECT_EQ(measured({0, 50, 100}, {50}), "");
    EXPECT_EQ(warned, std::vector{50U});
    ASSERT_EQ(curves.size(), 3U) << "each has its share of writes";
    EXPECT_TRUE(curves[0].peak && !curves[1].peak && curves[2].peak);
    EXPECT_TRUE(curves[1].idle_ns.has_value());
}

TEST_F(LoadedCurves, FailWhereNoneHasAFigure) {
    EXPECT_EQ(measured({0, 50}, {0, 50}), "busy");
    EXPECT_EQ(warned, (std::vector{0U, 50U}));
    warned.clear();
    EXPECT_EQ(measured({0}, {0}), "busy");
    EXPECT_TRUE(warned.empty()) << "the error says it";
}

TEST_F(LoadedCurves, EndWithTheLastWholeOneWhereASignalInterrupts) {
    interrupted_at = 50;
    EXPECT_EQ(measured({0, 50, 100}, {}), "");
    EXPECT_EQ(curves.size(), 1U);
}

} // namespace
} // namespace memtest
