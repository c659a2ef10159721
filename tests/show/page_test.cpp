// The page of memtest report, from raw results as they are stored.
#include "memtest/show/page.hpp"

#include "memtest/kinds/prefetch.hpp"

#include "memtest/base/units.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/warnings.hpp"
#include "memtest/show/result_plot.hpp"
#include "support/program.hpp"
#include "support/results.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

ReportResults whole_results() {
    ReportResults results{};
    results.small_pages =
        result_of(sweep_json(small_pages, 10, R"("bimodal")", R"({"code": "unknown", "text": "the clock moved"})"));
    results.huge_pages = result_of(sweep_json(huge_pages, 0, "", R"({"code": "unknown", "text": "the clock moved"})"));
    results.parallel = {result_of(parallel_json(1, 80)), result_of(parallel_json(16, 8))};
    results.tlb = result_of(tlb_json());
    results.cores = result_of(cores_json());
    results.loaded = result_of(loaded_json());
    results.tail = result_of(tail_json());
    return results;
}

TEST(ReportPage, OpensWithTheSummary) {
    const ReportResults results = whole_results();
    const std::vector<std::string> sentences = page_of(results).summary;
    ASSERT_EQ(sentences.size(), 4U);
    EXPECT_EQ(sentences[1], "An access to memory takes 80.0 ns in 2 MiB transparent huge pages.");
    EXPECT_TRUE(holds(report_page(results), "\n\n" + sentences[0] + "\n" + sentences[1] + "\n" + sentences[2]));
    EXPECT_TRUE(page_of(ReportResults{}).summary.empty());
}

TEST(ReportPage, OfAWholeRunToTheLetter) {
    ReportResults results = whole_results();
    results.plots["sweep"] = "![sweeps](<a page.sweep.svg>)\n";
    results.plots["cores"] = "![cores](<a page.cores.svg>)\n";
    results.plots["loaded"] = "![loaded](<a page.loaded.svg>)\n";
    results.plots["tail"] = "![tail](<a page.tail.svg>)\n";
    EXPECT_EQ(report_page(results), R"_(# Memory of A CPU

- processor 1 of a virtual machine, core clock 2.50 GHz
- caches L1d 32 KiB, L2 1 MiB shared by 2
- Linux 6.1, transparent huge pages madvise, memtest 1.0.0, 2026-01-31T23:59:59Z

Caches: L1 32 KiB at 2.00 ns, L2 1 MiB at 6.00 ns.
An access to memory takes 80.0 ns in 2 MiB transparent huge pages.
Huge pages save 10.0 ns at 16 MiB: small pages add 12.5 % to the latency with huge pages.
While the other cores load memory with 16.5 GB/s, an access takes 120 ns, 1.50 times the 80 ns without load. It exceeds 1.2 times that between 8.2 and 16.5 GB/s.

## Levels

In random order, 2 MiB transparent huge pages.

| Level  | Capacity | Sure | Latency | Cycles | Sure |
| ------ | -------- | ---- | ------: | -----: | ---- |
| L1     | 32 KiB   | high | 2.00 ns |   5.00 | high |
| L2     | 1 MiB    | high | 6.00 ns |   15.0 | high |
| Memory |          |      | 80.0 ns |    200 |      |

![sweeps](<a page.sweep.svg>)

## Address translation

| Size    | Small pages (ns) | Huge pages (ns) |  Translation (ns) |
| ------- | ---------------: | --------------: | ----------------: |
| 64 KiB  |              6.0 |             6.0 |      within noise |
| 256 KiB |              6.0 |             6.0 |      within noise |
| 1 MiB   |             16.0 |             6.0 | a cache ends here |
| 4 MiB   |             90.0 |            80.0 |              10.0 |
| 16 MiB  |             90.0 |            80.0 |              10.0 |

- tlb L1: 64 entries (reach 256 KiB), confidence high
- beyond tlb L1: +10.0 ns at twice the reach, +10.0 ns at 4096 pages
- no second edge

## Memory-level parallelism

Independent chains side by side through 128 MiB, 2 MiB transparent huge pages.

| Chains | Time per access (ns) | Times as fast |
| ------ | -------------------: | ------------: |
| 1      |                80.00 |           1.0 |
| 16     |                 8.00 |          10.0 |

## Core-to-core latency

In ns: a row for each processor that reads a line, a column for each that owned it. Each pair is measured one way.

| Reader |    1 |     2 |
| ------ | ---: | ----: |
| 0      | 23.9 | 118.0 |
| 1      |      |       |

- groups: 0,1 2; a transfer takes 23.9 to 23.9 ns within a group and 118.0 to 118.0 ns between groups
- 0 and 2 are far apart

![cores](<a page.cores.svg>)

## Latency under load

| Load (%) | Bandwidth (GB/s) | Latency (ns) |
| -------- | ---------------: | -----------: |
| 0        |              0.0 |         80.0 |
| 50       |              8.2 |         90.0 |
| 100      |             16.5 |        120.0 |
| 0        |              0.0 |         81.0 |

- idle latency: 80.0 ns, 81.0 ns at the end
- peak bandwidth: 16.5 GB/s at 120.0 ns (1.50 times idle)
- knee: 8.2 GB/s at 90.0 ns (1.12 times idle)

![loaded](<a page.loaded.svg>)

## Latency distribution

Percentiles of single loads, in ns.

| Memory                  | p50 | p90 | p99 | p99.9 | p99.99 |  Max |
| ----------------------- | --: | --: | --: | ----: | -----: | ---: |
| 16 KiB                  | 1.1 | 1.2 | 1.5 |     4 |        |   70 |
| 256 MiB under full load | 150 | 260 | 380 |   600 |   2440 | 9780 |

- 256 MiB: slow accesses come back

![tail](<a page.tail.svg>)

## What was disturbed

- small pages: the latency at 1 of 32 sizes was disturbed
- small pages, huge pages: the clock moved
- loaded: at 75 % load all batches were set aside
)_");
}

