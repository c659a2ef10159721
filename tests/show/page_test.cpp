// The page of memtest report, from raw results as they are stored.
#include "memtest/show/page.hpp"

#include "memtest/kinds/translation.hpp"

#include "memtest/base/units.hpp"
#include "memtest/result/warnings.hpp"
#include "support/modelled_reports.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace memtest {
namespace {

constexpr std::string_view small_pages = R"({"page_bytes": 4096})";
constexpr std::string_view huge_pages =
    R"({"page_bytes": 4096, "transparent_page_bytes": 2097152, "transparent_percent": 100})";

/// What a run says of the machine. @param more members of it
std::string run_json(std::string_view pages, std::string_view more = "") {
    return fmt::format(
        R"("schema": 3, "run": {{"version": "1.0.0", "start": "2026-01-31T23:59:59Z", "order": "random", "pages_got": [{}],
        "transparent_huge_pages": "madvise", "cpu_model": "A CPU", "processors": {{"ids": [1]}},
        "caches": [{{"level": 1, "data_only": true, "size_bytes": 32768, "shared_by": 1}},
                   {{"level": 2, "data_only": false, "size_bytes": 1048576, "shared_by": 2}}],
        "kernel": "Linux 6.1", "virtual_machine": true, "core_clock_ghz": 2.5{}}})",
        pages, more);
}

/// An L1 of 32 KiB, an L2 of 1 MiB and memory; beyond 64 pages translation adds something.
double latency_ns(double size_bytes, double translation_ns) {
    const double data_ns = size_bytes <= 32 * kib ? 2 : size_bytes <= mib ? 6 : 80;
    return data_ns + (size_bytes > 256 * kib ? translation_ns : 0);
}

/// @param notes of the first row
std::string sweep_json(std::string_view pages, double translation_ns, std::string_view notes = "",
                       std::string_view warnings = "") {
    std::string rows;
    for (double half = 1024; half <= 32 * mib; half *= 2) {
        for (const double size_bytes : {half, half * 1.5})
            rows += fmt::format(
                R"({}{{"thread": 0, "size_mib": {:.5f}, "latency_ns": {:.3f}, "visits_percent": 1, "notes": [{}], "size_bytes": {}}})",
                rows.empty() ? "" : ",\n", size_bytes / mib, latency_ns(size_bytes, translation_ns),
                rows.empty() ? notes : "", size_bytes);
    }
    return fmt::format(R"({{{}, "rows": [{}], "warnings": [{}]}})", run_json(pages), rows, warnings);
}

std::string parallel_json(unsigned chains, double ns) {
    return fmt::format(
        R"({{{}, "rows": [{{"thread": 0, "size_mib": 128.0, "latency_ns": {:.3f}, "notes": []}}], "warnings": []}})",
        run_json(huge_pages, fmt::format(R"(, "parallel": {})", chains)), ns);
}

/// Walks of 10 ns beyond 64 pages.
std::string tlb_json() {
    std::string rows;
    for (std::size_t pages = 4; pages <= 4096; pages = pages == 64 ? 65 : pages == 65 ? 128 : pages * 2) {
        const double cost_ns = pages > 64 ? 10 : 0;
        rows +=
            fmt::format(R"({}{{"pages": {}, "reach_kib": {}, "spread_ns": {}, "packed_ns": 2, "translation_ns": {}}})",
                        rows.empty() ? "" : ", ", pages, 4 * pages, 2 + cost_ns, cost_ns);
    }
    return fmt::format(
        R"({{"command": "tlb", {}, "rows": [{}], "warnings": [], "remarks": [{{"code": "unknown", "text": "no second edge"}}],
                           "end": {{"rows_measured": 12, "rows_planned": 12, "interrupted": false}}}})",
        run_json(small_pages), rows);
}

