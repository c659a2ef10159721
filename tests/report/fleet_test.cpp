#include "memtest/report/fleet.hpp"

#include "memtest/report/notice.hpp"
#include "support/refusal.hpp"
#include "support/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memtest {
namespace {

FleetMachine machine(const std::string& name, double memory_ns) {
    const auto run = [](const std::string& cpu) {
        RunDescription description{};
        description.order = Order::random;
        description.cpu_model = cpu;
        description.kernel = "Linux 6.1";
        description.memory_bytes = 64 * std::uint64_t{1} << 30U;
        return description;
    };
    return {.name = name,
            .parts = {{"sweep", run("One 1234 CPU")}},
            .figures = {
                {.part = "sweep", .name = "memory latency", .quantity = Quantity::level_latency, .value = memory_ns}}};
}

std::vector<FleetMachine> machines(std::size_t count) {
    std::vector<FleetMachine> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(machine("host" + std::to_string(i), 100));
    return all;
}

std::vector<Code> remarks_in(const Fleet& fleet) {
    std::vector<Code> codes;
    for (const Finding& finding : fleet_findings(fleet).list) {
        if (finding.is_remark)
            codes.push_back(finding.notice.code);
    }
    return codes;
}

TEST(Fleet, NamesTheMachineWhoseMemoryIsSlower) {
    auto all = machines(6);
    all[3].figures.front().value = 130;
    const Fleet fleet = judge_fleet(all, 5);
    ASSERT_EQ(fleet.rows.size(), 1U);
    EXPECT_EQ(fleet.rows.front().machine, "host3");
    EXPECT_NEAR(fleet.rows.front().figure.change.change_percent, 30, 1e-9);
    EXPECT_EQ(fleet.differ, 1U);
    EXPECT_EQ(fleet.judged, 6U);
    EXPECT_EQ(fleet.figures.size(), 1U);
    EXPECT_TRUE(judge_fleet(all, 40).rows.empty()) << "within the tolerance";
}

TEST(Fleet, CannotTellIfNoiseHidesDifferencesInMostFigures) {
    auto all = machines(6);
    EXPECT_EQ(verdict_of(judge_fleet(all, 5)), FleetVerdict::alike);
    const auto add = [&](const std::string& name, double noise) {
        for (FleetMachine& one : all)
            one.figures.push_back(
                {.part = "sweep", .name = name, .quantity = Quantity::level_latency, .value = 10, .noise = noise});
    };
    add("L3 latency", 0.3);
    add("L2 latency", 0);
    EXPECT_EQ(verdict_of(judge_fleet(all, 5)), FleetVerdict::alike) << "one of three";
    add("L4 latency", 0.3);
    const Fleet fleet = judge_fleet(all, 5);
    EXPECT_EQ(verdict_of(fleet), FleetVerdict::cannot_tell) << "two of four";
    for (FleetMachine& one : all) {
        one.figures[1].quantity = Quantity::p99;
        one.figures[3].quantity = Quantity::p99;
    }
    EXPECT_EQ(verdict_of(judge_fleet(all, 5)), FleetVerdict::alike) << "those that repeat decide";
    const Members members = fleet_findings(fleet).list.front().members;
    EXPECT_EQ(members["verdict"], "cannot tell");
    EXPECT_EQ(members["figures_too_noisy"], 2);
    all[3].figures.front().value = 150;
    EXPECT_EQ(verdict_of(judge_fleet(all, 5)), FleetVerdict::differ) << "what stands out counts nevertheless";
}

TEST(Fleet, TellsWhichFiguresItCompared) {
    auto all = machines(6);
    all[3].figures.front().value = 130;
    const Value list = finding_members(fleet_findings(judge_fleet(all, 5)), fleet_kind)["figures"];
    ASSERT_EQ(list.list().size(), 1U);
    EXPECT_EQ(list[0]["figure"], "memory latency");
    EXPECT_EQ(list[0]["like"], "host0");
    EXPECT_EQ(list[0]["usual"], 100);
    EXPECT_EQ(list[0]["machines"], 6);
    EXPECT_EQ(list[0]["differ"], 1);
    EXPECT_EQ(list[0]["too_noisy"], false);
    const auto figures = [&](bool is_all) {
        return fleet_table(judge_fleet(machines(5), 5), is_all).find("\nsweep memory latency  ") != std::string::npos;
    };
    EXPECT_TRUE(figures(true));
    EXPECT_FALSE(figures(false));
}

TEST(Fleet, ComparesOnlyMachinesOfOneKind) {
    for (auto* const change : {+[](RunDescription& run) { run.cpu_model = "Another 5678 CPU"; },
                               +[](RunDescription& run) { run.kernel = "Linux 6.8"; },
                               +[](RunDescription& run) { run.order = Order::forward; }}) {
        auto all = machines(9);
        for (std::size_t i = 5; i < 9; ++i) {
            change(all[i].parts.front().second);
            all[i].figures.front().value = 200;
        }
        const Fleet fleet = judge_fleet(all, 5);
        EXPECT_TRUE(fleet.rows.empty());
        ASSERT_EQ(fleet.kinds.size(), 2U);
        EXPECT_EQ(fleet.kinds[1].size(), 4U);
        EXPECT_EQ(fleet.judged, 9U);
    }
}

TEST(Fleet, SaysWhichMachineIsNotComparedAndWhy) {
    auto all = machines(5);
    all[0].parts.front().second.kernel = "Linux 6.8";
    all[0].figures.front().value = 200;
    const Fleet fleet = judge_fleet(all, 5);
    EXPECT_EQ(fleet.differ, 0U);
    EXPECT_EQ(fleet.judged, 4U);
    ASSERT_EQ(remarks_in(fleet), std::vector{Code::machines_not_compared});
    const Notice said = fleet_findings(fleet).list.back().notice;
    EXPECT_EQ(said.values["names"], List{"host0"});
    EXPECT_EQ(said.values["of_kind"], 1);
    EXPECT_EQ(said.values["differences"], json(R"([{"key": "kernel", "usual": "Linux 6.1", "here": "Linux 6.8"}])"));
}

TEST(Fleet, SaysWhichSystemIsSetDifferentlyFromMostOfItsKind) {
    auto all = machines(6);
    all[0].parts.front().second.memory_bytes = 48 * std::uint64_t{1} << 30U;
    const Fleet fleet = judge_fleet(all, 5);
    EXPECT_EQ(fleet.kinds.size(), 1U) << "the missing module is what a fleet is searched for";
    ASSERT_EQ(remarks_in(fleet), std::vector{Code::machines_set_differently});
    EXPECT_EQ(fleet_findings(fleet).list.back().notice.values["names"], List{"host0"});
}

TEST(Fleet, SaysOnceWhatIsTrueOfSeveralMachines) {
    auto all = machines(9);
    for (const std::size_t i : {0U, 2U, 3U})
        all[i].parts.front().second.memory_bytes = (i == 3 ? 32 : 48) * std::uint64_t{1} << 30U;
    std::vector<Value> names;
    for (const Finding& finding : fleet_findings(judge_fleet(all, 5)).list) {
        if (finding.is_remark)
            names.push_back(finding.notice.values["names"]);
    }
    EXPECT_EQ(names, (std::vector<Value>{List{"host0", "host2"}, List{"host3"}}));
}

TEST(Fleet, SaysNothingOfSystemsWithoutAMajority) {
    auto all = machines(6);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].parts.front().second.memory_bytes = (16 + i / 2 * 16) * std::uint64_t{1} << 30U;
    EXPECT_TRUE(remarks_in(judge_fleet(all, 5)).empty());
}

