#include "memtest/kinds/figures.hpp"

#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "support/modelled_reports.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

std::vector<Figure> figures_of_file(const StoredFile& file) {
    const Stated stated(file);
    return figures_in(stated, frame_of({&stated, 1}));
}

std::vector<Figure> figures_of_result(Result result) {
    StoredFile file{.name = "made"};
    file.results.push_back(std::move(result));
    return figures_of_file(file);
}

const Figure* named(const std::vector<Figure>& figures, const std::string& name) {
    const auto found = std::ranges::find(figures, name, &Figure::name);
    return found == figures.end() ? nullptr : &*found;
}

double value_of(const std::vector<Figure>& figures, const std::string& name) {
    const Figure* figure = named(figures, name);
    EXPECT_NE(figure, nullptr) << name;
    return figure == nullptr ? 0 : figure->value;
}

TEST(Figures, OfASweepAreItsLevelsWithTheirCapacities) {
    const auto figures = figures_of_result(modelled_sweep({}));
    EXPECT_NEAR(value_of(figures, "L1 latency"), 1, 0.01);
    const std::vector<LevelReport> reports = report_levels(modelled_sweep({}));
    for (const Level& cache : reports.front().hierarchy.caches) {
        const std::string name = level_name(cache.number);
        EXPECT_NEAR(value_of(figures, name + " latency"), cache.latency_ns, 1e-9) << "as the table of levels";
        EXPECT_NEAR(value_of(figures, name + " capacity"), cache.capacity_bytes.value() / 1024, 1e-6) << name;
    }
    EXPECT_NEAR(value_of(figures, "memory latency"), 100, 3);
    ModelledMachine half;
    half.capacities[1] /= 2;
    const StoredFile base_file{.name = "", .results = {modelled_sweep({})}};
    const StoredFile latest_file{.name = "", .results = {modelled_sweep(half)}};
    const Stated base(base_file);
    const Stated latest(latest_file);
    const Frame frame = frame_of({&base, 1});
    EXPECT_NEAR(value_of(figures_in(latest, frame), "L2 capacity") / value_of(figures_in(base, frame), "L2 capacity"),
                0.5, 0.05);
    EXPECT_NEAR(value_of(figures_in(latest, frame), "L2 latency") / value_of(figures_in(base, frame), "L2 latency"), 1,
                0.06)
        << "which the capacity does not change";
}

TEST(Figures, OfMemoryComeFromTheSizesThatTheFrameHasToo) {
    ModelledMachine machine;
    machine.capacities.back() = 4 * mib;
    const StoredFile latest{.name = "", .results = {modelled_sweep(machine)}};
    StoredFile base = latest;
    std::erase_if(std::get<std::vector<Row>>(base.results.front().rows),
                  [](const Row& row) { return row.size_bytes > 128 << 20; });
    const Stated of_base(base);
    const Stated of_latest(latest);
    const auto readings_in = [&](const Frame& frame) {
        return named(figures_in(of_latest, frame), "memory latency")->readings.size();
    };
    EXPECT_EQ(readings_in(frame_of({&of_latest, 1})), readings_in(frame_of({&of_base, 1})) + 4) << "up to 256 MiB";
}

TEST(Figures, AndTheFrameOfOneFileComeFromTheLevelsInferredOnce) {
    const StoredFile file{.name = "", .results = {modelled_sweep({})}};
    Stated stated(file);
    Hierarchy& hierarchy = stated.levels.at("").at(0);
    ASSERT_EQ(hierarchy.caches.size(), 3U);
    ASSERT_TRUE(hierarchy.memory);
    hierarchy.caches.pop_back();
    hierarchy.memory->latency_ns = 50;
    const Frame frame = frame_of({&stated, 1});
    EXPECT_EQ(frame.at("").size(), 3U);
    EXPECT_EQ(value_of(figures_in(stated, frame), "memory latency"), 50);
}

TEST(Figures, OfAReportHaveCachesFromHugePagesAndMemoryInBoth) {
    const auto figures = figures_of_file(modelled_report());
    EXPECT_NEAR(value_of(figures, "memory latency"), 100, 3);
    EXPECT_NEAR(value_of(figures, "memory latency in small pages"), 115, 3);
    for (const Figure& figure : figures)
        EXPECT_TRUE(figure.part != "sweep") << figure.name << " comes from small pages";
}

TEST(Figures, OfASweepByItselfCallMemoryTheSameInAllPages) {
    Result sweep = modelled_sweep({});
    for (const auto& pages : {std::optional<PageKind>(), std::optional(PageKind::base)}) {
        sweep.run.pages = pages;
        EXPECT_NEAR(value_of(figures_of_result(sweep), "memory latency"), 100, 3);
    }
    sweep.run.virtual_machine = true;
    EXPECT_EQ(named(figures_of_result(sweep), "memory latency")->noise, 0.08) << "with page walks";
}

