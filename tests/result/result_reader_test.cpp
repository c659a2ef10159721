#include "memtest/result/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/result/result_taker.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <locale>
#include <system_error>

namespace memtest {
namespace {

const std::string header = "Thread, Mem size (MiB), Access latency (ns)\n";
const std::string row = "0, 1.00000, 5.000\n";
const std::string other_row = "1, 1.00000, 5.000\n";
const std::string json_row = R"({"thread": 0, "size_mib": 1.0, "latency_ns": 5.0})";

std::string document(const std::string& rows, const std::string& more = "") {
    return R"({"schema": 3, "rows": [)" + rows + "]" + more + "}";
}

std::vector<std::string> texts_of(const std::vector<Notice>& notices) {
    std::vector<std::string> texts;
    for (const Notice& notice : notices)
        texts.push_back(sentence_of(notice));
    return texts;
}

/// The message with which the text is refused as a usage error; empty when it is read.
std::string refusal(const std::string& text) {
    return refusal_of([&] { static_cast<void>(result_of(text, "file")); });
}

/// Whether each of these texts is refused with a message that has these parts: the place first, then what it names,
/// with " | " between them. Texts without parts are read.
void expect_refusals(const std::vector<std::pair<std::string, std::string>>& cases) {
    for (const auto& [text, parts] : cases) {
        const std::string message = refusal(text);
        EXPECT_EQ(message.empty(), parts.empty()) << message << text.substr(0, 200);
        std::string_view rest = parts;
        std::size_t at = 0;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(" | "), rest.size());
            const std::string_view part = rest.substr(0, end);
            at = at == 0 ? (message.starts_with("file" + std::string(part)) ? 4 : std::string::npos)
                         : message.find(part, at);
            EXPECT_NE(at, std::string::npos) << "'" << message << "' has no '" << part << "'";
            rest.remove_prefix(std::min(end + 3, rest.size()));
        }
    }
}

TEST(ResultReader, ReadsADescriptionAndColumnsByTheirNamesAndSkipsOthers) { // all columns: round_trip_test.cpp
    const Result sweep = result_of(
        "# memtest 1.0.0: random pointer-based scan on one thread\n# order: backward\n"
        "Thread, Mem size (MiB), Access latency (ns), Visits, L1 misses per access\n"
        "0, 0.00049, 1.084, 4, 0.001\n1, 0.00049, , , \n# warning: the clock moved\n" +
        data_line(R"("order":"random","pages_got":[{"page_bytes":4096}])",
                  R"("warnings":[{"code":"unknown","text":"the clock moved"},{"code":"later"}],)" + end_member(1, 1)));
    EXPECT_EQ(sweep.name, "sweep.csv");
    EXPECT_EQ(sweep.kind, &sweep_kind);
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.run.pages_got, (std::vector<PagesGot>{{.page_bytes = 4096}}));
    EXPECT_EQ(sweep.run.end, (RunEnd{1, 1}));
    EXPECT_EQ(texts_of(sweep.warnings), (std::vector<std::string>{"the clock moved", "later"}));
    const auto& rows = sweep.rows_of<Row>();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].latency_ns, 1.084);
    EXPECT_EQ(rows[0].visits_made, 4U);
    EXPECT_EQ(rows[1].thread, 1);
    EXPECT_EQ(rows[1].latency_ns, std::nullopt);
}