std::string cores_json() {
    return fmt::format(R"({{"command": "cores", {}, "rows": [
        {{"reader": 0, "owner": 1, "latency_ns": 23.893, "relation": "same package"}},
        {{"reader": 0, "owner": 2, "latency_ns": 118, "relation": "same package"}},
        {{"reader": 1, "owner": 2, "latency_ns": null, "relation": "same package"}}],
        "warnings": [], "remarks": [{{"code": "unknown", "text": "0 and 2 are far apart"}}]}})",
                       run_json(small_pages));
}

std::string loaded_json() {
    return fmt::format(R"({{"command": "loaded", {}, "rows": [
        {{"load_percent": 0, "bandwidth_gb_s": 0, "latency_ns": 80}},
        {{"load_percent": 50, "bandwidth_gb_s": 8.25, "latency_ns": 90}},
        {{"load_percent": 75, "bandwidth_gb_s": null, "latency_ns": null}},
        {{"load_percent": 100, "bandwidth_gb_s": 16.5, "latency_ns": 120}},
        {{"load_percent": 0, "bandwidth_gb_s": 0, "latency_ns": 81}}],
        "warnings": [{{"code": "unknown", "text": "at 75 % load all batches were set aside"}},
                     {{"code": "little_memory",
                       "text": "16 MiB is less than 4 times the last cache, so the cache serves a part of the accesses"}}],
        "remarks": null}})",
                       run_json(huge_pages));
}

std::string tail_json() {
    return fmt::format(R"({{"command": "tail", {}, "rows": [
        {{"size_mib": 0.015625, "load_percent": 0, "accesses": 33554432, "p50_ns": 1.1, "p90_ns": 1.2, "p99_ns": 1.5,
          "p99_9_ns": 4, "p99_99_ns": null, "max_ns": 70}},
        {{"size_mib": 256, "load_percent": 100, "accesses": 262144, "p50_ns": 150, "p90_ns": 260, "p99_ns": 380,
          "p99_9_ns": 600, "p99_99_ns": 2440, "max_ns": 9780}}],
        "warnings": [], "remarks": [{{"code": "unknown", "text": "256 MiB: slow accesses come back"}}]}})",
                       run_json(huge_pages));
}

std::string nodes_json() {
    return fmt::format(
        R"({{"command": "nodes", {}, "rows": [{{"processors_of_node": 0, "memory_of_node": 0, "latency_ns": 90}}]}})",
        run_json(huge_pages));
}

std::string prefetch_json() {
    return fmt::format(
        R"({{"command": "prefetch", {}, "rows": [{{"pages": "4k", "pattern": "random", "stride_bytes": null, "hops": null, "latency_ns": 90,
                           "low_ns": 89, "high_ns": 91, "random_percent": null}}]}})",
        run_json(small_pages));
}

StoredFile whole_report() {
    StoredFile results{.is_report = true};
    set_part(
        results, "sweep",
        result_of(sweep_json(small_pages, 10, R"("bimodal")", R"({"code": "unknown", "text": "the clock moved"})")));
    set_part(results, "huge",
             result_of(sweep_json(huge_pages, 0, "", R"({"code": "unknown", "text": "the clock moved"})")));
    set_parallel(results, {result_of(parallel_json(1, 80)), result_of(parallel_json(16, 8))});
    set_part(results, "tlb", result_of(tlb_json()));
    set_part(results, "cores", result_of(cores_json()));
    set_part(results, "loaded", result_of(loaded_json()));
    set_part(results, "tail", result_of(tail_json()));
    return results;
}

TEST(ReportPage, OpensWithTheSummary) {
    StoredFile results = whole_report();
    auto& rows = std::get<std::vector<Row>>(part_in(results, "huge").rows);
    rows.back().latency_ns = 122;
    rows.at(20).low_ns = rows.at(20).high_ns = 6; // at 1 MiB
    const std::vector<std::string> sentences = page_of(results, {}).summary;
    ASSERT_EQ(sentences.size(), 4U);
    EXPECT_TRUE(sentences[0].ends_with("1 MiB, contested.")) << sentences[0];
    EXPECT_EQ(sentences[1],
              "An access to memory takes 80.0 ns (80.0 at 4 MiB to 122 at 48 MiB) in 2 MiB transparent huge pages.");
    EXPECT_TRUE(
        holds(report_page(page_of(results, {})), "\n\n" + sentences[0] + "\n" + sentences[1] + "\n" + sentences[2]));
    for (Result& part : results.results) {
        part.warnings.clear();
        if (auto* sizes = std::get_if<std::vector<Row>>(&part.rows))
            std::ranges::for_each(*sizes, [](Row& row) { row.notes = {}; });
    }
    EXPECT_EQ(page_of(results, {}).summary.back(), "No disturbance was detected.");
    EXPECT_TRUE(page_of(StoredFile{}, {}).summary.empty());
}

