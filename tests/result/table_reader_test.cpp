#include "memtest/result/csv_reader.hpp"

#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/result_reader.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <sstream>

namespace memtest {
namespace {

Result table_in(const std::string& text, const std::optional<TableColumns>& columns) {
    return chosen_result(parse_file(text, "table", columns), &sweep_kind, std::nullopt);
}

/// The sizes and latencies that a text holds.
std::vector<std::pair<std::uint64_t, double>> rows_in(const std::string& text, const char* columns) {
    std::vector<std::pair<std::uint64_t, double>> rows;
    const Result table = table_in(text, table_columns_in(columns));
    for (const Row& row : table.rows_of<Row>())
        rows.emplace_back(row.size_bytes, row.latency_ns.value());
    return rows;
}

using Rows = std::vector<std::pair<std::uint64_t, double>>;

TEST(TableReader, TakesOneSizeOneLatencyAndFieldsToSkip) {
    const auto columns = table_columns_in("-, KiB ,-,ns");
    ASSERT_TRUE(columns);
    EXPECT_EQ(columns->size, 1U);
    EXPECT_EQ(columns->unit_bytes, 1024U);
    EXPECT_EQ(columns->latency, 3U);
    for (const char* const text : {"", "ns", "KiB", "KiB,KiB,ns", "KiB,ns,ns", "KiB,ms", "KiB ns", "size,ns"})
        EXPECT_EQ(table_columns_in(text), std::nullopt) << text;
}

TEST(TableReader, FindsFieldsBetweenAnySeparators) {
    const Rows both{{65536, 3.8}, {131072, 5.25}};
    EXPECT_EQ(rows_in("64,3.8\n128, 5.25\n", "KiB,ns"), both);
    EXPECT_EQ(rows_in("64;3,8\n128;5,25", "KiB,ns"), both);
    EXPECT_EQ(rows_in("64\t3.8\n128\t5.25\n", "KiB,ns"), both);
    EXPECT_EQ(rows_in("  64   3.8\r\n  128  5.25\r\n", "KiB,ns"), both);
    EXPECT_EQ(rows_in("64k: 3.8\n0.125M: 5.25\n", "B,ns"), both);
    EXPECT_EQ(rows_in("\"1\",\"64\",3.8\n\"2\",\"128\",\"5.25\"\n", "-,KiB,ns"), both);
    EXPECT_EQ(rows_in("3.8 ns, x, 64 KiB\n5.25 ns, y, 128 KiB\n", "ns,-,B"), both);
}

TEST(TableReader, SkipsAndCountsLinesThatAreNoRow) {
    const Result sweep = table_in("size ns\n\n64 3.8\n64 nan\n96 0.0\n-1 5\n1e30 5\n32\" 5\n96\n128 5.25 ms 7\n",
                                  table_columns_in("KiB,ns"));
    EXPECT_EQ(sweep.row_count(), 2U);
    ASSERT_EQ(sweep.warnings.size(), 1U);
    EXPECT_EQ(sweep.warnings[0].code, Code::lines_skipped);
    EXPECT_EQ(sweep.warnings[0].values["lines"].count(), 7U);
    EXPECT_EQ(*sweep.warnings[0].values["first"].text(), "size ns");
}

TEST(TableReader, ReadsResultsOfThisProgramWhateverColumnsAreNamed) {
    for (const std::string start : {"# memtest 1.0.0: a scan\n", ""}) {
        const Result sweep = table_in(start + "Thread, Mem size (MiB), Access latency (ns)\n1, 2.00000, 5.000\n",
                                      table_columns_in("KiB,ns"));
        EXPECT_EQ(sweep.rows_of<Row>().front().size_bytes, 2097152U);
        EXPECT_TRUE(sweep.warnings.empty());
    }
}

TEST(TableReader, RefusesATableWithoutRows) {
    const std::string refused = refusal_of([] { static_cast<void>(table_in("a b\n", table_columns_in("KiB,ns"))); });
    EXPECT_TRUE(mentions(refused, {"table: ", "--columns KiB,ns", "`a b`", "`a` `b`"})) << refused;
    EXPECT_TRUE(mentions(refusal_of([] { static_cast<void>(table_in("\n", table_columns_in("KiB,ns"))); }), {"rows"}));
}

/// A file in the form of another program, and the columns by which it is read; null if it holds no curve.
struct Foreign {
    const char* name;
    const char* columns;
};

const std::vector<Foreign> foreign_files{{"chips_and_cheese.csv", "KiB,ns"},
                                         {"ramlat.txt", "KiB,ns"},
                                         {"multichase_loop.txt", "KiB,ns"},
                                         {"r_quoted.csv", "-,KiB,ns"},
                                         {"libreoffice.csv", "KiB,ns"},
                                         {"pandas_index.csv", "-,B,ns"},
                                         {"tabs.tsv", "B,ns"},
                                         {"lat_mem_rd.txt", "MiB,ns"},
                                         {"multichase.txt", nullptr},
                                         {"multiload.txt", nullptr},
                                         {"mlc.txt", nullptr},
                                         {"core_to_core.csv", nullptr}};

TEST(TableReader, FindsTheCachesInCurvesOfOtherPrograms) {
    for (const auto& [name, columns] : foreign_files) {
        if (columns == nullptr)
            continue;
        const Result sweep = chosen_result(
            read_file(TEST_DATA "/foreign/" + std::string(name), table_columns_in(columns)), &sweep_kind, std::nullopt);
        const std::vector<LevelReport> reports = report_levels(sweep);
        ASSERT_EQ(reports.size(), 1U) << name;
        const Hierarchy& found = reports.front().hierarchy;
        ASSERT_EQ(found.caches.size(), 3U) << name;
        EXPECT_NEAR(found.caches[1].latency_ns, 4.1, 0.4) << name;
        ASSERT_TRUE(found.memory) << name;
        EXPECT_NEAR(found.memory->latency_ns, 96, 3) << name;
    }
}

TEST(TableReader, ReadsTheOutputOfLatMemRdAsItIs) {
    const Result sweep = chosen_result(read_file(TEST_DATA "/foreign/lat_mem_rd.txt"));
    EXPECT_EQ(sweep.rows_of<Row>().front().size_bytes, 1024U);
    EXPECT_TRUE(sweep.warnings.empty()) << "the stride is no line that was skipped";
    EXPECT_EQ(why_incomplete(sweep), std::nullopt);
    std::string twice = read_text(TEST_DATA "/foreign/lat_mem_rd.txt");
    const Result unquoted = table_in(twice.substr(1), std::nullopt);
    EXPECT_EQ(unquoted.row_count(), sweep.row_count());
    EXPECT_TRUE(unquoted.warnings.empty());
    EXPECT_EQ(table_in("stride=64\n1 1.5\n", table_columns_in("KiB,ns")).rows_of<Row>().front().size_bytes, 1024U)
        << "not MiB";
    twice += twice;
    EXPECT_TRUE(mentions(refusal_of([&] { static_cast<void>(table_in(twice, std::nullopt)); }), {"twice"}));
}

TEST(TableReader, RefusesTwoRunsOfTinymembenchAndReadsOne) {
    const std::string both = read_text(TEST_DATA "/foreign/tinymembench.txt");
    const auto columns = table_columns_in("B,ns");
    EXPECT_TRUE(mentions(refusal_of([&] { static_cast<void>(table_in(both, columns)); }), {"64 KiB", "twice"}));
    const Result huge = table_in(both.substr(both.find("[MADV_HUGEPAGE")), columns);
    EXPECT_EQ(huge.rows_of<Row>().front().size_bytes, 65536U) << "smaller ones have 0.0 ns";
    EXPECT_EQ(huge.warnings.at(0).values["lines"].count(), 2U);
}

TEST(TableReader, ReadsOtherProgramsAsTheManualShows) {
    const std::string page = read_text(TEST_DATA "/../../src/cli/manual/memtest-levels.1.in");
    for (const auto& [start, name] :
         {std::pair("\n    MemoryLatency | ", "chips_and_cheese.csv"), std::pair("\n    ramlat | ", "ramlat.txt"),
          std::pair("\n    done | ", "multichase_loop.txt")}) {
        const std::size_t option = page.find("columns ", page.find(start)) + 8;
        const std::string columns = page.substr(option, page.find(' ', option) - option);
        EXPECT_GT(rows_in(read_text(TEST_DATA "/foreign/" + std::string(name)), columns.c_str()).size(), 10U) << name;
    }
    EXPECT_NE(page.find("\n    lat_mem_rd -t 1024 64 2>&1 | memtest levels -\n"), std::string::npos) << "as it is";
}

TEST(TableReader, RefusesOtherFilesWithALineThatIsRead) {
    for (const Foreign& foreign : foreign_files) {
        const std::string name = foreign.name;
        if (name == "lat_mem_rd.txt")
            continue;
        const std::string text = read_text(TEST_DATA "/foreign/" + name);
        const std::string refused = refusal_of([&] { static_cast<void>(table_in(text, std::nullopt)); });
        const std::size_t columns = refused.find("--columns, such as ");
        ASSERT_NE(columns, std::string::npos) << name << ": " << refused;
        std::istringstream advice(refused.substr(columns + 19));
        std::string named;
        advice >> named;
        const std::string rest(std::istreambuf_iterator<char>(advice), {});
        const std::size_t line = rest.find('`') + 1;
        EXPECT_EQ(rows_in(rest.substr(line, rest.find('`', line) - line), named.c_str()), (Rows{{65536, 3.8}})) << name;
        if (name == "multichase.txt" || name == "multiload.txt") { // others have lines that might be rows
            EXPECT_TRUE(mentions(refusal_of([&] { static_cast<void>(table_in(text, table_columns_in(named))); }),
                                 {"--columns KiB,ns"}))
                << name;
        }
    }
}

} // namespace
} // namespace memtest
