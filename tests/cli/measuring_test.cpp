#include "memtest/cli/measuring.hpp"

#include "memtest/base/text.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/processors.hpp"
#include "support/described_run.hpp"
#include "support/fake_system.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>

namespace memtest {
namespace {

const std::string nodes_header = "Processors of node, Memory of node, Latency (ns)\n";
const std::string begun = "# second\n# last\n" + nodes_header;

/// Results of `memtest nodes`, quiet but for what is said of their end.
class MeasuredResults : public testing::Test {
protected:
    ~MeasuredResults() override { std::filesystem::remove(path); }

    /// What is written for people by a run of `planned` rows that this acts on, behind its description, and how it
    /// ended. What is for programs is in `data`.
    std::string written(std::size_t planned, const std::function<void(MeasuredResult&)>& act,
                        const Kind& kind = nodes_kind, const RunDescription& run = {}, std::size_t threads = 1) {
        {
            OutputFile output(terminal ? terminal->path() : path);
            MeasuredResult result(output, kind, options, {"-x"}, interrupted, system.files());
            result.begin({"first", "second", "last"}, run, planned, threads);
            EXPECT_TRUE(result.run().start.has_value());
            act(result);
            output.commit();
        }
        if (terminal)
            return terminal->text();
        std::string text = read_text(path);
        data = data_lines(text);
        std::string for_people;
        for (const std::string& line : lines_of(text))
            for_people += line.starts_with("# data: ") ? "" : line + "\n";
        if (options.quiet || options.format == Format::json)
            return for_people;
        const std::string begin = options.format == Format::table ? "# first\n" : "# first\n# arguments: -x\n";
        EXPECT_TRUE(for_people.starts_with(begin)) << for_people;
        return for_people.substr(begin.size()) + "end: " + end_of(text) + "\n";
    }

    /// The codes of the warnings that programs read.
    [[nodiscard]] std::vector<Code> warned() const {
        std::vector<Code> codes;
        for (const Value& line : data) {
            for (const Value& warning : line["warnings"].list())
                codes.push_back(notice_in(warning).code);
        }
        return codes;
    }

    [[nodiscard]] std::string warning_line(const Notice& notice) const {
        return notice_line("warning", notice, terminal ? sentence_of(notice) : notice.text);
    }

    static Row row_of(int thread) {
        Row row;
        row.thread = thread;
        row.size_bytes = 512;
        return row;
    }

    /// Of each processor that this process may use, in which others worked or nobody did.
    void add_ticks(int worked, int idle) const {
        std::string stat;
        for (const int processor : allowed_processors())
            stat += "cpu" + std::to_string(processor) + " " + std::to_string(worked) + " 0 0 " + std::to_string(idle) +
                    " 0 0 0 0\n";
        system.add("/proc/stat", stat);
    }

    static NodesRow row(std::size_t number) { return {0, static_cast<int>(number), 9}; }

    static void measure_rows(MeasuredResult& result, std::size_t rows) {
        result.measure([&] {
            for (std::size_t number = 0; number < rows; ++number)
                result.row(row(number));
        });
    }

