#include "memtest/result/run_description.hpp"

#include "memtest/base/units.hpp"
#include "memtest/result/json.hpp"
#include "support/described_run.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

#include <cctype>

namespace memtest {
namespace {

const RunKey& key_called(std::string_view name) {
    return *std::ranges::find(run_keys(), name, &RunKey::key);
}

TEST(RunKeys, AreOfOneNameEachAndSnakeCaseInJson) {
    std::set<std::string_view> keys;
    std::set<std::string_view> members;
    for (const RunKey& key : run_keys()) {
        keys.insert(key.key);
        members.insert(key.member);
        EXPECT_TRUE(std::ranges::all_of(key.member, [](unsigned char c) { return std::islower(c) != 0 || c == '_'; }))
            << key.member;
        EXPECT_FALSE(key.meaning.empty()) << key.key;
    }
    EXPECT_EQ(keys.size(), run_keys().size());
    EXPECT_EQ(members.size(), run_keys().size());
}

TEST(RunKeys, WriteInJsonWhatTheyReadBack) {
    const RunDescription run = described_run();
    RunDescription read;
    for (const RunKey& key : run_keys()) {
        EXPECT_TRUE(key.text == nullptr || key.text(run).value().find('\n') == std::string::npos) << key.key;
        const Value value = json(dumped(key.value(run)));
        EXPECT_FALSE(value.is_null()) << key.key;
        EXPECT_TRUE(key.read_value(read, value)) << key.key << ": " << dumped(value);
        EXPECT_TRUE(key.differ == nullptr || !key.differ(run, read)) << key.key << ": " << dumped(value);
    }
    EXPECT_EQ(read, run) << "described_run() knows every key";
}

TEST(RunKeys, WhatIsNotKnownIsNoLineAndNull) {
    for (const RunKey& key : run_keys()) {
        EXPECT_TRUE(key.text == nullptr || !key.text({})) << key.key;
        EXPECT_TRUE(key.value({}).is_null()) << key.key;
        EXPECT_TRUE(key.differ == nullptr || key.differ({}, described_run())) << key.key;
    }
}

TEST(RunKeys, AreReadFromNothingElse) {
    for (const RunKey& key : run_keys()) {
        RunDescription read;
        for (const Value& wrong :
             List{Value(), -1.0, List(), List{Value(List())}, Members(), Members{{"ids", List{1e7, -1.0}}}})
            EXPECT_EQ(key.read_value(read, wrong), key.key == "arguments" && wrong == Value(List())) << dumped(wrong);
        EXPECT_EQ(std::exchange(read.arguments, std::nullopt).has_value(), key.key == "arguments") << "of no option";
        EXPECT_EQ(read, RunDescription{}) << key.key;
    }
}

TEST(RunKeys, TakeNoIdThatNoProcessorHas) {
    constexpr std::uint64_t beyond_32_bits = (std::uint64_t{1} << 32U) + 3;
    for (const char* name : {"node", "processors"}) {
        const auto is_read = [&](std::uint64_t id) {
            RunDescription read;
            return key_called(name).read_value(read, Members{{"ids", List{id}}});
        };
        EXPECT_TRUE(is_read(3)) << name;
        EXPECT_FALSE(is_read(beyond_32_bits)) << name;
    }
}

TEST(RunKeys, TakeNoClockThatStandsStillOrRunsBackwardsOrHasNoEnd) {
    const RunKey& clock = key_called("core clock");
    RunDescription read;
    for (const double ghz : {0.0, -1.0})
        EXPECT_FALSE(clock.read_value(read, Value(ghz))) << ghz;
    EXPECT_EQ(read, RunDescription{});
    EXPECT_TRUE(clock.read_value(read, Value(0.001)));
    const RunKey& clocks = key_called("core clocks");
    for (const List& ghz : {List{}, List{3.1, 0.0}, List{-3.1}})
        EXPECT_FALSE(clocks.read_value(read, Value(ghz))) << text_of(Value(ghz));
    EXPECT_FALSE(read.core_clocks_ghz.has_value());
}

TEST(RunKeys, HaveTheirTextInTheFormThatFilesHave) {
    const RunDescription run = described_run();
    EXPECT_EQ(key_called("arguments").text(run), "-s 4K -o 'a file'\\''s name' ''");
    EXPECT_EQ(key_called("warmup").text(run), "3, at most 10 ms");
    EXPECT_EQ(key_called("node").text(run), "1,0 (verified)");
    EXPECT_EQ(key_called("memory").text(run), "7680 MiB");
    EXPECT_EQ(key_called("core clock").text(run), "3.500 GHz before the first row");
    EXPECT_EQ(key_called("awake").text(run), "1,3");
    EXPECT_EQ(key_called("core kind").text(run), "P-core, E-core");
    EXPECT_EQ(key_called("kinds of cores").text(run), "P-core 0,1, E-core 2,3");
    EXPECT_EQ(key_called("special nodes").text(run), "1 without processors (CXL memory), 0 behind a cache of 16 MiB");
    EXPECT_EQ(key_called("memory policy").text(run), "bind 0,1");
    EXPECT_EQ(text_of(*run.memory_clocks),
              "0.528 to 2.112 GHz, 2.112 GHz before the first size, governor simple_ondemand; 0.400 to 0.800 GHz");
    EXPECT_TRUE(key_called("awake").for_people) << "it changes what a person reads";
    EXPECT_EQ(key_called("end").text(run), "20 of 41 sizes, interrupted");
}

TEST(RunKeys, SayWhyNodesAreNotVerified) {
    RunDescription run;
    run.nodes = NodesUsed{.ids = {2}, .verified = false};
    EXPECT_TRUE(key_called("node").text(run).value().starts_with("2 (not verified"));
}

TEST(RunKeys, PutNoControlCharacterIntoALine) {
    RunDescription run;
    run.arguments = {"a\nb", "\x1b[2J"};
    EXPECT_EQ(key_called("arguments").text(run), "'a\\nb' '\\x1b[2J'");
}

TEST(RunEnd, IsCompleteWithAllSizesOfARunThatWasNotInterrupted) {
    EXPECT_TRUE((RunEnd{41, 41, false}).complete());
    EXPECT_FALSE((RunEnd{40, 41, false}).complete());
    EXPECT_FALSE((RunEnd{41, 41, true}).complete());
}

std::vector<std::string> names(const std::vector<Difference>& differences) {
    std::vector<std::string> result;
    for (const Difference& difference : differences)
        result.push_back(difference.key);
    return result;
}

/// What is told of two runs, the second changed.
template<class Change>
std::vector<std::string> told_of(Change change, Is is = Is::setting) {
    RunDescription latest = described_run();
    change(latest);
    return names(differences(described_run(), latest, is));
}

std::vector<Difference> settings_differences(const RunDescription& base, const RunDescription& latest) {
    return differences(base, latest, Is::setting);
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
    EXPECT_EQ(told_of([](RunDescription& run) { run.visits = 9; }), Names{"visits"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.warmup = Warmup{.laps = 0}; }), Names{"warmup"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.memory_file = "/dev/dax1.0"; }), Names{"memory file"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.memory_file.reset(); }), Names{"memory file"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.pages = PageKind::huge_1g; }), Names{"pages"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.pages_got = std::vector{PagesGot{.page_bytes = 65536}}; }),
              Names{"pages got"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.nodes->ids = {5}; }), Names{"node"});
    EXPECT_EQ(told_of([](RunDescription& run) { run.core_kinds = {"E-core"}; }), Names{"core kind"});
    EXPECT_EQ(told_of([](RunDescription& run) {
                  run.order = Order::forward;
                  run.threads = 9;
              }),
              (Names{"order", "threads"}));
}