TEST(ReportPage, ItsSummarySaysWhichCapacitiesAreUncertain) {
    StoredFile results = whole_report();
    part_in(results, "huge").run.caches.reset();
    auto& rows = std::get<std::vector<Row>>(part_in(results, "huge").rows);
    for (std::size_t place = 15; place < 24; ++place) // a long rise, from 192 KiB on
        rows.at(place).latency_ns = 6 * std::pow(80.0 / 6, static_cast<double>(place - 14) / 10);
    const std::string caches = page_of(results, {}).summary.at(0);
    EXPECT_EQ(caches.find(", uncertain"), caches.size() - std::string_view(", uncertain.").size()) << caches;
}

TEST(ReportPage, ItsSummaryNamesThreeReasonsForDoubtAndCausesBeforeSizes) {
    StoredFile results = whole_report();
    for (Row& row : std::get<std::vector<Row>>(results.results.front().rows))
        row.notes = {Note::bimodal};
    const std::string sizes = "32 of 32 sizes were disturbed";
    const auto last = [&] { return page_of(results, {}).summary.back(); };
    results.results.back().warnings = {Notice(Code::busy_machine), {Code::others_used, {{"percent", 35}}}};
    EXPECT_TRUE(holds(last(), "; " + sizes)) << last();
    results.results[1].warnings = {Notice(Code::busy_machine)};
    results.results.back().warnings.emplace_back(Code::busy_machine);
    const std::string both = part_in_words(results.results[1].part) + ", " + part_in_words(results.results.back().part);
    EXPECT_TRUE(holds(last(), "using the CPUs (" + both + ")")) << "a part is named once: " << last();
    EXPECT_FALSE(holds(last(), "more reason")) << last();
    results.results.back().warnings.push_back({Code::throttled, {{"periods", 3}}});
    EXPECT_FALSE(holds(last(), sizes)) << last();
    EXPECT_TRUE(last().ends_with("; and 1 more reason.")) << last();
}

TEST(ReportPage, HasInEachSectionItsPlotAndWhatIsSaidOfItsPart) {
    const PageExtras extras{
        .plots = {{"sweep", "![sweeps]\n"}, {"cores", "![cores]\n"}, {"loaded", "![loaded]\n"}, {"tail", "![tail]\n"}}};
    const std::string page = report_page(page_of(whole_report(), extras));
    std::size_t begin = 0;
    for (const auto& [heading, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"Levels", {"![sweeps]\n"}},
             {"What huge pages save", {" level ends |"}},
             {"Memory-level parallelism", {"| 16     |                 8.00 |          10.0 |"}},
             {"Address translation", {"\n- no second edge\n"}},
             {"Core-to-core latency", {"\nGroups: 0,1 2; ", "\n- 0 and 2 are far apart\n", "![cores]\n"}},
             {"Latency under load", {"\n| Knee ", "![loaded]\n"}},
             {"Latency distribution", {"\n- 256 MiB: slow accesses come back\n", "![tail]\n"}},
             {"What was disturbed",
              {"\n- sweep with small pages: 1 of 32 sizes was disturbed\n",
               "\n- sweep with small pages, sweep with huge pages: the clock moved\n",
               "\n- latency under load: at 75 % load all batches were set aside\n"}}}) {
        begin = page.find("\n## " + heading + "\n", begin);
        ASSERT_NE(begin, std::string::npos) << heading << page;
        const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
        for (const std::string& part : parts)
            EXPECT_TRUE(holds(section, part)) << part << section;
    }
}

