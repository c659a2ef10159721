// What read_sweep does with JSON.
#include "memtest/base/error.hpp"
#include "memtest/report/sweep_file.hpp"

#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace memtest {
namespace {

StoredSweep read(const std::string& text) {
    std::istringstream in(text);
    return read_sweep(in, "sweep.json");
}

std::string refusal(const std::string& text) {
    return refusal_of([&] { static_cast<void>(read(text)); });
}

const std::string row = R"({"thread": 0, "size_mib": 1.0, "latency_ns": 5.0})";

std::string document(const std::string& rows, const std::string& more = "") {
    return R"({"schema": 1, "rows": [)" + rows + "]" + more + "}";
}

TEST(JsonReader, ReadsADocument) {
    const StoredSweep sweep = read(R"({
  "schema": 1,
  "run": {"version": "1.0.0", "order": "random", "line_bytes": 64, "stride_bytes": null, "unheard_of": [1, {"a": 2}]},
  "rows": [
    {"thread": 1, "size_mib": 0.00049, "latency_ns": 1.5, "latency_cycles": 4.5, "spread_percent": null,
     "batches": 2, "notes": ["preempted", "single"], "size_bytes": 513, "visits": [{"batches_ns": [1.5, 1.6]}]}
  ],
  "warnings": ["the clock moved"],
  "end": {"sizes_measured": 1, "sizes_planned": 1, "interrupted": false},
  "complete": true
})");
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.run.line_bytes, 64U);
    EXPECT_EQ(sweep.run.stride_bytes, std::nullopt);
    EXPECT_EQ(sweep.remarks, std::vector<std::string>{"the clock moved"});
    EXPECT_EQ(why_incomplete(sweep), std::nullopt);
    ASSERT_EQ(sweep.rows.size(), 1U);
    EXPECT_EQ(sweep.rows[0].thread, 1);
    EXPECT_EQ(sweep.rows[0].size_bytes, 513);
    EXPECT_EQ(sweep.rows[0].latency_ns, 1.5);
    EXPECT_EQ(sweep.rows[0].cycles, 4.5);
    EXPECT_EQ(sweep.rows[0].spread_percent, std::nullopt);
    EXPECT_EQ(sweep.rows[0].batches, 2U);
    EXPECT_EQ(sweep.rows[0].notes, (std::vector{Note::preempted, Note::single}));
}

TEST(JsonReader, MembersMayComeInAnyOrder) {
    const StoredSweep sweep = read(R"({"rows": [)" + row + R"(], "run": {"order": "forward"}, "schema": 1})");
    EXPECT_EQ(sweep.run.order, Order::forward);
    EXPECT_EQ(sweep.rows.size(), 1U);
}

TEST(JsonReader, ADocumentThatIsCutKeepsItsWholeRows) {
    const std::string whole = document(row + "," + row, R"(, "warnings": []})");
    for (const std::size_t behind : {whole.rfind(",{") + 5, whole.rfind("]") - 1, whole.rfind("]")}) {
        const StoredSweep sweep = read(whole.substr(0, behind));
        EXPECT_GE(sweep.rows.size(), 1U) << whole.substr(0, behind);
        EXPECT_TRUE(sweep.cut);
        EXPECT_TRUE(why_incomplete(sweep).has_value());
    }
    EXPECT_EQ(read(whole.substr(0, whole.rfind("0}"))).rows.size(), 1U) << "5. may have been 5.3";
}

TEST(JsonReader, AnInterruptedRunIsIncomplete) {
    const std::string end = R"(, "end": {"sizes_measured": 1, "sizes_planned": 41, "interrupted": true})";
    EXPECT_EQ(why_incomplete(read(document(row, end))), "has 1 of 41 sizes: its run was interrupted or failed");
    EXPECT_EQ(why_incomplete(read(document(row, R"(, "run": {"version": "1.0.0"})"))),
              "does not say how its run ended");
}

TEST(JsonReader, WhatIsNoSweepIsRefused) {
    EXPECT_EQ(refusal("[1, 2]"), "sweep.json: is no sweep: a JSON array, not an object");
    EXPECT_EQ(refusal("{}"), "sweep.json: is no sweep: it lacks `schema`");
    EXPECT_EQ(refusal(R"({"schema": 2, "rows": []})"), "sweep.json: has the schema `2`; this program knows 1");
    EXPECT_EQ(refusal(document("")), "sweep.json: holds no rows");
    EXPECT_EQ(refusal("{x}"), "sweep.json: is no JSON at byte 2");
    EXPECT_EQ(refusal(document(row) + " x"),
              "sweep.json: is no JSON at byte " + std::to_string(document(row).size() + 2));
    EXPECT_EQ(refusal(std::string(100, '[')), "sweep.json: is no sweep: a JSON array, not an object");
    EXPECT_EQ(refusal(R"({"a": )" + std::string(100, '[')), "sweep.json: is nested deeper than any sweep");
}

TEST(JsonReader, FieldsThatAreNoFiguresAreRefusedWithTheirRow) {
    EXPECT_EQ(refusal(document(row + R"(, {"thread": 0, "size_mib": 1.0, "latency_ns": -1})")),
              "sweep.json: row 2: latency_ns is `-1`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal(document(R"({"thread": 0, "size_mib": 1.0, "latency_ns": 1e308})")),
              "sweep.json: row 1: latency_ns is `1e+308`, not a number from 0.001 to 1e+12");
    EXPECT_EQ(refusal(document(R"({"thread": 0, "size_mib": 1.0, "latency_ns": 1e999})")),
              "sweep.json: holds a number that is too large for a sweep");
    EXPECT_EQ(refusal(document(R"({"thread": 0, "latency_ns": 1})")), "sweep.json: row 1: there is no size_mib");
    EXPECT_EQ(refusal(document("7")), "sweep.json: row 1: there is no thread");
    EXPECT_EQ(refusal(document(row, R"(, "run": {"order": 7})")), "sweep.json: order is `7`, which is not known");
}

TEST(JsonReader, ALatencyThatIsNotKnownIsNull) {
    EXPECT_EQ(read(document(R"({"thread": 0, "size_mib": 1.0, "latency_ns": null})")).rows[0].latency_ns, std::nullopt);
}

TEST(JsonReader, SkipsAByteOrderMark) {
    EXPECT_EQ(read("\xef\xbb\xbf" + document(row)).rows.size(), 1U);
}

} // namespace
} // namespace memtest