    Options options;
    std::atomic<bool> interrupted = false;
    std::optional<Terminal> terminal; // where the result goes, if it does
    std::vector<Value> data;
    const Notice beware{Code::other_line_size,
                        {{"line_bytes", 128}, {"cache", "L1d"}, {"processor", 3}, {"given_bytes", 64}}};
    const Notice of_a_finding{Code::unknown, {{"text", "row 7"}}};
    FakeSystem system;
    const std::string path = testing::TempDir() + "memtest-result-" + std::to_string(getpid());
};

TEST_F(MeasuredResults, WarnOfRowsThatTheTimeCutShortAndGiveItsShareToEachPart) {
    RunDescription timed;
    timed.most_seconds = 60;
    options.most_seconds = 1e-9;
    static_cast<void>(written(
        4,
        [](MeasuredResult& result) {
            EXPECT_EQ(result.run().most_seconds, 1e-9) << "not the usual time";
            measure_rows(result, 4);
            EXPECT_TRUE(result.time_is_up()(3));
            result.end({});
        },
        nodes_kind, timed));
    EXPECT_EQ(warned(), std::vector{Code::time_was_up});
    EXPECT_EQ(data.back()["warnings"][0]["count"], 3);

    options.most_seconds.reset();
    static_cast<void>(written(
        4,
        [](MeasuredResult& result) {
            measure_rows(result, 4);
            EXPECT_TRUE(result.time_is_up(0)(0)) << "the share of a part without further rows";
            EXPECT_FALSE(result.time_is_up()(3));
            result.end({});
        },
        nodes_kind, timed));
    EXPECT_EQ(warned(), std::vector<Code>{});
}

TEST_F(MeasuredResults, HaveTheirRowsInOrderAndAnEnd) {
    EXPECT_EQ(written(3,
                      [](MeasuredResult& result) {
                          measure_rows(result, 3);
                          EXPECT_TRUE(result.is_whole());
                          result.end({});
                      }),
              begun + "0, 0, 9.000\n0, 1, 9.000\n0, 2, 9.000\nend: 3 of 3 rows\n");
}

TEST_F(MeasuredResults, OfAFileOnADiskWarnOfItOnce) {
    const std::string file = system.root() / "area";
    system.add("/area", "");
    if (!is_on_disk(file))
        GTEST_SKIP() << "the folder for temporary files is on no disk";
    RunDescription run;
    run.memory_file = file;
    const std::string text = written(
        0, [](MeasuredResult& result) { result.end({}); }, nodes_kind, run);
    EXPECT_EQ(text, "# memory file: " + file + "\n" + begun +
                        warning_line({Code::memory_file_on_disk, {{"file", file}}}) + "end: 0 of 0 rows\n");
    EXPECT_EQ(warned(), std::vector{Code::memory_file_on_disk});
    run.memory_file = "/dev/null";
    EXPECT_EQ(written(
                  0, [](MeasuredResult& result) { result.end({}); }, nodes_kind, run),
              "# memory file: /dev/null\n" + begun + "end: 0 of 0 rows\n");
}

TEST_F(MeasuredResults, ThatAreInterruptedKeepTheirRows) {
    const auto act = [&](MeasuredResult& result) {
        measure_rows(result, 1);
        interrupted = true;
        EXPECT_FALSE(result.is_whole() || result.failed());
        result.end({});
    };
    EXPECT_EQ(written(3, act), begun + "0, 0, 9.000\nend: 1 of 3 rows, interrupted\n");
}

TEST_F(MeasuredResults, ThatFailKeepTheirRowsAndHandTheFailureOnOnceTheyAreClosed) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            result.row(row(0));
            result.row(row(1));
            throw std::runtime_error("no");
        });
        EXPECT_TRUE(result.failed() && !result.is_whole());
        result.end({});
        EXPECT_THROW(result.throw_failure(), std::runtime_error);
    };
    EXPECT_EQ(written(3, act), begun + "0, 0, 9.000\n0, 1, 9.000\nend: 2 of 3 rows, interrupted\n");
}

TEST_F(MeasuredResults, ThatFailLateAreNoUsageError) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([] { throw usage_error("the clock stands still"); });
        result.end({});
        try {
            result.throw_failure();
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::failure);
            EXPECT_STREQ(error.what(), "the clock stands still");
        }
    };
    EXPECT_EQ(written(1, act), begun + "end: 0 of 1 rows, interrupted\n");
}

TEST_F(MeasuredResults, MayHaveMoreRowsThanWerePlanned) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            result.row(row(0));
            result.row(row(1));
        });
        result.end({});
    };
    EXPECT_TRUE(written(1, act).ends_with("end: 2 of 2 rows\n"));
    interrupted = true;
    EXPECT_TRUE(written(1, act).ends_with("end: 2 of 2 rows, interrupted\n")) << "tlb adds rows to its plan";
}

TEST_F(MeasuredResults, OfASweepCountSizesWhateverTheThreads) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            for (const int thread : {0, 1})
                result.row(row_of(thread));
        });
        interrupted = true;
        result.end({});
    };
    RunDescription run;
    run.threads = 2;
    EXPECT_TRUE(written(4, act, sweep_kind, run).ends_with("end: 1 of 4 sizes, interrupted\n"));
}

