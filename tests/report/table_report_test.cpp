#include "memtest/report/table_report.hpp"

#include "memtest/report/table_file.hpp"
#include "support/fake_system.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<TableColumn, 2> columns{{{"Core", "core"}, {"Hop (ns)", "hop_ns"}}};
constexpr TableKind kind{.verb = "cores", .columns = columns};

RunDescription run_of_two_rows() {
    RunDescription run;
    run.version = "1.0.0";
    run.threads = 2;
    run.end = RunEnd{.measured = 2, .planned = 2, .of_rows = true};
    return run;
}

/// A report of two rows, a warning and what they tell, in a file.
std::string report_in(const FakeSystem& system, Format format, bool quiet = false) {
    const std::string path = (system.root() / "file").string();
    OutputFile output(path);
    TableReport report(output, kind, format, quiet);
    report.open({"a headline"}, run_of_two_rows());
    report.row({"0", "1.500"});
    report.warn("hot");
    report.row({"1", ""});
    report.close(run_of_two_rows(), {{"remark", "told"}}, R"(  "remarks": ["told"])");
    output.commit();
    return path;
}

TEST(TableReport, InCsvHasLinesAroundItsRowsAndTheEndLast) {
    const FakeSystem system;
    EXPECT_EQ(read_text(report_in(system, Format::csv)), "# a headline\n# version: 1.0.0\n# threads: 2\n"
                                                         "Core, Hop (ns)\n0, 1.500\n# warning: hot\n1, \n"
                                                         "# remark: told\n# end: 2 of 2 rows\n");
    EXPECT_EQ(read_text(report_in(system, Format::csv, true)), "Core, Hop (ns)\n0, 1.500\n1, \n");
}

TEST(TableReport, InJsonHasTypedValuesAndSaysWhatItIs) {
    const FakeSystem system;
    const Json document = Json::parse(read_text(report_in(system, Format::json)));
    EXPECT_EQ(document["verb"], "cores");
    EXPECT_EQ(document["run"]["threads"], 2);
    EXPECT_EQ(document["rows"], Json::parse(R"([{"core": 0, "hop_ns": 1.5}, {"core": 1, "hop_ns": null}])"));
    EXPECT_EQ(document["warnings"], Json::parse(R"(["hot"])"));
    EXPECT_EQ(document["remarks"], Json::parse(R"(["told"])"));
    EXPECT_EQ(document["end"], Json::parse(R"({"rows_measured": 2, "rows_planned": 2, "interrupted": false})"));
    EXPECT_EQ(document["complete"], true);
}

TEST(TableFile, IsReadBackFromEitherFormat) {
    const FakeSystem system;
    for (const Format format : {Format::csv, Format::json}) {
        InputFile file(report_in(system, format));
        const TableKind other{.verb = "nodes", .columns = std::span(columns).first(1)};
        EXPECT_FALSE(read_table(file, std::array{other}).has_value()) << "and it stays to be read";
        const auto table = read_table(file, std::array{other, kind});
        ASSERT_TRUE(table.has_value());
        EXPECT_EQ(table->kind.verb, "cores");
        EXPECT_EQ(table->run, run_of_two_rows());
        EXPECT_FALSE(table->cut);
        ASSERT_EQ(table->rows.size(), 2U);
        EXPECT_EQ(table->rows[0].fields, (std::vector<std::string>{"0", format == Format::csv ? "1.500" : "1.5"}));
        EXPECT_EQ(table->rows[1].fields, (std::vector<std::string>{"1", ""}));
    }
}

} // namespace
} // namespace memtest
