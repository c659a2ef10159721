#include "memtest/cli/measuring.hpp"

#include "memtest/machine/mapped_file.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/sweep.hpp"
#include "support/described_run.hpp"
#include "support/fake_system.hpp"
#include "support/terminal.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace memtest {
namespace {

const std::string header = "Processors of node, Memory of node, Latency (ns)\n";

/// Results of `memtest nodes`, quiet but for what is said of their end.
class MeasuredResults : public testing::Test {
protected:
    ~MeasuredResults() override { std::filesystem::remove(path); }

    /// What is written by a run of `planned` rows that this acts on, behind its description.
    std::string written(std::size_t planned, const std::function<void(MeasuredResult&)>& act,
                        const Kind& kind = nodes_kind, const RunDescription& run = {}) {
        {
            OutputFile output(terminal ? terminal->path() : path);
            MeasuredResult result(output, kind, options, {"-x"}, interrupted, system.files());
            result.begin({"first", "second", "last"}, run, planned);
            EXPECT_TRUE(result.run().start.has_value());
            act(result);
            output.commit();
        }
        const std::string text = terminal ? terminal->text() : read_text(path);
        if (terminal)
            return text;
        return options.quiet ? text : text.substr(text.find('\n', text.find("\n# arguments: -x\n") + 1) + 1);
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

    static ResultRow row(std::size_t number) { return nodes_row(0, static_cast<int>(number), 9); }

    static void measure_rows(MeasuredResult& result, std::size_t rows) {
        result.measure([&] {
            for (std::size_t number = 0; number < rows; ++number)
                result.row(row(number));
        });
    }

    Options options;
    std::atomic<bool> interrupted = false;
    std::optional<Terminal> terminal; // where the result goes, if it does
    FakeSystem system;
    const std::string path = testing::TempDir() + "memtest-result-" + std::to_string(getpid());
};

TEST_F(MeasuredResults, HaveTheirRowsInOrderAndAnEnd) {
    EXPECT_EQ(written(3,
                      [](MeasuredResult& result) {
                          measure_rows(result, 3);
                          EXPECT_TRUE(result.is_whole());
                          result.end({});
                      }),
              header + "0, 0, 9.000\n0, 1, 9.000\n0, 2, 9.000\n# end: 3 of 3 rows\n");
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
    EXPECT_EQ(text, "# memory file: " + file + "\n" + header + "# warning: " + file +
                        " is on a disk: its memory is the page cache, which is written back meanwhile; give a file on "
                        "tmpfs, hugetlbfs or DAX\n# end: 0 of 0 rows\n");
    run.memory_file = "/dev/null";
    EXPECT_EQ(written(
                  0, [](MeasuredResult& result) { result.end({}); }, nodes_kind, run),
              "# memory file: /dev/null\n" + header + "# end: 0 of 0 rows\n");
}

TEST_F(MeasuredResults, ThatAreInterruptedKeepTheirRows) {
    const auto act = [&](MeasuredResult& result) {
        measure_rows(result, 1);
        interrupted = true;
        EXPECT_FALSE(result.is_whole() || result.failed());
        result.end({});
    };
    EXPECT_EQ(written(3, act), header + "0, 0, 9.000\n# end: 1 of 3 rows, interrupted\n");
}

TEST_F(MeasuredResults, ThatFailKeepTheirRowsAndHandTheFailureOnOnceTheyAreClosed) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            result.row(row(0));
            result.row(row(1));
            throw std::runtime_error("no");
        });
        EXPECT_TRUE(result.failed() && !result.is_whole());
        EXPECT_THROW(result.end({}), std::runtime_error);
    };
    EXPECT_EQ(written(3, act), header + "0, 0, 9.000\n0, 1, 9.000\n# end: 2 of 3 rows, interrupted\n");
}

TEST_F(MeasuredResults, MayHaveMoreRowsThanWerePlanned) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            result.row(row(0));
            result.row(row(1));
        });
        result.end({});
    };
    EXPECT_TRUE(written(1, act).ends_with("# end: 2 of 2 rows\n"));
    interrupted = true;
    EXPECT_TRUE(written(1, act).ends_with("# end: 2 of 2 rows, interrupted\n")) << "a histogram has many for one";
}

