#include "memtest/cli/options.hpp"

#include "memtest/cli/commands/commands.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using Arguments = std::vector<std::string>;

Options parsed(const Arguments& arguments) {
    return options_of_sweep(line_for(sweep_command, arguments));
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
    for (const MeasuringOption& option : sweep_options()) {
        if (option.preset.empty())
            continue;
        Options options;
        option.set(options, {std::string(option.name), std::string(option.preset)});
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
    EXPECT_NE(line_for(sweep_command, {"--version", "stray"}).given("version"), nullptr);
}

TEST(OptionsOfTheProbe, EveryWordThatIsOfferedIsTaken) {
    for (const MeasuringOption& option : sweep_options()) {
        if (option.words == nullptr)
            continue;
        for (const std::string_view word : option.words())
            EXPECT_EQ(refused({"--" + std::string(option.name), std::string(word)}), "");
    }
}

TEST(SharedOption, IsTheProbesUnderTheHeadingOfTheCommand) {
    for (const MeasuringOption& own : sweep_options()) {
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
    shared.set(options, {.name = "seed", .value = "5"});
    EXPECT_EQ(options.shape.seed, 5U);
}

TEST(ProbeHelp, NamesEveryWordThatAnOptionTakes) {
    for (const MeasuringOption& option : sweep_options()) {
        if (option.words == nullptr)
            continue;
        for (const std::string_view word : option.words())
            EXPECT_FALSE(found(std::string(option.help), "\\b" + std::string(word) + "\\b").empty())
                << option.name << " " << word;
    }
}

} // namespace
} // namespace memtest