TEST(ReportPage, HasTheLevelsOfEachKindOfCore) {
    ReportResults results = whole_results();
    results.huge_pages->run.core_kinds = {"P-core"};
    EXPECT_TRUE(holds(report_page(results), "## Levels of P-core"));
    results.other_kinds.push_back(*results.small_pages);
    results.other_kinds.back().run.core_kinds = {"E-core"};
    const std::string page = report_page(results);
    EXPECT_LT(page.find("## Levels of P-core"), page.find("## Levels of E-core"));
    EXPECT_LT(page.find("## Levels of E-core"), page.find("## Address translation"));
}

TEST(ReportPage, HasAllPairsOfNodesAndNamesThoseWithoutProcessors) {
    ReportResults results = whole_results();
    results.nodes = result_of("Processors of node, Memory of node, Latency (ns)\n0, 0, 90\n0, 2, 250.25\n1, 0, 150\n");
    results.nodes->run.special_nodes = {{.id = 2, .memory = "CXL memory"}};
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "\n## NUMA nodes\n"));
    EXPECT_TRUE(holds(page, "| Processors of node | Memory of node | Latency (ns) |"));
    EXPECT_TRUE(holds(page, "| 0                  |              2 |        250.2 |"));
    EXPECT_TRUE(holds(page, "| 1                  |              0 |        150.0 |"));
    EXPECT_TRUE(holds(page, "node 2 without processors (CXL memory)"));
    results.nodes = result_of("Processors of node, Memory of node, Latency (ns), Bandwidth (GB/s)\n"
                              "0, 0, 90, 40.25\n0, 2, 250.25, \n1, 0, 150, 21\n");
    const std::string both = report_page(results);
    EXPECT_TRUE(holds(both, "| Processors of node | Memory of node | Latency (ns) | Bandwidth (GB/s) |"));
    EXPECT_TRUE(holds(both, "| 0                  |              0 |         90.0 |             40.2 |"));
    EXPECT_TRUE(holds(both, "| 0                  |              2 |        250.2 |                  |"));
}

TEST(ReportPage, SaysAheadOfAllThatTheMachineWasBusyAndWhatDidNotSettle) {
    const Notice is_busy(Code::busy_machine);
    const Notice is_unsettled = *warning_on_unsettled(17, 32, "sizes");
    const std::string busy = sentence_of(is_busy);
    const std::string unsettled = sentence_of(is_unsettled);
    ReportResults results = whole_results();
    results.small_pages->warnings.insert(results.small_pages->warnings.begin(), {is_busy, is_unsettled});
    results.huge_pages->warnings.push_back(is_busy);
    results.tlb->warnings = {is_busy};
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "\n\n## Read with care\n\n- small pages, huge pages, translation: " + busy +
                                "\n- small pages: " + unsettled + "\n\n## Levels\n"))
        << page;
    EXPECT_EQ(page.find(busy), page.rfind(busy)) << "once";
    EXPECT_EQ(page.find(unsettled), page.rfind(unsettled));
    EXPECT_TRUE(holds(page, "- small pages, huge pages: the clock moved\n"));
}

