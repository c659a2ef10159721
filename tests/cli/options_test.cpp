#include "memtest/cli/options.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

using Arguments = std::vector<std::string>;

Options parsed(const Arguments& arguments) {
    return options_of_probe(line_for(probe_command, arguments));
}

std::string refused(const Arguments& arguments) {
    const std::string what = refusal_of([&] { static_cast<void>(parsed(arguments)); });
    EXPECT_EQ(what.find('\n'), std::string::npos) << "one line";
    return what;
}

TEST(OptionsOfTheProbe, NoArgumentsAreTheDefaults) {
    EXPECT_EQ(parsed({}), Options{});
}

TEST(OptionsOfTheProbe, TheDefaultsInTheHelpAreTheOnesInForce) {
    for (const MeasuringOption& option : probe_options()) {
        if (option.preset.empty())
            continue;
        Options options;
        option.set(options, {option.name, option.preset});
        // Left open, for the memory that fits and for commands with other defaults.
        options.max_bytes = options.max_bytes == default_max_bytes ? std::nullopt : options.max_bytes;
        options.pages = options.pages == PageKind::system_default ? std::nullopt : options.pages;
        EXPECT_EQ(options, Options{}) << option.name;
    }
}

TEST(OptionsOfTheProbe, ShortFormsAndLongFormsAreTheSame) {
    const Options expected = parsed({"--line-size", "128", "--accesses", "1000", "--stride", "1024", "--max-size", "2",
                                     "--forward", "--index", "--concurrent"});
    EXPECT_EQ(parsed({"-l", "128", "-a", "1000", "-s", "1024", "-m", "2", "-f", "-i", "-c"}), expected);
    EXPECT_EQ(parsed({"-l128", "-a1000", "-s1024", "-m2", "-fic"}), expected);
    EXPECT_EQ(parsed({"--line-size=128", "--accesses=1000", "--stride=1K", "--max-size=2M", "-cif"}), expected);
    EXPECT_EQ(expected.shape.line_bytes, 128U);
    EXPECT_EQ(expected.timing.accesses, 1000U);
    EXPECT_EQ(expected.shape.stride_bytes, 1024U);
    EXPECT_EQ(expected.max_bytes, 2U << 20U);
    EXPECT_EQ(expected.threads, 2U);
}

TEST(OptionsOfTheProbe, OfTheSecondTable) {
    const Options options =
        parsed({"-r",         "--min-size", "4K",          "--points", "8",       "-t",       "3",
                "-p",         "4",          "--cpu",       "0,2,4",    "--pages", "thp",      "--seed",
                "0",          "--warmup",   "0",           "--visits", "15",      "-a",       "999",
                "--estimate", "median",     "--precision", "2.5",      "--stats", "--cycles", "--tlb-locality",
                "2M",         "-o",         "out.csv",     "-q"});
    EXPECT_EQ(options.shape.order, Order::random);
    EXPECT_EQ(options.min_bytes, 4096U);
    EXPECT_EQ(options.points, 8U);
    EXPECT_EQ(options.threads, 3U);
    EXPECT_EQ(options.shape.parallel, 4U);
    EXPECT_EQ(options.cpus, (std::vector<int>{0, 2, 4}));
    EXPECT_EQ(options.pages, PageKind::transparent_huge);
    EXPECT_EQ(options.shape.seed, 0U);
    EXPECT_EQ(options.warmup_laps, 0U);
    EXPECT_EQ(options.timing.visits, 15U);
    EXPECT_EQ(options.timing.accesses, 999U);
    EXPECT_EQ(options.timing.estimate, Estimate::median);
    EXPECT_EQ(options.timing.precision_percent, 2.5);
    EXPECT_EQ(options.shape.tlb_locality_bytes, 2U << 20U);
    EXPECT_EQ(options.output, "out.csv");
    EXPECT_EQ(options.columns, (std::vector{ColumnGroup::stats, ColumnGroup::cycles}));
    EXPECT_TRUE(options.quiet);
}

TEST(OptionsOfTheProbe, LevelsMayBeQuietInJson) {
    EXPECT_TRUE(parsed({"--levels", "-q", "--format", "json"}).levels);
}