TEST_F(MeasuredResults, HoldTheirWarningsAndSayThemUnlessTheyAreQuiet) {
    const auto act = [&](MeasuredResult& result) {
        result.warn(beware);
        result.end({});
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(0, act), begun + warning_line(beware) + "end: 0 of 0 rows\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "memtest: warning: " + sentence_of(beware) + "\n");
    EXPECT_EQ(data.at(0)["warnings"], List{code_and_values(beware)});
    options.quiet = true;
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(0, act), nodes_header);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(MeasuredResults, SayFirstThatTheMachineIsBusy) {
    system.add("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=1\n");
    system.add("/proc/loadavg", "3.00 2.00 1.00 4/100 99\n");
    const auto act = [&](MeasuredResult& result) {
        measure_rows(result, 1);
        result.end({});
    };
    testing::internal::CaptureStderr();
    const Notice busy(Code::busy_machine);
    const std::string text = written(1, act);
    EXPECT_TRUE(holds(text, nodes_header + "0, 0, 9.000\n" + warning_line(busy))) << text;
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "memtest: warning: " + sentence_of(busy) + "\n");
    EXPECT_EQ(warned(), std::vector{Code::busy_machine});
}

TEST_F(MeasuredResults, SayAtTheEndThatOthersUsedTheProcessorsMeanwhile) {
    const Notice used(Code::others_used, {{"percent", 80}});
    add_ticks(0, 0);
    const auto act = [&](MeasuredResult& result) {
        result.row(row(0));
        add_ticks(800000, 200000);
        result.end({});
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(1, act), begun + "0, 0, 9.000\n" + warning_line(used) + "end: 1 of 1 rows\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "memtest: warning: " + sentence_of(used) + "\n");
    EXPECT_EQ(data.at(0)["warnings"][0]["percent"], 80);
}

TEST_F(MeasuredResults, WarnOfAQuotaBelowTheThreadsAndOfPeriodsInWhichItStoppedThem) {
    system.add("/proc/self/cgroup", "0::/\n");
    system.add("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    system.add("/sys/fs/cgroup/cpu.stat", "nr_throttled 3\n");
    options.quiet = true;
    const auto act = [&](MeasuredResult& result) {
        result.row(row(0));
        EXPECT_EQ(result.warn_of_others(), Notice(Code::cpu_quota, {{"processors", 0.5}, {"threads", 1}}));
        system.add("/sys/fs/cgroup/cpu.stat", "nr_throttled 10\n");
        EXPECT_EQ(result.warn_of_others(), Notice(Code::throttled, {{"periods", 7}})) << "since the run began";
        EXPECT_EQ(result.so_far().warnings.size(), 1U) << "more may follow";
        system.add("/sys/fs/cgroup/cpu.stat", "nr_throttled 12\n");
        EXPECT_EQ(result.warn_of_others(), Notice(Code::throttled, {{"periods", 2}})) << "since the last call";
        result.end({});
        const auto& warnings = result.so_far().warnings;
        ASSERT_EQ(warnings.size(), 2U);
        EXPECT_EQ(warnings.back(), Notice(Code::throttled, {{"periods", 9}})) << "of the whole run";
        EXPECT_TRUE(std::ranges::all_of(warnings, is_disturbance));
    };
    static_cast<void>(written(1, act));
    system.add("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    static_cast<void>(written(1, [](MeasuredResult& result) {
        result.row(row(0));
        result.end({});
        EXPECT_TRUE(result.so_far().warnings.empty()) << "enough for one thread, and not stopped since";
    }));
    static_cast<void>(written(
        1,
        [](MeasuredResult& result) {
            result.end({});
            EXPECT_EQ(result.so_far().warnings,
                      (std::vector{Notice(Code::cpu_quota, {{"processors", 1.0}, {"threads", 3}})}));
        },
        nodes_kind, {}, 3));
}