TEST_F(MeasuredResults, OfASweepCountSizesWhateverTheThreads) {
    const auto act = [&](MeasuredResult& result) {
        result.measure([&] {
            for (const int thread : {0, 1})
                result.row(sweep_row(row_of(thread), {}));
        });
        interrupted = true;
        result.end({});
    };
    RunDescription run;
    run.threads = 2;
    EXPECT_TRUE(written(4, act, sweep_kind, run).ends_with("# end: 1 of 4 sizes, interrupted\n"));
}

TEST_F(MeasuredResults, HoldTheirWarningsAndSayThemUnlessTheyAreQuiet) {
    const auto act = [&](MeasuredResult& result) {
        result.warn("beware");
        result.end({});
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(0, act), header + "# warning: beware\n# end: 0 of 0 rows\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "memtest: warning: beware\n");
    options.quiet = true;
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(0, act), header);
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
    const std::string text = written(1, act);
    EXPECT_TRUE(text.starts_with(header + "# warning: other processes use the processors and disturb the figures"))
        << text;
    EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with("memtest: warning: other processes use"));
}

TEST_F(MeasuredResults, SayAtTheEndThatOthersUsedTheProcessorsMeanwhile) {
    const std::string said =
        "# warning: others used 80 % of the processors meanwhile, and disturbed the figures; measure "
        "again when the machine is quiet\n";
    add_ticks(0, 0);
    const auto act = [&](MeasuredResult& result) {
        result.row(row(0));
        add_ticks(800000, 200000);
        result.end({});
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(written(1, act), header + "0, 0, 9.000\n" + said + "# end: 1 of 1 rows\n");
    EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with("memtest: warning: others used 80 %"));
}

TEST_F(MeasuredResults, WarnOnceOfOthersButTellEachTimeWhetherTheyUsedTheMachineSince) {
    system.add("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=1\n");
    system.add("/proc/loadavg", "3.00 2.00 1.00 4/100 99\n");
    add_ticks(0, 0);
    const auto act = [&](MeasuredResult& result) {
        EXPECT_TRUE(result.warn_of_others().value_or("").starts_with("other processes use")) << "too early to tell";
        add_ticks(0, 1000000);
        EXPECT_TRUE(result.warn_of_others().value_or("").starts_with("other processes use")) << "ahead of the run";
        add_ticks(0, 2000000);
        EXPECT_EQ(result.warn_of_others(), std::nullopt);
        add_ticks(800000, 2200000);
        EXPECT_TRUE(result.warn_of_others().value_or("").starts_with("others used 80 %"));
        EXPECT_TRUE(result.warn_of_others().value_or("").starts_with("others used 80 %")) << "too early again";
        add_ticks(800000, 3200000);
        EXPECT_EQ(result.warn_of_others(), std::nullopt);
        result.end({});
    };
    testing::internal::CaptureStderr();
    const std::string text = written(0, act);
    EXPECT_EQ(text.find("others used"), std::string::npos) << "it is said that the machine is busy: " << text;
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("others used"), std::string::npos);
}