TEST(Figures, AreContestedWhereTheSweepIsAtTheirSize) {
    StoredFile report = modelled_report();
    for (Row& row : std::get<std::vector<Row>>(report.results[1].rows)) {
        if (row.size_bytes == std::uint64_t{1} << 28U) {
            row.low_ns = 20;
            row.high_ns = 100;
        }
    }
    EXPECT_EQ(named(figures_of_file(report), "p50 of 256 MiB")->doubt, Why::contested);
    EXPECT_EQ(named(figures_of_file(modelled_report()), "p50 of 256 MiB")->doubt, Why::none);
}

TEST(Figures, OfACacheThatOtherGuestsShareAreNoisierThanTheirRun) {
    Result sweep = modelled_sweep({});
    const auto alone = figures_of_result(sweep);
    sweep.run.virtual_machine = true;
    const auto guest = figures_of_result(sweep);
    EXPECT_EQ(named(guest, "L2 latency")->noise, named(alone, "L2 latency")->noise);
    EXPECT_TRUE(named(alone, "L3 latency")->noise < 0.03 && named(guest, "L3 latency")->noise > 0.03);
    EXPECT_EQ(named(guest, "L3 capacity")->doubt, Why::none);
    EXPECT_LT(named(guest, "memory latency")->noise, 0.02);
    sweep.run.caches = {{.level = 3, .size_bytes = std::uint64_t{1} << 30U}};
    EXPECT_EQ(named(figures_of_result(sweep), "L3 capacity")->doubt, Why::shared) << "others have the rest";
    EXPECT_EQ(named(figures_of_result(sweep), "memory latency")->noise, 0.04) << "and load memory";
}

TEST(Figures, OfWhatOtherProcessesShareAreNoisierBesideThem) {
    Result sweep = modelled_sweep({});
    const auto alone = figures_of_result(sweep);
    sweep.warnings.push_back(Notice(Code::busy_machine));
    const auto beside = figures_of_result(sweep);
    EXPECT_EQ(named(beside, "L2 latency")->noise, named(alone, "L2 latency")->noise);
    for (const char* name : {"L3 latency", "memory latency"})
        EXPECT_TRUE(named(alone, name)->noise < 0.03 && named(beside, name)->noise == noise_of_loads) << name;
    EXPECT_TRUE(named(beside, "L3 latency")->has_contested_sizes) << "they may hold all of it";
    EXPECT_EQ(named(beside, "L2 capacity")->doubt, Why::none);
    EXPECT_EQ(named(beside, "L3 capacity")->doubt, Why::disturbed);
    auto& rows = std::get<std::vector<Row>>(sweep.rows);
    for (std::size_t i = 0, one = rows.size(); i < one; ++i) {
        rows.push_back(rows[i]);
        rows.back().thread = 1;
    }
    EXPECT_EQ(named(figures_of_result(sweep), "memory latency of thread 1")->noise, noise_of_loads);
}

TEST(Figures, OfMemoryHaveTheNoiseOfTheFirstSoundReading) {
    StoredFile report = modelled_report();
    report.results[1].warnings.push_back(Notice(Code::busy_machine));
    Row row;
    row.size_bytes = std::uint64_t{1} << 28U;
    row.latency_ns = 100.0;
    report.results.push_back({.name = "one", .part = "parallel1", .kind = &sweep_kind, .rows = std::vector<Row>{row}});
    const auto figures = figures_of_file(report);
    EXPECT_EQ(named(figures, "memory latency")->noise, noise_of_loads) << "a quiet reading makes the sizes no quieter";
    EXPECT_LT(named(figures, "memory latency in small pages")->noise, 0.03);
}