TEST(OptionsOfTheProbe, NodesMayRepeat) {
    EXPECT_EQ(parsed({"-t", "3", "--node", "0,0,1"}).nodes, (std::vector{0, 0, 1}));
    EXPECT_EQ(parsed({"-t", "3", "--node", "1"}).nodes, std::vector{1});
}

TEST(OptionsOfTheProbe, CountersAreAListOfWordsOrAll) {
    EXPECT_EQ(parsed({"--counters", "l1d-misses,cycles"}).counters,
              (std::vector{Counter::l1d_misses, Counter::cycles}));
    EXPECT_EQ(parsed({"--counters", "all"}).counters, all_values<Counter>());
}

struct Refused {
    Arguments arguments;
    std::vector<std::string> names; ///< that the message mentions

    friend void PrintTo(const Refused& refused, std::ostream* out) {
        for (const std::string& argument : refused.arguments)
            *out << argument << ' ';
    }
};

class RefusedOptions : public testing::TestWithParam<Refused> {};

TEST_P(RefusedOptions, AreNamedWithTheirValue) {
    const std::string message = refused(GetParam().arguments);
    for (const std::string& name : GetParam().names)
        EXPECT_TRUE(mentions(message, {name}));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, RefusedOptions,
    testing::Values(
        Refused{{"-a", "many"}, {"--accesses many"}}, Refused{{"-a", ""}, {"--accesses ''"}},
        Refused{{"-a", "-5"}, {"--accesses -5"}}, Refused{{"-a", "0"}, {"--accesses 0"}},
        Refused{{"-a", "18446744073709551616"}, {"--accesses 18446744073709551616"}},
        Refused{{"-l", "64x"}, {"--line-size 64x"}}, Refused{{"-l", "0"}, {"--line-size 0"}},
        Refused{{"-l", "4"}, {"--line-size 4: ", "multiple of 8"}}, Refused{{"-l", "60"}, {"--line-size 60"}},
        Refused{{"-s", "100"}, {"--stride 100"}}, Refused{{"-l", "1K"}, {"--stride, 512"}},
        Refused{{"-s", "2G"}, {"--max-size, 1024 MiB", "stride of 2147483648 "}},
        Refused{{"-s", "32"}, {"--stride 32"}}, Refused{{"-s", "0"}, {"--stride 0"}},
        Refused{{"-m", "-1"}, {"--max-size -1"}}, Refused{{"-m", "0"}, {"--max-size 0"}},
        Refused{{"-m", "99999999999999999999"}, {"--max-size 99999999999999999999"}},
        Refused{{"-m", "256B"}, {"--max-size 256 B", "stride of 512 "}},
        Refused{{"-m", "1", "--min-size", "2M"}, {"--max-size 1 MiB", " 2 MiB", "--min-size"}},
        Refused{{"-m", "1", "-s", "2M"}, {"--max-size 1 MiB", "stride of 2097152 "}},
        Refused{{"--min-size", "64"}, {"--min-size 64 ", " 512;", "--max-size", "64M"}},
        Refused{{"-p", "8", "--min-size", "512"}, {"--min-size 512 ", "8 strides of 512 "}},
        Refused{{"-r", "-p", "32", "--min-size", "1K"}, {"--min-size 1024 ", "32 lines of 64 ", " 2048"}},
        Refused{{"--points", "0"}, {"--points 0"}}, Refused{{"--points", "65"}, {"1 to 64"}},
        Refused{{"-t", "0"}, {"--threads 0"}}, Refused{{"-p", "33"}, {"--parallel 33"}},
        Refused{{"-r", "-f"}, {"--forward ", "--random"}}, Refused{{"-r", "-s", "512"}, {"--stride 512 ", "--random"}},
        Refused{{"--memory", "F", "--pages", "thp"}, {"--pages thp ", "--memory F"}},
        Refused{{"--memory", "F", "--node", "0"}, {"--node 0 ", "--memory F"}},
        Refused{{"--overwrite"}, {"--overwrite ", "--memory"}},
        Refused{{"-c", "-t", "2"}, {"--concurrent ", "--threads 2"}},
        Refused{{"--cpu", "0,1"}, {"--cpu 0,1 ", "2 processors", "1 thread", "--threads"}},
        Refused{{"--cpu", "0,x"}, {"--cpu 0,x"}}, Refused{{"--cpu", ""}, {"--cpu "}},
        Refused{{"--pages", "4M"}, {"--pages 4M"}},
        Refused{{"--estimate", "max"}, {"--estimate max", "min, median, mean"}},
        Refused{{"--precision", "0"}, {"--precision 0"}}, Refused{{"--visits", "0"}, {"--visits 0"}},
        Refused{{"--visits", "1001"}, {"1 to 1000"}},
        Refused{{"--visits", "2"}, {"--visits 2: ", "2 %", " min ", " 3;"}},
        Refused{{"--visits", "5", "--estimate", "median", "-a", "9", "--precision", "3"},
                {"--visits 5: ", " median ", " 6;"}},
        Refused{{"--batches", "9"}, {"--batches 9 ", "--accesses", "--precision"}},
        Refused{{"-a", "100000", "--batches", "10001"}, {"1 to 10000"}}, Refused{{"--batches", "0"}, {"--batches 0"}},
        Refused{{"--warmup", "-1"}, {"--warmup -1"}}, Refused{{"--seed", "x"}, {"--seed x"}},
        Refused{{"--tlb-locality", "2M"}, {"--tlb-locality 2 MiB ", "--random"}},
        Refused{{"-r", "--tlb-locality", "32"}, {"--tlb-locality 32"}},
        Refused{{"--levels", "-q"}, {"--levels ", "--quiet", "--format json"}}, Refused{{"-o", ""}, {"--output ''"}},
        Refused{{"--counters", "cycles,hits"}, {"--counters cycles,hits"}},
        Refused{{"--counters", ""}, {"--counters ''"}}, Refused{{"--counters", "cycles,"}, {"--counters cycles,:"}},
        Refused{{"--counters", "cycles,cycles"}, {"--counters cycles,cycles: cycles "}},
        Refused{{"--counters", "page-faults,all"}, {"--counters page-faults,all: page-faults "}},
        Refused{{"--node", "near"}, {"--node near"}},
        Refused{{"--node", "0,1"}, {"--node 0,1 ", "2 nodes", "1 thread", "--threads"}},
        Refused{{"--frobnicate"}, {"frobnicate"}}, Refused{{"-z"}, {"z"}}, Refused{{"--max"}, {"--max-size"}},
        Refused{{"--pages", "2M"}, {"--pages 2M: ", " 2m?"}}, Refused{{"--huge-pages"}, {"--pages thp"}},
        Refused{{"--json"}, {"--format json"}}, Refused{{"--numa"}, {"--node"}},
        Refused{{"--size", "64"}, {"--max-size"}}, Refused{{"--writes=50"}, {"memtest loaded --writes"}},
        Refused{{"--forw"}, {"forw"}}, Refused{{"-m"}, {"m"}}, Refused{{"64"}, {"'64'", "'memtest --help'"}},
        Refused{{"-m", "1", "--", "x"}, {"'x'", "'memtest --help'"}}, Refused{{"-f", "-f"}, {"--forward "}},
        Refused{{"-m", "1", "--max-size=1"}, {"--max-size "}}, Refused{{"--forward=yes"}, {"'--forward=yes'"}},
        Refused{{"--forward=false"}, {"'--forward=false'"}}, Refused{{""}, {"''", "'memtest --help'"}}));

