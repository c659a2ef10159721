#include "memtest/report/matrix_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/sweep_file.hpp"
#include "support/refusal.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace memtest {
namespace {

const std::string header = "Processors of node, Memory of node, Latency (ns)\n";

std::optional<StoredMatrix> read(const std::string& text) {
    const TextFile file("matrix", text);
    InputFile input(file.path());
    return read_matrix(input);
}

std::string refusal(const std::string& text) {
    const std::string what = refusal_of([&] { static_cast<void>(read(text)); });
    return what.substr(what.find(": ") == std::string::npos ? 0 : what.find(":2"));
}

TEST(MatrixFile, HasTheCellsInTheirOrder) {
    EXPECT_EQ(table_header(nodes_table), header);
    const auto matrix = read("# cpu: Test CPU\n" + header + "0, 1, 150.250\n1, 0, \n# end: 2 of 2 rows\n");
    ASSERT_TRUE(matrix.has_value());
    EXPECT_EQ(matrix->kind.verb, "nodes");
    EXPECT_EQ(matrix->run.cpu_model, "Test CPU");
    ASSERT_EQ(matrix->cells.size(), 2U);
    EXPECT_EQ(matrix->cells[0].row, 0);
    EXPECT_EQ(matrix->cells[0].column, 1);
    EXPECT_EQ(matrix->cells[0].latency_ns, 150.25);
    EXPECT_EQ(matrix->cells[1].latency_ns, std::nullopt);
}

TEST(MatrixFile, OfCoresIsOne) {
    const auto matrix = read("Reader, Owner, Latency (ns), Relation\n2, 5, 23.000, same core\n");
    ASSERT_TRUE(matrix.has_value());
    EXPECT_EQ(matrix->kind.verb, "cores");
    EXPECT_EQ(matrix->cells.at(0).column, 5);
}

TEST(MatrixFile, IsReadFromJsonByItsVerb) {
    const auto matrix = read(R"({ "schema": 1, "verb" : "nodes", "run": {}, "rows": [
        {"processors_of_node": 0, "memory_of_node": 2, "latency_ns": 260.5}], "complete": true})");
    ASSERT_TRUE(matrix.has_value());
    EXPECT_EQ(matrix->cells.at(0).column, 2);
    EXPECT_EQ(matrix->cells.at(0).latency_ns, 260.5);
}

TEST(MatrixFile, WhatIsNoneStaysToBeReadAsASweep) {
    const TextFile file(
        "sweep", "\xef\xbb\xbf# order: random\nThread, Mem size (MiB), Access latency (ns)\n0, 1.00000, 5.000\n");
    InputFile input(file.path());
    EXPECT_FALSE(read_matrix(input).has_value());
    const StoredSweep sweep = read_sweep_file(input);
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.rows.size(), 1U);
}

TEST(MatrixFile, IsRefusedAsASweepByItsHeaderOrVerb) {
    const auto refused = [](const std::string& text) {
        const TextFile file("matrix", text);
        const std::string what = refusal_of([&] { static_cast<void>(read_sweep_file(file.path())); });
        return what.substr(what.rfind(": ") + 2);
    };
    EXPECT_EQ(refused(header + "0, 1, 150.250\n"), "holds what 'memtest nodes' measured, and a sweep is needed here");
    EXPECT_EQ(refused("# a\n\nReader, Owner, Latency (ns), Relation\n"),
              "holds what 'memtest cores' measured, and a sweep is needed here");
    EXPECT_EQ(refused(R"({"schema": 1, "verb": "cores"})"),
              "holds what 'memtest cores' measured, and a sweep is needed here");
    EXPECT_EQ(refused("Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n4, 16, 1, 1, 0\n"),
              "holds what 'memtest tlb' measured, and a sweep is needed here");
}

TEST(MatrixFile, NamesARowThatIsNoCell) {
    const std::string why = " is no cell: two numbers from 0 on, and a latency above 0 or nothing";
    EXPECT_EQ(refusal(header + "0, x, 3.000\n"), ":2: `0, x, 3.000`" + why);
    EXPECT_EQ(refusal(header + "-1, 0, 3.000\n"), ":2: `-1, 0, 3.000`" + why);
    EXPECT_EQ(refusal(header + "0, 1, 0\n"), ":2: `0, 1, 0`" + why);
    EXPECT_EQ(refusal(header + "0, 1, inf\n"), ":2: `0, 1, inf`" + why);
    EXPECT_EQ(refusal(header + "0, 1\n"), ":2: there should be 3 columns, but there are 2");
}

TEST(MatrixFile, WithoutRowsIsRefused) {
    EXPECT_THROW(static_cast<void>(read(header)), Error);
}

} // namespace
} // namespace memtest