TEST(ReportPage, SaysBesideTheLevelsThatTheCacheServesSomeOfMemory) {
    ReportResults results = whole_results();
    const Notice little(Code::little_memory,
                        {{"bytes", 1 << 20}, {"caches", 4}, {"option", "max-size"}, {"least_bytes", 1 << 22}});
    ASSERT_EQ(report_page(results).find(sentence_of(little)), std::string::npos);
    for (Result* sweep : {&*results.small_pages, &*results.huge_pages, &*results.loaded})
        sweep->warnings.push_back(little);
    const std::string page = report_page(results);
    const auto said = page.find("1 MiB is less than");
    EXPECT_LT(page.find("## Levels"), said);
    EXPECT_LT(said, page.find("\n## ", page.find("## Levels") + 1));
    EXPECT_EQ(page.find("1 MiB is less than", said + 1), std::string::npos) << "once";
}

TEST(ReportPage, NamesEveryPartThatWasDisturbed) {
    ReportResults results = whole_results();
    results.nodes = result_of(nodes_json());
    results.prefetch = result_of(prefetch_json());
    results.other_kinds.push_back(*results.small_pages);
    results.other_kinds.back().run.core_kinds = {"E-core"};
    const std::vector<std::pair<std::string, Result*>> parts{{"small pages", &*results.small_pages},
                                                             {"huge pages", &*results.huge_pages},
                                                             {"parallel chains (16)", &results.parallel.back()},
                                                             {"E-core", &results.other_kinds.back()},
                                                             {"translation", &*results.tlb},
                                                             {"nodes", &*results.nodes},
                                                             {"cores", &*results.cores},
                                                             {"loaded", &*results.loaded},
                                                             {"tail", &*results.tail},
                                                             {"prefetchers", &*results.prefetch}};
    for (const auto& [name, part] : parts) {
        for (const Code code : {Code::counter_unsettled, Code::busy_machine}) { // below, and ahead of all
            part->warnings.emplace_back(code);
            const std::string said = "\n- " + name + ": " + sentence_of(Notice(code));
            EXPECT_TRUE(holds(report_page(results), said)) << said;
            part->warnings.pop_back();
        }
    }
}

TEST(ReportPage, DoubtsMoreThanAllThatChainsCanGain) {
    ReportResults results = whole_results();
    results.parallel = {result_of(parallel_json(1, 109)), result_of(parallel_json(8, 10)),
                        result_of(parallel_json(16, 7))};
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "\n- 8 chains cannot be 10.9 times as fast as one: something slowed the single chain; "
                            "measure again\n"))
        << page;
    EXPECT_FALSE(holds(page, "16 chains cannot"));
    results.parallel = {result_of(parallel_json(1, 84)), result_of(parallel_json(8, 10))};
    EXPECT_FALSE(holds(report_page(results), " cannot be ")) << "8.4 times is within noise";
}

TEST(ReportPage, DoubtsOnceWhatChainsCannotGainAndNamesThemTogether) {
    ReportResults results = whole_results();
    results.parallel = {result_of(parallel_json(1, 200)), result_of(parallel_json(8, 10)),
                        result_of(parallel_json(16, 7))};
    for (Result& sweep : results.parallel)
        sweep.warnings.emplace_back(Code::counter_unsettled);
    results.parallel.back().warnings.emplace_back(Code::busy_machine);
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "8 chains cannot be 20.0 times")) << page;
    EXPECT_FALSE(holds(page, "16 chains cannot"));
    EXPECT_TRUE(holds(page, "\n- parallel chains: " + sentence_of(Notice(Code::counter_unsettled)))) << page;
    EXPECT_TRUE(holds(page, "\n- parallel chains (16): " + sentence_of(Notice(Code::busy_machine)))) << page;
}