TEST(OptionsOfTheProbe, WithoutAccessesAndPrecisionTheTimingGoesToTwoPercentInUpToSixteenVisits) {
    const TimingPlan timing = parsed({}).timing;
    EXPECT_EQ(timing.precision_percent, 2);
    EXPECT_EQ(timing.visits, 16U);
    EXPECT_EQ(timing.accesses, any_number_of_accesses);
    EXPECT_EQ(timing.estimate, Estimate::min);
    EXPECT_EQ(parsed({"--visits", "9", "--estimate", "mean"}).timing.visits, 9U);
    EXPECT_EQ(parsed({"--visits", "9", "--estimate", "mean"}).timing.estimate, Estimate::mean);
}

TEST(OptionsOfTheProbe, WithAccessesAloneTheTimingHasNoPrecisionAndFourVisits) {
    const TimingPlan timing = parsed({"-a", "12345"}).timing;
    EXPECT_EQ(timing.precision_percent, std::nullopt);
    EXPECT_EQ(timing.visits, 4U);
    EXPECT_EQ(timing.accesses, 12345U);
    EXPECT_EQ(timing.batches, 32U);
    const TimingPlan classic = parsed({"-a", "12345", "--visits", "1", "--batches", "9"}).timing;
    EXPECT_EQ(classic.visits, 1U);
    EXPECT_EQ(classic.batches, 9U);
}

