#include "memtest/cli/commands/report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/show/page.hpp"
#include "support/fake_machine.hpp"
#include "support/program.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/system_limit.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace memtest {
namespace {

using Words = std::vector<std::string>;

/// Cores with a last cache of 32 MiB.
class ReportPlan : public OnAFakeMachine {
protected:
    ReportPlan() {
        machine.transparent_policy = "madvise";
        set_cores(2);
    }

    void set_cores(int count) {
        std::vector<int> ids;
        for (int id = 0; id < count; ++id) {
            system.add_processor(id, 0, id, "0-" + std::to_string(count - 1));
            ids.push_back(id);
        }
        allow(ids);
    }

    std::vector<ReportStep> plan(const Words& arguments = {}) {
        return plan_report(options_of_report(line_for(report_command, arguments)), machine);
    }

    /// The arguments of a step.
    Words words(std::string_view name, const Words& arguments = {}) {
        const auto steps = plan(arguments);
        const auto step = std::ranges::find(steps, name, &ReportStep::name);
        return step == steps.end() ? Words{"no such step"} : line_with(step->options).arguments;
    }

    std::string refusal(const Words& arguments) {
        return refusal_of([&] { static_cast<void>(plan(arguments)); });
    }
};

TEST_F(ReportPlan, MeasuresAllOnOneProcessorUpToEightTimesTheLastCache) {
    machine.current = 1;
    EXPECT_EQ(words("sweep")[8], "268435456B");
    EXPECT_EQ(words("parallel32")[7], "268435456B");
    EXPECT_EQ(words("loaded"), (Words{"--loads", "6", "--cpu", "1"}));
    EXPECT_EQ(words("sweep", {"--cpu", "0"}).back(), "0");
}

TEST_F(ReportPlan, GoesToEightTimesTheLastCacheOfAnyCoreAndTo128MiBAfterSmallOnes) {
    for (const auto& [l3, bytes] : {std::pair("8192K", "134217728B"), {"266240K", "2181038080B"}}) {
        system.add_cache(0, 3, 3, "Unified", "4096K", "0");
        system.add_cache(1, 3, 3, "Unified", l3, "1");
        allow({0, 1});
        EXPECT_EQ(words("sweep")[8], bytes) << l3;
    }
}

TEST_F(ReportPlan, KeepsToTheSizeThatIsGivenOrFits) {
    EXPECT_EQ(words("sweep", {"-m", "2"})[8], "2097152B");
    EXPECT_EQ(words("tlb", {"-m", "2"}), (Words{"--max-size", "2097152B", "--cpu", "0"}));
    EXPECT_EQ(words("prefetch"), (Words{"--cpu", "0"}));
    machine.available_bytes = 108 * mib;
    EXPECT_EQ(words("sweep")[8], "104857600B");
    EXPECT_EQ(words("tlb")[1], "104857600B");
    EXPECT_TRUE(mentions(refusal({"-m", "200"}), {"--max-size 200 MiB", "1 thread ", "100 MiB"}));
}

TEST_F(ReportPlan, WalksChainsSideBySideThroughWholeLines) {
    for (const char* size : {"0.3", "0.0999", "314573B"}) {
        const Words parallel = words("parallel32", {"-m", size});
        EXPECT_EQ(parallel.at(7), parallel.at(9)) << "one size";
        EXPECT_EQ(std::stoul(parallel.at(7)) % 64, 0U) << size;
        EXPECT_EQ(refusal_of([&] { static_cast<void>(options_of_sweep(line_for(sweep_command, parallel))); }), "")
            << size;
    }
}

TEST_F(ReportPlan, WalksChainsThatTheProcessorDoesNotForesee) {
    ReportOptions options = options_of_report(line_for(report_command, {}));
    options.shape.orders = 7;
    options.shape.link = Link::index;
    for (const ReportStep& step : plan_report(options, machine)) {
        if (step.command == &sweep_command) {
            const Words first = line_with(step.options).arguments;
            EXPECT_EQ(Words(first.begin(), first.begin() + 4), (Words{"--random", "--orders", "7", "--index"}))
                << step.name;
        }
    }
}

TEST_F(ReportPlan, TakesNoSizeThatIsTooSmallForAStep) {
    EXPECT_TRUE(mentions(refusal({"-m", "0.0001"}), {"--max-size 104 B: ", " 4 KiB"}));
    EXPECT_TRUE(mentions(refusal({"-m", "4095B"}), {"--max-size 4095 B", "4 KiB"}));
    for (const ReportStep& step : plan({"-m", "4K"})) {
        if (step.command == &sweep_command) {
            EXPECT_EQ(refusal_of([&] { static_cast<void>(options_of_sweep(line_with(step.options))); }), "")
                << step.name;
        }
    }
}

TEST_F(ReportPlan, DoesWithoutBindingAndWithoutHugePages) {
    machine.pinning_refused = "Operation not permitted";
    machine.transparent_policy = "never";
    EXPECT_EQ(words("tlb"), Words{});
    EXPECT_EQ(words("cores"), Words{});
    EXPECT_EQ(words("parallel1")[5], "default");
    EXPECT_EQ(words("tail"), (Words{"--samples", "262144"})) << "nothing loads";
}

TEST_F(ReportPlan, TakesPairsOfSomeCoresWhereThereAreMany) {
    set_cores(96);
    EXPECT_EQ(words("cores")[1], "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92");
    EXPECT_NEAR(plan({"--only", "cores"}).at(0).seconds, 2 + 0.012 * 24 * 24 / 2, 1e-9);
}

TEST_F(ReportPlan, OnOneCoreWithTwoThreadsNamesNoProcessorsToPairSoThatTheCommandSaysWhatItLacks) {
    for (const int id : {0, 1})
        system.add_processor(id, 0, 0, "0-1");
    allow({0, 1});
    EXPECT_EQ(words("cores"), Words{});
    EXPECT_EQ(words("loaded").back(), "0") << "the other thread loads";
}

TEST_F(ReportPlan, HasTheStepsOfTheChosenParts) {
    const auto names = [&](const Words& arguments) {
        Words all;
        for (const ReportStep& step : plan(arguments))
            all.push_back(step.name);
        return all;
    };
    EXPECT_EQ(names({"--only", "tlb,levels"}), (Words{"sweep", "huge", "tlb"})) << "in their order";
    EXPECT_EQ(names({"--without", "levels,parallel,tlb,tail"}), (Words{"cores", "loaded", "prefetch"}));
    EXPECT_EQ(names({"--only", "parallel"}).size(), 6U);
    machine.numa_nodes = {{0, 8192 * mib}, {1, 8192 * mib}};
    EXPECT_EQ(names({"--without", "nodes"}), names({"--only", "levels,parallel,tlb,cores,loaded,tail,prefetch"}));
}

TEST_F(ReportPlan, HasAStepForEachWordThatIsOffered) {
    for (const std::string_view word : report_sections()) {
        const auto steps = plan({"--only", std::string(word)});
        EXPECT_FALSE(steps.empty()) << word;
        for (const ReportStep& step : steps)
            EXPECT_TRUE(step.lacking.empty() ? section_of_part(step.name) == word : step.name == word) << step.name;
    }
}

TEST_F(ReportPlan, HasWhatTheMachineLacksOnlyIfThatIsAskedFor) {
    for (const char* word : {"kinds", "nodes"}) {
        EXPECT_EQ(plan({"--only", word}).size(), 1U) << word;
        EXPECT_EQ(plan({"--without", word}).size(), plan().size()) << word;
    }
    EXPECT_EQ(words("nodes"), Words{"no such step"});
    const auto steps = plan({"--only", "kinds"});
    StoredFile results{.is_report = true};
    OutputFile nowhere{std::string()};
    ReportWriter writer(nowhere);
    EXPECT_TRUE(measure_steps(steps, results, writer, true));
    EXPECT_EQ(results.missing, (std::vector<MissingPart>{{"kinds", steps.front().lacking}}));
    EXPECT_EQ(part_in_words("kinds"), part_in_words("kind4"));
}

TEST_F(ReportPlan, IsACommandWithItsArgumentsForEachStepAndEstimatesItsTime) {
    machine.current = 1;
    machine.numa_nodes = {{0, 8192 * mib}, {1, 8192 * mib}};
    const std::string sweep = "memtest --random --stats --cycles --points 4 --pages ";
    const std::string up_to = " --max-size 1073741824B";
    std::vector<std::pair<std::string, double>> expected{{"sweep: " + sweep + "4k" + up_to + " --cpu 1", 19},
                                                         {"huge: " + sweep + "thp" + up_to + " --cpu 1", 19}};
    for (const std::string chains : {"1", "2", "4", "8", "16", "32"})
        expected.emplace_back("parallel" + chains + ": memtest --random --stats --parallel " + chains +
                                  " --pages thp --min-size 1073741824B" + up_to + " --cpu 1",
                              2.3);
    expected.insert(expected.end(), {{"tlb: memtest tlb --cpu 1", 4},
                                     {"cores: memtest cores --cpu 0,1", 2.024},
                                     {"loaded: memtest loaded --loads 6 --size 1073741824B --cpu 1", 6},
                                     {"tail: memtest tail --samples 262144 --load 100 --size 1073741824B --cpu 1", 6},
                                     {"nodes: memtest nodes --bandwidth --size 1073741824B", 3},
                                     {"prefetch: memtest prefetch --size 1073741824B --cpu 1", 3}});
    const double all = 2 * 19 + 6 * 2.3 + 4 + 2.024 + 6 + 6 + 3 + 3;
    const std::vector<ReportStep> steps = plan({"-m", "1024"});
    ASSERT_EQ(steps.size(), expected.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::string command = steps[i].name + ": memtest";
        if (!steps[i].command->name.empty())
            command += " " + std::string(steps[i].command->name);
        for (const std::string& word : line_with(steps[i].options).arguments)
            command += " " + word;
        EXPECT_EQ(command, expected[i].first);
        EXPECT_NEAR(steps[i].seconds, expected[i].second * 48 / all, 1e-9) << command << ", of 48 s in all";
    }
    EXPECT_NEAR(plan({"-m", "1024", "--max-time", "100"})[0].seconds, 1900 / all, 1e-9);
    EXPECT_NEAR(plan({"-m", "1024", "--only", "tlb"})[0].seconds, 4, 1e-9) << "no longer than it takes";
}

TEST_F(ReportPlan, TakesLongerForMoreMemory) {
    EXPECT_GT(plan({"-m", "1024"}).front().seconds, plan({"-m", "64"}).front().seconds);
}

TEST_F(ReportPlan, MeasuresNothingBesideAFileAndNamesNoFileTwiceUnlessItOnlyReads) {
    EXPECT_TRUE(mentions(refusal({"--without", "tlb", "--from", "f"}), {"--without", "--from"}));
    EXPECT_TRUE(mentions(refusal({"--cpu", "1", "--from", "f"}), {"--cpu", "--from"}));
    EXPECT_NE(refusal({"--from", "-", "--beside", "-"}), "");
    EXPECT_TRUE(mentions(refusal({"--beside", "a", "--beside", "b", "--beside", "a"}), {"--beside a"}));
    const auto options_with = [](const Words& words) { return options_of_report(line_for(report_command, words)); };
    EXPECT_EQ(options_with({"-o", "r.md", "--from", "r.json", "--beside", "r.json"}).from, "r.json");
    EXPECT_EQ(options_with({"-o", "-"}).output, std::nullopt);
}

/// What a step left.
struct Taken {
    bool well = false;
    StoredFile results{.is_report = true};
    StoredFile file{}; ///< of the report
};

using Act = void (*)();

/// Takes steps whose commands write the text, then do what is said of each.
Taken taken(const std::string& text, const std::vector<Act>& then) {
    static std::string written; // a command is a plain function
    static std::vector<Act> acts;
    static std::size_t next;
    written = text;
    acts = then;
    next = 0;
    const Command command{
        .operands = "ANY", .options = loaded_command.options, .run = [](const CommandLine& line) -> ExitStatus {
            line.output->write(written);
            acts.at(next++)();
            return ExitStatus::success;
        }};
    const std::vector<ReportStep> steps(then.size(), {.name = "loaded", .command = &command});
    const TextFile stored("taken", "");
    Taken result;
    {
        OutputFile output(stored.path());
        ReportWriter writer(output);
        result.well = measure_steps(steps, result.results, writer, true);
        writer.end(result.results.missing);
        output.commit();
    }
    result.file = read_file(stored.path());
    return result;
}

constexpr auto fail_for_want = [] { throw usage_error("why"); };

std::string loaded_document(const std::string& latency) {
    return R"({"schema": 3, "command": "loaded", "rows": [{"load_percent": 0, "bandwidth_gb_s": 0, "latency_ns": )" +
           latency + "}]}\n";
}

TEST(ReportStep, FailsUnlessTheMachineLacksItOrOthersHoldIt) {
    const auto is_well = [](Act act) {
        const Taken step = taken("", {act});
        EXPECT_EQ(step.results.missing, (std::vector<MissingPart>{{"loaded", "why"}}));
        EXPECT_EQ(step.file.missing, step.results.missing);
        EXPECT_TRUE(step.file.is_report && step.file.results.empty());
        return step.well;
    };
    EXPECT_TRUE(is_well(fail_for_want));
    EXPECT_TRUE(is_well([] { throw MachineBusy("why"); }));
    EXPECT_FALSE(is_well([] { throw Error("why"); }));
    EXPECT_FALSE(is_well([] { throw std::runtime_error("why"); }));
}

TEST(ReportStep, ThatFailsFailsTheReportWhereverItStands) {
    const Act succeed = [] {};
    const Act fail = [] { throw Error("why"); };
    for (const std::vector<Act>& acts : {std::vector<Act>{fail, succeed}, {succeed, fail}, {succeed, fail, succeed}}) {
        const Taken steps = taken("", acts);
        EXPECT_FALSE(steps.well);
        EXPECT_EQ(steps.results.missing.size(), acts.size()) << "all were taken";
    }
    EXPECT_TRUE(taken("", {succeed, succeed}).well);
}

TEST(ReportStep, IsInItsPlaceAndInTheFileWhetherItFailsAfterwards) {
    for (const Act act : {Act([] {}), Act(fail_for_want)}) {
        const Taken step = taken(loaded_document("80"), {act});
        EXPECT_TRUE(step.well);
        ASSERT_EQ(step.results.results.size(), 1U);
        EXPECT_EQ(step.results.results[0].part, "loaded");
        EXPECT_EQ(step.results.results[0].row_count(), 1U);
        ASSERT_EQ(step.file.results.size(), 1U);
        EXPECT_EQ(step.file.results[0].part, "loaded");
        EXPECT_EQ(step.file.results[0].kind, &loaded_kind);
    }
}

TEST(ReportStep, ThatFailsWithoutAFigureOrAWholeDocumentIsNowhere) {
    const std::string whole = loaded_document("80");
    for (const std::string& text : {loaded_document("null"), whole.substr(0, whole.size() - 3), std::string("{")}) {
        const Taken step = taken(text, {fail_for_want});
        EXPECT_TRUE(step.results.results.empty()) << text;
        EXPECT_TRUE(step.file.results.empty()) << text;
        EXPECT_EQ(step.file.missing, (std::vector<MissingPart>{{"loaded", "why"}}));
        EXPECT_TRUE(holds(report_page(page_of(step.results, {})), "## What is missing"));
    }
}

TEST(ReportStep, ThatDoesNotFitOnTheDiskEndsTheReportWithWhatWasWrittenBefore) {
    constexpr std::size_t most = 65'536;
    for (const std::size_t bytes : {most, most - std::filesystem::file_size(TEST_DATA "/stored/tail.json") - 200}) {
        SCOPED_TRACE(bytes); // the smaller fits, and the end of the report does not fit after it
        const TextFile stored("full.json", "");
        {
            OutputFile output(stored.path());
            ReportWriter writer(output);
            writer.part("tail", read_text(TEST_DATA "/stored/tail.json"));
            const SystemLimit limit(RLIMIT_FSIZE, most);
            EXPECT_THROW(writer.part("loaded", "{" + std::string(bytes, ' ') + "}"), Error);
            output.commit();
        }
        const StoredFile file = read_file(stored.path());
        ASSERT_EQ(file.results.size(), 1U);
        EXPECT_EQ(file.results.front().part, "tail");
        ASSERT_EQ(file.missing.size(), 1U);
        EXPECT_EQ(file.missing.front().part, "loaded");
        EXPECT_TRUE(mentions(file.missing.front().reason, {stored.path()}));
    }
}

/// The steps that are said to be missing are those that this machine does not offer.
void expect_missing_only_what_takes_others(const std::string& page) {
    const std::size_t missing = page.find("\n## What is missing\n");
    if (missing == std::string::npos)
        return;
    for (const std::string& line : lines_of(page.substr(missing))) {
        const bool is_known =
            std::ranges::any_of(std::array{"sweep with huge pages", "huge pages", "core-to-core latency",
                                           "latency under load", "latency distribution", "prefetchers", "plots"},
                                [&](const std::string& what) { return line.starts_with("- " + what); });
        EXPECT_TRUE(is_known || !line.starts_with("- ")) << line;
    }
}

TEST(ReportCommand, ShowsOtherMachinesBesideTheOneOfAFile) {
    const std::string stored = TEST_DATA "/stored/";
    const TextFile mine("mine.json", report_json({{"sweep", read_text(stored + "sweep.json")}}));
    const TextFile other("other.json", report_json({{"tail", read_text(stored + "tail.json")}}));
    const Outcome alone = run_in_shell("{} report --from " + mine.path());
    const Outcome both = run_in_shell("cp " + mine.path() + " third.json; {} report --from " + mine.path() +
                                      " --beside " + other.path() + " --beside - <third.json");
    EXPECT_EQ(both.status, 0) << both.error;
    EXPECT_FALSE(holds(alone.out, "## Beside "));
    const auto row_of = [&](const TextFile& file) {
        return "\n| " + std::filesystem::path(file.path()).stem().string() + " ";
    };
    EXPECT_TRUE(holds(both.out, "\n| standard input ")) << both.out;
    const std::size_t first = both.out.find(row_of(mine));
    ASSERT_NE(first, std::string::npos) << both.out;
    const std::size_t second = both.out.find(row_of(other), first);
    ASSERT_NE(second, std::string::npos) << both.out;
}

TEST(ReportCommand, TellsMachinesWhoseFilesHaveTheSameNameApartByTheirFolders) {
    const TextFile file("tail.json", report_json({{"tail", read_text(TEST_DATA "/stored/tail.json")}}));
    const Outcome run = run_in_shell("mkdir a b; cp " + file.path() + " a/r.json; cp a/r.json b/r.json; " +
                                     "{} report --from a/r.json --beside b/r.json --beside " + file.path());
    EXPECT_TRUE(holds(run.out, "\n| a/r.json ") && holds(run.out, "\n| b/r.json ")) << run.out << run.error;
    EXPECT_FALSE(holds(run.out, "\n| /")) << "no other has its name: " << run.out;
}

TEST(ReportCommand, RefusesAPageInPlaceOfItsResults) {
    const TextFile page("page.html", "<!DOCTYPE html>\n");
    const Outcome run = run_in_shell("{} report --from " + page.path());
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(mentions(run.error, {page.path(), "JSON"}));
}

TEST(ReportCommand, WritesItsResultsOverNoReportThatItShows) {
    const Outcome run = run_in_shell("echo kept >r.json; {} report -m 0.2 -o r.md --beside ./r.json; cat r.json; ls");
    EXPECT_EQ(run.out, "kept\nerr\nout\nr.json\n") << run.error;
    EXPECT_TRUE(mentions(run.error, {"--beside ./r.json ", "--output"})) << run.error;
}

TEST(ReportCommand, APartWithoutAFigureCostsNoOther) {
    const TextFile file(
        "r.json",
        report_json({{"sweep", R"({"schema": 3, "rows": [{"thread": 0, "size_mib": 1, "latency_ns": null}]})"},
                     {"loaded", loaded_document("80")}}));
    const Outcome run = run_in_shell("{} report -o r.md --from " + file.path() + "; cat r.md");
    EXPECT_TRUE(holds(run.out, "\n## Latency under load\n")) << run.out << run.error;
}

TEST(ReportCommand, APageThatLacksAPlotThatWasDrawnEndsAsAFailureThatNamesIt) {
    const TextFile file("stored.json", report_json({{"loaded", loaded_document(R"(80}, {"load_percent": 50,
                                                    "bandwidth_gb_s": 8, "latency_ns": 90}, {"load_percent": 100,
                                                    "bandwidth_gb_s": 9, "latency_ns": 120)")}}));
    const std::string gnuplot = with_gnuplot("cat >/dev/null; echo x");
    const Outcome well = run_in_shell(gnuplot + "{} report -o r.md --from " + file.path() + "; ls");
    ASSERT_TRUE(holds(well.out, "r.loaded.svg")) << well.out << well.error;
    EXPECT_EQ(well.error, "");
    const Outcome lacking = run_in_shell(gnuplot + "mkdir r.loaded.svg; {} report -o r.md --from " + file.path() +
                                         "; echo status $?; cat r.md");
    EXPECT_TRUE(holds(lacking.out, "status 1\n")) << lacking.out;
    EXPECT_TRUE(holds(lacking.out, "plots: ")) << lacking.out;
    EXPECT_TRUE(mentions(lacking.error, {"r.md"})) << lacking.error;
    EXPECT_EQ(lines_of(lacking.error).size(), 1U) << lacking.error;
}

// The one test that measures every part.
TEST(ReportCommand, WritesThePageAndAFileThatGivesTheSamePageAndItsPartsToTheOtherCommands) {
    const Outcome run = run_in_shell(
        "mkdir a b; {} report -m 0.2 --max-time 2 -o \"a/a page.md\" && cat \"a/a page.md\" && cp a/*.json . && ls a "
        "&& "
        "{} report --from \"a page.json\" -o \"b/a page.md\" && rm a/*.json && diff -r a b && "
        "{} report --from - < \"a page.json\" > page && ! grep -F \"![\" page && {} levels \"a page.json\" > levels && "
        "{} levels --part sweep \"a page.json\" \"a page.json\" > levels && "
        "{} plot --part parallel1 \"a page.json\" > plot && "
        "{ sed -n \"/\\\"cores\\\": {/,/\\\"loaded\\\": {/p\" \"a page.json\" | grep -c low_ns || true; }");
    ASSERT_EQ(run.status, 0) << run.error << run.out;
    EXPECT_EQ(run.error.find("memtest: error"), std::string::npos) << run.error;
    EXPECT_TRUE(run.out.starts_with("# Memory of ")) << run.out;
    for (const char* part : {"\n## Levels\n", "\n## Memory-level parallelism\n", "\n| 32 ", "\na page.json\n"})
        EXPECT_TRUE(holds(run.out, part)) << part << run.out;
    EXPECT_FALSE(holds(run.out, ".partial"));
    EXPECT_EQ(holds(run.out, "![Memory access latency](<a page.sweep.svg>)"), holds(run.out, "\na page.sweep.svg\n"));
    EXPECT_EQ(holds(run.out, "\na page.cores.svg\n"),
              holds(run.out, "\na page.sweep.svg\n") && parse_number<int>(lines_of(run.out).back()).value_or(0) > 1)
        << "one pair is no map: " << run.out;
    expect_missing_only_what_takes_others(run.out);
    const bool has_two = allowed_processors().size() > 1 && !refusal_to_pin();
    const bool gave_up = holds(run.out, "; wait, or "); // on a busy machine
    EXPECT_EQ(holds(run.out, "\n## Latency under load\n") || gave_up, has_two)
        << "steps before it leave all processors: " << run.out;
}

/// Measures a part as quickly as any.
const std::string measure_little = "{} report -m 4K --only parallel ";

/// A report as it is stored, with parts that are drawn.
std::string stored_report() {
    return report_json(
        {{"sweep", read_text(TEST_DATA "/stored/sweep.json")}, {"tail", read_text(TEST_DATA "/stored/tail.json")}});
}

TEST(ReportCommand, WritesOneFileOfHtmlThatIsTheSameFromTheStoredResults) {
    const Outcome run = run_in_shell("mkdir a b; " + measure_little +
                                     "-o a/p.html && ls a && "
                                     "{} report --from a/p.json -o b/p.html && cmp a/p.html b/p.html && cat b/p.html");
    ASSERT_EQ(run.status, 0) << run.error << run.out;
    EXPECT_TRUE(run.out.starts_with("p.html\np.json\n<!DOCTYPE html>\n")) << run.out;
    const TextFile file("r.json", stored_report());
    const Outcome drawn = run_in_shell("{} report --from " + file.path() + " -o p.html && cat p.html");
    EXPECT_EQ(holds(drawn.out, "id='sweep-gpDot'"), !holds(drawn.out, "<li>plots: ")) << drawn.out;
    EXPECT_TRUE(holds(drawn.out, "<h2>Latency distribution</h2>")) << drawn.out;
}

TEST(ReportCommand, TakesNothingInAFileForMarkupOfThePageOrItsPlots) {
    std::string document = loaded_document(R"(80}, {"load_percent": 50, "bandwidth_gb_s": 8, "latency_ns": 90},
        {"load_percent": 100, "bandwidth_gb_s": 9, "latency_ns": 95)");
    document.insert(1, R"("run": {"cpu_model": "</svg><script>&lt;'\"", "kernel": "<script>"}, )");
    const TextFile file("hostile.json", report_json({{"loaded", document}}));
    const Outcome run = run_in_shell("{} report --from " + file.path() + " -o p.html && cat p.html");
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(holds(run.out, "<h1>Memory of &#60;/svg&#62;&#60;script&#62;&#38;lt;&#39;&#34;</h1>")) << run.out;
    EXPECT_FALSE(holds(run.out, "<script")) << run.out;
    EXPECT_EQ(holds(run.out, "</svg>"), !holds(run.out, "<li>plots: ")) << run.out;
    EXPECT_EQ(run.out.find("</svg>"), run.out.rfind("</svg>")) << run.out;
}

TEST(ReportCommand, WritesHtmlWithoutAPlotThatIsNone) {
    const TextFile file("r.json", stored_report());
    const Outcome run = run_in_shell(with_gnuplot("cat >/dev/null; echo drawn") + "{} report --from " + file.path() +
                                     " -o r.html; cat r.html; ls");
    EXPECT_TRUE(holds(run.out, "<li>plots: gnuplot ")) << run.out;
    EXPECT_FALSE(holds(run.out, "drawn\n") || holds(run.out, "<svg")) << run.out;
    EXPECT_TRUE(run.out.ends_with("\nr.html\n")) << run.out;
}

TEST(ReportCommand, WritesOnlyTheFileIfThatIsAskedFor) {
    const Outcome run = run_in_shell(measure_little + "-o r.json && ls && {} report --from r.json");
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(run.out.starts_with("err\nout\nr.json\n# Memory of ")) << run.out;
}

TEST(ReportCommand, MeasuresOnlyTheChosenPartsAndMissesNoOther) {
    const Outcome run = run_in_shell("{} report -m 0.2 --only tlb,parallel -o r.md && cat r.md && "
                                     "{} levels --part sweep r.json; echo status $?");
    EXPECT_TRUE(run.out.starts_with("# Memory of ")) << run.error;
    EXPECT_TRUE(holds(run.out, "\n## Address translation\n") && holds(run.out, "\n## Memory-level parallelism\n"));
    EXPECT_FALSE(holds(run.out, "\n## Latency distribution\n") || holds(run.out, "\n## Levels")) << run.out;
    EXPECT_FALSE(holds(run.out, "\n- latency under load: ") || holds(run.out, "\n- sweep with ")) << run.out;
    EXPECT_TRUE(run.out.ends_with("status 2\n")) << run.out;
}

TEST(ReportCommand, OnATerminalListsFirstWhatItMeasuresUnlessQuiet) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const std::string measure = "TERM=xterm {} report -m 0.05 --only tlb,parallel,tail -o r.json 2> " + terminal.path();
    EXPECT_EQ(run_in_shell("TERM=xterm " + measure_little + "-o r.json --quiet 2> " + terminal.path()).status, 0);
    EXPECT_EQ(terminal.text(), "");
    EXPECT_EQ(run_in_shell(measure).status, 0);
    const std::string text = terminal.text();
    const std::vector<std::string> list = lines_of(text.substr(0, text.find('\r')));
    ASSERT_EQ(list.size(), 5U) << "six steps of one part are one line: " << text;
    EXPECT_TRUE(list[1].starts_with(part_in_words("parallel1")) && list[2].starts_with(part_in_words("tlb"))) << text;
    for (std::size_t line = 1; line < list.size(); ++line)
        EXPECT_TRUE(list[line].ends_with(" s")) << list[line];
    const auto seconds_left = [&](const std::string& step) { // more of them beside other processes
        const std::string before = step + "; at most ";
        const std::size_t at = text.find(before);
        return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + before.size());
    };
    EXPECT_GE(seconds_left("step 7 of 8: " + part_in_words("tlb")), 17) << text;
    EXPECT_GE(seconds_left("step 8 of 8: " + part_in_words("tail")), 10) << text;
}

TEST(ReportCommand, WithoutAFileLeavesNothingButThePage) {
    const Outcome run = run_in_shell(measure_little + "&& ls");
    ASSERT_EQ(run.status, 0) << run.error;
    EXPECT_TRUE(run.out.starts_with("# Memory of ")) << run.out;
    EXPECT_TRUE(run.out.ends_with("\nerr\nout\n")) << run.out;
}

TEST(ReportCommand, OnOneProcessorSaysInTwoLinesWhatTakesTwo) {
    const Outcome run = run_in_shell("taskset -c 0 {} report -m 4K --only parallel,cores,loaded");
    if (run.status == 127)
        GTEST_SKIP() << "taskset is not installed";
    ASSERT_EQ(run.status, 0) << run.error;
    const std::size_t missing = run.out.find("\n## What is missing\n");
    ASSERT_NE(missing, std::string::npos) << run.out;
    EXPECT_TRUE(mentions(run.out.substr(missing), {": memtest cores ", ": memtest loaded "}));
}

/// Interrupts a report as soon as its file has a part.
std::string interrupted_report(const std::string& words) {
    return signalled(words, "TERM", "grep -qs parallel1 r.json.partial");
}

TEST(ReportCommand, WhenInterruptedKeepsCompletePartsAndSaysWhatIsMissing) {
    const Outcome run =
        run_in_shell("echo old > r.md; echo old > r.json; " + interrupted_report("report -m 0.05 -o r.md") +
                     "; echo status $?; cat r.md r.json r.md.partial; {} levels r.json.partial > levels; echo $?; "
                     "{} report --from r.json.partial | diff - r.md.partial; ls");
    EXPECT_TRUE(run.out.starts_with("status 143\nold\nold\n# Memory of ")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n## Levels\n")) << run.out;
    EXPECT_TRUE(holds(run.out, ", latency distribution, prefetchers: interrupted\n")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n0\nerr\n")) << run.out;
    EXPECT_TRUE(mentions(run.error, {" r.json.partial\n", "memtest: warning: ", " r.md.partial\n"})) << run.error;
}

TEST(ReportCommand, RefusesAsTruncatedWhatAKilledReportLeaves) {
    const TextFile stored("killed.json", "");
    OutputFile output(stored.path());
    ReportWriter writer(output);
    writer.part("tail", read_text(TEST_DATA "/stored/tail.json"));
    const Outcome run = run_in_shell("grep -c p99 " + stored.path() + ".partial; {} report --from " + stored.path() +
                                     ".partial; echo $?");
    EXPECT_TRUE(holds(run.out, "\n2\n")) << run.out;
    EXPECT_FALSE(run.out.starts_with("0")) << "a part is in the file as soon as it is there";
    EXPECT_TRUE(mentions(run.error, {"memtest: " + stored.path() + ".", "truncated"})) << run.error;
}

TEST(ReportCommand, OneSignalEndsAGnuplotThatHangsAndThePageIsWritten) {
    const TextFile file("r.json", stored_report());
    const Outcome run =
        run_in_shell(with_gnuplot("echo \\$\\$ > gnuplot.id; exec sleep 1000") +
                     signalled("report --from " + file.path() + " -o r.md", "TERM", "[ -s gnuplot.id ]") +
                     "; echo status $?; ps -o stat= -p $(cat gnuplot.id) | grep -v Z; ls; cat r.md.partial");
    EXPECT_TRUE(run.out.starts_with("status 143\nbin\nerr\ngnuplot.id\nout\nr.md.partial\n# Memory of ")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n- plots: ")) << run.out;
    EXPECT_FALSE(holds(run.out, "![")) << run.out;
}

TEST(ReportCommand, EndsWhereNobodyReadsItsPage) {
    const Outcome run = run_in_shell("mkfifo f; : <f & exec 3>f; wait; " + measure_little + ">&3; echo status $?");
    EXPECT_EQ(run.out, "status 141\n");
}

TEST(ReportCommand, FailsWithWhatItHasWhereItsFileCannotGrow) {
    const Outcome run = run_in_shell("ulimit -S -f 40; " + measure_little +
                                     "-o r.md; echo status $?; ls; "
                                     "ulimit -S -f unlimited; {} report --from r.json.partial");
    EXPECT_TRUE(run.out.starts_with("status 1\nerr\nout\nr.json.partial\n# Memory of ")) << run.out;
    EXPECT_TRUE(holds(run.out, "\n- parallel chains: cannot write to r.json: ")) << run.out;
    EXPECT_TRUE(mentions(run.error, {" r.json.partial", " r.json: "})) << run.error;
}

TEST(ReportCommand, APlotThatFailsCostsNoOther) {
    const TextFile file("r.json", stored_report());
    const Outcome run = run_in_shell(with_gnuplot("cat >/dev/null; mkdir first 2>/dev/null && exit 1; echo drawn") +
                                     "{} report --from " + file.path() + " -o r.md; cat r.md");
    EXPECT_TRUE(holds(run.out, "\n- plots: gnuplot ")) << run.out;
    EXPECT_FALSE(holds(run.out, "(<r.sweep.svg>)")) << run.out;
    EXPECT_TRUE(holds(run.out, "(<r.tail.svg>)")) << run.out;
}

TEST(ReportCommand, IntoAFileShowsTheSentencesOfThePageOnATerminal) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const TextFile file("r.json", stored_report());
    const Outcome run =
        run_in_shell("{} report --from " + file.path() + " -o r.md > " + terminal.path() + " && cat r.md");
    ASSERT_EQ(run.status, 0) << run.error;
    const auto lines = lines_of(terminal.text());
    ASSERT_GT(lines.size(), 1U);
    EXPECT_TRUE(holds(run.out, "\n" + lines.front())) << "the page has it in one line: " << lines.front();
    EXPECT_TRUE(lines.back().starts_with("wrote r.md")) << lines.back();
    for (const std::string& line : lines)
        EXPECT_LE(line.size(), 80U) << line;
    ASSERT_EQ(run_in_shell(measure_little + "-o r.md > " + terminal.path()).status, 0);
    EXPECT_EQ(lines_of(terminal.text()).back(), "wrote r.md, results in r.json");
}

TEST(ReportCommand, OnATerminalPrintsLinesThatFitAndHowToKeepThePage) {
    const Terminal terminal;
    if (terminal.path().empty())
        GTEST_SKIP() << "the system gives no terminal";
    const TextFile file("r.json", stored_report());
    for (const std::string& words : {"{} report --from " + file.path(), measure_little}) {
        const Outcome run = run_in_shell(words + " > " + terminal.path());
        ASSERT_EQ(run.status, 0) << run.error;
        const std::string text = terminal.text();
        const bool is_stored = words != measure_little;
        EXPECT_TRUE(text.starts_with("Memory of ")) << text;
        EXPECT_TRUE(holds(text, "\nSummary\n") || !is_stored) << "of one part there may be none: " << text;
        EXPECT_EQ(holds(lines_of(text).back(), "-o FILE.html"), !is_stored) << "it is kept already: " << text;
        EXPECT_FALSE(holds(text, "| L1 ")) << text;
        for (const std::string& line : lines_of(text))
            EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(ReportCommand, RefusesBeforeItMeasures) {
    const Outcome nowhere = run_in_shell("{} report -m 4K -o nowhere/r.md");
    EXPECT_EQ(nowhere.status, 1);
    EXPECT_TRUE(mentions(nowhere.error, {"nowhere/r.md: "}));
    const Outcome raw = run_in_shell("mkdir r.json; {} report -m 4K -o r.md; ls");
    EXPECT_EQ(raw.out, "err\nout\nr.json\n");
    EXPECT_TRUE(mentions(raw.error, {"r.json: "}));
}

} // namespace
} // namespace memtest