TEST(ReportPage, ShowsWhatThePrefetchersDo) {
    ReportResults results{};
    std::vector<PatternFigure> figures{{.latency_ns = 98.1, .low_ns = 97, .high_ns = 99}};
    for (const Pattern pattern : {Pattern::pair, Pattern::pair_backward})
        figures.push_back({.pattern = pattern, .stride_bytes = 64, .latency_ns = 9, .low_ns = 8, .high_ns = 10});
    results.prefetch = Result{.kind = &prefetch_kind, .rows = figures};
    results.plots["prefetch"] = "(plot)\n";
    const std::string page = report_page(results);
    const std::string section = page.substr(page.find("\n## Prefetchers\n"));
    EXPECT_TRUE(holds(section, "98.1 ns"));
    EXPECT_TRUE(holds(section, "(plot)"));
    EXPECT_TRUE(holds(section, "pairs"));
    results.prefetch->warnings = {Notice(Code::busy_machine)};
    EXPECT_TRUE(holds(report_page(results), "\n- prefetchers: " + sentence_of(Notice(Code::busy_machine))));
}

TEST(ReportPage, SaysThatPagesAreUnknown) {
    ReportResults results{};
    results.parallel = {result_of(parallel_json(1, 80)), result_of(parallel_json(2, 40))};
    results.parallel.front().run.pages_got = std::vector{PagesGot{}};
    EXPECT_TRUE(holds(report_page(results), "through 128 MiB, unknown pages.")) << report_page(results);
}

TEST(ReportPage, TakesNoTranslationOffThatIsMostOfAnAccess) {
    ReportResults results = whole_results();
    results.huge_pages.reset();
    std::get<std::vector<Row>>(results.small_pages->rows).back().latency_ns = 11.0;
    EXPECT_TRUE(holds(report_page(results), "In random order, 4 KiB pages.\n")) << report_page(results);
}

TEST(ReportPage, TakesNoTranslationOffPagesThatAreNotKnown) {
    ReportResults results = whole_results();
    results.huge_pages.reset();
    results.small_pages->run.pages_got.reset();
    EXPECT_TRUE(holds(report_page(results), "In random order, unknown pages.\n")) << report_page(results);
}

TEST(ReportPage, TakesTranslationOffSmallPagesWhereHugeOnesAreMissing) {
    ReportResults results = whole_results();
    results.huge_pages.reset();
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "In random order, 4 KiB pages, less what translation adds.")) << page;
    EXPECT_FALSE(holds(page, "Small pages (ns)")) << "there is no difference to tell";
    results.tlb.reset();
    EXPECT_TRUE(holds(report_page(results), "In random order, 4 KiB pages.\n"));
}

TEST(ReportPage, SaysInALineThatTheKernelGaveNoHugePages) {
    ReportResults results = whole_results();
    results.huge_pages = result_of(sweep_json(small_pages, 10));
    const std::string page = report_page(results);
    EXPECT_TRUE(holds(page, "\n- huge pages: the kernel gave 4 KiB pages (transparent huge pages: madvise)\n")) << page;
    EXPECT_FALSE(holds(page, "Small pages (ns)"));
    ASSERT_TRUE(plot_of_sweeps(results).has_value());
    EXPECT_EQ(plot_of_sweeps(results)->curves.size(), 1U) << "one curve, not twice the same";
}

TEST(ReportPage, OfNothingNamesWhatIsMissing) {
    ReportResults results{};
    results.missing = {{"hand-overs between cores", "one processor may be used here"}};
    EXPECT_EQ(report_page(results), "# Memory of a machine\n\n"
                                    "- processor not known\n- caches not known\n- kernel not known\n"
                                    "\n## What was disturbed\n\nNo disturbance was detected.\n"
                                    "\n## What is missing\n\n"
                                    "- hand-overs between cores: one processor may be used here\n");
    EXPECT_FALSE(plot_of_sweeps(results).has_value());
}

TEST(ReportPage, HasALineForEachReasonWhyPartsAreMissing) {
    ReportResults results{};
    results.missing = {
        {"parallel1", "interrupted"}, {"parallel2", "interrupted"}, {"loaded", "a_b"}, {"tlb", "interrupted"}};
    EXPECT_TRUE(report_page(results).ends_with("\n## What is missing\n\n"
                                               "- parallel chains, address translation: interrupted\n"
                                               "- latency under load: a\\_b\n"));
}