TEST(ReportPage, HasARowForTheSizeAtWhichItSaysWhatHugePagesSave) {
    for (int left_out = 0; left_out < 3; ++left_out) { // every second doubling is there anyway
        StoredFile results = whole_report();
        for (const char* part : {"sweep", "huge"}) {
            auto& rows = std::get<std::vector<Row>>(part_in(results, part).rows);
            rows.resize(rows.size() - static_cast<std::size_t>(left_out));
        }
        const std::string page = report_page(page_of(results, {}));
        const auto quoted = found(page, "huge pages save [^)]+\\) ns at ([0-9.]+ .iB)");
        ASSERT_FALSE(quoted.empty()) << page;
        EXPECT_TRUE(holds(page.substr(page.find("## What huge pages save")), "\n| " + quoted[1] + " "))
            << quoted[1] << page;
    }
}

TEST(ReportPage, HasTheLevelsOfEachKindOfCore) {
    StoredFile results = whole_report();
    part_in(results, "huge").run.core_kinds = {"P-core"};
    EXPECT_TRUE(holds(report_page(page_of(results, {})), "## Levels of P-core"));
    set_part(results, "kind4", part_in(results, "sweep"));
    part_in(results, "kind4").run.core_kinds = {"E-core"};
    const std::string page = report_page(page_of(results, {}));
    EXPECT_LT(page.find("## Levels of P-core"), page.find("## Levels of E-core"));
    EXPECT_LT(page.find("## Levels of E-core"), page.find("## What huge pages save"));
}

TEST(ReportPage, HasAllPairsOfNodesAndNamesThoseWithoutProcessors) {
    StoredFile results = whole_report();
    set_part(results, "nodes",
             result_of("Processors of node, Memory of node, Latency (ns)\n0, 0, 90\n0, 2, 250.25\n1, 0, 150\n"));
    part_in(results, "sweep").run.special_nodes = {{.id = 2, .memory = "CXL memory"}};
    const std::string page = report_page(page_of(results, {}));
    EXPECT_TRUE(holds(page, "\n## Latency and bandwidth between nodes\n"));
    EXPECT_TRUE(holds(page, "| Processors of node | Memory of node | Latency (ns) |"));
    EXPECT_TRUE(holds(page, "| 0                  |              2 |        250.2 |"));
    EXPECT_TRUE(holds(page, "| 1                  |              0 |        150.0 |"));
    EXPECT_TRUE(holds(page, "NUMA nodes: 2 without processors (CXL memory)"));
}

TEST(ReportPage, SaysAheadOfAllThatTheMachineWasBusyAndWhatDidNotSettle) {
    const Notice is_busy(Code::busy_machine);
    const Notice is_unsettled = *warning_on_unsettled(17, 32, "sizes");
    const std::string busy = sentence_of(is_busy);
    const std::string unsettled = sentence_of(is_unsettled);
    StoredFile results = whole_report();
    part_in(results, "sweep").warnings.insert(part_in(results, "sweep").warnings.begin(), {is_busy, is_unsettled});
    part_in(results, "huge").warnings.push_back(is_busy);
    part_in(results, "tlb").warnings = {is_busy};
    const std::string page = report_page(page_of(results, {}));
    EXPECT_TRUE(holds(
        page, "\n\n## Read with care\n\n- sweep with small pages, sweep with huge pages, address translation: " + busy +
                  "\n- sweep with small pages: " + unsettled + "\n\n## Levels\n"))
        << page;
    EXPECT_EQ(page.find(busy), page.rfind(busy)) << "once";
    EXPECT_EQ(page.find(unsettled), page.rfind(unsettled));
    EXPECT_TRUE(holds(page, "- sweep with small pages, sweep with huge pages: the clock moved\n"));
    for (Result& part : results.results)
        part.warnings = {is_busy};
    EXPECT_TRUE(holds(report_page(page_of(results, {})), "\n- all parts: " + busy + "\n"));
}