TEST(OptionsOfTheProbe, WithAccessesAndPrecisionTheTimingHasBoth) {
    const TimingPlan timing = parsed({"-a", "12345", "--precision", "5"}).timing;
    EXPECT_EQ(timing.precision_percent, 5);
    EXPECT_EQ(timing.visits, 16U);
    EXPECT_EQ(timing.accesses, 12345U);
}

TEST(OptionsOfTheProbe, SizesNearTheLargestNumberAreReckonedWithAndRefused) {
    if (sizeof(std::size_t) < 8)
        GTEST_SKIP() << "a 32-bit target has no such sizes";
    EXPECT_TRUE(mentions(refused({"--min-size", "18446744073709551615"}), {"--max-size, 1024 MiB,"}));
    EXPECT_TRUE(
        mentions(refused({"-r", "-l", "9223372036854775816"}), {"--max-size", "1024 MiB", "9223372036854775816"}));
    EXPECT_TRUE(mentions(refused({"-r", "-p", "2", "-l", "9223372036854775808", "--tlb-locality", "4K"}),
                         {"--max-size, 1024 MiB,", "2 lines of 9223372036854775808 bytes"}));
    EXPECT_TRUE(mentions(refused({"-s", "9223372036854775808", "-p", "2", "-m", "0.01"}),
                         {"--max-size 10.24 KiB", "9223372036854775808"}));
}

TEST(OptionsOfTheProbe, VersionIsTakenWhateverElseIsMissing) {
    EXPECT_NE(line_for(probe_command, {"--version", "stray"}).given("version"), nullptr);
}

TEST(OptionsOfTheProbe, EveryWordThatIsOfferedIsTaken) {
    for (const MeasuringOption& option : probe_options()) {
        if (option.words == nullptr)
            continue;
        for (const std::string_view word : option.words())
            EXPECT_EQ(refused({"--" + std::string(option.name), std::string(word)}), "");
    }
}

TEST(SharedOption, IsTheProbesUnderTheHeadingOfTheCommand) {
    for (const MeasuringOption& own : probe_options()) {
        const auto shared = shared_option(own.name);
        EXPECT_EQ(shared.group, "Options");
        EXPECT_EQ(shared.short_name, own.short_name) << own.name;
        EXPECT_EQ(shared.name, own.name);
        EXPECT_EQ(shared.argument, own.argument) << own.name;
        EXPECT_EQ(shared.help, own.help) << own.name;
        EXPECT_EQ(shared.preset, own.preset) << own.name;
        EXPECT_EQ(shared.words, own.words) << own.name;
    }
}

TEST(SharedOption, WithWordsOfTheCommandSetsWhatTheProbesSets) {
    const auto shared = shared_option("seed", "another help", "9");
    EXPECT_EQ(shared.help, "another help");
    EXPECT_EQ(shared.preset, "9");
    Options options;
    shared.set(options, {.name = shared.name, .value = "5"});
    EXPECT_EQ(options.shape.seed, 5U);
}

TEST(ProbeHelp, NamesEveryWordThatAnOptionTakes) {
    for (const MeasuringOption& option : probe_options()) {
        if (option.words == nullptr)
            continue;
        for (const std::string_view word : option.words())
            EXPECT_TRUE(std::regex_search(std::string(option.help), std::regex("\\b" + std::string(word) + "\\b")))
                << option.name << " " << word;
    }
}

} // namespace
} // namespace memtest