TEST(Fleet, DoesNotTakeMachinesOfTwoKindsForOneBecauseAThirdDoesNotStateItsProcessor) {
    auto all = machines(9);
    all[0].parts.front().second.cpu_model.reset();
    for (std::size_t i = 5; i < 9; ++i)
        all[i].parts.front().second.cpu_model = "Another 5678 CPU";
    EXPECT_EQ(judge_fleet(all, 5).kinds.size(), 2U);
}

TEST(Fleet, TellsMachinesOfTheSameNameApartByTheirFolders) {
    auto all = machines(4);
    all[0] = {.name = "node1", .path = "rack1/node1.json", .parts = all[0].parts, .figures = all[0].figures};
    all[1] = {.name = "node1", .path = "rack2/node1.json", .parts = all[1].parts, .figures = all[1].figures};
    const Fleet fleet = judge_fleet(all, 5);
    EXPECT_EQ(fleet.machines[0].name, "rack1/node1.json");
    EXPECT_EQ(fleet.machines[1].name, "rack2/node1.json");
    EXPECT_EQ(fleet.machines[2].name, "host2");
}

TEST(Fleet, SaysOfWhichMachineMostFiguresAreInDoubt) {
    auto all = machines(5);
    all[2].figures.front().doubt = Doubt::disturbed;
    all[2].figures.front().value = 300;
    const Fleet fleet = judge_fleet(all, 5);
    EXPECT_EQ(fleet.differ, 0U);
    EXPECT_EQ(remarks_in(fleet), std::vector{Code::machines_in_doubt});
}

