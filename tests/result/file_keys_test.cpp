// What files must have: other programs read them by these names.
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/row_notes.hpp"
#include "support/described_run.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using NameSet = std::set<std::string>;

NameSet names_of(const Value& object) {
    NameSet names;
    for (const auto& [name, value] : object.members())
        names.insert(name);
    return names;
}

/// The same as it is written now. Its warnings are such as programs judge by.
std::string rewritten(const Result& result, const RunDescription& run, Format format) {
    return written(*result.kind, {.format = format}, [&](ResultWriter& writer) {
        writer.begin({"a headline"}, run);
        for (const Notice& warning : result.warnings)
            writer.warn(warning);
        write_rows(writer, result);
        Members more;
        if (result.kind == &sweep_kind)
            more.set("row_notes", row_notes(result.rows_of<Row>()));
        writer.end({.told = true, .list = {remark(Notice(Code::no_edge))}}, run, more);
    });
}

/// The golden files of the commands have the names of keys, columns and findings to the letter.
class FileOf : public testing::TestWithParam<std::string> {
protected:
    const Result result = stored_result(GetParam() + ".csv");
    const std::string command{result.kind->facts.command}; ///< empty: the file names none

    /// Whether a document has these members, those of all kinds, and in its run a member for each key.
    void expect_members(const Value& document, NameSet members) const {
        EXPECT_EQ(document["schema"], 3);
        EXPECT_EQ(text_of(document["command"]), command);
        members.insert({"schema", "run", "remarks", "core_clock_range_ghz", "core_clocks_ghz", "end", "complete"});
        if (!command.empty())
            members.insert("command");
        EXPECT_EQ(names_of(document), members);
        NameSet of_run;
        for (const RunKey& key : run_keys()) {
            if (key.is != Is::at_end)
                of_run.emplace(key.member);
        }
        EXPECT_EQ(names_of(document["run"]), of_run);
    }
};

TEST_P(FileOf, ItsKindHasAMemberForEachFindingAndColumnInJson) {
    const Value document = json(rewritten(result, described_run(), Format::json));
    NameSet members{"rows", "warnings"};
    for (const FindingMember& finding : result.kind->facts.findings)
        members.emplace(finding.name);
    expect_members(document, members);
    NameSet of_row;
    for (const Column& column : result.kind->columns()) {
        if (!column.member.empty())
            of_row.emplace(column.member);
    }
    ASSERT_EQ(document["rows"].list().size(), result.row_count());
    EXPECT_EQ(names_of(document["rows"][0]), of_row);
    EXPECT_EQ(names_of(document["remarks"][0]), (NameSet{"code", "text", "advice"}));
    for (const Value& warning : document["warnings"].list())
        EXPECT_TRUE(!text_of(warning["code"]).empty() && !text_of(warning["text"]).empty()) << dumped(warning);
}

TEST_P(FileOf, ItsKindHasTheseDataAsTheLastLineOfCsv) {
    const std::vector<Value> data = data_lines(rewritten(result, described_run(), Format::csv));
    ASSERT_EQ(data.size(), 1U);
    NameSet members;
    if (result.kind == &sweep_kind)
        members.insert("row_notes");
    if (!result.warnings.empty())
        members.insert("warnings");
    expect_members(data.front(), members);
}

TEST_P(FileOf, ItsKindIsReadBackFromEither) {
    for (const Format format : {Format::csv, Format::json}) {
        const Result read = result_of(rewritten(result, result.run, format));
        EXPECT_EQ(read.kind, result.kind);
        EXPECT_EQ(read.row_count(), result.row_count());
        EXPECT_EQ(codes_of(read.warnings), codes_of(result.warnings));
        EXPECT_EQ(codes_of(read.remarks), std::vector{Code::no_edge});
        EXPECT_EQ(why_incomplete(read), why_incomplete(result));
        for (const Is is : {Is::setting, Is::machine, Is::system})
            EXPECT_TRUE(differences(result.run, read.run, is).empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Each, FileOf, testing::ValuesIn(stored_names()), test_of_file);

// Sentences are for people alone.

/// A file whose every sentence is garbage.
std::string garbled(const std::string& text) {
    if (text.starts_with('{'))
        return replaced(text, R"re("(text|advice)":"[^"]*")re", R"("$1":"garbage")");
    std::string garbled;
    for (const std::string& line : lines_of(text)) {
        const bool is_for_people = line.starts_with("#") && !line.starts_with("# data: ");
        garbled += is_for_people ? "# order: zigzag; \x80 garbage: 7 of 41 sizes, interrupted\n" : line + "\n";
    }
    return garbled;
}

std::string levels_text(const Result& sweep) {
    List all;
    for (const Finding& finding : level_findings(report_levels(sweep)).list)
        all.emplace_back(List{finding.key, code_and_values(finding.notice)});
    return dumped(all);
}

TEST(Sentences, OfASweepThatAreGarbageChangeNoVerdict) {
    RunDescription run = stored_result("sweep.csv").run;
    const Notice others(Code::others_used, {{"percent", 63.0}});
    const Notice unsettled(Code::unsettled, {{"count", 9}, {"of", 33}, {"things", "sizes"}});
    const Notice prefetching(Code::prefetcher_follows_stride, {{"order", "random"},
                                                               {"from_bytes", 1 << 20},
                                                               {"last_bytes", 64 << 20},
                                                               {"strided_ns", 22.0},
                                                               {"random_ns", 221.0}});
    for (const std::vector<Notice>& warnings :
         {std::vector<Notice>{}, {others}, {unsettled}, {prefetching}, {others, unsettled, prefetching}}) {
        for (const bool interrupted : {false, true}) {
            for (const Format format : {Format::csv, Format::json}) {
                Result sweep = stored_result("sweep.csv");
                sweep.warnings = warnings;
                run.end->interrupted = interrupted;
                const std::string text = rewritten(sweep, run, format);
                ASSERT_NE(garbled(text), text);
                const Result read = result_of(text);
                const Result other = result_of(garbled(text));
                EXPECT_EQ(codes_of(read.warnings), codes_of(warnings)) << text;
                EXPECT_EQ(codes_of(other.warnings), codes_of(warnings));
                EXPECT_EQ(codes_of(other.remarks), codes_of(read.remarks));
                EXPECT_EQ(other.run, read.run);
                EXPECT_EQ(levels_text(other), levels_text(read));
                EXPECT_EQ(why_incomplete(other), why_incomplete(read));
                EXPECT_EQ(why_incomplete(read).has_value(), interrupted);
            }
        }
    }
}

} // namespace
} // namespace memtest