TEST(ResultReader, ReadsAllMembersOfASweepInAnyOrder) {
    const std::string run =
        R"("run": {"version": "1.0.0", "order": "random", "line_bytes": 64, "stride_bytes": null, "odd": [1, {"a": 2}]})";
    const std::string rows = R"("rows": [{"thread": 1, "size_mib": 0.00049, "latency_ns": 1.5, "latency_cycles": 4.5,
        "spread_percent": null, "batches": 2, "notes": ["preempted", "single"], "size_bytes": 513,
        "visits": [{"batches_ns": [1.5, 1.6]}]}], "levels": [{"level": "L1"}], "warnings": [{"code": "unknown",
        "text": "the clock moved"}], "remarks": [{"code": "later", "thread": 0, "text": "one"}], "end": {"sizes_measured": 1, "sizes_planned": 1,
        "interrupted": false}, "complete": true)";
    for (const std::string& text :
         {R"({"schema": 3, )" + run + ", " + rows + "}", "{" + rows + ", " + run + R"(, "schema": 3})"}) {
        const Result sweep = result_of(text);
        EXPECT_EQ(sweep.kind, &sweep_kind);
        EXPECT_EQ(sweep.run.order, Order::random);
        EXPECT_EQ(sweep.run.line_bytes, 64U);
        EXPECT_EQ(sweep.run.stride_bytes, std::nullopt);
        EXPECT_EQ(texts_of(sweep.warnings), std::vector<std::string>{"the clock moved"});
        EXPECT_EQ(texts_of(sweep.remarks), std::vector<std::string>{"one"});
        EXPECT_EQ(why_incomplete(sweep), std::nullopt);
        ASSERT_EQ(sweep.row_count(), 1U);
        const Row& read = sweep.rows_of<Row>()[0];
        EXPECT_EQ(read.thread, 1);
        EXPECT_EQ(read.size_bytes, 513U) << "exact, unlike that in MiB";
        EXPECT_EQ(read.latency_ns, 1.5);
        EXPECT_EQ(read.spread_percent, std::nullopt);
        EXPECT_EQ(read.notes, (std::vector{Note::preempted, Note::single}));
    }
}

TEST(ResultReader, KnowsAKindByItsHeaderOrItsCommand) {
    const std::vector<std::pair<const Kind*, std::vector<std::string>>> kinds{
        {&sweep_kind, {header + row, row, "# a: b\n\n" + row, document(json_row)}},
        {&tlb_kind,
         {"Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n4, 16, 1.5, 1, -0.5\n",
          R"({"schema": 3, "command": "tlb", "rows": [{"pages": 4, "reach_kib": 16, "spread_ns": 1, "packed_ns": 1, "translation_ns": 0}]})"}},
        {&loaded_kind,
         {"Load (%), Bandwidth (GB/s), Access latency (ns)\n0.0, 0.000, 100.000\n",
          "Load (%), Bandwidth (GB/s), Access latency (ns), Visits (%), Visits, Batches, Set aside, Notes\n"
          "0.0, 0.000, 100.000, 1.00, 6, 96, 0, few\n",
          R"({"schema":3,"rows":[{"load_percent":0,"bandwidth_gb_s":0,"latency_ns":1,"notes":["few"]}],"command":"loaded"})"}},
        {&tail_kind,
         {"Mem size (MiB), Load (%), Accesses, p50 (ns), p90 (ns), p99 (ns), p99.9 (ns), p99.99 (ns), Max (ns)\n"
          "256.00000, 0.0, 1000, 150, 300, 400, , , 900\n",
          R"({"schema":3,"command":"tail","rows":[{"size_mib":1,"load_percent":0,"accesses":5,"p50_ns":1,"p90_ns":1,"p99_ns":1,"p99_9_ns":null,"p99_99_ns":null,"max_ns":2}]})"}},
        {&cores_kind,
         {"Reader, Owner, Latency (ns), Relation\n2, 5, 23.000, same core\n",
          R"({"schema": 3, "command": "cores", "rows": [{"reader": 2, "owner": 5, "latency_ns": null, "relation": "same core"}]})"}},
        {&nodes_kind,
         {"\xef\xbb\xbf# x\nProcessors of node, Memory of node, Latency (ns), New\n0, 1, , 3\n",
          R"({ "schema": 3, "command" : "nodes", "rows": [{"processors_of_node": 0, "memory_of_node": 2, "latency_ns": 260.5}]})"}}};
    for (const auto& [kind, texts] : kinds) {
        for (const std::string& text : texts) {
            const Result result = result_of(text);
            EXPECT_EQ(result.kind, kind) << text;
            EXPECT_EQ(result.row_count(), 1U) << text;
        }
    }
}

TEST(ResultReader, TakesOneKindWhereOneAloneWillDo) {
    const TextFile stored("kind", "Reader, Owner, Latency (ns), Relation\n2, 5, 23.000, same core\n");
    EXPECT_EQ(chosen_result(read_file(stored.path()), &cores_kind).row_count(), 1U);
    const std::string refused =
        refusal_of([&] { static_cast<void>(chosen_result(read_file(stored.path()), &sweep_kind)); });
    EXPECT_TRUE(refused.starts_with(stored.path() + ": ")) << refused;
    EXPECT_TRUE(mentions(refused, {"'memtest cores'", "a sweep"}));
}