TEST_F(MeasuredResults, AreHeldBackByAQuotaDuringTheWholeRun) {
    system.add("/proc/self/cgroup", "0::/\n");
    system.add("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    options.quiet = true;
    add_ticks(0, 0);
    static_cast<void>(written(0, [&](MeasuredResult& result) {
        for (const int idle : {1000000, 2000000, 3000000}) {
            add_ticks(0, idle);
            EXPECT_EQ(result.warn_of_others(), Notice(Code::cpu_quota, {{"processors", 0.5}, {"threads", 1}})) << idle;
        }
        result.end({});
    }));
}

TEST_F(MeasuredResults, WarnOfOtherKindsOfCoresUnlessTheUserChose) {
    system.add("/sys/bus/event_source/devices/cpu_core/cpus", "0\n");
    system.add("/sys/bus/event_source/devices/cpu_atom/cpus", "1\n");
    const Machine machine = read_machine(system.files(), {.allowed_ids = {0, 1}});
    options.quiet = true;
    const auto warns = [&] {
        bool warned_of_kinds = false;
        static_cast<void>(written(0, [&](MeasuredResult& result) {
            result.warn_of_kinds({1}, {0}, machine);
            for (const Notice& warning : result.so_far().warnings)
                warned_of_kinds = warning.code == Code::several_kinds && warning.values.contains("load") &&
                                  warning.values["measured"][0]["name"] == "E-core";
            result.end({});
        }));
        return warned_of_kinds;
    };
    EXPECT_TRUE(warns());
    options.core_kind = "E-core";
    EXPECT_FALSE(warns());
    options.core_kind.reset();
    options.cpus = {1};
    EXPECT_FALSE(warns());
}

TEST_F(MeasuredResults, WarnOfAMemoryClockThatMovedBetweenRows) {
    const std::string clock = "/sys/class/devfreq/dmc/";
    system.add(clock + "governor", "dmc_ondemand\n");
    system.add(clock + "cur_freq", "528000000\n");
    options.quiet = true;
    static_cast<void>(written(2, [&](MeasuredResult& result) {
        EXPECT_EQ(result.so_far().run.memory_clocks, (std::vector{ScaledClock{0.528, 0.528, 0.528, "dmc_ondemand"}}));
        system.add(clock + "cur_freq", "2112000000\n");
        result.row(row(0));
        system.add(clock + "cur_freq", "528000000\n");
        result.row(row(1));
        result.end({});
        const Notice moved(Code::memory_clock_moved,
                           {{"lowest_ghz", 0.528}, {"highest_ghz", 2.112}, {"governor", "dmc_ondemand"}});
        EXPECT_EQ(result.so_far().warnings, std::vector{moved});
    }));
    static_cast<void>(written(1, [&](MeasuredResult& result) {
        result.row(row(0));
        result.end({});
        EXPECT_TRUE(result.so_far().warnings.empty()) << "it stood still";
    }));
}

TEST_F(MeasuredResults, WarnOnceOfOthersButTellEachTimeWhetherTheyUsedTheMachineSince) {
    system.add("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=1\n");
    system.add("/proc/loadavg", "3.00 2.00 1.00 4/100 99\n");
    add_ticks(0, 0);
    const auto code = [](const std::optional<Notice>& notice) { return notice.value_or(Notice()).code; };
    const auto act = [&](MeasuredResult& result) {
        EXPECT_EQ(code(result.warn_of_others()), Code::busy_machine) << "too early to tell";
        add_ticks(0, 1000000);
        EXPECT_EQ(code(result.warn_of_others()), Code::busy_machine) << "ahead of the run";
        add_ticks(0, 2000000);
        EXPECT_EQ(result.warn_of_others(), std::nullopt);
        add_ticks(800000, 2200000);
        EXPECT_EQ(result.warn_of_others(), Notice(Code::others_used, {{"percent", 80}}));
        EXPECT_EQ(code(result.warn_of_others()), Code::others_used) << "too early again";
        add_ticks(800000, 3200000);
        EXPECT_EQ(result.warn_of_others(), std::nullopt);
        add_ticks(1600000, 3400000);
        EXPECT_EQ(code(result.warn_of_others()), Code::others_used) << "once more";
        result.end({});
    };
    testing::internal::CaptureStderr();
    static_cast<void>(written(0, act));
    EXPECT_TRUE(std::ranges::none_of(data, [](const Value& line) { return holds(dumped(line), "others_used"); }));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "memtest: warning: " + sentence_of(Notice(Code::busy_machine)) + "\n")
        << "it is said that the machine is busy";
}

TEST_F(MeasuredResults, OfAVirtualMachineWarnThatItsProcessorsWereMovedDuringTheRun) {
    RunDescription run;
    run.virtual_machine = true;
    run.processors = ProcessorsUsed{.ids = {0, 1, 2, 3}, .relation = "", .not_pinned = ""};
    const auto warnings = [&](bool moves, const std::vector<int>& processors = {0, 1, 2, 3}) {
        int measured = 0;
        const auto time = [&](const TransferPlan&) { return std::optional(moves && measured++ >= 12 ? 118.0 : 25.0); };
        static_cast<void>(written(
            0,
            [&](MeasuredResult& result) {
                result.watch(processors, time);
                result.end({});
            },
            nodes_kind, run));
        return warned();
    };
    EXPECT_EQ(warnings(true), std::vector{Code::processors_moved});
    EXPECT_EQ(warnings(false), std::vector<Code>{});
    EXPECT_EQ(warnings(true, {2}), std::vector<Code>{}) << "there is no pair";
    run.virtual_machine.reset();
    EXPECT_EQ(warnings(true), std::vector<Code>{}) << "nothing moves them";
    run.virtual_machine = true;
    run.processors->not_pinned = "refused";
    EXPECT_EQ(warnings(true), std::vector<Code>{}) << "the kernel may";
}

