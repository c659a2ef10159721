#include "memtest/report/tlb_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/stored_curves.hpp"
#include "memtest/report/tlb_report.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/text_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

constexpr double page_bytes = 4096;
constexpr std::size_t entries = 64;
constexpr double walk_ns = 8;

std::vector<std::size_t> numbers_measured() {
    std::vector<std::size_t> all = numbers_of_pages(16384);
    all.insert(std::ranges::upper_bound(all, entries), entries + 1);
    return all;
}

std::vector<std::string> row_at(std::size_t pages) {
    return tlb_row({.pages = pages, .rounds = {{1 + (pages > entries ? walk_ns : 0), 1}}}, 4096);
}

/// What `memtest tlb` prints on a machine with one TLB.
std::string tlb_text(std::string_view description = "") {
    std::string text = fmt::format("{}{}", description, table_header(tlb_table));
    for (const std::size_t pages : numbers_measured())
        text += fmt::format("{}\n", fmt::join(row_at(pages), ", "));
    return text + "# remark: something\n";
}

std::string file_with(const FakeSystem& system, const std::string& text) {
    system.add("/file", text);
    return (system.root() / "file").string();
}

/// A random sweep of a machine with an L1 of 32 KiB, an L2 of 2 MiB, and that TLB.
StoredSweep sweep_with_translation() {
    StoredSweep sweep;
    sweep.name = "sweep";
    sweep.run.order = Order::random;
    sweep.run.pages_got = parse_pages("4 KiB");
    for (std::size_t size = 512; size <= std::size_t{256} << 20U; size *= 2) {
        const auto bytes = static_cast<double>(size);
        const double cache_ns = bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80;
        const double missing_pages = std::max(0.0, 1 - entries * page_bytes / bytes);
        StoredRow row;
        row.size_bytes = bytes;
        row.latency_ns = cache_ns + missing_pages * walk_ns;
        row.cycles = *row.latency_ns * 3;
        sweep.rows.push_back(row);
    }
    return sweep;
}

std::size_t caches_in(const StoredSweep& sweep) {
    return report_levels(sweep).front().hierarchy.caches.size();
}

TEST(TlbFile, IsKnownByItsHeaderAndReadWithItsTlbs) {
    const FakeSystem system;
    const auto stored = read_tlb_file(
        file_with(system, tlb_text("# memtest\n# pages got: 4 KiB\n# core clock: 3.7 GHz\n# warning: of the run\n\n")));
    ASSERT_TRUE(stored.has_value());
    EXPECT_EQ(stored->page_bytes, page_bytes);
    EXPECT_EQ(stored->run.pages_got, parse_pages("4 KiB"));
    EXPECT_EQ(stored->remarks, (std::vector<std::string>{"of the run", "something"}));
    ASSERT_EQ(stored->translation.tlbs.size(), 1U);
    EXPECT_EQ(stored->translation.tlbs.front().entries_low, entries);
    EXPECT_TRUE(read_tlb_file(file_with(system, tlb_text())).has_value()) << "quiet";
}

/// The same in JSON, by way of the report that writes it.
std::string tlb_json(const FakeSystem& system, const RunDescription& run) {
    const std::string path = (system.root() / "tlb.json").string();
    OutputFile output(path);
    TableReport report(output, tlb_table, Format::json, false);
    report.open({}, run);
    for (const std::size_t pages : numbers_measured())
        report.row(row_at(pages));
    report.close(run, {}, tlb_members({}));
    output.commit();
    return path;
}

TEST(TlbFile, IsReadFromJsonAsFromCsv) {
    const FakeSystem system;
    RunDescription run;
    run.version = "1.0.0";
    run.core_clock_ghz = 3.7;
    run.pages_got = parse_pages("4 KiB");
    run.end = RunEnd{.measured = 3, .planned = 5, .interrupted = true, .of_rows = true};
    const auto from_json = read_tlb_file(tlb_json(system, run));
    const auto from_csv = read_tlb_file(file_with(system, tlb_text()));
    ASSERT_TRUE(from_json && from_csv);
    EXPECT_EQ(from_json->run, run);
    EXPECT_EQ(from_json->page_bytes, page_bytes);
    ASSERT_EQ(from_json->translation.tlbs.size(), 1U);
    EXPECT_EQ(from_json->translation.tlbs.front().entries, from_csv->translation.tlbs.front().entries);
    EXPECT_EQ(why_incomplete(*from_json), "has 3 of 5 rows: its run was interrupted or failed");
}

TEST(TlbFile, ThatIsCutSaysSoOrIsRefused) {
    const FakeSystem system;
    const std::string csv = tlb_text();
    const auto cut = read_tlb_file(file_with(system, csv.substr(0, csv.rfind("# remark") - 3)));
    ASSERT_TRUE(cut.has_value());
    EXPECT_TRUE(cut->cut);
    const std::string json = read_text(tlb_json(system, {}));
    EXPECT_THROW(static_cast<void>(read_tlb_file(file_with(system, json.substr(0, json.size() / 2)))), Error);
}

TEST(TlbFile, WithoutRowsIsRefused) {
    const FakeSystem system;
    EXPECT_THROW(static_cast<void>(read_tlb_file(file_with(system, table_header(tlb_table)))), Error);
}