const std::string tlb_document =
    R"({"command": "tlb", "schema": 3, "rows": [{"pages": 4, "reach_kib": 16, "spread_ns": 1, "packed_ns": 1, "translation_ns": 0}]})";
const std::string two_rows = document(json_row + R"(, {"thread": 0, "size_mib": 2.0, "latency_ns": 6.0})");

StoredFile stored(const std::string& text) {
    return parse_file(text, "file");
}

TEST(ReportReader, ReadsThePartsInTheirOrderAndWhatIsMissing) {
    const std::vector<MissingPart> missing{{"cores", "one \"core\""}, {"tail", "why"}};
    const StoredFile file =
        stored(report_json({{"sweep", two_rows}, {"parallel16", document(json_row)}, {"tlb", tlb_document}}, missing));
    EXPECT_TRUE(file.is_report);
    EXPECT_EQ(file.missing, missing);
    ASSERT_EQ(file.results.size(), 3U);
    EXPECT_EQ(file.results[0].part, "sweep");
    EXPECT_EQ(file.results[0].row_count(), 2U);
    EXPECT_EQ(file.results[1].name, "file (parallel16)");
    EXPECT_EQ(file.results[2].rows_of<TlbRow>().at(0).pages, 4U);
}

TEST(ReportReader, TakesMembersInAnyOrderAndSkipsUnknownOnes) {
    const StoredFile file = stored(
        R"({"parts": {"later": [{"a": [1]}, 2], "also": 7, "tlb": )" + tlb_document +
        R"(, "last": {"rows": 3}}, "other": {"b": []}, "missing": [], "command": "report", )" + R"("schema": 3})");
    ASSERT_EQ(file.results.size(), 1U);
    EXPECT_EQ(file.results[0].part, "tlb");
    EXPECT_TRUE(stored(report_json({}, {{"tlb", "why"}})).results.empty());
}

TEST(ReportReader, RefusesWhatIsNoReport) {
    const auto report = [](const std::string& parts) {
        return R"({"schema": 3, "command": "report", "parts": )" + parts + "}";
    };
    expect_refusals({{R"({"schema": 3, "command": "report"})", ": | parts"},
                     {R"({"schema": 3, "parts": {}})", ": | rows"},
                     {R"({"schema": 4, "command": "report", "parts": {}})", ": | schema | `4`"},
                     {R"({"command": "report", "parts": {}})", ": | `schema`"},
                     {report("[]"), ": | `parts`"},
                     {report("7"), ": | `parts`"},
                     {report(R"({"tlb": 7})"), " (tlb): | object"},
                     {report(R"({"tlb": []})"), " (tlb): | object"},
                     {report(R"({"tlb": {}})"), " (tlb): | `schema`"},
                     {report(R"({"tlb": {"schema": 3, "rows": []}})"), " (tlb): | rows"},
                     {report(R"({"cores": )" + tlb_document + "}"), " (cores): | 'memtest tlb' | 'memtest cores'"},
                     {report(R"({"tlb": )" + report("{}") + "}"), " (tlb): | `report`"},
                     {report(R"({"sweep": )" + document(R"({"thread": 0, "size_mib": 1, "latency_ns": -1})") + "}"),
                      " (sweep): row 1: | latency_ns | `-1`"},
                     {report("{x}"), ": | JSON | byte 46"}});
}

TEST(ReportReader, RefusesATruncatedFileWhereverItEnds) {
    const std::string whole = report_json({{"sweep", two_rows}, {"tlb", tlb_document}}, {{"tail", "why"}});
    for (std::size_t bytes = 1; bytes < whole.rfind('}'); bytes += 7)
        expect_refusals({{whole.substr(0, bytes), ": | truncated"}});
}

