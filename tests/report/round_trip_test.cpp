// Files that memtest 1.0.0 wrote, CSV and JSON, one or two of each command that measures.
#include "memtest/report/matrix.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep.hpp"
#include "support/program.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memtest {
namespace {

namespace fs = std::filesystem;

class StoredFile : public testing::TestWithParam<std::string> {
protected:
    const std::string path = (fs::path(PROJECT_SOURCES) / "tests/data/stored" / GetParam()).string();
    const std::string text = read_text(path);
    const Result result = read_result(path);
};

bool is_row(const std::string& line) {
    return !line.starts_with('#');
}

std::string first_fields(const std::string& line, std::size_t count) {
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = line.find(',', end + 1);
    return line.substr(0, end);
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

TEST_P(StoredFile, IsWholeAndDescribed) {
    EXPECT_EQ(why_incomplete(result), std::nullopt);
    EXPECT_EQ(result.run.version.has_value(), GetParam() != "classic.csv") << "that one is of --quiet";
    EXPECT_EQ(result.run.cpu_model.value_or("Example CPU"), "Example CPU");
}

TEST_P(StoredFile, ItsRowsAreWrittenAgainToTheLetter) {
    if (text.starts_with('{')) {
        const Json rows = Json::parse(text)["rows"];
        const Json again = Json::parse(written(*result.kind, {.format = Format::json}, [&](ResultWriter& writer) {
            writer.begin();
            write_rows(writer, result);
            writer.end({});
        }))["rows"];
        ASSERT_EQ(rows.size(), again.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (const Column& column : result.kind->columns()) {
                const Json& old = member(rows[i], column.member);
                const Json& now = member(again[i], column.member);
                const bool is_new = old.is_null() && column.member == size_bytes_column.member; // not in old files
                if (column.type == Column::Type::detail || is_new)
                    continue;
                EXPECT_EQ(old.is_string() ? Json(text_of(now)) : now, old) << column.member << " in row " << i;
            }
        }
        return;
    }
    std::vector<std::string> rows = lines_of(text);
    std::erase_if(rows, [](const std::string& line) { return !is_row(line); });
    std::vector<std::string> now = lines_of(csv_of(result, rows.front()));
    if (rows.front().ends_with("Page faults per access")) { // counters are not read
        for (std::string& line : rows)
            line.resize(line.rfind(','));
    }
    for (std::string& line : now) // without columns that are newer than the file
        line = first_fields(line, static_cast<std::size_t>(std::ranges::count(rows.front(), ',')) + 1);
    EXPECT_EQ(now, rows);
}

TEST_P(StoredFile, ItsDescriptionIsWrittenAgainToTheLetter) {
    const Json document = text.starts_with('{') ? Json::parse(text) : Json();
    const std::vector<std::string> lines = lines_of(text);
    for (const RunKey& key : run_keys()) {
        const auto value = key.text(result.run);
        if (!value) // unknown, or for people alone
            continue;
        const bool is_there = document.is_object()
                                  ? Json::parse(dumped(key.value(result.run))) ==
                                        (key.is == Is::at_end ? document : document["run"])[std::string(key.member)]
                                  : std::ranges::count(lines, "# " + std::string(key.key) + ": " + *value) == 1;
        EXPECT_TRUE(is_there) << key.key << ": " << *value;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, StoredFile,
                         testing::Values("sweep.csv", "sweep.json", "threads.csv", "threads.json", "stride.csv",
                                         "stride.json", "classic.csv", "huge.csv", "tlb.csv", "tlb.json", "loaded.csv",
                                         "loaded.json", "loaded_short.csv", "tail.csv", "tail.json",
                                         "tail_histogram.csv", "tail_histogram.json", "cores.csv", "cores.json",
                                         "cores_clean.csv", "cores_clean.json", "nodes.csv", "nodes.json"),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

} // namespace
} // namespace memtest