TEST(ReportText, FitsATerminalWithAllThatThePageHas) {
    ReportResults results = whole_results();
    results.small_pages->warnings.emplace_back(Code::busy_machine);
    results.missing = {
        {"plots", "gnuplot is not installed, so there is none of the plots on this page, nor beside it"}};
    std::vector<std::string> words = words_of(report_text(results, 100'000));
    for (const std::size_t columns : {80U, 120U}) {
        const std::string text = report_text(results, columns);
        for (const std::string& line : lines_of(text))
            EXPECT_LE(line.size(), columns) << line;
        EXPECT_EQ(words_of(text), words) << text;
    }
    std::ranges::sort(words);
    std::vector<std::string> of_page = words_of(report_page(results));
    std::erase_if(of_page, [](const std::string& word) {
        return word.find_first_not_of("|-:#") == std::string::npos; // of tables, lists and headings
    });
    std::ranges::sort(of_page);
    EXPECT_TRUE(std::ranges::includes(words, of_page));
}

TEST(ReportPage, TakesNothingInATableForMarkup) {
    ReportResults results{};
    results.name = "a|b*\x1b[31m";
    results.beside.push_back({.name = "plain"});
    EXPECT_TRUE(holds(report_page(results), "\n| a\\|b\\*\\\\x1b\\[31m |")) << report_page(results);
    EXPECT_TRUE(holds(report_text(results, 80), "\na|b*\\x1b[31m\nplain\n")) << report_text(results, 80);
}

TEST(ReportText, EndsWithTheSummary) {
    const ReportResults results = whole_results();
    const std::string text = report_text(results, 80);
    const std::size_t summary = text.find("\nSummary\n");
    ASSERT_NE(summary, std::string::npos) << text;
    std::string told;
    for (const std::string& sentence : page_of(results).summary)
        told += "- " + sentence + " ";
    EXPECT_EQ(words_of(text.substr(summary + 9)), words_of(told));
}

TEST(ReportPage, DescribesTheMachineByWhateverWasMeasured) {
    ReportResults loaded{};
    loaded.loaded = result_of(loaded_json());
    EXPECT_TRUE(report_page(loaded).starts_with("# Memory of A CPU\n\n- processor 1 of a virtual machine, "));
    ReportResults tail{};
    tail.tail = result_of(tail_json());
    EXPECT_TRUE(report_page(tail).starts_with("# Memory of A CPU\n"));
    ReportResults cores{};
    cores.cores = result_of(cores_json());
    EXPECT_TRUE(report_page(cores).starts_with("# Memory of A CPU\n"));
    for (auto place : {&ReportResults::nodes, &ReportResults::prefetch}) {
        ReportResults one{};
        one.*place = result_of(place == &ReportResults::nodes ? nodes_json() : prefetch_json());
        EXPECT_TRUE(report_page(one).starts_with("# Memory of A CPU\n"));
    }
    ReportResults kinds{};
    kinds.other_kinds = {result_of(sweep_json(small_pages, 10))};
    EXPECT_TRUE(report_page(kinds).starts_with("# Memory of A CPU\n"));
    ReportResults parallel{};
    parallel.parallel = {result_of(parallel_json(4, 20))};
    const std::string page = report_page(parallel);
    EXPECT_TRUE(page.starts_with("# Memory of A CPU\n"));
    EXPECT_TRUE(holds(page, "| 4      |                20.00 |               |\n"))
        << "nothing to compare with: " << page;
}

TEST(ReportPage, LeavesTheMatrixOfManyCoresToThePlot) {
    ReportResults results = whole_results();
    for (int owner = 3; owner <= 9; ++owner)
        std::get<std::vector<CoresRow>>(results.cores->rows).push_back({0, owner, 24.0});
    EXPECT_TRUE(holds(report_page(results), "| Reader |")) << "of ten processors";
    std::get<std::vector<CoresRow>>(results.cores->rows).push_back({0, 10, 24.0});
    const std::string page = report_page(results);
    EXPECT_FALSE(holds(page, "| Reader |")) << page;
    EXPECT_TRUE(holds(page, "\n- groups: "));
}

TEST(ReportPage, DrawsHugePagesFirstWhoseLevelsItTells) {
    const auto plot = plot_of_sweeps(whole_results());
    ASSERT_TRUE(plot.has_value());
    ASSERT_EQ(plot->curves.size(), 2U);
    EXPECT_TRUE(plot->curves[0].name.starts_with("huge")) << plot->curves[0].name;
    EXPECT_TRUE(plot->curves[1].name.starts_with("small")) << plot->curves[1].name;
    EXPECT_FALSE(plot->levels.empty());
}

} // namespace
} // namespace memtest