TEST(ChosenResult, IsThePartThatFitsOrIsNamed) {
    const StoredFile file = stored(report_json({{"sweep", two_rows},
                                                {"parallel1", document(json_row)},
                                                {"parallel2", document(json_row)},
                                                {"tlb", tlb_document}}));
    const auto part_for = [&](const Kind* kind, const std::optional<std::string>& part) {
        return chosen_result(file, kind, part).part;
    };
    const auto refused = [&](const Kind* kind, const std::optional<std::string>& part) {
        return refusal_of([&] { static_cast<void>(part_for(kind, part)); });
    };
    EXPECT_EQ(part_for(&tlb_kind, std::nullopt), "tlb");
    EXPECT_EQ(part_for(&sweep_kind, std::nullopt), "sweep") << "the others have one size";
    EXPECT_EQ(part_for(&sweep_kind, "parallel2"), "parallel2");
    EXPECT_EQ(part_for(nullptr, "tlb"), "tlb");
    EXPECT_TRUE(mentions(refused(nullptr, std::nullopt), {"file: ", "--part", "sweep, parallel1, parallel2, tlb"}));
    EXPECT_TRUE(mentions(refused(&sweep_kind, "tlb"), {"--part tlb: ", "file", "sweep, parallel1, parallel2"}));
    EXPECT_TRUE(mentions(refused(&cores_kind, std::nullopt), {"file: ", "'memtest cores'"}));
    const StoredFile chains = stored(report_json({{"parallel1", document(json_row)}}));
    EXPECT_EQ(chosen_result(chains, &sweep_kind, std::nullopt).part, "parallel1") << "there is no other";
    EXPECT_EQ(chosen_result(stored(tlb_document), &tlb_kind, "sweep").part, "") << "a file of its own";
    EXPECT_TRUE(mentions(refusal_of([] { check_report(stored(tlb_document)); }), {"'memtest tlb'"}));
}

TEST(ResultReader, ReadsTheClassicToolsFiles) {
    const std::string remarks = "# Memory latency test\n# Cache line size 64 B\n\n#\n#order: x\n";
    for (const std::string& text : {row + "\n" + other_row, header + row + other_row, remarks + row + other_row,
                                    remarks + header + row + other_row}) {
        const Result sweep = result_of(text);
        EXPECT_EQ(sweep.row_count(), 2U) << text;
        EXPECT_EQ(sweep.run, RunDescription{}) << text;
        EXPECT_EQ(why_incomplete(sweep), std::nullopt) << text;
    }
}

TEST(ResultReader, KeepsRowsInTheOrderOfTheFile) {
    const Result sweep = result_of(header + "1, 2.0, 6.0\n0, 1.5, 5.0\n0, 1.0, 5.1\n");
    const auto& rows = sweep.rows_of<Row>();
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].size_bytes, 2U * 1024 * 1024);
    EXPECT_EQ(rows[1].latency_ns, 5.0);
    EXPECT_EQ(rows[2].latency_ns, 5.1);
}

TEST(ResultReader, TakesLinesWithEndsOfAnyKindAndAMarkOfUtf8) {
    const Result sweep = result_of("\xef\xbb\xbf# data: {\"schema\":3,\"run\":{\"order\":\"random\"}}\r\n" + header +
                                   "0, 1.00000, 5.000\r\n0,2.0,6\n");
    EXPECT_EQ(sweep.run.order, Order::random);
    EXPECT_EQ(sweep.row_count(), 2U);
    EXPECT_FALSE(sweep.cut);
    EXPECT_EQ(result_of("\xef\xbb\xbf" + document(json_row)).row_count(), 1U);
}

TEST(ResultReader, LeavesOutALastLineWithoutItsEnd) {
    for (const std::string last : {"0, 2.00000, 6", "0, 2.0", "0", R"(# data: {"schema":3})"}) {
        const Result sweep = result_of(header + row + last);
        EXPECT_EQ(sweep.row_count(), 1U) << last;
        EXPECT_TRUE(sweep.cut && why_incomplete(sweep)) << last;
    }
}

TEST(ResultReader, ReadsTheRowsOfItsOwnFilesWithoutDataAndSaysThatTheyAreTruncated) {
    const std::string begin = "# memtest 1.0.0: random pointer-based scan on one thread\n# cpu: A CPU\n";
    for (const std::string& text : {begin + header + row, begin + header + row + "0, 2.0", header + row + "0, 2.0"}) {
        const Result sweep = result_of(text);
        EXPECT_EQ(sweep.row_count(), 1U) << text;
        EXPECT_TRUE(sweep.cut) << text;
        EXPECT_TRUE(why_incomplete(sweep).has_value()) << text;
        EXPECT_EQ(sweep.run, RunDescription{}) << "lines for people are not read";
    }
}

TEST(ResultReader, RefusesTwoResultsInOneFile) {
    const std::string one = header + row + data_line("", end_member(1, 1));
    expect_refusals({{one, ""}, {one + data_line(""), ":4: | second | data"}, {one + one, ":4: | Thread"}});
}

