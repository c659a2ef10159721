#include "memtest/report/sweep_file.hpp"

#include "memtest/base/error.hpp"
#include "support/refusal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

constexpr std::string_view header = "Thread, Mem size (MiB), Access latency (ns)\n";

StoredSweep read(const std::string& text) {
    std::istringstream in(text);
    return read_sweep(in, "sweep.csv");
}

StoredSweep read_with_header(const std::string& rows) {
    return read(std::string(header) + rows);
}

/// The message with which the text is refused as a usage error; empty when it is read.
std::string refusal(const std::string& text) {
    return refusal_of([&] { static_cast<void>(read(text)); });
}

std::string refusal_of_row(const std::string& row) {
    return refusal(std::string(header) + row);
}

TEST(SweepFile, AFullSweepIsReadColumnByColumn) {
    const StoredSweep sweep =
        read("# memtest 1.0.0: random pointer-based scan on one thread\n"
             "# Cache line size 64 B, max memory size 64 MiB\n"
             "# order: random\n"
             "# pages got: 4 KiB\n"
             "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), Min (ns), Median (ns), Mean (ns), "
             "Spread (%), Visits (%), Visits, Batches, Notes, L1 misses per access\n"
             "0, 0.00049, 1.084, 4.01, 1.083, 1.090, 1.101, 3.2, 1.0, 4, 32, preempted migrated, 0.001\n"
             "1, 0.00049, 1.085, , , , , , , , , , \n"
             "# end: 1 of 1 sizes\n");

    EXPECT_EQ(sweep.name, "sweep.csv");
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.run.pages_got, (std::vector<PagesGot>{{.page_bytes = 4096}}));
    EXPECT_EQ(sweep.run.end, (RunEnd{1, 1}));
    EXPECT_EQ(sweep.run.stride_bytes, std::nullopt);
    EXPECT_EQ(sweep.threads(), (std::vector<int>{0, 1}));

    ASSERT_EQ(sweep.rows.size(), 2U);
    const StoredRow& full = sweep.rows[0];
    EXPECT_EQ(full.thread, 0);
    EXPECT_DOUBLE_EQ(full.size_bytes, 512);
    EXPECT_EQ(full.latency_ns, 1.084);
    EXPECT_EQ(full.cycles, 4.01);
    EXPECT_EQ(full.min_ns, 1.083);
    EXPECT_EQ(full.median_ns, 1.090);
    EXPECT_EQ(full.mean_ns, 1.101);
    EXPECT_EQ(full.spread_percent, 3.2);
    EXPECT_EQ(full.batches, 32U);
    EXPECT_EQ(full.visits_percent, 1.0);
    EXPECT_EQ(full.visits, 4U);
    EXPECT_EQ(full.notes, (std::vector{Note::preempted, Note::migrated}));

    const StoredRow& sparse = sweep.rows[1];
    EXPECT_EQ(sparse.thread, 1);
    EXPECT_EQ(sparse.latency_ns, 1.085);
    EXPECT_EQ(sparse.cycles, std::nullopt);
    EXPECT_EQ(sparse.spread_percent, std::nullopt);
    EXPECT_EQ(sparse.batches, std::nullopt);
    EXPECT_EQ(sparse.visits, std::nullopt);
    EXPECT_TRUE(sparse.notes.empty());
}

TEST(SweepFile, TheSpreadBetweenMappingsOfOlderFilesIsThatBetweenVisits) {
    const StoredSweep sweep =
        read("Thread, Mem size (MiB), Access latency (ns), Min (ns), Median (ns), Mean (ns), Spread (%), Batches, "
             "Placement (%), Notes\n"
             "0, 0.00049, 1.084, 1.083, 1.090, 1.101, 3.2, 32, 1.5, single\n");
    EXPECT_EQ(sweep.rows.at(0).visits_percent, 1.5);
    EXPECT_EQ(sweep.rows.at(0).batches, 32U);
    EXPECT_EQ(sweep.rows.at(0).visits, std::nullopt);
}

TEST(SweepFile, AColumnThatIsNotThereIsNotKnown) {
    const StoredSweep sweep = read("Thread, Mem size (MiB), Access latency (ns), Spread (%)\n0, 1.00000, 5.000, 3.2\n");
    EXPECT_EQ(sweep.rows.at(0).spread_percent, 3.2);
    EXPECT_EQ(sweep.rows.at(0).cycles, std::nullopt);
    EXPECT_EQ(sweep.rows.at(0).visits_percent, std::nullopt);
}

TEST(SweepFile, ALatencyThatIsNotKnownIsAnEmptyField) {
    const StoredSweep sweep = read_with_header("0, 1.00000, \n");
    ASSERT_EQ(sweep.rows.size(), 1U);
    EXPECT_EQ(sweep.rows[0].latency_ns, std::nullopt);
}

