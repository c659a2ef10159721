#include "memtest/kinds/comparison.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/kinds/comparison_screen.hpp"

#include "memtest/kinds/fleet.hpp"
#include "support/modelled_reports.hpp"
#include "support/program.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

using Names = std::vector<std::string>;

Comparison compared(const StoredFile& latest, const StoredFile& base = modelled_report()) {
    return compare({&base, 1}, latest, 5);
}

/// The figures that make the verdict, with what happened to them.
Names named(const Comparison& comparison) {
    Names names;
    for (const FigureChange& figure : comparison.figures) {
        if (decides(figure) && (figure.verdict == Verdict::worse || is_missing(figure)))
            names.push_back(full_name(figure) +
                            (figure.why == Why::none ? "" : " " + std::string(word_of(figure.why))));
    }
    return names;
}

ModelledMachine with_latencies(std::vector<double> latencies) {
    ModelledMachine machine;
    machine.latencies = std::move(latencies);
    return machine;
}

TEST(Comparison, OfEqualReportsFindsNoDifference) {
    EXPECT_EQ(compared(modelled_report()).verdict, Verdict::no_difference);
    EXPECT_EQ(named(compared(modelled_report())), Names{});
}

TEST(Comparison, NamesTheLevelThatChangedAndNoOther) {
    ModelledMachine half;
    half.capacities[1] /= 2;
    EXPECT_EQ(named(compared(modelled_report(half))), Names{"huge L2 capacity"});
    EXPECT_EQ(named(compared(modelled_report(with_latencies({1, 4, 35, 100})))), Names{"huge L3 latency"});
    const ModelledMachine slow = with_latencies({1, 4, 14, 120});
    EXPECT_EQ(named(compared(modelled_report(slow))), (Names{"memory latency", "memory latency in small pages"}));
    ModelledMachine tail;
    tail.p50 = 160;
    EXPECT_EQ(named(compared(modelled_report(tail))), Names{"tail p50 of 256 MiB"});
}

TEST(Comparison, NamesTheFilesThatOtherWorkDisturbedWhateverChanged) {
    const auto is_named = [](const Comparison& comparison) {
        return std::ranges::count(comparison.remarks, Code::files_disturbed, &Notice::code) > 0;
    };
    StoredFile busy = modelled_report(with_latencies({1, 4, 14, 120}));
    EXPECT_FALSE(is_named(compared(busy)));
    busy.results.front().warnings.push_back(Notice(Code::busy_machine));
    EXPECT_TRUE(is_named(compared(busy)));
    EXPECT_TRUE(is_named(compared(modelled_report(), busy)));
    StoredFile same = modelled_report();
    same.results.front().warnings.push_back(Notice(Code::busy_machine));
    same.results.front().run.kernel = "another";
    const std::vector<Notice> remarks = compared(same).remarks;
    ASSERT_EQ(remarks.size(), 2U);
    EXPECT_EQ(remarks.front().code, Code::files_disturbed) << "the screen may have no room for the other";
}

TEST(Comparison, DoesNotJudgeACacheOfAGuestThatEndsBeforeItsSizesNorWhatAPrefetcherHides) {
    ModelledMachine less;
    less.capacities[2] /= 8;
    StoredFile latest = modelled_report(less);
    const auto names = [&] { return joined(named(compared(latest)), ",", std::identity()); };
    EXPECT_TRUE(holds(names(), "huge L3 latency"));
    for (Result& part : latest.results)
        part.run.virtual_machine = true;
    EXPECT_EQ(names(), "huge L3 capacity");
    const auto figures = compared(latest).figures;
    const auto cells = cells_of(*std::ranges::find(figures, "huge L3 latency", full_name), "");
    EXPECT_EQ(cells, (std::vector<std::string>{"", "", "", "", "", "shared"})) << "New has what lies behind it";
    latest.results[1].warnings = {{Code::prefetcher_follows_stride, {{"from_bytes", 65536.0}}}};
    EXPECT_TRUE(holds(names(), "huge L2 latency not in new") && !holds(names(), "L1")) << names();
}