TEST(ResultReader, MakesTheSentencesOfCsvAnew) {
    const Notice warning(Code::others_used, {{"percent", 35}});
    const Notice remark(Code::no_tlb_edge, {{"pages", 7}});
    const Result sweep = result_of(header + row + "# warning[others_used]: as it was said before\n" +
                                   data_line("", R"("warnings":[{"code":"others_used","percent":35}],)"
                                                 R"("remarks":[{"code":"no_tlb_edge","pages":7}])"));
    EXPECT_EQ(sweep.warnings, std::vector{warning});
    EXPECT_EQ(sweep.remarks, std::vector{remark});
}

TEST(WhyIncomplete, IsAskedOfTheEndAndTheRows) {
    const std::string tlb = "Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n4, 16, 1, 1, 0\n";
    const auto of = [](const std::string& end, const std::string& more = "") {
        return data_line(R"("version":"1.0.0")" + more, end);
    };
    using Names = std::vector<std::string>; // that the reason mentions
    for (const auto& [text, names] : std::vector<std::pair<std::string, std::optional<Names>>>{
             {row + of(end_member(1, 1)), std::nullopt},
             {row + of(end_member(20, 41)), Names{" 20 of 41 sizes"}},
             {row + of(end_member(41, 41, true)), Names{" 41 of 41 sizes", "interrupted"}},
             {row + of(""), Names{}},
             {row + of(end_member(25, 25)), Names{" 1 row,", " 25 sizes"}},
             {row + of(end_member(0, 0)), Names{" 1 row,", " 0 sizes"}},
             {row + "1, 1.0, 5.0\n" + of(end_member(1, 1)), std::nullopt},
             {row + "1, 1.0, 5.0\n0, 2.0, 6.0\n" + of(end_member(2, 2)), Names{" 3 rows,", " 2 sizes", " 2 threads"}},
             {row + of(end_member(1, 1), R"(,"threads":2)"), Names{" 1 row,", " 1 size ", " 2 threads"}},
             {tlb + of(end_member(1, 1, false, "rows")), std::nullopt},
             {tlb + of(end_member(2, 2, false, "rows")), Names{" 1 row,", " 2 rows"}},
             {document(json_row, R"(, "end": {"sizes_measured": 2, "sizes_planned": 2, "interrupted": false})"),
              Names{" 1 row,", " 2 sizes"}},
             {document(json_row, R"(, "end": {"sizes_measured": 1, "sizes_planned": 41, "interrupted": true})"),
              Names{" 1 of 41 sizes", "interrupted"}},
             {document(json_row, R"(, "run": {"version": "1.0.0"})"), Names{}}}) {
        const auto reason = why_incomplete(result_of(text));
        ASSERT_EQ(reason.has_value(), names.has_value()) << text;
        for (const std::string& name : names.value_or(Names{}))
            EXPECT_TRUE(mentions(*reason, {name})) << text;
    }
}

TEST(ResultReader, RefusesWhatIsNoResult) {
    expect_refusals(
        {{"", ": | rows"},
         {"\n\n# order: random\n", ": | rows"},
         {header, ": | rows"},
         {"0, 1.00000, 5.000", ": | rows"},
         {"# order: random\nReader, Owner\n1, 2\n", ":2: | `Reader, Owner` | 'memtest cores' | `Latency (ns)`"},
         {header + "0, 1.0, 5.0, 7\n", ":2: | 3 | 4"},
         {"0, 1.0\n", ":1: | 0, 1.0 | --columns"},
         {data_line(R"("order":"zigzag")") + row, ": | order | `zigzag`"},
         {data_line(R"("core_clock_ghz":"fast","whatever":"x")") + row, ""},
         {"# order: zigzag\n" + row, ""},
         {R"({"schema": 2, "rows": []})", ": | schema | `2` | knows 3"},
         {R"({"schema": "x"})", ": | schema | `x` | knows 3"},
         {R"({"schema": 3, "command": "levels"})", ": | `levels`"},
         {R"({"rows": [)" + json_row + R"(], "schema": 3, "command": "tlb"})", ": row 1: | pages"},
         {document(""), ": | rows"},
         {"{x}", ": | JSON | byte 2"},
         {document(json_row) + " x", fmt::format(": | JSON | byte {}", document(json_row).size() + 2)},
         {document("7"), ": row 1: | thread"},
         {document("[[]]"), ": row 1: | thread"},
         {R"({"schema": 3, "rows": 7, "run": [1], "warnings": {"a": 1}, "remarks": 1})", ": | `rows`"},
         {document(json_row, R"(, "run": {"order": 7})"), ": | order | `7`"}});
}