TEST(ReportPage, SaysBesideTheLevelsThatTheCacheServesSomeOfMemory) {
    StoredFile results = whole_report();
    const Notice little(Code::little_memory,
                        {{"bytes", 1 << 20}, {"caches", 4}, {"option", "max-size"}, {"least_bytes", 1 << 22}});
    ASSERT_EQ(report_page(page_of(results, {})).find(sentence_of(little)), std::string::npos);
    for (Result* sweep : {&part_in(results, "sweep"), &part_in(results, "huge"), &part_in(results, "loaded")})
        sweep->warnings.push_back(little);
    const std::string page = report_page(page_of(results, {}));
    const auto said = page.find("1 MiB is less than");
    EXPECT_LT(page.find("## Levels"), said);
    EXPECT_LT(said, page.find("\n## ", page.find("## Levels") + 1));
    EXPECT_EQ(page.find("1 MiB is less than", said + 1), std::string::npos) << "once";
}

TEST(ReportPage, NamesEveryPartThatWasDisturbed) {
    StoredFile results = whole_report();
    set_part(results, "nodes", result_of(nodes_json()));
    set_part(results, "prefetch", result_of(prefetch_json()));
    set_part(results, "kind4", part_in(results, "sweep"));
    part_in(results, "kind4").run.core_kinds = {"E-core"};
    const std::vector<std::pair<std::string, Result*>> parts{
        {"sweep with small pages", &part_in(results, "sweep")},
        {"sweep with huge pages", &part_in(results, "huge")},
        {"parallel chains (16)", &part_in(results, "parallel16")},
        {"sweep on another kind of core", &part_in(results, "kind4")},
        {"address translation", &part_in(results, "tlb")},
        {"latency and bandwidth between nodes", &part_in(results, "nodes")},
        {"core-to-core latency", &part_in(results, "cores")},
        {"latency under load", &part_in(results, "loaded")},
        {"latency distribution", &part_in(results, "tail")},
        {"prefetchers", &part_in(results, "prefetch")}};
    for (const auto& [name, part] : parts) {
        for (const Code code : {Code::counter_unsettled, Code::busy_machine}) { // below, and ahead of all
            part->warnings.emplace_back(code);
            const std::string said = "\n- " + name + ": " + sentence_of(Notice(code));
            EXPECT_TRUE(holds(report_page(page_of(results, {})), said)) << said;
            part->warnings.pop_back();
        }
    }
}

TEST(ReportPage, DoubtsOnceMoreThanAllThatChainsCanGainAndNamesThemTogether) {
    StoredFile results = whole_report();
    set_parallel(results, {result_of(parallel_json(1, 109)), result_of(parallel_json(4, 25)),
                           result_of(parallel_json(8, 10)), result_of(parallel_json(16, 7))});
    for (const char* part : {"parallel1", "parallel4", "parallel8", "parallel16"})
        part_in(results, part).warnings.emplace_back(Code::counter_unsettled);
    part_in(results, "parallel16").warnings.emplace_back(Code::busy_machine);
    const std::string page = report_page(page_of(results, {}));
    const Notice slowed(Code::single_chain_slowed, {{"chains", 8}, {"times", 10.9}});
    EXPECT_TRUE(holds(page, "\n- " + sentence_of(slowed) + "\n")) << page;
    EXPECT_FALSE(holds(page, "16 chains cannot") || holds(page, "4 chains cannot")) << "the most impossible alone";
    EXPECT_TRUE(holds(page, "\n- parallel chains: " + sentence_of(Notice(Code::counter_unsettled)))) << page;
    EXPECT_TRUE(holds(page, "\n- parallel chains (16): " + sentence_of(Notice(Code::busy_machine)))) << page;
    set_parallel(results, {result_of(parallel_json(1, 84)), result_of(parallel_json(8, 10))});
    EXPECT_FALSE(holds(report_page(page_of(results, {})), " cannot be ")) << "8.4 times is within noise";
}