TEST(Comparison, NamesACacheThatIsGoneOrNew) {
    ModelledMachine without;
    without.capacities.pop_back();
    without.latencies = {1, 4, 100};
    EXPECT_EQ(named(compared(modelled_report(without))), Names{"huge L3 latency gone"});
    EXPECT_EQ(compared(modelled_report(), modelled_report(without)).verdict, Verdict::better);
    StoredFile guest = modelled_report(without);
    for (Result& part : guest.results)
        part.run.virtual_machine = true;
    EXPECT_EQ(compared(guest).verdict, Verdict::worse);
    for (Result& part : guest.results)
        part.run.caches = std::vector<ReportedCache>{{.level = 3, .size_bytes = 64 * mib}};
    EXPECT_EQ(compared(guest).verdict, Verdict::no_difference) << "even Base had but half of it";
    ModelledMachine halved;
    halved.capacities[0] /= 2;
    EXPECT_EQ(compared(modelled_report(halved), modelled_report(without)).verdict, Verdict::worse);
    for (const auto& [second, count] : {std::pair(without, 1), {ModelledMachine(), 0}}) {
        std::vector<StoredFile> baselines{modelled_report(without), modelled_report(second)};
        for (int order = 0; order < 2; ++order) {
            const Comparison back = compare(baselines, modelled_report(), 5);
            EXPECT_EQ(std::ranges::count(back.figures, Why::appeared, &FigureChange::why), count)
                << "of every baseline";
            std::ranges::reverse(baselines);
        }
    }
}

TEST(Comparison, OfMemoryPairsItsSizesWithoutTheShareThatCachesServe) {
    const StoredFile base{.name = "", .results = {modelled_sweep({})}};
    const auto memory = [&](const Result& latest) {
        return compare({&base, 1}, {.name = "", .results = {latest}}, 5).figures.front();
    };
    ModelledMachine smaller;
    smaller.capacities[2] /= 2;
    EXPECT_NEAR(memory(modelled_sweep(smaller)).change_percent, 0, 2) << "at its sizes half as many are served";
    EXPECT_NEAR(memory(modelled_sweep(with_latencies({1, 4, 14, 150}))).change_percent, 50, 2);
    Result odd = base.results.front();
    std::get<std::vector<Row>>(odd.rows).back().latency_ns = 160;
    EXPECT_EQ(memory(odd).verdict, Verdict::no_difference) << "of the largest size alone";
}

TEST(Comparison, CannotTellWhereAPartIsMissingOrTheFileIsTruncated) {
    StoredFile report = modelled_report();
    report.results.pop_back();
    report.missing = {{"tail", "it failed"}};
    const Comparison comparison = compared(report);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(named(comparison), Names{"latency distribution not in new"});
    EXPECT_FALSE(comparison.only_noisy());
    EXPECT_FALSE(Comparison().only_noisy()) << "nothing was compared";
    EXPECT_EQ(comparison.remarks.front().code, Code::part_not_measured);
    EXPECT_EQ(compared(modelled_report(), report).verdict, Verdict::cannot_tell) << "not in base";
    report = modelled_report();
    report.results.back().cut = true;
    EXPECT_EQ(compared(report).verdict, Verdict::cannot_tell);
    const StoredFile whole = modelled_report();
    EXPECT_EQ(compare(std::vector{whole, report}, whole, 5).verdict, Verdict::cannot_tell) << "half of them";
    EXPECT_EQ(compare(std::vector{report, whole, whole}, whole, 5).verdict, Verdict::no_difference);
}

TEST(Comparison, AdvisesMoreBaselinesOnlyWhereNoFileWasDisturbed) {
    StoredFile report = modelled_report();
    for (Result& part : report.results) {
        if (auto* rows = std::get_if<std::vector<Row>>(&part.rows)) {
            for (Row& row : *rows)
                row.visits_percent = row.size_bytes > 32 * mib ? 60 : 0.3;
        }
    }
    const auto advises = [&] { return holds(comparison_table(compared(report, report)), "more baselines"); };
    EXPECT_TRUE(advises()) << comparison_table(compared(report, report));
    report.results.front().warnings.emplace_back(Code::busy_machine);
    EXPECT_FALSE(advises());
}