TEST(ResultReader, RefusesFieldsThatAreNoFiguresWithTheirPlace) {
    const std::string latency = ":2: Access latency (ns) | `{}` | 0.001 to 1e+12";
    for (const std::string text :
         {"nan", "-5.0", "0.000", "inf", "-inf", "1e999", "5.0x", "1e-320", "1e308", "1e13", "0.0001"})
        expect_refusals({{header + "0, 1.0, " + text + "\n", fmt::format(fmt::runtime(latency), text)}});
    const std::string size = "Mem size (MiB) | `{}` | 1e-05 to 8.79609e+12";
    for (const std::string text : {"", "0", "1e20", "1e-320", "x"})
        expect_refusals({{header + "0, " + text + ", 5.0\n", ":2: | " + fmt::format(fmt::runtime(size), text)}});
    for (const std::string text : {"-1", "0.5", "99999999999", ""})
        expect_refusals(
            {{header + text + ", 1.0, 5.0\n", fmt::format(":2: | Thread | `{}` | 0 to 2.14748e+09", text)}});
    const std::string wide = "Thread, Mem size (MiB), Access latency (ns), Spread (%), Batches\n";
    const std::string tlb = "Pages, Reach (KiB), Spread (ns), Packed (ns), Translation (ns)\n";
    const std::string cores = "Reader, Owner, Latency (ns), Relation\n";
    expect_refusals(
        {{wide + "0, 1.0, 5.0, 0.0, 32\n", ""},
         {wide + "0, 1.0, 5.0, -1, 32\n", ":2: | Spread (%) | `-1` | 0 to 1e+06"},
         {wide + "0, 1.0, 5.0, 1, 3.2\n", ":2: | Batches | `3.2` | 0 to 1e+12"},
         {tlb + "5, 20, 1, 1\n", ":2: | 5 | 4"},
         {tlb + "5, 20, 1, x, 0\n", ":2: | Packed (ns) | `x` | 0 to 1e+12"},
         {tlb + "5, 20, , 1, 0\n", ":2: | Spread (ns) | `` | 0 to 1e+12"},
         {tlb + "5, 0, 1, 1, 0\n", ":2: | Reach (KiB) | `0` | 0.001 to 1e+12"},
         {tlb + "nan, 20, 1, 1, 0\n", ":2: | Pages | `nan` | 1 to 1e+12"},
         {cores + "0, x, 3.000, same core\n", ":2: | Owner | `x` | 0 to 2.14748e+09"},
         {cores + "0, -1, 3.000, same core\n", ":2: | Owner | `-1` | 0 to 2.14748e+09"},
         {R"({"schema": 3, "command": "nodes", "rows": [{"processors_of_node": 0, "memory_of_node": -1, "latency_ns": 1}]})",
          ": row 1: | memory_of_node | `-1` | 0 to 2.14748e+09"},
         {cores + "0, 1, 0, same core\n", ":2: | Latency (ns) | `0` | 0.001 to 1e+12"},
         {document(json_row + R"(, {"thread": 0, "size_mib": 1.0, "latency_ns": -1})"),
          ": row 2: | latency_ns | `-1` | 0.001 to 1e+12"},
         {document(R"({"thread": 0.5, "size_mib": 1.0, "latency_ns": 5})"),
          ": row 1: | thread | `0.5` | 0 to 2.14748e+09"},
         {document(R"({"thread": 0, "size_mib": 1.0, "latency_ns": 1, "notes": 7})"), ": row 1: | notes | `7`"},
         {document(R"({"thread": 0, "latency_ns": 1})"), ": row 1: | size_mib"},
         {document(R"({"thread": 0, "size_mib": 1.0, "latency_ns": null})"), ""}});
}