TEST(ReportPage, SaysThatPagesAreUnknown) {
    StoredFile results{.is_report = true};
    set_parallel(results, {result_of(parallel_json(1, 80)), result_of(parallel_json(2, 40))});
    part_in(results, "parallel1").run.pages_got = std::vector{PagesGot{}};
    EXPECT_TRUE(holds(report_page(page_of(results, {})), "through 128 MiB, unknown pages."))
        << report_page(page_of(results, {}));
}

TEST(ReportPage, TakesTranslationOffSmallPagesWhereHugeOnesAreMissing) {
    StoredFile results = whole_report();
    drop_part(results, "huge");
    const std::string page = report_page(page_of(results, {}));
    EXPECT_TRUE(holds(page, "In random order, 4 KiB pages, less what translation adds.")) << page;
    EXPECT_FALSE(holds(page, "Small pages (ns)")) << "there is no difference to tell";
    StoredFile disturbed = results;
    std::get<std::vector<Row>>(part_in(disturbed, "sweep").rows).back().latency_ns = 11.0; // most of it is translation
    EXPECT_TRUE(holds(report_page(page_of(disturbed, {})), "In random order, 4 KiB pages.\n"));
    StoredFile of_unknown_pages = results;
    part_in(of_unknown_pages, "sweep").run.pages_got.reset();
    EXPECT_TRUE(holds(report_page(page_of(of_unknown_pages, {})), "In random order, unknown pages.\n"));
    drop_part(results, "tlb");
    EXPECT_TRUE(holds(report_page(page_of(results, {})), "In random order, 4 KiB pages.\n"));
}

TEST(ReportPage, QuotesWhatHugePagesSaveAtTheSizeThatTheirCommandQuotes) {
    StoredFile report = modelled_report();
    for (Result& sweep : report.results) {
        if (sweep.kind == &sweep_kind)
            std::get<std::vector<Row>>(sweep.rows).pop_back(); // the last is no power of four, and not in the table
    }
    const auto sentences = answer_of(translation_costs(report.results[0], report.results[1]), {}).sentences;
    EXPECT_TRUE(holds(sentences.front(), "224 MiB"));
    EXPECT_EQ(std::ranges::count(page_of(report, {}).summary, sentences.front()), 1) << sentences.front();
}

TEST(ReportPage, SaysInALineThatTheKernelGaveNoHugePages) {
    StoredFile results = whole_report();
    set_part(results, "huge", result_of(sweep_json(small_pages, 10)));
    const std::string page = report_page(page_of(results, {}));
    EXPECT_TRUE(
        holds(page, "\n- sweep with huge pages: the kernel gave 4 KiB pages (transparent huge pages: madvise)\n"))
        << page;
    EXPECT_FALSE(holds(page, "Small pages (ns)"));
}

TEST(ReportPage, OfNothingNamesWhatIsMissing) {
    StoredFile results{.is_report = true};
    results.missing = {{"hand-overs between cores", "one processor may be used here"}};
    EXPECT_EQ(report_page(page_of(results, {})), "# Memory of a machine\n\n"
                                                 "- processor not known\n- caches not known\n- kernel not known\n"
                                                 "\n## What was disturbed\n\nNo disturbance was detected.\n"
                                                 "\n## What is missing\n\n"
                                                 "- hand-overs between cores: one processor may be used here\n");
}

TEST(ReportPage, HasALineForEachReasonWhyPartsAreMissing) {
    StoredFile results{.is_report = true};
    results.missing = {
        {"parallel1", "interrupted"}, {"parallel2", "interrupted"}, {"loaded", "a_b"}, {"tlb", "interrupted"}};
    EXPECT_TRUE(report_page(page_of(results, {}))
                    .ends_with("\n## What is missing\n\n"
                               "- parallel chains, address translation: interrupted\n"
                               "- latency under load: a\\_b\n"));
}