TEST(Comparison, CannotTellIfNoiseHidesASlowerLevelOrAllButCapacities) {
    const auto noisy = [](const ModelledMachine& machine, double percent, double most_bytes) {
        StoredFile report = modelled_report(machine);
        for (Result& part : report.results) {
            if (auto* rows = std::get_if<std::vector<Row>>(&part.rows)) {
                for (Row& row : *rows)
                    row.visits_percent = static_cast<double>(row.size_bytes) <= most_bytes ? percent : 0.3;
            }
        }
        return report;
    };
    constexpr double of_l2 = 1 << 20;
    const StoredFile base = noisy({}, 15, of_l2);
    const Comparison slower = compared(noisy(with_latencies({1, 6.5, 14, 100}), 15, of_l2), base);
    EXPECT_EQ(slower.verdict, Verdict::cannot_tell);
    EXPECT_FALSE(slower.only_noisy());
    const std::string text = comparison_table(slower);
    EXPECT_TRUE(holds(text, "\n\nCannot tell: huge L2 latency may be worse")) << text;
    EXPECT_TRUE(holds(text, " may be worse\n") && holds(text, " twice the noise.")) << "why it is no verdict: " << text;
    const Comparison faster = compared(noisy(with_latencies({1, 2.4, 14, 100}), 15, of_l2), base);
    EXPECT_TRUE(holds(comparison_table(faster), " may be better\n")) << comparison_table(faster);
    EXPECT_EQ(compared(base, base).verdict, Verdict::no_difference);
    const std::string same = comparison_table(compared(base, base));
    EXPECT_TRUE(holds(same, "\nhuge L2 latency ") && !holds(same, " twice the noise.")) << "too noisy: " << same;
    StoredFile all = noisy({}, 60, 1e12);
    all.results.erase(all.results.begin() + 2); // the tail, which has no such noise
    const Comparison hidden = compared(all, all);
    EXPECT_EQ(hidden.verdict, Verdict::cannot_tell);
    EXPECT_TRUE(hidden.only_noisy());
    StoredFile without_samples = modelled_report();
    std::get<std::vector<PercentileRow>>(without_samples.results[2].rows).front().p50_ns.reset();
    EXPECT_EQ(compared(without_samples).verdict, Verdict::no_difference) << "other work took them all";
    EXPECT_EQ(compared(modelled_report(), without_samples).verdict, Verdict::no_difference);
}

TEST(Comparison, NamesTheDifferencesFromEachBaseline) {
    StoredFile report = modelled_report();
    report.results.front().run.kernel = "Linux 6.1";
    for (const std::size_t place : {0U, 1U}) {
        std::vector<StoredFile> baselines(2, report);
        baselines[place].results.front().run.kernel = "Linux 6.8";
        const Comparison comparison = compare(baselines, report, 5);
        EXPECT_EQ(std::ranges::count(comparison.remarks, Code::runs_differ, &Notice::code), 1) << place;
    }
}

TEST(Comparison, SaysItsVerdictLastAndAllOnlyIfAsked) {
    const Comparison comparison = compared(modelled_report(with_latencies({1, 4.8, 14, 100})));
    const std::string text = comparison_table(comparison);
    EXPECT_TRUE(holds(text, "\n\nWorse: huge L2 latency; ")) << "below the rows, where a person looks: " << text;
    EXPECT_TRUE(holds(text, "\nhuge L1 latency ") && !holds(text, "huge 1 KiB")) << "what was compared: " << text;
    const auto faster = compared(modelled_report(with_latencies({1, 3.2, 14, 100})));
    EXPECT_TRUE(holds(comparison_table(faster), "\nhuge L2 latency ")) << "what is better, too";
    const std::string all = comparison_table(comparison, true);
    EXPECT_NE(all.find("\nhuge 1 KiB "), std::string::npos) << "single sizes, too";
    EXPECT_TRUE(holds(all, "\n\nWorse: huge L2 latency; "));
}

std::vector<FleetMachine> fleet_of(std::size_t count) {
    std::vector<FleetMachine> machines;
    for (std::size_t i = 0; i < count; ++i)
        machines.push_back(machine_in(modelled_report()));
    for (std::size_t i = 0; i < count; ++i)
        machines[i].name = "host" + std::to_string(i);
    return machines;
}

Names odd_in(const Fleet& fleet) {
    Names names;
    for (const FleetRow& row : fleet.rows)
        names.push_back(row.machine + " " + full_name(row.figure));
    return names;
}

TEST(Fleet, NamesTheMachineThatDiffersAndTheFigure) {
    EXPECT_EQ(verdict_of(judge_fleet(fleet_of(6), 5)), FleetVerdict::alike);
    auto machines = fleet_of(6);
    ModelledMachine half;
    half.capacities[1] /= 2;
    machines[3].file = modelled_report(half);
    const Fleet fleet = judge_fleet(machines, 5);
    EXPECT_EQ(odd_in(fleet), Names{"host3 huge L2 capacity"});
    EXPECT_EQ(verdict_of(fleet), FleetVerdict::differ);
    EXPECT_EQ(fleet.judged, 6U);
    EXPECT_TRUE(judge_fleet(machines, 60).rows.empty()) << "within the tolerance";
}