TEST(Machines, DifferInModelOrCachesAndTheirSystemsInWhatElseIsTheirs) {
    using Names = std::vector<std::string>;
    const auto change = [](RunDescription& run) {
        run.cpu_model = "Intel Xeon";
        run.caches->pop_back();
        run.kernel = "Linux 6.8 x86_64";
        run.memory_bytes = 2 * *run.memory_bytes;
        run.virtual_machine = false;
        run.transparent_policy = "never";
        run.machine = "Another";
        run.hypervisor = "Xen";
        run.container.reset();
    };
    EXPECT_EQ(told_of(change, Is::machine), (Names{"cpu", "caches"}));
    EXPECT_EQ(told_of(change, Is::system),
              (Names{"transparent huge pages", "memory", "machine", "kernel", "hypervisor"}));
    EXPECT_EQ(told_of(change, Is::setting), Names{});
}

TEST(Machines, HaveTheSameMemoryWhereTheKernelTookALittleMoreForItself) {
    EXPECT_TRUE(told_of([](RunDescription& run) { *run.memory_bytes -= 100 * mib; }, Is::system).empty());
    EXPECT_TRUE(told_of([](RunDescription& run) { *run.memory_bytes += 100 * mib; }, Is::system).empty());
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
    EXPECT_TRUE(differences({}, described_run(), Is::machine).empty());
}

TEST(Settings, TlbLocalityIsADifferenceWhereTheOtherFileWouldHaveSaidIt) {
    RunDescription random;
    random.order = Order::random;
    RunDescription confined = random;
    confined.tlb_locality_bytes = 262144;
    const auto differences = settings_differences(random, confined);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].key, "tlb locality");
    EXPECT_EQ(differences[0].base, "none");
    EXPECT_EQ(differences[0].latest, "262144");
    EXPECT_TRUE(settings_differences({}, confined).empty());
}

TEST(Settings, HowManyCoresAreAwakeIsADifferenceAndWhichTheyAreIsNone) {
    RunDescription asleep;
    asleep.order = Order::random;
    RunDescription awake = asleep;
    awake.awake = {1, 2, 3};
    const auto differences = settings_differences(asleep, awake);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].base, "none");
    EXPECT_EQ(differences[0].latest, "1-3");
    RunDescription elsewhere = asleep;
    elsewhere.awake = {0, 4, 5};
    EXPECT_TRUE(settings_differences(elsewhere, awake).empty());
    elsewhere.awake = {1, 2};
    EXPECT_EQ(settings_differences(elsewhere, awake).size(), 1U);
}

TEST(Settings, ThatDifferAreNamedInOneLine) {
    const std::vector<Difference> differences{{"order", "backward", "random"}, {"threads", "1", "2"}};
    const std::string line = describe(differences);
    EXPECT_TRUE(mentions(line, {"order (backward ", "threads (1 "}));
    EXPECT_LT(line.find("backward"), line.find("random")) << "as it was, then as it is";
}

} // namespace
} // namespace memtest