TEST(Fleet, TakesThePartsThatAreNamed) {
    StoredFile file{.name = "a.json", .is_report = true};
    for (const char* const part : {"sweep", "parallel1", "parallel2"})
        file.results.emplace_back(result_of("0, 1, 2\n")).part = part;
    const auto parts = [&](const std::vector<std::string>& names) {
        std::vector<std::string> taken;
        for (const auto& [name, run] : machine_in(file, names).parts)
            taken.push_back(name);
        return taken;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(parts({}), (Names{"sweep", "parallel1", "parallel2"}));
    EXPECT_EQ(parts({"parallel2"}), Names{"parallel2"});
    EXPECT_EQ(parts({"parallel"}), (Names{"parallel1", "parallel2"})) << "a word of report --only";
    EXPECT_EQ(parts({"levels", "parallel1"}), (Names{"sweep", "parallel1"}));
    EXPECT_TRUE(
        mentions(refusal_of([&] { static_cast<void>(parts({"tail"})); }), {"--part tail", "a.json", "parallel1"}));
}

TEST(Fleet, RefusesPartsOfAFileThatIsNoReport) {
    const auto take = [](const std::vector<std::string>& names) {
        return refusal_of(
            [&] { static_cast<void>(machine_in({.name = "a.csv", .results = {result_of("0, 1, 2\n")}}, names)); });
    };
    EXPECT_EQ(take({}), "");
    EXPECT_EQ(take({"huge"}), "") << "a part may be a file of its own";
    EXPECT_TRUE(mentions(take({"tlb"}), {"--part tlb", "a.csv"}));
    EXPECT_TRUE(mentions(take({"levels"}), {"--part levels", "a.csv"}));
    EXPECT_TRUE(mentions(take({"sweep", "huge"}), {"--part sweep", "a.csv"}));
}

TEST(Fleet, NamesMachinesByTheirFilesInOneField) {
    StoredFile file{.name = "some/folder/a,b.json", .results = {result_of("0, 1, 2\n")}};
    EXPECT_EQ(machine_in(std::move(file)).name, "a;b");
}

TEST(Fleet, NamesOfMachinesHoldNoControlCharacters) {
    StoredFile file{.name = "a\x1b[31m\nb.json", .results = {result_of("0, 1, 2\n")}};
    const std::string name = machine_in(std::move(file)).name;
    EXPECT_EQ(name.find('\x1b'), std::string::npos);
    EXPECT_EQ(name.find('\n'), std::string::npos);
}

} // namespace
} // namespace memtest