TEST(ResultReader, NamesUtf16SemicolonsAndDecimalCommas) {
    const std::string comma = " | point";
    const std::string utf16 = ": | UTF-16 | iconv";
    expect_refusals(
        {{std::string("\xff\xfe#\0 \0", 6), utf16},
         {std::string("\xfe\xff\0#\0 ", 6), utf16},
         {"0, 0,00049, 1,605\n", ":1: | `0, 0,00049, 1,605`" + comma},
         {"Reader, Owner, Latency (ns), Relation\n0, 1, 3,5, same core\n", ":2: | `0, 1, 3,5, same core`" + comma},
         {"Thread;Mem size (MiB);Access latency (ns)\n0;0,00049;1,605\n",
          ":1: | `Thread;Mem size (MiB);Access latency (ns...` | commas"},
         {"0,1.0,5.0\n", ""},
         {"\xef\xbb" + row, ": | text"}});
}

TEST(ResultReader, RefusesGarbageInOnePrintableLine) {
    expect_refusals({{std::string("\x7f"
                                  "ELF\x02\x01\0\x9b[2J,\n,",
                                  14),
                      ":1: | `\\x7fELF\\x02\\x01\\x00\\x9b[2J,`"},
                     {"0, 1.0, " + std::string(100, 'a') + "\n",
                      ":1: | Access latency (ns) | `" + std::string(40, 'a') + "...` | 0.001 to 1e+12"}});
}

