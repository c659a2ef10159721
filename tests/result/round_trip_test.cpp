// Files of each command that measures, as CSV and JSON.
#include "memtest/result/result_reader.hpp"
#include "memtest/result/run_description.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

class StoredSample : public testing::TestWithParam<std::string> {
protected:
    const std::string text = read_text(TEST_DATA "/stored/" + GetParam());
    const Result result = stored_result(GetParam());
};

bool is_row(const std::string& line) {
    return !line.starts_with('#');
}

/// The rows written again, with the columns that the header names.
std::string csv_of(const Result& result, const std::string& header) {
    ResultStyle style{.quiet = true};
    for (const Column& column : result.kind->columns()) {
        if (!column.name.empty() && header.find(", " + std::string(column.name)) != std::string::npos)
            style.groups.push_back(column.group);
    }
    return written(*result.kind, style, [&](ResultWriter& writer) {
        writer.begin();
        write_rows(writer, result);
    });
}

TEST_P(StoredSample, IsWholeAndDescribed) {
    EXPECT_EQ(why_incomplete(result), std::nullopt);
    EXPECT_EQ(result.run.version.has_value(), GetParam() != "classic.csv") << "that one is of --quiet";
    EXPECT_EQ(result.run.cpu_model.value_or("Example CPU"), "Example CPU");
}

TEST_P(StoredSample, ItsRowsAreWrittenAgainToTheLetter) {
    if (text.starts_with('{')) {
        const Value rows = json(text)["rows"];
        const Value again = json(written(*result.kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            write_rows(writer, result);
            writer.end({});
        }))["rows"];
        ASSERT_EQ(rows.list().size(), again.list().size());
        for (std::size_t i = 0; i < rows.list().size(); ++i) {
            for (const Column& column : result.kind->columns()) {
                if (column.type != Column::Type::detail) {
                    EXPECT_EQ(again[i][column.member], rows[i][column.member]) << column.member << " in row " << i;
                }
            }
        }
        return;
    }
    std::vector<std::string> rows = lines_of(text);
    std::erase_if(rows, [](const std::string& line) { return !is_row(line); });
    if (rows.front().ends_with("Page faults per access")) { // counters are not read
        for (std::string& line : rows)
            line.resize(line.rfind(','));
    }
    EXPECT_EQ(lines_of(csv_of(result, rows.front())), rows);
}

TEST_P(StoredSample, ItsDescriptionIsWrittenAgain) {
    if (GetParam() == "classic.csv")
        return;
    const Value document = text.starts_with('{') ? json(text) : data_lines(text).at(0);
    for (const bool at_end : {false, true}) {
        const Value& there = at_end ? document : document["run"];
        for (const auto& [name, value] : run_members(result.run, at_end))
            EXPECT_EQ(without_nulls(value), without_nulls(there[name])) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, StoredSample, testing::ValuesIn(stored_files()), test_of_file);

} // namespace
} // namespace memtest