TEST(TlbFile, ThatIsNotWholeDoesNotVouchForAllTranslation) {
    const FakeSystem system;
    const std::string whole = tlb_text() + "# end: 9 of 9 rows\n";
    StoredSweep sweep;
    EXPECT_TRUE(without_translation(sweep, read_tlb_file(file_with(system, whole)).value()).translation_is_off);
    const std::string interrupted = tlb_text() + "# end: 9 of 20 rows, interrupted\n";
    EXPECT_FALSE(without_translation(sweep, read_tlb_file(file_with(system, interrupted)).value()).translation_is_off);
}

TEST(TlbFile, AnotherFileIsNone) {
    const FakeSystem system;
    EXPECT_FALSE(read_tlb_file(file_with(system, "Thread, Mem size (MiB), Access latency (ns)\n0, 1, 2\n")));
    EXPECT_FALSE(read_tlb_file(file_with(system, "0, 1, 2\n")));
    EXPECT_FALSE(read_tlb_file(file_with(system, "# only: this\n")));
    EXPECT_FALSE(read_tlb_file(file_with(system, R"({"schema": 1, "run": {}, "rows": []})"))) << "a sweep";
    EXPECT_FALSE(read_tlb_file(file_with(system, "[]")));
    const std::string of_later_schema = file_with(system, R"({"schema": 2, "verb": "tlb", "rows": []})");
    EXPECT_EQ(refusal_of([&] { static_cast<void>(read_tlb_file(of_later_schema)); }),
              of_later_schema + ": has the schema `2`; this program knows 1");
    EXPECT_THROW(static_cast<void>(read_tlb_file("/there/is/no/such/file")), Error);
}

TEST(TlbFile, ARowThatIsNoneIsRefusedByItsLine) {
    const FakeSystem system;
    const std::string header = table_header(tlb_table) + "4, 16, 1, 1, 0\n";
    for (const char* row :
         {"5, 20, 1, 1", "5, 20, 1, x, 0", "4, 16, 1, 1, 0", "5, 0, 1, 1, 0", "nan, 20, 1, 1, 0", "inf, 20, 1, 1, 0",
          "1e308, 20, 1, 1, 0", "5, 20, inf, 1, 0", "5, 20, 1, nan, 0", "hello"}) {
        const std::string file = file_with(system, header + row + "\n");
        const std::string refusal = refusal_of([&] { static_cast<void>(read_tlb_file(file)); });
        EXPECT_NE(refusal.find("file:3: "), std::string::npos) << row << refusal;
    }
}

TEST(WithoutTranslation, ATlbNoLongerLooksLikeACacheAndTheCachesStay) {
    const FakeSystem system;
    const auto stored = read_tlb_file(file_with(system, tlb_text()));
    ASSERT_TRUE(stored.has_value());
    const StoredSweep with = sweep_with_translation();
    EXPECT_EQ(caches_in(with), 3U) << "the shoulder is as high as a cache's";
    const StoredSweep without = without_translation(with, *stored);
    EXPECT_EQ(caches_in(without), 2U);
    for (std::size_t i = 0; i < with.rows.size(); ++i) {
        const double bytes = with.rows[i].size_bytes;
        EXPECT_NEAR(*without.rows[i].latency_ns, bytes <= 32 * 1024 ? 1 : bytes <= 2048 * 1024 ? 4 : 80, 0.2);
        EXPECT_NEAR(*without.rows[i].cycles / *without.rows[i].latency_ns, 3, 1e-9) << "the core's clock stays";
    }
}

TEST(WithoutTranslation, OfAnotherMachineLeavesLatenciesAboveZero) {
    const StoredTranslation stored{{.name = "tlb"},
                                   page_bytes,
                                   {.tlbs = {{.entries = 1, .miss_ns = 1000}},
                                    .beyond = {{.pages = 2, .ns = 1000}, {.pages = 16384, .ns = 1000}}}};
    for (const StoredRow& row : without_translation(sweep_with_translation(), stored).rows)
        EXPECT_GT(*row.latency_ns, 0);
}

TEST(WithoutTranslation, RefusesSweepsOfWhichTheCostIsNotKnown) {
    StoredTranslation stored{{.name = "tlb"}, page_bytes};
    stored.run.pages_got = parse_pages("4 KiB");
    const auto refuses = [&](const auto& change, const char* why) {
        StoredSweep sweep = sweep_with_translation();
        change(sweep.run);
        return refusal_of([&] { static_cast<void>(without_translation(sweep, stored)); }).find(why) !=
               std::string::npos;
    };
    EXPECT_TRUE(refuses([](RunDescription& run) { run.order = Order::backward; }, "--random"));
    EXPECT_TRUE(refuses([](RunDescription& run) { run.tlb_locality_bytes = 65536; }, "--tlb-locality"));
    EXPECT_TRUE(refuses([](RunDescription& run) { run.pages_got = parse_pages("2 MiB transparent"); }, "--pages"));
    EXPECT_FALSE(refuses([](RunDescription&) {}, "cannot"));
}

} // namespace
} // namespace memtest