TEST(Figures, OfMemoryAndOfManyChainsAreNoisierWhereGuestsContestACache) {
    StoredFile report = modelled_report();
    for (const std::uint64_t count : {1U, 8U}) {
        Row row;
        row.size_bytes = std::uint64_t{1} << 28U;
        row.latency_ns = 100.0 / static_cast<double>(count);
        const std::string part = "parallel" + std::to_string(count);
        report.results.push_back({.name = part, .part = part, .kind = &sweep_kind, .rows = std::vector<Row>{row}});
        report.results.back().run.parallel = count;
    }
    EXPECT_LT(named(figures_of_file(report), "memory latency")->noise, 0.02);
    EXPECT_LT(named(figures_of_file(report), "8 chains")->noise, 0.05);
    EXPECT_LT(named(figures_of_file(report), "memory latency in small pages")->noise, 0.02);
    for (Row& row : std::get<std::vector<Row>>(report.results[1].rows)) {
        if (row.size_bytes == std::uint64_t{16} << 20U) {
            row.low_ns = 20;
            row.high_ns = 100;
        }
    }
    EXPECT_LT(named(figures_of_file(report), "memory latency")->noise, 0.02) << "on no virtual machine";
    report.results.back().run.virtual_machine = true;
    EXPECT_EQ(named(figures_of_file(report), "memory latency")->noise, 0.04);
    EXPECT_EQ(named(figures_of_file(report), "8 chains")->noise, 0.08);
    EXPECT_EQ(named(figures_of_file(report), "memory latency in small pages")->noise, 0.08);
}

TEST(Figures, OfSingleLoadsOfAGuestAreNoisierThanTheirRun) {
    Result tail = modelled_tail({.p50 = 1.2});
    EXPECT_EQ(named(figures_of_result(tail), "p50 of 256 MiB")->noise, 0);
    tail.run.virtual_machine = true;
    EXPECT_EQ(named(figures_of_result(tail), "p50 of 256 MiB")->noise, 0.08);
}

TEST(Figures, CarryTheNoiseOfTheSweepAtTheirSize) {
    StoredFile report = modelled_report();
    for (Row& row : std::get<std::vector<Row>>(report.results[1].rows)) {
        if (row.size_bytes == std::uint64_t{1} << 28U)
            row.visits_percent = 80;
    }
    EXPECT_NEAR(named(figures_of_file(report), "p50 of 256 MiB")->noise, 0.4, 0.01);
    for (Row& row : std::get<std::vector<Row>>(report.results[1].rows)) {
        if (row.size_bytes > std::uint64_t{1} << 28U)
            row.visits_percent = 1;
    }
    EXPECT_NEAR(named(figures_of_file(report), "p50 of 256 MiB")->noise, 0.4, 0.01) << "of several sizes the largest";
}

TEST(Figures, OfPercentilesAreKnownToAStepOfTheCounter) {
    const auto figures = figures_of_result(modelled_tail({}));
    const Figure* p50 = named(figures, "p50 of 256 MiB");
    ASSERT_NE(p50, nullptr);
    EXPECT_NEAR(p50->range->low, 114, 0.1);
    EXPECT_NEAR(p50->range->high, 126, 0.1);
    Result stated = modelled_tail({});
    stated.resolution_ns = 20;
    EXPECT_NEAR(named(figures_of_result(stated), "p50 of 256 MiB")->range->low, 108, 0.1) << "as the file states it";
    Result grouped = modelled_tail({});
    std::get<std::vector<PercentileRow>>(grouped.rows).front().group = 32;
    EXPECT_NE(named(figures_of_result(grouped), "p50 of 256 MiB"), nullptr) << "has one name whatever the run";
}

TEST(Figures, WithoutNoiseOfTheirOwnAreDisturbedWithTheirRun) {
    Result tail = modelled_tail({});
    tail.warnings.push_back({Code::others_used, {{"percent", 35}}});
    EXPECT_EQ(named(figures_of_result(tail), "p50 of 256 MiB")->doubt, Why::disturbed);
    Result sweep = modelled_sweep({});
    sweep.warnings = tail.warnings;
    EXPECT_EQ(named(figures_of_result(sweep), "L2 latency")->doubt, Why::none) << "its visits agree";
    sweep.cut = true;
    EXPECT_EQ(named(figures_of_result(sweep), "L2 latency")->doubt, Why::incomplete);
}

TEST(Figures, OfNodesAreDisturbedWhereTheRunSaysSo) {
    Result nodes{.name = "nodes",
                 .kind = &nodes_kind,
                 .rows = std::vector<NodesRow>{{.processors_of = 0, .memory_of = 0, .latency_ns = 80},
                                               {.processors_of = 0, .memory_of = 1, .latency_ns = 140}}};
    nodes.remarks.push_back({Code::disturbed_pairs, {{"pairs", List{List{0, 1}}}}});
    const auto figures = figures_of_result(nodes);
    EXPECT_EQ(named(figures, "latency from 0 to 0")->doubt, Why::none);
    EXPECT_EQ(named(figures, "latency from 0 to 1")->doubt, Why::disturbed);
}