TEST_F(MeasuredResults, SayLastHowManyDidNotSettleWhereTheseAreAFifth) {
    const auto with = [&](std::size_t unsettled) {
        return [unsettled](MeasuredResult& result) {
            for (std::size_t number = 0; number < 5; ++number)
                result.row(row(number), number >= unsettled);
            result.warn("another");
            result.end({.told = true, .list = {remark("of a finding")}});
        };
    };
    testing::internal::CaptureStderr();
    EXPECT_TRUE(written(5, with(1))
                    .ends_with("# warning: another\n# warning: 1 of 5 rows did not settle; measure again "
                               "when the machine is quiet\n# remark: of a finding\n"
                               "# end: 5 of 5 rows\n"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "memtest: warning: another\nmemtest: warning: 1 of 5 rows did not "
              "settle; measure again when the machine is quiet\n");
    EXPECT_EQ(written(5, with(0)).find("settle"), std::string::npos);
    interrupted = true;
    EXPECT_EQ(written(5, with(5)).find("settle"), std::string::npos) << "few visits were made";
}

TEST_F(MeasuredResults, OfSeveralThreadsCountASizeOnceThatDidNotSettle) {
    const auto act = [&](MeasuredResult& result) {
        for (int number = 0; number < 4; ++number)
            result.row(sweep_row(row_of(number % 2), {}), number > 1);
        result.end({});
    };
    RunDescription run;
    run.threads = 2;
    EXPECT_NE(written(2, act, sweep_kind, run).find("# warning: 1 of 2 sizes did not"), std::string::npos);
}

TEST_F(MeasuredResults, OnATerminalAreRowsToTheLetterAndTheFewLinesThatMatter) {
    if (terminal.emplace().path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    RunDescription run = described_run();
    run.end.reset();
    std::size_t rows = 1;
    const auto act = [&](MeasuredResult& result) {
        EXPECT_TRUE(result.has_reader());
        measure_rows(result, rows);
        result.end({.told = true, .list = {remark("of all")}}, {.told = true, .list = {remark("for readers")}});
    };
    const std::string begin = "# first\n# memory file: " + *run.memory_file +
                              "\n# pages got: " + text_of(*run.pages_got) + "\n# cpu: " + *run.cpu_model +
                              "\n# awake: 1,3\n# last\n" + header + "0, 0, 9.000\n";
    EXPECT_EQ(written(1, act, nodes_kind, run), begin + "# remark: of all\n# remark: for readers\n");
    interrupted = true;
    rows = 2;
    EXPECT_EQ(written(2, act, nodes_kind, run), begin +
                                                    "0, 1, 9.000\n# remark: of all\n# remark: for readers\n# end: 2 "
                                                    "of 2 rows, interrupted\n");
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
              (std::vector<UncoreClock>{{.lowest_ghz = 0.8, .highest_ghz = 2.4, .current_ghz = 1.6}}))
        << "once what runs beside the measuring does";
}

TEST_F(MeasuredResults, InAFileHaveNothingForReaders) {
    const auto act = [&](MeasuredResult& result) {
        EXPECT_FALSE(result.has_reader());
        result.end({}, {.told = true, .list = {remark("for readers")}});
    };
    EXPECT_EQ(written(0, act), header + "# end: 0 of 0 rows\n");
}

TEST_F(MeasuredResults, OnATerminalHaveNoWarningThatStandsOnItAlready) {
    if (terminal.emplace().path().empty())
        GTEST_SKIP() << "no terminal can be made here";
    const auto act = [&](MeasuredResult& result) {
        result.warn("beware");
        result.end({});
    };
    const int before = dup(STDERR_FILENO);
    const int other = open("/dev/null", O_WRONLY);
    dup2(other, STDERR_FILENO);
    EXPECT_NE(written(0, act).find("# warning: beware\n"), std::string::npos) << "standard error goes elsewhere";
    const int same = open(terminal->path().c_str(), O_WRONLY | O_NOCTTY);
    dup2(same, STDERR_FILENO);
    setenv("NO_COLOR", "1", 1);
    const std::string text = written(0, act);
    unsetenv("NO_COLOR");
    dup2(before, STDERR_FILENO);
    for (const int descriptor : {before, other, same})
        close(descriptor);
    EXPECT_NE(text.find("memtest: warning: beware\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("# warning:"), std::string::npos) << text;
}

TEST_F(MeasuredResults, HaveTheColumnsThatTheOptionsAskFor) {
    options.quiet = true;
    options.columns = {ColumnGroup::cycles};
    options.counters = {Counter::page_faults};
    const auto nothing = [](MeasuredResult& result) { result.end({}); };
    EXPECT_EQ(written(0, nothing, sweep_kind), "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), "
                                               "Page faults per access\n");
}

} // namespace
} // namespace memtest