TEST_F(MeasuredResults, SayLastHowManyDidNotSettleWhereTheseAreAFifth) {
    const auto with = [&](std::size_t unsettled) {
        return [this, unsettled](MeasuredResult& result) {
            for (std::size_t number = 0; number < 5; ++number)
                result.row(row(number), number >= unsettled);
            result.warn(beware);
            result.end({.told = true, .list = {remark(of_a_finding)}});
        };
    };
    testing::internal::CaptureStderr();
    const Notice unsettled(Code::unsettled, {{"count", 1}, {"of", 5}, {"things", "rows"}});
    EXPECT_TRUE(written(5, with(1))
                    .ends_with(notice_line("remark", of_a_finding, sentence_of(of_a_finding)) + warning_line(beware) +
                               warning_line(unsettled) + "end: 5 of 5 rows\n"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "memtest: warning: " + sentence_of(beware) + "\nmemtest: warning: " + sentence_of(unsettled) + "\n");
    EXPECT_EQ(warned(), (std::vector{Code::other_line_size, Code::unsettled}));
    EXPECT_EQ(data.back()["remarks"], List{code_and_values(of_a_finding)});
    static_cast<void>(written(5, with(0)));
    EXPECT_EQ(warned(), std::vector{Code::other_line_size});
    interrupted = true;
    static_cast<void>(written(5, with(5)));
    EXPECT_EQ(warned(), std::vector{Code::other_line_size}) << "few visits were made";
}

TEST_F(MeasuredResults, OfSeveralThreadsCountASizeOnceThatDidNotSettle) {
    const auto act = [&](MeasuredResult& result) {
        for (int number = 0; number < 4; ++number)
            result.row(row_of(number % 2), number > 1);
        result.end({});
    };
    RunDescription run;
    run.threads = 2;
    const Notice unsettled(Code::unsettled, {{"count", 1}, {"of", 2}, {"things", "sizes"}});
    EXPECT_TRUE(holds(written(2, act, sweep_kind, run), warning_line(unsettled)));
}

TEST_F(MeasuredResults, OnATerminalAreRowsToTheLetterTheFewLinesThatMatterAndTheAnswer) {
    if (terminal.emplace().path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    RunDescription run = described_run();
    run.end.reset();
    std::size_t rows = 1;
    std::string answer;
    const auto act = [&](MeasuredResult& result) {
        EXPECT_TRUE(result.has_reader());
        measure_rows(result, rows);
        result.end({.told = true, .list = {remark(of_a_finding)}}, {}, Answer{.title = "for readers"});
        Result expected{.kind = &nodes_kind, .run = run, .rows = result.so_far().rows, .remarks = {of_a_finding}};
        answer = "\n" + text_of(answer_of(expected), terminal_columns()) + "\nfor readers\n";
    };
    const std::string begin =
        "# first\n# memory file: " + *run.memory_file + "\n# pages got: " + text_of(*run.pages_got) +
        "\n# cpu: " + *run.cpu_model + "\n# core kind: P-core, E-core\n# awake: 1,3\n# machine: " + *run.machine +
        "\n# core clock: 3.500 GHz before the first row\n# last\n" + nodes_header + "0, 0, 9.000\n";
    const std::string whole = written(1, act, nodes_kind, run);
    EXPECT_EQ(whole, begin + answer);
    EXPECT_TRUE(holds(answer, "row 7")) << answer;
    interrupted = true;
    rows = 2;
    const std::string part = written(2, act, nodes_kind, run);
    EXPECT_EQ(part, begin +
                        "0, 1, 9.000\n# end: 2 of 2 rows, interrupted\n\nIncomplete: ended early, so rows or visits "
                        "may be missing." +
                        answer);
}

TEST_F(MeasuredResults, OnATerminalHaveAnAnswerOfTheirOwnIfMoreIsKnownThanTheRowsTell) {
    if (terminal.emplace().path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const std::string text = written(1, [&](MeasuredResult& result) {
        result.row(row(0));
        result.end({}, {}, {}, Answer{.table = {.rows = {{"Own"}, {"cell"}}}, .sentences = {"Own sentence."}});
    });
    EXPECT_TRUE(text.ends_with("\nOwn\ncell\nOwn sentence.\n")) << text;
}

TEST_F(MeasuredResults, HaveTheUncoreClockOfTheMomentInWhichTheyBegin) {
    OutputFile output(path);
    MeasuredResult result(output, nodes_kind, options, {}, interrupted, system.files());
    for (const auto& [which, khz] : {std::pair("min", "800000"), {"max", "2400000"}, {"current", "1600000"}})
        system.add("/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/" + std::string(which) +
                       "_freq_khz",
                   khz);
    result.begin({}, {}, 0);
    EXPECT_EQ(result.run().uncore_clocks,
              (std::vector<ScaledClock>{{.lowest_ghz = 0.8, .highest_ghz = 2.4, .current_ghz = 1.6}}))
        << "once what runs beside the measuring does";
}

TEST_F(MeasuredResults, InAFileHaveNothingForReaders) {
    const auto act = [&](MeasuredResult& result) {
        EXPECT_FALSE(result.has_reader());
        result.end({}, {}, Answer{.title = "for readers"});
    };
    EXPECT_EQ(written(0, act), begun + "end: 0 of 0 rows\n");
}

TEST_F(MeasuredResults, OnATerminalHaveNoWarningThatStandsOnItAlready) {
    if (terminal.emplace().path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const auto act = [&](MeasuredResult& result) {
        result.warn(beware);
        result.end({});
    };
    testing::internal::CaptureStderr();
    EXPECT_TRUE(holds(written(0, act), warning_line(beware))) << "standard error goes elsewhere";
    static_cast<void>(testing::internal::GetCapturedStderr());
    const Redirected standard_error(STDERR_FILENO, terminal->descriptor());
    setenv("NO_COLOR", "1", 1);
    setenv("TERM", "xterm", 1);
    options.most_seconds = 60;
    const std::string text = written(0, act);
    system.add("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=1\n");
    system.add("/proc/loadavg", "3.00 2.00 1.00 4/100 99\n");
    EXPECT_TRUE(holds(written(0, act), "\033[Ktakes 60 s, or longer: ")) << "beside other processes";
    unsetenv("NO_COLOR");
    EXPECT_TRUE(text.starts_with("\r\033[Kpreparing\r\033[Ktakes at most 60 s\n")) << text;
    EXPECT_TRUE(holds(text, "\n# first\n")) << text;
    EXPECT_TRUE(holds(text, "memtest: warning: " + sentence_of(beware).substr(0, 40))) << text;
    EXPECT_EQ(text.find("# warning["), std::string::npos) << text;
}

TEST_F(MeasuredResults, InAFileGiveTheAnswerToATerminalWhateverTheirFormat) {
    Terminal screen;
    if (screen.path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    std::string answer;
    const auto act = [&](MeasuredResult& result) {
        measure_rows(result, 1);
        result.end({});
        answer = result.answer();
    };
    EXPECT_EQ((written(1, act), answer), "") << "nobody waits";
    const Redirected standard_output(STDOUT_FILENO, screen.descriptor());
    for (const Format format : {Format::csv, Format::json, Format::table}) {
        options.format = format;
        options.quiet = false;
        static_cast<void>(written(1, act));
        EXPECT_TRUE(holds(answer, "9.0 ns")) << word_of(format);
        options.quiet = true;
        static_cast<void>(written(1, act));
        EXPECT_EQ(answer, "") << word_of(format);
    }
}

TEST_F(MeasuredResults, KeepWarningsFromStandardErrorOnlyWhereTheAnswerStandsOnTheSameTerminal) {
    Terminal screen;
    if (screen.path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const auto act = [&](MeasuredResult& result) {
        result.warn(Notice(Code::counter_unsettled));
        measure_rows(result, 1);
        result.end({});
    };
    const std::string begin = "memtest: warning: " + sentence_of(Notice(Code::counter_unsettled)).substr(0, 30);
    for (const bool is_table : {false, true}) {
        options.format = is_table ? Format::table : Format::csv;
        testing::internal::CaptureStderr();
        static_cast<void>(written(1, act));
        EXPECT_TRUE(holds(testing::internal::GetCapturedStderr(), begin)) << "without a terminal";
        const Redirected standard_output(STDOUT_FILENO, screen.descriptor());
        testing::internal::CaptureStderr();
        static_cast<void>(written(1, act));
        EXPECT_TRUE(holds(testing::internal::GetCapturedStderr(), begin)) << "messages go elsewhere";
        const Redirected standard_error(STDERR_FILENO, screen.descriptor());
        static_cast<void>(written(1, act));
        EXPECT_FALSE(holds(screen.text(), "warning: ")) << "the answer has a note";
    }
}

TEST_F(MeasuredResults, SayOnceOnATerminalThatTheMachineIsBusy) {
    const Terminal screen;
    if (screen.path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    system.add("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=1\n");
    system.add("/proc/loadavg", "3.00 2.00 1.00 4/100 99\n");
    std::string answer;
    std::string messages;
    {
        const Redirected standard_output(STDOUT_FILENO, screen.descriptor());
        const Redirected standard_error(STDERR_FILENO, screen.descriptor());
        static_cast<void>(written(1, [&](MeasuredResult& result) {
            measure_rows(result, 1);
            result.warn(beware); // of the plan: it stands before the rows
            result.end({});
            answer = result.answer();
        }));
        messages = screen.text();
    }
    EXPECT_TRUE(holds(answer, "Note: other processes")) << answer;
    EXPECT_FALSE(holds(messages, "other processes")) << messages;
    EXPECT_TRUE(holds(messages, "the system reports lines of 128")) << messages;
    EXPECT_FALSE(holds(answer, "the system reports lines")) << answer;
    EXPECT_EQ(warned(), (std::vector{Code::busy_machine, Code::other_line_size}));
}

TEST_F(MeasuredResults, AreInTheirFileBeforeTheScreenIsWrittenAndDespiteADeadOne) {
    std::optional<Terminal> screen(std::in_place);
    if (screen->path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const Redirected standard_output(STDOUT_FILENO, screen->descriptor());
    write_file(path, false, [&](OutputFile& output, ForScreen& for_screen) {
        output.write("whole");
        for_screen = {.answer = "the answer\n", .beside = ", more beside"};
        EXPECT_EQ(screen->text(), "");
    });
    EXPECT_EQ(screen->text(),
              "the answer\n" + wrapped("wrote " + path + ", more beside", terminal_columns(), "  ") + "\n");
    write_file(path, false, [&](OutputFile& output, ForScreen& for_screen) {
        output.write("another");
        for_screen.answer = "the answer\n";
        screen.reset();
    });
    EXPECT_EQ(read_text(path), "another");
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_F(MeasuredResults, ThatFailShowTheirAnswerAllTheSame) {
    const Terminal screen;
    if (screen.path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const Redirected standard_output(STDOUT_FILENO, screen.descriptor());
    options.output = path;
    testing::internal::CaptureStderr();
    EXPECT_THROW(measure_result(nodes_kind, options, {},
                                [&](MeasuredResult& result) {
                                    result.begin({}, {}, 2);
                                    result.measure([&] {
                                        result.row(row(0));
                                        throw std::runtime_error("no");
                                    });
                                    result.end({});
                                }),
                 std::runtime_error);
    EXPECT_TRUE(holds(testing::internal::GetCapturedStderr(), path + ".partial"));
    EXPECT_TRUE(screen.text().starts_with("\nIncomplete: 1 of 2 rows, interrupted.\nThere is one node: "));
    std::filesystem::remove(path + ".partial");
}

TEST_F(MeasuredResults, TellRemarksFromFindingsWhateverTheirKeys) {
    const auto act = [&](MeasuredResult& result) {
        result.end({.told = true, .list = {{.key = "no remark", .notice = beware}, remark(of_a_finding, "thread 1 ")}});
        EXPECT_EQ(result.so_far().remarks, std::vector{of_a_finding});
    };
    static_cast<void>(written(0, act));
}

TEST_F(MeasuredResults, HaveTheColumnsThatTheOptionsAskFor) {
    options.quiet = true;
    options.columns = {ColumnGroup::cycles};
    options.counters = {Counter::page_faults};
    const auto nothing = [](MeasuredResult& result) { result.end({}); };
    EXPECT_EQ(written(0, nothing, sweep_kind_with(options.counters)),
              "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), "
              "Page faults per access\n");
}

} // namespace
} // namespace memtest