TEST(SweepFile, TheClassicToolsFilesAreRead) {
    const std::string rows = "0, 0.00049, 1.605\n\n0, 0.00098, 1.606\n";
    const std::string remarks = "# Memory latency test\n# Cache line size 64 B\n\n#\n#order: x\n";
    std::string with_header(header);
    with_header += rows;
    for (const std::string& text : {rows, with_header, remarks + rows, remarks + with_header}) {
        const StoredSweep sweep = read(text);
        ASSERT_EQ(sweep.rows.size(), 2U) << text;
        EXPECT_EQ(sweep.rows[1].latency_ns, 1.606);
        EXPECT_EQ(sweep.run, RunDescription{}) << text;
        EXPECT_EQ(why_incomplete(sweep), std::nullopt) << text;
    }
}

TEST(SweepFile, LineEndsMayBeOfAnyKind) {
    const StoredSweep sweep =
        read("# order: random\r\nThread, Mem size (MiB), Access latency (ns)\r\n0, 1.00000, 5.000\r\n0, 2.00000, "
             "6.000\n");
    EXPECT_EQ(sweep.run.order, Order::random);
    ASSERT_EQ(sweep.rows.size(), 2U);
    EXPECT_EQ(sweep.rows[0].latency_ns, 5.0);
    EXPECT_EQ(sweep.rows[1].latency_ns, 6.0);
    EXPECT_FALSE(sweep.cut);
}

TEST(SweepFile, ALastLineWithoutItsEndIsCutAndNotRead) {
    for (const std::string last : {"0, 2.00000, 6", "0, 2.0", "0", "# end: 41 of 41 sizes"}) {
        const StoredSweep sweep = read_with_header("0, 1.00000, 5.000\n" + last);
        EXPECT_EQ(sweep.rows.size(), 1U) << last;
        EXPECT_TRUE(sweep.cut) << last;
        EXPECT_EQ(why_incomplete(sweep), "is cut: its last line has no end") << last;
    }
}

TEST(SweepFile, SaysWhetherItsRunCameToItsEnd) {
    const std::string rows = "0, 1.00000, 5.000\n";
    EXPECT_EQ(why_incomplete(read("# version: 1.0.0\n" + rows + "# end: 41 of 41 sizes\n")), std::nullopt);
    EXPECT_EQ(why_incomplete(read("# version: 1.0.0\n" + rows + "# end: 20 of 41 sizes\n")), "has 20 of 41 sizes");
    EXPECT_EQ(why_incomplete(read("# version: 1.0.0\n" + rows + "# end: 41 of 41 sizes, interrupted\n")),
              "has 41 of 41 sizes: its run was interrupted or failed");
    EXPECT_EQ(why_incomplete(read("# version: 1.0.0\n" + rows)), "does not say how its run ended");
}

TEST(SweepFile, KeepsTheWarnings) {
    const StoredSweep sweep = read("# warning: the clock moved\n0, 1.00000, 5.000\n# warning: and: again\n");
    EXPECT_EQ(sweep.remarks, (std::vector<std::string>{"the clock moved", "and: again"}));
}

TEST(SweepFile, ASettingWhoseValueIsNotKnownIsRefused) {
    EXPECT_EQ(refusal("# order: zigzag\n0, 1.0, 5.0\n"), "sweep.csv:1: order is `zigzag`, which is not known");
    EXPECT_EQ(refusal("# core clock: fast\n# whatever: x\n0, 1.0, 5.0\n"), "");
}

TEST(SweepFile, ShuffledRowsAndRepeatedSizesAreKeptInTheOrderOfTheFile) {
    const StoredSweep sweep = read_with_header("1, 2.0, 6.0\n0, 1.0, 5.0\n0, 1.0, 5.1\n");
    ASSERT_EQ(sweep.rows.size(), 3U);
    EXPECT_EQ(sweep.rows[0].size_bytes, 2.0 * 1024 * 1024);
    EXPECT_EQ(sweep.rows[1].latency_ns, 5.0);
    EXPECT_EQ(sweep.rows[2].latency_ns, 5.1);
    EXPECT_EQ(sweep.threads(), (std::vector<int>{0, 1}));
}

TEST(SweepFile, OneRowIsASweep) {
    EXPECT_EQ(read("0, 1.00000, 5.000\n").rows.size(), 1U);
}

TEST(SweepFile, AFileWithoutRowsIsRefused) {
    EXPECT_EQ(refusal(""), "sweep.csv: holds no rows");
    EXPECT_EQ(refusal("\n\n# order: random\n"), "sweep.csv: holds no rows");
    EXPECT_EQ(refusal(std::string(header)), "sweep.csv: holds no rows");
    EXPECT_EQ(refusal("0, 1.00000, 5.000"), "sweep.csv: holds no whole rows");
}

