#include "memtest/report/csv_writer.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

Row sample() {
    Row row;
    row.thread = 1;
    row.size_bytes = 512;
    row.latency_ns = 1.6049;
    row.latency_cycles = 4.01225;
    row.summary = Summary{.min = 1.6049, .median = 1.7, .mean = 1.8123, .spread_percent = 3.456};
    row.visits = {{.batch_ns = {1.6049, 1.7}}, {.batch_ns = {2}}};
    return row;
}

TEST(CsvWriter, TheFirstThreeColumnsAreFixedToTheLetter) {
    EXPECT_EQ(csv_header({}), "Thread, Mem size (MiB), Access latency (ns)\n");
    EXPECT_EQ(csv_line(sample(), {}), "1, 0.00049, 1.605\n");
    Row large = sample();
    large.size_bytes = std::size_t{1} << 30U;
    large.latency_ns = 57.129;
    large.thread = 0;
    EXPECT_EQ(csv_line(large, {}), "0, 1024.00000, 57.129\n");
}

TEST(CsvWriter, FurtherColumnsComeBehindThem) {
    const Columns all{.cycles = true, .stats = true};
    EXPECT_EQ(csv_header(all), "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), Min (ns), Median (ns), "
                               "Mean (ns), Spread (%), Visits (%), Visits, Batches, Notes\n");
    Row row = sample();
    row.visits_percent = 4.5;
    row.notes = {Note::preempted, Note::single};
    EXPECT_EQ(csv_line(row, all), "1, 0.00049, 1.605, 4.01, 1.605, 1.700, 1.812, 3.46, 4.50, 2, 3, preempted single\n");
}

TEST(CsvWriter, WhatIsNotKnownIsAnEmptyField) {
    EXPECT_EQ(csv_line(sample(), {.stats = true}), "1, 0.00049, 1.605, 1.605, 1.700, 1.812, 3.46, , 2, 3, \n");
}

TEST(CsvWriter, CountersComeBehindAllOthersInTheOrderAskedFor) {
    const Columns columns{
        .cycles = true, .stats = true, .counters = {Counter::instructions, Counter::cycles, Counter::page_faults}};
    EXPECT_EQ(csv_header(columns),
              "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), Min (ns), Median (ns), Mean (ns), "
              "Spread (%), Visits (%), Visits, Batches, Notes, Instructions per access, Cycles per access, Page faults "
              "per access\n");
    Row row = sample();
    row.counts_per_access = {1.03125, std::nullopt, 1e-7};
    EXPECT_EQ(csv_line(row, {.counters = columns.counters}), "1, 0.00049, 1.605, 1.03125, , 1e-07\n")
        << "one in ten million is not none, and what never ran is not known";
}

TEST(CsvWriter, ALatencyThatIsNotKnownLeavesItsFieldsEmpty) {
    Row row;
    row.size_bytes = 512;
    row.notes = {Note::coarse};
    EXPECT_EQ(csv_line(row, {.cycles = true, .stats = true}), "0, 0.00049, , , , , , , , 0, 0, coarse\n");
}

} // namespace
} // namespace memtest
