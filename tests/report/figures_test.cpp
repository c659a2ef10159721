#include "memtest/report/figures.hpp"

#include "memtest/report/levels.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memtest {
namespace {

using Names = std::vector<std::string>;

template<class RowType>
Result made(const KindOf<RowType>& kind, std::vector<RowType> rows) {
    return {.name = "made", .kind = &kind, .rows = std::move(rows)};
}

std::vector<std::string> names_of(const std::vector<Figure>& figures) {
    std::vector<std::string> names;
    for (const Figure& figure : figures)
        names.push_back(figure.name);
    return names;
}

Figure named(const std::vector<Figure>& figures, const std::string& name) {
    const auto found = std::ranges::find(figures, name, &Figure::name);
    EXPECT_NE(found, figures.end()) << name << " is not among " << testing::PrintToString(names_of(figures));
    return found == figures.end() ? Figure() : *found;
}

Row row_of(std::uint64_t size_bytes, double latency_ns, double visits_percent) {
    Row row;
    row.size_bytes = size_bytes;
    row.latency_ns = latency_ns;
    row.visits_percent = visits_percent;
    return row;
}

/// 64 and 1024 entries in pages of 4 KiB, and walks of 20 ns beyond.
Result made_tlb(std::uint64_t most_pages = 16384) {
    std::vector<TlbRow> rows;
    const auto add = [&](std::uint64_t pages) {
        const double cost = pages <= 64 ? 0 : pages <= 1024 ? 3 : 20;
        rows.push_back({.pages = pages,
                        .reach_kib = 4.0 * static_cast<double>(pages),
                        .spread_ns = 2 + cost,
                        .packed_ns = 2,
                        .translation_ns = cost});
    };
    for (std::uint64_t pages = 4; pages <= most_pages; pages *= 2) {
        add(pages);
        if (pages == 64 || pages == 1024)
            add(pages + 1);
        add(pages + pages / 2);
    }
    rows.pop_back();
    return made(tlb_kind, rows);
}

TEST(Figures, StateTheTlbsWithTheirRangeAndWalksFarBeyondThem) {
    const std::vector<Figure> figures = figures_in(made_tlb());
    EXPECT_EQ(names_of(figures), (Names{"L1 TLB entries", "L2 TLB entries", "L2 TLB hit", "page walk at 64 MiB"}))
        << "a quarter of these pages is not far beyond the TLBs";
    const Figure entries = named(figures, "L1 TLB entries");
    EXPECT_EQ(entries.value, 64);
    ASSERT_TRUE(entries.range.has_value());
    EXPECT_EQ(entries.range->low, 64);
    EXPECT_EQ(entries.range->high, 65);
    EXPECT_EQ(named(figures, "page walk at 64 MiB").value, 20);
    EXPECT_EQ(names_of(figures_in(made_tlb(65536))),
              (Names{"L1 TLB entries", "L2 TLB entries", "L2 TLB hit", "page walk at 64 MiB", "page walk at 256 MiB"}));
}

TEST(Figures, StateNoWalkThatTheRunItselfDenies) {
    Result tlb = made_tlb();
    tlb.remarks.push_back({Code::no_second_tlb_edge, {{"pages", 16384}}});
    for (const Figure& figure : figures_in(tlb))
        EXPECT_FALSE(figure.name.starts_with("L2")) << figure.name;
    tlb.remarks = {Notice(Code::no_tlb_edge)};
    EXPECT_TRUE(figures_in(tlb).empty());
}

TEST(Figures, OfADisturbedOrIncompleteResultAreInDoubt) {
    Result tlb = made_tlb();
    tlb.warnings.push_back({Code::others_used, {{"percent", 35}}});
    for (const Figure& figure : figures_in(tlb))
        EXPECT_EQ(figure.doubt, Doubt::disturbed) << figure.name;
    tlb.cut = true;
    for (const Figure& figure : figures_in(tlb))
        EXPECT_EQ(figure.doubt, Doubt::incomplete) << figure.name;
    tlb = made_tlb();
    tlb.warnings.push_back(Notice(Code::frequency_governor));
    for (const Figure& figure : figures_in(tlb))
        EXPECT_EQ(figure.doubt, Doubt::none) << figure.name;
}

/// A point of 10 batches whose quartiles are 4 % apart.
LoadRow load_row(double percent, double gb_s, double ns) {
    return {.load_percent = percent,
            .bytes_per_ns = gb_s,
            .latency_ns = ns,
            .write_percent = 0,
            .bytes_per_ns_low = 0.98 * gb_s,
            .bytes_per_ns_high = 1.02 * gb_s,
            .latency_low_ns = 0.98 * ns,
            .latency_high_ns = 1.02 * ns};
}

Result made_load() {
    return made(loaded_kind, {load_row(0, 0, 80), load_row(25, 10, 84), load_row(50, 20, 92), load_row(75, 30, 120),
                              load_row(100, 40, 200), load_row(0, 0, 81)});
}

TEST(Figures, StateTheLatencyUnderLoadAtABandwidthOfTheBaseline) {
    const std::vector<Figure> figures = figures_in(made_load());
    EXPECT_EQ(names_of(figures), (Names{"idle latency", "knee bandwidth", "peak bandwidth", "latency at 50 % of peak",
                                        "latency at 75 % of peak"}));
    EXPECT_EQ(named(figures, "knee bandwidth").value, 20);
    EXPECT_EQ(named(figures, "peak bandwidth").value, 40);
    EXPECT_NEAR(named(figures, "peak bandwidth").noise, 0.01, 1e-9);
    EXPECT_NEAR(named(figures, "idle latency").noise, 0.01, 1e-9);
    Result drifted = made_load();
    std::get<std::vector<LoadRow>>(drifted.rows).back().latency_ns = 90;
    EXPECT_NEAR(named(figures_in(drifted), "idle latency").noise, std::log(90.0 / 80) / std::sqrt(2), 1e-9)
        << "80 ns before the load and 90 after it";
    EXPECT_EQ(named(figures, "latency at 50 % of peak").value, 92);
    const std::vector<Figure> at_base = figures_in(made_load(), {{0, 30}});
    EXPECT_NEAR(named(at_base, "latency at 50 % of peak").value, 88, 1e-9) << "between 10 and 20 GB/s";
    EXPECT_EQ(named(at_base, "peak bandwidth").value, 40);
    EXPECT_EQ(names_of(figures_in(made_load(), {{0, 60}})).back(), "latency at 50 % of peak")
        << "nothing is known beyond its own peak";
    EXPECT_EQ(peak_bandwidths(made_load()), (PeakBandwidths{{0, 40}}));
}

TEST(Figures, NameTheCurveOfWritesIfThereAreSeveral) {
    Result loaded = made_load();
    std::vector<LoadRow> rows = loaded.rows_of<LoadRow>();
    for (LoadRow row : loaded.rows_of<LoadRow>()) {
        row.write_percent = 50;
        rows.push_back(row);
    }
    loaded.rows = rows;
    EXPECT_EQ(named(figures_in(loaded), "peak bandwidth at 50 % writes").value, 40);
    EXPECT_EQ(figures_in(loaded).size(), 2 * figures_in(made_load()).size());
}

TEST(Figures, OfAnUnfinishedLoadCurveAreThoseWithoutLoad) {
    Result loaded = made_load();
    std::vector<LoadRow> rows = loaded.rows_of<LoadRow>();
    rows.resize(4);
    loaded.rows = rows;
    EXPECT_EQ(names_of(figures_in(loaded)), (Names{"idle latency"}));
}

TEST(Figures, StateTheMedianOfEachRelationAndTheExtremePairs) {
    const std::vector<CoresRow> rows{{0, 1, 20.0, Relation::same_core},
                                     {0, 2, 50.0, Relation::same_package},
                                     {0, 3, 60.0, Relation::same_package},
                                     {1, 2, std::nullopt, Relation::same_package},
                                     {1, 3, 70.0, Relation::same_package}};
    const std::vector<Figure> figures = figures_in(made(cores_kind, rows));
    EXPECT_EQ(names_of(figures), (Names{"all pairs", "same core", "same package", "nearest pair", "farthest pair"}));
    EXPECT_EQ(named(figures, "all pairs").value, 55);
    EXPECT_EQ(named(figures, "same package").value, 60);
    EXPECT_EQ(named(figures, "nearest pair").value, 20);
    EXPECT_EQ(named(figures, "farthest pair").value, 70);
    Result moved = made(cores_kind, rows);
    moved.remarks = {Notice(Code::groups_changed)};
    for (const Figure& figure : figures_in(moved))
        EXPECT_EQ(figure.doubt, Doubt::disturbed) << figure.name;
    EXPECT_EQ(names_of(figures_in(made(cores_kind, std::vector<CoresRow>{{0, 1, 20.0}}))), (Names{"all pairs"}));
    EXPECT_TRUE(figures_in(made(cores_kind, std::vector<CoresRow>{{0, 1, std::nullopt}})).empty());
}

TEST(Figures, BetweenCoresOfAVirtualMachineHaveNoiseOfAFactor) {
    Result cores = read_result(TEST_DATA "/stored/cores.csv");
    const auto noise = [&] { return named(figures_in(cores), "all pairs").noise; };
    cores.run.virtual_machine = false;
    EXPECT_EQ(noise(), 0);
    cores.run.virtual_machine = true;
    EXPECT_GT(noise(), 0.5);
}

TEST(Figures, StateEachCellOfTheNodes) {
    const std::vector<Figure> figures =
        figures_in(made(nodes_kind, std::vector<NodesRow>{{0, 0, 80.0, 40.0}, {0, 1, 130.0, std::nullopt}}));
    EXPECT_EQ(names_of(figures), (Names{"latency from 0 to 0", "bandwidth from 0 to 0", "latency from 0 to 1"}));
    EXPECT_TRUE(facts_of(figures[1].quantity).less_is_worse);
}

TEST(Figures, StateThePercentilesOfEachRowAndTheirSamplingNoise) {
    PercentileRow row;
    row.size_bytes = 1 << 20;
    row.accesses = 2000000;
    row.group = 2;
    row.p50_ns = 10;
    row.p90_ns = 12;
    row.p99_ns = 24;
    row.p99_9_ns = 48;
    PercentileRow loaded = row;
    loaded.load_percent = 50;
    loaded.achieved_percent = 55;
    PercentileRow missed = row;
    missed.load_percent = 100;
    missed.achieved_percent = 80;
    const std::vector<Figure> figures =
        figures_in(made(tail_kind, std::vector<PercentileRow>{row, loaded, missed, missed}));
    EXPECT_EQ(figures.size(), 9U) << "a row that is there twice counts once";
    EXPECT_EQ((std::vector<std::string>{figures[0].name, figures[1].name, figures[2].name, figures[3].name}),
              (Names{"p50/2 1 MiB", "p99/2 1 MiB", "p99.9/2 1 MiB", "p50/2 1 MiB at 50 %"}))
        << "of groups of two loads";
    row.group = 1;
    EXPECT_EQ(figures_in(made(tail_kind, std::vector<PercentileRow>{row}))[0].name, "p50 of 1 MiB");
    EXPECT_NEAR(figures[2].noise, std::log10(2) / std::sqrt(1000), 1e-9);
    EXPECT_EQ(figures[3].doubt, Doubt::none);
    EXPECT_EQ(figures[8].doubt, Doubt::disturbed) << "its load was not reached";
    EXPECT_TRUE(figures_in(read_result(TEST_DATA "/stored/tail_histogram.csv")).empty());
}

TEST(Figures, KeepTheListOfPatternsShort) {
    const std::vector<Figure> figures = figures_in(read_result(TEST_DATA "/stored/prefetch.csv"));
    EXPECT_LE(figures.size(), 18U);
    EXPECT_EQ(named(figures, "forward in thp").quantity, Quantity::pattern);
    for (const char* name : {"pair in thp", "pair backward in thp", "next line in thp", "start in thp"})
        EXPECT_EQ(named(figures, name).quantity, Quantity::pattern_difference) << "scatters far more";
    const std::vector<PatternFigure> rows{{.pattern = Pattern::forward, .stride_bytes = 128, .latency_ns = 5.0},
                                          {.pattern = Pattern::forward, .stride_bytes = 64, .latency_ns = 4.0},
                                          {.pattern = Pattern::random, .latency_ns = 0.0}};
    EXPECT_EQ(names_of(figures_in(made(prefetch_kind, rows))), (Names{"forward"}));
    EXPECT_EQ(figures_in(made(prefetch_kind, rows)).front().value, 4);
}

TEST(Figures, StateTheTimeOfAnAccessBySeveralChains) {
    Result sweep = made(sweep_kind, std::vector<Row>{row_of(1 << 28, 12.5, 2)});
    sweep.run.parallel = 8;
    const std::vector<Figure> figures = figures_in(sweep);
    EXPECT_EQ(names_of(figures), (Names{"8 chains at 256 MiB"}));
    EXPECT_NEAR(figures.front().value, 12.5, 1e-9);
    EXPECT_NEAR(figures.front().noise, 0.01, 1e-9) << "half of what its visits disagree";
}

TEST(Figures, StateLevelsThatAreSure) {
    std::vector<Row> rows;
    for (std::uint64_t size = 1024; size <= (std::uint64_t{1} << 27U); size *= 2) {
        for (const std::uint64_t bytes : {size, size + size / 2})
            rows.push_back(row_of(bytes, bytes <= 32768 ? 1.0 : bytes <= 1048576 ? 4.0 : 80.0, 2));
    }
    const std::vector<Figure> figures = figures_in(made(sweep_kind, rows));
    EXPECT_EQ(names_of(figures), (Names{"L1 latency", "L1 capacity", "L2 latency", "L2 capacity", "memory latency"}));
    EXPECT_NEAR(named(figures, "L2 latency").value, 4, 0.01);
    EXPECT_NEAR(named(figures, "L2 latency").noise, 0.01, 1e-9);
    const Figure capacity = named(figures, "L2 capacity");
    EXPECT_LE(capacity.range->low, 1024);
    EXPECT_GE(capacity.range->high, 1024);
    EXPECT_TRUE(facts_of(capacity.quantity).less_is_worse);
}

TEST(Figures, OfALevelHaveTheNoiseOfItsOwnSizesAndAreInDoubtWhereMostOfTheseAreContested) {
    std::vector<Row> rows;
    for (const int thread : {0, 1}) {
        for (std::uint64_t size = 1024; size <= (std::uint64_t{1} << 27U); size *= 2) {
            const bool is_small = size <= 32768;
            rows.push_back(row_of(size,
                                  is_small          ? 1.0
                                  : size <= 1048576 ? 4.0
                                                    : 80.0,
                                  (is_small ? 8 : 2) + 4 * thread));
            rows.back().thread = thread;
        }
    }
    const std::vector<Figure> figures = figures_in(made(sweep_kind, rows));
    EXPECT_NEAR(named(figures, "L1 latency of thread 0").noise, 0.04, 1e-9);
    EXPECT_NEAR(named(figures, "L2 latency of thread 0").noise, 0.01, 1e-9);
    EXPECT_NEAR(named(figures, "L2 latency of thread 1").noise, 0.03, 1e-9);
    const auto doubt = [&](std::size_t contested) {
        auto some = rows;
        std::erase_if(some, [](const Row& row) { return row.thread > 0; });
        for (std::size_t row = some.size() - contested; row < some.size(); ++row)
            some[row].low_ns = some[row].high_ns = some[row].latency_ns;
        return named(figures_in(made(sweep_kind, some)), "memory latency").doubt;
    };
    EXPECT_EQ(doubt(3), Doubt::none) << "of seven sizes";
    EXPECT_EQ(doubt(4), Doubt::contested);
}

TEST(Figures, OfACapacityThatIsOnlyARangeIsBetweenItsEnds) {
    std::vector<Row> rows;
    for (std::uint64_t size = 1024; size <= (std::uint64_t{1} << 27U); size *= 2)
        rows.push_back(row_of(size, size <= 32768 ? 1.0 : size <= 1048576 ? 4.0 : 80.0, 2));
    const Result sweep = made(sweep_kind, rows);
    for (const LevelReport& report : report_levels(sweep)) {
        for (const LevelRow& level : level_rows(report))
            EXPECT_FALSE(level.capacity_best_kib.has_value()) << level.level << " of steps of one size";
    }
    for (const auto& [name, low, high] : {std::tuple("L1 capacity", 32, 64), std::tuple("L2 capacity", 1024, 2048)}) {
        const Figure capacity = named(figures_in(sweep), name);
        EXPECT_GE(capacity.value, low) << name;
        EXPECT_LE(capacity.value, high) << name;
    }
}

/// A sweep with other latencies from 4 MiB on.
Result made_pages(double ns, std::uint64_t page_bytes) {
    std::vector<Row> rows;
    for (std::uint64_t size = 1024; size <= (std::uint64_t{1} << 26U); size *= 2)
        rows.push_back(row_of(size, size <= 32768 ? 1.0 : size <= 1048576 ? 4.0 : ns, 1));
    Result sweep = made(sweep_kind, rows);
    sweep.part = page_bytes == 4096 ? "sweep" : "huge";
    sweep.run.pages_got = std::vector<PagesGot>{{.page_bytes = page_bytes}};
    return sweep;
}

TEST(Figures, OfAReportNameTheirPartAndSayWhatHugePagesSave) {
    ReportResults report{};
    report.small_pages = made_pages(100, 4096);
    report.huge_pages = made_pages(80, 2097152);
    report.tlb = made_tlb();
    report.tlb->part = "tlb";
    const std::vector<Figure> figures = figures_in(report);
    EXPECT_EQ(named(figures, "page walk at 64 MiB").part, "tlb");
    EXPECT_EQ(named(figures, "memory latency").part, "sweep");
    const Figure saving = named(figures, "saved at 64 MiB");
    EXPECT_EQ(saving.part, "huge");
    EXPECT_NEAR(saving.value, 20, 1e-9);
    EXPECT_NEAR(saving.noise, std::hypot(0.005 * 100, 0.005 * 80) / 20, 1e-9);
    EXPECT_EQ(saving.doubt, Doubt::none);
    ReportResults slow = report;
    slow.small_pages = made_pages(200, 4096);
    EXPECT_TRUE(savings_in(slow).empty()) << "its page walks do not take so long";
    report.small_pages->cut = true;
    EXPECT_NE(named(savings_in(report), "saved at 64 MiB").doubt, Doubt::none);
    report.small_pages.reset();
    EXPECT_TRUE(savings_in(report).empty());
}

TEST(Figures, OfEveryStoredResultAreSoundNumbersWithDistinctNames) {
    for (const std::string& name :
         Names{"huge.csv", "classic.csv", "threads.csv", "tlb.csv", "tlb.json", "cores.csv", "cores_clean.csv",
               "nodes.csv", "loaded.csv", "loaded_short.csv", "tail.csv", "tail.json", "prefetch.csv"}) {
        SCOPED_TRACE(name);
        const std::vector<Figure> figures = figures_in(read_result(TEST_DATA "/stored/" + name));
        EXPECT_FALSE(figures.empty());
        std::vector<std::string> names = names_of(figures);
        std::ranges::sort(names);
        EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
        for (const Figure& figure : figures) {
            EXPECT_GT(figure.value, 0) << figure.name;
            EXPECT_TRUE(std::isfinite(figure.value) && std::isfinite(figure.noise)) << figure.name;
            EXPECT_EQ(figure.name.find(','), std::string::npos) << figure.name << " is a field of CSV";
            EXPECT_LE(figure.name.size(), 26U) << figure.name << " fits the table";
        }
    }
}

TEST(Figures, OfSeveralPartsHaveOneSubjectWhereTheseMeasureTheSame) {
    const auto in_pages = [](Result result, PageKind pages) {
        result.run.pages = pages;
        return result;
    };
    ReportResults report{};
    report.small_pages = in_pages(made_pages(100, 4096), PageKind::base);
    report.huge_pages = in_pages(made_pages(80, 2097152), PageKind::transparent_huge);
    const std::string huge_memory = subject_of_level(*report.huge_pages, "memory");
    EXPECT_NE(subject_of_level(*report.small_pages, "memory"), huge_memory) << "translation may change alone";
    EXPECT_EQ(subject_of_level(*report.small_pages, "L2"), subject_of_level(*report.huge_pages, "L2"));
    EXPECT_NE(subject_of_level(*report.huge_pages, "L2"), subject_of_level(*report.huge_pages, "L3"));
    EXPECT_EQ(named(figures_in(*report.huge_pages), "memory latency").subject, huge_memory);
    Result other_cores = *report.huge_pages;
    other_cores.part = "kind4";
    EXPECT_EQ(subject_of_level(other_cores, "L2"), "");

    const auto chains = [&](unsigned count) {
        Result sweep =
            in_pages(made(sweep_kind, std::vector<Row>{row_of(1 << 28, 12.5, 2)}), PageKind::transparent_huge);
        sweep.run.parallel = count;
        return figures_in(sweep).front().subject;
    };
    EXPECT_EQ(chains(1), huge_memory);
    EXPECT_EQ(chains(32), huge_memory);

    PercentileRow cache;
    cache.size_bytes = 1 << 20;
    cache.p50_ns = cache.p99_ns = 10;
    PercentileRow memory = cache;
    memory.size_bytes = 1 << 28;
    PercentileRow loaded = memory;
    loaded.load_percent = 100;
    const std::vector<Figure> tail = figures_in(
        in_pages(made(tail_kind, std::vector<PercentileRow>{cache, memory, loaded}), PageKind::transparent_huge));
    EXPECT_EQ(named(tail, "p50 of 1 MiB").subject, "");
    EXPECT_EQ(named(tail, "p50 of 256 MiB").subject, huge_memory);
    const std::string under_load = named(tail, "p50 of 256 MiB at 100 %").subject;
    EXPECT_NE(under_load, huge_memory);
    EXPECT_EQ(named(tail, "p99 of 256 MiB").subject, "");

    const std::vector<Figure> load =
        figures_in(in_pages(read_result(TEST_DATA "/stored/loaded.csv"), PageKind::transparent_huge));
    EXPECT_EQ(named(load, "idle latency").subject, huge_memory);
    EXPECT_EQ(named(load, "peak bandwidth").subject, under_load);
    const std::vector<Figure> patterns = figures_in(read_result(TEST_DATA "/stored/prefetch.csv"));
    EXPECT_EQ(named(patterns, "random in thp").subject, huge_memory);
    EXPECT_EQ(named(patterns, "forward in thp").subject, "");
}

TEST(Figures, OfTheSlowestLoadsHaveARangeBetweenTheirNeighbours) {
    PercentileRow row;
    row.size_bytes = 1 << 28;
    row.p99_ns = 400;
    row.p99_9_ns = 900;
    const auto range = [&] {
        return named(figures_in(made(tail_kind, std::vector<PercentileRow>{row})), "p99.9 of 256 MiB").range;
    };
    EXPECT_FALSE(range()) << "the next percentile is not known";
    row.p99_99_ns = 1600;
    ASSERT_TRUE(range());
    EXPECT_DOUBLE_EQ(range()->low, 600);
    EXPECT_DOUBLE_EQ(range()->high, 1200);
}

} // namespace
} // namespace memtest