TEST(SweepFile, AMissingColumnIsNamed) {
    EXPECT_EQ(refusal("Thread, Mem size (MiB)\n0, 1.0\n"),
              "sweep.csv:1: `Thread` is no header of a sweep: it lacks the column `Access latency (ns)`");
    EXPECT_EQ(refusal("# order: random\nMem size (MiB), Access latency (ns)\n1.0, 5.0\n"),
              "sweep.csv:2: `Mem size (MiB)` is no header of a sweep: it lacks the column `Thread`");
    EXPECT_EQ(refusal_of_row("0, 1.0\n"), "sweep.csv:2: there should be 3 columns, but there are 2");
    EXPECT_EQ(refusal_of_row("0, 1.0, 5.0, 7\n"), "sweep.csv:2: there should be 3 columns, but there are 4");
    EXPECT_EQ(refusal("0, 1.0\n"), "sweep.csv:1: there should be 3 columns, but there are 2");
}

TEST(SweepFile, FieldsThatAreNoFiguresAreRefusedWithTheirLine) {
    EXPECT_EQ(refusal_of_row("0, 1.0, nan\n"),
              "sweep.csv:2: Access latency (ns) is `nan`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1.0, 5.0\n0, 2.0, -5.0\n"),
              "sweep.csv:3: Access latency (ns) is `-5.0`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1.0, 0.000\n"),
              "sweep.csv:2: Access latency (ns) is `0.000`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1.0, inf\n"),
              "sweep.csv:2: Access latency (ns) is `inf`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1.0, 1e999\n"),
              "sweep.csv:2: Access latency (ns) is `1e999`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1.0, 5.0x\n"),
              "sweep.csv:2: Access latency (ns) is `5.0x`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, , 5.0\n"), "sweep.csv:2: Mem size (MiB) is ``, not the size of a memory");
    EXPECT_EQ(refusal_of_row("0, 0, 5.0\n"), "sweep.csv:2: Mem size (MiB) is `0`, not the size of a memory");
    EXPECT_EQ(refusal_of_row("0, 1e20, 5.0\n"), "sweep.csv:2: Mem size (MiB) is `1e20`, not the size of a memory");
    EXPECT_EQ(refusal_of_row("-1, 1.0, 5.0\n"), "sweep.csv:2: Thread is `-1`, not the number of a thread");
    EXPECT_EQ(refusal_of_row("0.5, 1.0, 5.0\n"), "sweep.csv:2: Thread is `0.5`, not the number of a thread");
    EXPECT_EQ(refusal_of_row("99999999999, 1.0, 5.0\n"),
              "sweep.csv:2: Thread is `99999999999`, not the number of a thread");
}

TEST(SweepFile, OptionalFieldsAreCheckedToo) {
    const std::string wide = "Thread, Mem size (MiB), Access latency (ns), Spread (%), Batches\n";
    EXPECT_EQ(refusal(wide + "0, 1.0, 5.0, 0.0, 32\n"), "");
    EXPECT_EQ(refusal(wide + "0, 1.0, 5.0, -1, 32\n"), "sweep.csv:2: Spread (%) is `-1`, not a number from 0 to 1e+06");
    EXPECT_EQ(refusal(wide + "0, 1.0, 5.0, 1, 3.2\n"), "sweep.csv:2: Batches is `3.2`, not a count");
}

TEST(SweepFile, BinaryGarbageIsRefusedInOnePrintableLine) {
    const std::string garbage("\x7f"
                              "ELF\x02\x01\0\x9b[2J,\n,",
                              14);
    EXPECT_EQ(refusal(garbage), "sweep.csv:1: `?ELF????[2J` is no header of a sweep: it lacks the column `Thread`");
    EXPECT_EQ(refusal("0, 1.0, " + std::string(100, '\x01') + "\n"), "sweep.csv:1: Access latency (ns) is `" +
                                                                         std::string(40, '?') +
                                                                         "...`, not a number from 0.001 to 1e+12");
}

TEST(SweepFile, ALineWithoutEndIsRefusedRatherThanReadIntoMemory) {
    EXPECT_EQ(refusal("0, 1.0, 5.0\n" + std::string(1 << 20, '0')), "sweep.csv:2: the line is too long for a sweep");
    EXPECT_EQ(refusal("# cpus: " + std::string(60000, '1') + "\n0, 1.0, 5.0\n"), "");
}

TEST(SweepFile, AByteOrderMarkIsSkipped) {
    const StoredSweep sweep = read("\xef\xbb\xbf# order: random\n0, 1.0, 5.0\n");
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.rows.size(), 1U);
}