TEST(ReportText, FitsATerminalWithAllThatThePageHas) {
    StoredFile results = whole_report();
    part_in(results, "sweep").warnings.emplace_back(Code::busy_machine);
    results.missing = {
        {"plots", "gnuplot is not installed, so there is none of the plots on this page, nor beside it"}};
    std::vector<std::string> words = words_of(report_text(page_of(results, {}), 100'000));
    for (const std::size_t columns : {80U, 120U}) {
        const std::string text = report_text(page_of(results, {}), columns);
        for (const std::string& line : lines_of(text))
            EXPECT_LE(line.size(), columns) << line;
        EXPECT_EQ(words_of(text), words) << text;
    }
    std::ranges::sort(words);
    std::vector<std::string> of_page = words_of(report_page(page_of(results, {})));
    std::erase_if(of_page, [](const std::string& word) {
        return word.find_first_not_of("|-:#") == std::string::npos; // of tables, lists and headings
    });
    std::ranges::sort(of_page);
    EXPECT_TRUE(std::ranges::includes(words, of_page));
}

TEST(ReportPage, TakesNothingInATableForMarkup) {
    const PageExtras extras{.name = "a|b*\x1b[31m", .beside = {{.name = "plain"}}};
    const std::string page = report_page(page_of({}, extras));
    EXPECT_TRUE(holds(page, "\n| a\\|b\\*\\\\x1b\\[31m |")) << page;
    const std::string text = report_text(page_of({}, extras), 80);
    EXPECT_TRUE(holds(text, "\na|b*\\x1b[31m\nplain\n")) << text;
}

TEST(ReportText, EndsWithTheSummary) {
    const StoredFile results = whole_report();
    const std::string text = report_text(page_of(results, {}), 80);
    const std::size_t summary = text.find("\nSummary\n");
    ASSERT_NE(summary, std::string::npos) << text;
    std::string told;
    for (const std::string& sentence : page_of(results, {}).summary)
        told += "- " + sentence + " ";
    EXPECT_EQ(words_of(text.substr(summary + 9)), words_of(told));
}

TEST(ReportPage, DescribesTheMachineByWhateverWasMeasured) {
    for (const auto& [part, document] : {std::pair("loaded", loaded_json()),
                                         {"tail", tail_json()},
                                         {"cores", cores_json()},
                                         {"nodes", nodes_json()},
                                         {"prefetch", prefetch_json()},
                                         {"kind4", sweep_json(small_pages, 10)}}) {
        StoredFile report{.is_report = true};
        set_part(report, part, result_of(document));
        EXPECT_TRUE(
            report_page(page_of(report, {})).starts_with("# Memory of A CPU\n\n- processor 1 of a virtual machine, "))
            << part;
    }
    StoredFile parallel{.is_report = true};
    set_parallel(parallel, {result_of(parallel_json(4, 20))});
    const std::string page = report_page(page_of(parallel, {}));
    EXPECT_TRUE(page.starts_with("# Memory of A CPU\n"));
    EXPECT_TRUE(holds(page, "| 4      |                20.00 |               |\n"))
        << "nothing to compare with: " << page;
}

TEST(ReportPage, DescribesTheMachineByAnotherKindOfCoreOnlyIfThereIsNoOtherPart) {
    StoredFile report{.is_report = true};
    set_part(report, "kind4", result_of(sweep_json(small_pages, 10)));
    part_in(report, "kind4").run.core_kinds = {"E-core"};
    EXPECT_TRUE(holds(report_page(page_of(report, {})), "processor 1 (E-core)"));
    set_part(report, "tail", result_of(tail_json()));
    part_in(report, "tail").run.core_kinds = {"P-core"};
    EXPECT_TRUE(holds(report_page(page_of(report, {})), "processor 1 (P-core)"));
}

TEST(ReportPage, LeavesTheMatrixOfManyCoresToThePlot) {
    StoredFile results = whole_report();
    for (int owner = 3; owner <= 9; ++owner)
        std::get<std::vector<CoresRow>>(part_in(results, "cores").rows).push_back({0, owner, 24.0});
    EXPECT_TRUE(holds(report_page(page_of(results, {})), "| Reader |")) << "of ten processors";
    std::get<std::vector<CoresRow>>(part_in(results, "cores").rows).push_back({0, 10, 24.0});
    const std::string page = report_page(page_of(results, {}));
    EXPECT_FALSE(holds(page, "| Reader |")) << page;
    EXPECT_TRUE(holds(page, "\nGroups: "));
}

std::vector<std::string> names_of(const std::optional<Plot>& plot) {
    std::vector<std::string> names;
    for (const PlotCurve& curve : std::get<SizePlot>(plot.value()).curves)
        names.push_back(curve.name);
    return names;
}

using Names = std::vector<std::string>;

TEST(PagePlots, NameSweepsByTheirPagesAndWhereThereAreOthersByTheirKindsOfCores) {
    StoredFile report{.is_report = true};
    EXPECT_FALSE(plot_of(report, {}, "sweep").has_value());
    set_part(report, "sweep", result_of(sweep_json(small_pages, 10)));
    set_part(report, "huge", result_of(sweep_json(huge_pages, 0)));
    const std::string huge = ", pages 2 MiB transparent";
    EXPECT_EQ(names_of(plot_of(report, {}, "sweep")), (Names{"huge" + huge, "small, pages 4 KiB"}));
    EXPECT_FALSE(std::get<SizePlot>(plot_of(report, {}, "sweep").value()).levels.empty());
    set_part(report, "kind4", part_in(report, "huge"));
    part_in(report, "sweep").run.core_kinds = part_in(report, "huge").run.core_kinds = {"P-core"};
    part_in(report, "kind4").run.core_kinds = {"E-core"};
    EXPECT_EQ(names_of(plot_of(report, {}, "sweep")),
              (Names{"P-core, huge" + huge, "P-core, small, pages 4 KiB", "E-core" + huge}));
    set_part(report, "huge", part_in(report, "sweep"));
    EXPECT_EQ(names_of(plot_of(report, {}, "sweep")).size(), 2U)
        << "huge pages that are small ones are no sweep of their own";
}

TEST(PagePlots, OfMachinesHaveTheSweepOfEachWhereThereAreOthers) {
    StoredFile report{.is_report = true};
    set_part(report, "sweep", result_of(sweep_json(small_pages, 10)));
    PageExtras extras{.name = "this"};
    EXPECT_FALSE(plot_of(report, extras, "beside").has_value()) << "it is alone";
    extras.beside = {{.name = "other", .sweep = result_of(sweep_json(small_pages, 0))}, {.name = "without"}};
    const auto plot = plot_of(report, extras, "beside");
    EXPECT_EQ(names_of(plot), (Names{"this", "other"}));
    EXPECT_TRUE(std::get<SizePlot>(*plot).levels.empty());
    drop_part(report, "sweep");
    EXPECT_EQ(names_of(plot_of(report, extras, "beside")), Names{"other"});
    extras.beside.erase(extras.beside.begin());
    EXPECT_FALSE(plot_of(report, extras, "beside").has_value()) << "no machine has a sweep";
}

TEST(PagePlots, AreThoseOfThePartsThatShowMoreThanAPoint) {
    StoredFile report = whole_report();
    EXPECT_EQ(plots_of(report), (Names{"sweep", "beside", "cores", "loaded", "tail"})) << "TLBs are not drawn";
    for (const char* name : {"cores", "loaded", "tail"})
        EXPECT_TRUE(plot_of(report, {}, name).has_value()) << name;
    std::get<std::vector<CoresRow>>(part_in(report, "cores").rows).resize(1);
    std::get<std::vector<LoadRow>>(part_in(report, "loaded").rows).resize(1);
    set_part(report, "nodes", result_of(nodes_json()));
    set_part(report, "prefetch", result_of(prefetch_json()));
    for (const char* name : {"cores", "loaded", "nodes", "prefetch"})
        EXPECT_FALSE(plot_of(report, {}, name).has_value()) << name;
}

} // namespace
} // namespace memtest