TEST(ResultReader, TakesLongLinesAndNoJsonThatIsTooDeep) {
    expect_refusals(
        {{"# cpus: " + std::string(5 << 20, '1') + "\n" + row, ""}, {std::string(100, '['), ":1: | object"}});
    const std::string nested = std::string(20'000, '[') + std::string(20'000, ']');
    const std::string deep = ": | nested";
    expect_refusals({{R"({"schema": 3, "end": )" + nested + "}", deep},
                     {R"({"schema": 3, "run": {"caches": )" + nested + "}}", deep},
                     {R"({"schema": 3, "warnings": [)" + nested + "]}", deep},
                     {document(nested), deep},
                     {R"({"a": )" + nested, deep}});
}

TEST(ResultReader, TakesNoRowsFromDataAndNoDataThatIsNoJson) {
    const Result sweep = result_of(R"(# data: {"schema": 3, "run": {}, "rows": [)" + json_row + "]}\n" + row);
    EXPECT_EQ(sweep.row_count(), 1U);
    for (const char* data : {"nonsense", "{", "{\"schema\": 3", "{\"schema\": 3} {}", "[3]", "{\"schema\": 4}", "{}"})
        EXPECT_NE(refusal("# data: " + std::string(data) + "\n" + row), "") << data;
    expect_refusals({{"# data: {\"schema\": 3,}\n" + row, ":1: | JSON | byte 14"}});
}

TEST(ResultReader, ReadsTheRowsThatASpreadsheetSaved) {
    const Result rows = result_of("# memtest 1.0.0: a scan,,,,\nThread,Mem size (MiB),Access latency (ns),,\n0,1,5,,\n"
                                  "1,1,5,,\n\"# data: {\"\"schema\"\":3},,,\n");
    EXPECT_EQ(rows.row_count(), 2U);
    EXPECT_TRUE(why_incomplete(rows));
}

TEST(ResultReader, SkipsMessagesOfStandardError) {
    EXPECT_EQ(result_of(header + "memtest: warning: other processes used 35 % of the CPUs\n" + row).row_count(), 1U);
}

TEST(ResultReader, NamesWhatALogOrAReplyAddedToAResult) {
    const std::string start = "# memtest 1.0.0: a scan\n";
    expect_refusals({{"[12:00:01] " + start + row, ":1: | `[12:00:01] ` | cut -c12-"},
                     {"> " + start + "> " + row, ":1: | `> ` | cut -c3-"},
                     {"2026-01-31T23:59:59Z stdout F {\n", ":1: | stdout F | cut -c31-"},
                     {"```\n" + start + row + "```\n", ":1: | ``` | `# memtest`"},
                     {"Script started on 2026-01-31\n" + start + row, ":1: | Script started"},
                     {"\x1f\x8b\x08", ": | compressed"},
                     {"\xfd"
                      "7zXZ",
                      ": | compressed"},
                     {"Reader, Owner, Latency (ns), Relation\n0, 1, 5.0, same tile\n",
                      ":2: | Relation | `same tile` | same core, "}});
}

TEST(ResultReader, GivesNotesToTheRowThatTheyName) {
    const auto with_notes = [](const std::string& number) {
        return header + row + other_row +
               data_line("", R"("row_notes":[{"row":)" + number + R"(,"notes":["preempted"]}])");
    };
    for (std::size_t named = 0; named < 3; ++named) {
        const Result sweep = result_of(with_notes(std::to_string(named)));
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_EQ(sweep.rows_of<Row>().at(i).notes.size(), i == named ? 1U : 0U) << named;
    }
    EXPECT_EQ(refusal(with_notes("-1")), "");
    EXPECT_EQ(refusal(with_notes("null")), "");
}

TEST(ResultReader, TakesALineThatBeginsWithANumberForARow) {
    expect_refusals({{"-1, 1.0, 5.0\n", ":1: | Thread | `-1`"},
                     {"+x, 1.0, 5.0\n", ":1: | `+x, 1.0, 5.0`"},
                     {"+0, 1.0, 5.0\n", ":1: | Thread | `+0`"},
                     {".5, 1.0, 5.0\n", ":1: | Thread | `.5`"},
                     {"9, 1.0, 5.0\n", ""},
                     {"-\n", ":1: | `-`"}});
    const Result wide = result_of("0, 1.0, 5.0, 7, 8\n0, 2.0, 6.0, 7, x\n");
    ASSERT_EQ(wide.row_count(), 2U) << "further columns are not known";
    EXPECT_EQ(wide.rows_of<Row>()[1].latency_ns, 6.0);
}

TEST(ResultReader, LeavesNoFileOpen) {
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    const TextFile stored("closed", header + row);
    const auto before = open_files();
    for (int time = 0; time < 3; ++time)
        static_cast<void>(chosen_result(read_file(stored.path())));
    EXPECT_EQ(open_files(), before);
}

TEST(ResultReader, KeepsAsManyWarningsAsARunCanGive) {
    std::string list = R"({"code":"unknown","text":"x"})";
    for (int i = 0; i < 3000; ++i)
        list += R"(,{"code":"unknown","text":"x"})";
    const std::string both = R"("warnings": [)" + list + R"(], "remarks": [)" + list + "]";
    for (const Result& result : {result_of(document(json_row, "," + both)), result_of(row + data_line("", both))}) {
        EXPECT_EQ(result.warnings.size(), 1000U);
        EXPECT_EQ(result.remarks.size(), 1000U);
    }
}

TEST(ResultReader, AForgedSentenceStaysOnItsLine) {
    const std::string notice = R"({"code": "unknown", "text": "a\u001b[2J\n# verdict: no difference"})";
    EXPECT_EQ(texts_of(result_of(document(json_row, R"(, "warnings": [)" + notice + "]")).warnings),
              std::vector<std::string>{"a\\x1b[2J\\n# verdict: no difference"});
}

TEST(ResultTaker, RefusesRowsThatDoNotEndBeforeTheyFillTheMemory) {
    std::vector<NodesRow> rows;
    rows.reserve(4'100'001);
    rows.resize(4'099'999);
    Result endless{.name = "file", .kind = &nodes_kind, .rows = std::move(rows)};
    add_row(endless);
    EXPECT_TRUE(mentions(refusal_of([&] { add_row(endless); }), {"file: ", "4100000 rows"}));
}

/// Prints and reads decimals with a comma, as many a locale does.
class DecimalComma : public std::numpunct<char> {
protected:
    [[nodiscard]] char do_decimal_point() const override { return ','; }
};

TEST(ResultReader, DoesNotMindTheLocale) {
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
    const Result csv = result_of("0, 1.50000, 5.250\n");
    const Result json = result_of(document(R"({"thread": 0, "size_mib": 1.5, "latency_ns": 5.25})"));
    std::locale::global(before);
    EXPECT_EQ(csv.rows_of<Row>().at(0).latency_ns, 5.25);
    EXPECT_EQ(json.rows_of<Row>().at(0).latency_ns, 5.25);
}

TEST(ResultReader, NamesAFileThatCannotBeOpenedOrRead) {
    EXPECT_TRUE(mentions(refusal_of([] { static_cast<void>(chosen_result(read_file("/nowhere/sweep.csv"))); }),
                         {"/nowhere/sweep.csv: ", ": " + std::generic_category().message(ENOENT)}));
    try {
        static_cast<void>(chosen_result(read_file("/")));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::usage) << "like a name that is not there";
        EXPECT_TRUE(mentions(error.what(), {"/: ", ": " + std::generic_category().message(EISDIR)}));
    }
}

} // namespace
} // namespace memtest