TEST(SweepFile, Utf16AndDecimalCommasAreNamed) {
    const std::string advice = "sweep.csv: is UTF-16; make it UTF-8 with iconv -f UTF-16 -t UTF-8";
    EXPECT_EQ(refusal(std::string("\xff\xfe#\0 \0", 6)), advice);
    EXPECT_EQ(refusal(std::string("\xfe\xff\0#\0 ", 6)), advice);
    EXPECT_EQ(refusal("0, 0,00049, 1,605\n"), "sweep.csv:1: `0, 0,00049, 1,605`: decimals take a point, not a comma");
    EXPECT_EQ(refusal_of_row("0, 1.00000, 1,605\n"),
              "sweep.csv:2: `0, 1.00000, 1,605`: decimals take a point, not a comma");
    EXPECT_EQ(refusal("Thread;Mem size (MiB);Access latency (ns)\n0;0,00049;1,605\n"),
              "sweep.csv:1: `Thread;Mem size (MiB);Access latency (ns...`: columns are separated by commas, not "
              "semicolons, and decimals take a point");
    EXPECT_EQ(refusal("0,1.0,5.0\n"), "") << "blanks need not be";
}

TEST(SweepFile, WhatNobodyCanHaveMeasuredDoesNotEnter) {
    for (const std::string nonsense : {"1e-320", "1e308", "inf", "1e999", "-inf", "1e13", "0.0001"})
        EXPECT_EQ(refusal_of_row("0, 1.0, " + nonsense + "\n"),
                  "sweep.csv:2: Access latency (ns) is `" + nonsense + "`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal_of_row("0, 1e-320, 5.0\n"), "sweep.csv:2: Mem size (MiB) is `1e-320`, not the size of a memory");
}

TEST(SweepFile, InputThatDoesNotEndIsRefusedBeforeItFillsTheMemory) {
    /// The same lines over and over.
    class Endless : public std::streambuf {
    protected:
        int_type underflow() override {
            setg(lines_.data(), lines_.data(), lines_.data() + lines_.size());
            return traits_type::to_int_type(lines_[0]);
        }

    private:
        std::string lines_ = [] {
            std::string lines;
            for (int i = 0; i < 1000; ++i)
                lines += "0, 1.0, 5.0\n";
            return lines;
        }();
    };
    Endless endless;
    std::istream in(&endless);
    EXPECT_EQ(refusal_of([&] { static_cast<void>(read_sweep(in, "yes")); }),
              "yes: holds more than 4100000 rows, which no sweep does");
}

TEST(SweepFile, AMillionRowsAreRead) {
    std::string text(header);
    for (int i = 1; i <= 1'000'000; ++i)
        fmt::format_to(std::back_inserter(text), "{}, {:.5f}, {:.3f}\n", i % 4, i * 0.001, i * 0.01);
    const StoredSweep sweep = read(text);
    ASSERT_EQ(sweep.rows.size(), 1'000'000U);
    EXPECT_EQ(sweep.rows.back().latency_ns, 10000.0);
    EXPECT_EQ(sweep.threads().size(), 4U);
}

/// Prints and reads decimals with a comma, as many a locale does.
class DecimalComma : public std::numpunct<char> {
protected:
    [[nodiscard]] char do_decimal_point() const override { return ','; }
};

TEST(SweepFile, TheLocaleDoesNotMatter) {
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
    const StoredSweep sweep = read("0, 1.50000, 5.250\n");
    std::locale::global(before);
    EXPECT_EQ(sweep.rows.at(0).size_bytes, 1.5 * 1024 * 1024);
    EXPECT_EQ(sweep.rows.at(0).latency_ns, 5.25);
}

TEST(SweepFile, AFileIsReadByItsPath) {
    const std::string path = testing::TempDir() + "memtest_sweep_file_test.csv";
    std::ofstream(path) << "0, 1.00000, 5.000\n";
    const StoredSweep sweep = read_sweep_file(path);
    std::filesystem::remove(path);
    EXPECT_EQ(sweep.name, path);
    EXPECT_EQ(sweep.rows.size(), 1U);
}

TEST(SweepFile, AFileThatCannotBeOpenedOrReadIsNamed) {
    EXPECT_EQ(refusal_of([] { static_cast<void>(read_sweep_file("/nowhere/sweep.csv")); }),
              "/nowhere/sweep.csv: cannot be opened: No such file or directory");
    try {
        const StoredSweep sweep = read_sweep_file("/");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::failure);
        EXPECT_STREQ(error.what(), "/: cannot be read: Is a directory");
    }
}

} // namespace
} // namespace memtest