TEST(Fleet, NamesTheMachineThatLacksWhatTheOthersState) {
    auto machines = fleet_of(6);
    machines[2].file.results.pop_back();
    const Fleet fleet = judge_fleet(machines, 5);
    EXPECT_EQ(odd_in(fleet), Names{"host2 latency distribution"});
    const Fleet unread = judge_fleet(fleet_of(6), 5, {"broken.json"});
    EXPECT_EQ(verdict_of(unread), FleetVerdict::differ);
    EXPECT_EQ(fleet_findings(unread).list.front().notice.values["unread"], Value(1)) << "the sentence says why";
}

TEST(Fleet, DoesNotCountATlbWhoseEndOneMachineDoesNotShow) {
    auto machines = fleet_of(6);
    for (FleetMachine& machine : machines)
        machine.file.results.push_back(modelled_tlb());
    machines[2].file.results.back().remarks = {{Code::no_second_tlb_edge, {{"pages", 16384}}}};
    const Fleet fleet = judge_fleet(machines, 5);
    EXPECT_EQ(odd_in(fleet),
              (Names{"host2 tlb L2 TLB hit", "host2 tlb page walk at 16 MiB", "host2 tlb page walk at 64 MiB"}));
    EXPECT_EQ(verdict_of(fleet), FleetVerdict::alike) << "noise may hide it";
    PercentileRow& row = std::get<std::vector<PercentileRow>>(machines[2].file.results[2].rows).front();
    row.p50_ns.reset();
    EXPECT_EQ(verdict_of(judge_fleet(machines, 5)), FleetVerdict::alike) << "other work took all samples";
    row.max_ns = 500;
    EXPECT_EQ(verdict_of(judge_fleet(machines, 5)), FleetVerdict::differ) << "noise does not hide a percentile";
}

TEST(Fleet, ComparesOnlyMachinesOfOneKind) {
    auto machines = fleet_of(6);
    for (Result& part : machines[5].file.results)
        part.run.cpu_model = "Another";
    for (std::size_t i = 0; i < 5; ++i) {
        for (Result& part : machines[i].file.results)
            part.run.cpu_model = "One";
    }
    machines[5].file.results.pop_back();
    const Fleet fleet = judge_fleet(machines, 5);
    EXPECT_EQ(fleet.judged, 5U);
    EXPECT_TRUE(fleet.rows.empty());
    EXPECT_EQ(verdict_of(judge_fleet({machines.begin(), machines.begin() + 3}, 5)), FleetVerdict::cannot_tell)
        << "too few";
}

TEST(Fleet, JudgesEachMachineAmongThoseOfItsKindWhereverTheyStand) {
    auto machines = fleet_of(8);
    ModelledMachine half;
    half.capacities[1] /= 2;
    machines[3].file = modelled_report(half);
    for (std::size_t i = 0; i < machines.size(); ++i) {
        for (Result& part : machines[i].file.results)
            part.run.cpu_model = i % 2 == 0 ? "One" : "Another";
    }
    const Fleet fleet = judge_fleet(machines, 5);
    EXPECT_EQ(odd_in(fleet), Names{"host3 huge L2 capacity"});
    EXPECT_EQ(fleet.judged, 8U);
    Names differing;
    for (const FleetFigure& figure : fleet.figures) {
        if (figure.differ > 0)
            differing.push_back(figure.like + " " + full_name(figure.figure));
    }
    EXPECT_EQ(differing, Names{"host1 huge L2 capacity"}) << "of those like the first";
    for (Result& part : machines[2].file.results)
        part.run.cpu_model.reset();
    EXPECT_EQ(judge_fleet({machines.begin(), machines.begin() + 5}, 5).kinds.size(), 2U)
        << "one that does not state its processor joins no two kinds";
}

TEST(FullName, HasThePartUnlessTheNameSaysIt) {
    EXPECT_EQ(full_name({.name = "L2 latency"}), "L2 latency");
    EXPECT_EQ(full_name({.part = "huge", .name = "L2 latency"}), "huge L2 latency");
    EXPECT_EQ(full_name({.part = "parallel4", .name = "4 chains"}), "4 chains");
}

} // namespace
} // namespace memtest