TEST(Figures, OfMemoryThatChangedUnderLoadAreNoisy) {
    Result loaded{.name = "loaded", .kind = &loaded_kind, .rows = std::vector<LoadRow>{{0, 0, 100}, {100, 9, 150}}};
    EXPECT_EQ(named(figures_of_result(loaded), "memory latency")->noise, 0);
    loaded.remarks = {{Code::several_curves, {{"rows", 1}, {"of", 1}}}};
    EXPECT_EQ(named(figures_of_result(loaded), "memory latency")->noise, 0.1);
    loaded.remarks = {};
    auto& peak = std::get<std::vector<LoadRow>>(loaded.rows).back();
    peak.bytes_per_ns_low = 8.1;
    peak.bytes_per_ns_high = 9.9;
    EXPECT_NEAR(named(figures_of_result(loaded), "peak bandwidth")->noise, 0.05, 1e-9);
    loaded.warnings = {{Code::others_used, {{"percent", 30.0}}}};
    EXPECT_EQ(named(figures_of_result(loaded), "memory latency")->noise, 0.1);
}

TEST(Figures, OfStridesAreSharesOfRandomOrder) {
    const auto row = [](Pattern pattern, double ns) {
        return PatternFigure{.pattern = pattern, .pages = PageKind::transparent_huge, .latency_ns = ns};
    };
    Result prefetch{.name = "prefetch",
                    .kind = &prefetch_kind,
                    .rows = std::vector{row(Pattern::random, 150), row(Pattern::forward, 7.5)}};
    EXPECT_NEAR(value_of(figures_of_result(prefetch), "forward"), 5, 1e-9);
    EXPECT_NEAR(named(figures_of_result(prefetch), "forward")->noise, std::hypot(0.25, 0.25), 1e-9) << "of one round";
    EXPECT_NEAR(value_of(figures_of_result(prefetch), "memory latency"), 150, 1e-9);
    for (PatternFigure& figure : std::get<std::vector<PatternFigure>>(prefetch.rows))
        figure.low_ns = figure.high_ns = figure.latency_ns;
    EXPECT_EQ(named(figures_of_result(prefetch), "forward")->noise, 0);
    prefetch.run.virtual_machine = true;
    EXPECT_EQ(named(figures_of_result(prefetch), "forward")->noise, 0.08) << "of its host";
}

TEST(Figures, OfChainsAreSharesOfTheTimeWithOne) {
    const auto chains = [](std::uint64_t count, double ns) {
        Row row;
        row.size_bytes = std::uint64_t{1} << 28U;
        row.latency_ns = ns;
        row.visits_percent = 1;
        const std::string part = "parallel" + std::to_string(count);
        Result result{.name = part, .part = part, .kind = &sweep_kind, .rows = std::vector<Row>{row}};
        result.run.parallel = count;
        return result;
    };
    StoredFile report{.name = "report", .is_report = true, .results = {chains(1, 150), chains(4, 37.5)}};
    EXPECT_NEAR(value_of(figures_of_file(report), "4 chains"), 25, 1e-9);
    EXPECT_NEAR(value_of(figures_of_file(report), "memory latency"), 150, 1e-9);
    report.results = {chains(1, 250), chains(4, 40), chains(8, 35)};
    for (const Figure& figure : figures_of_file(report)) {
        EXPECT_EQ(figure.doubt, Why::disturbed) << figure.name << ": 4 are 6 times as fast";
    }
}

TEST(Figures, OfTlbsAreTheirEntriesAndWalksFarBeyondThem) {
    Result tlb = modelled_tlb();
    EXPECT_EQ(value_of(figures_of_result(tlb), "L1 TLB entries"), 64);
    EXPECT_EQ(value_of(figures_of_result(tlb), "page walk at 64 MiB"), 20);
    EXPECT_NEAR(named(figures_of_result(tlb), "L2 TLB hit")->noise, 0.1 / 3 / 3, 1e-9);
    tlb.warnings = {Notice(Code::busy_machine)};
    EXPECT_EQ(named(figures_of_result(tlb), "L2 TLB hit")->noise, noise_of_loads) << "0.1 ns are none beside others";
    tlb.remarks = {Notice(Code::pages_not_quoted, {{"pages", List{Value(16384)}}})};
    EXPECT_EQ(named(figures_of_result(tlb), "page walk at 64 MiB")->doubt, Why::disturbed) << "it is not missing";
    EXPECT_EQ(named(figures_of_result(modelled_tlb()), "page walk at 64 MiB")->doubt, Why::none);
    EXPECT_EQ(named(figures_of_result(modelled_tlb()), "page walk at 16 MiB")->doubt, Why::noise)
        << "the second TLB may hold up to 3072 pages";
    tlb.remarks = {Notice(Code::no_tlb_edge)};
    EXPECT_TRUE(figures_of_result(tlb).empty()) << "the run itself denies them";
}

} // namespace
} // namespace memtest
