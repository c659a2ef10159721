#include "memtest/cli/measuring.hpp"

#include "memtest/report/matrix.hpp"
#include "memtest/report/sweep.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

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
            OutputFile output(path);
            MeasuredResult result(output, kind, options, {"-x"}, interrupted);
            result.begin({}, run, planned);
            EXPECT_TRUE(result.run().start.has_value());
            act(result);
            output.commit();
        }
        const std::string text = read_text(path);
        return options.quiet ? text : text.substr(text.find('\n', text.find("\n# arguments: -x\n") + 1) + 1);
    }

    static Row row_of(int thread) {
        Row row;
        row.thread = thread;
        row.size_bytes = 512;
        return row;
    }

    static ResultRow row(std::size_t number) { return nodes_row(0, static_cast<int>(number), 9); }

    Options options;
    std::atomic<bool> interrupted = false;
    const std::string path = testing::TempDir() + "memtest-result-" + std::to_string(getpid());
};

TEST_F(MeasuredResults, HaveTheirRowsInOrderAndAnEnd) {
    EXPECT_EQ(written(3,
                      [](MeasuredResult& result) {
                          result.measure_each([](std::size_t number) { return row(number); });
                          EXPECT_TRUE(result.is_whole());
                          result.end({});
                      }),
              header + "0, 0, 9.000\n0, 1, 9.000\n0, 2, 9.000\n# end: 3 of 3 rows\n");
}

TEST_F(MeasuredResults, ThatAreInterruptedKeepTheirRowsAndMeasureNoMore) {
    std::size_t asked = 0;
    const auto act = [&](MeasuredResult& result) {
        result.measure_each([&](std::size_t number) -> std::optional<ResultRow> {
            ++asked;
            interrupted = number == 1;
            return number == 1 ? std::nullopt : std::optional(row(number));
        });
        EXPECT_FALSE(result.is_whole() || result.failed());
        result.end({});
    };
    EXPECT_EQ(written(3, act), header + "0, 0, 9.000\n# end: 1 of 3 rows, interrupted\n");
    EXPECT_EQ(asked, 2U);
}

TEST_F(MeasuredResults, ThatFailKeepTheirRowsAndHandTheFailureOnOnceTheyAreClosed) {
    const auto act = [&](MeasuredResult& result) {
        result.measure_each([&](std::size_t number) -> std::optional<ResultRow> {
            if (number == 2)
                throw std::runtime_error("no");
            return row(number);
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

TEST_F(MeasuredResults, HaveTheColumnsThatTheOptionsAskFor) {
    options.quiet = options.cycles = true;
    options.counters = {Counter::page_faults};
    const auto nothing = [](MeasuredResult& result) { result.end({}); };
    EXPECT_EQ(written(0, nothing, sweep_kind), "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), "
                                               "Page faults per access\n");
}

} // namespace
} // namespace memtest
