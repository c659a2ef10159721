#include "memtest/insight/fleet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace memtest {
namespace {

Figure named(const std::string& name, Quantity quantity, double value) {
    return {.part = "sweep", .name = name, .quantity = quantity, .value = value};
}

/// Machines whose figures scatter by this share.
std::vector<std::vector<Figure>> fleet_of(std::size_t machines, double scatter, std::mt19937& random) {
    std::normal_distribution<double> normal(0, 1);
    std::vector<std::vector<Figure>> fleet;
    for (std::size_t machine = 0; machine < machines; ++machine) {
        const auto around = [&](double value) { return value * std::exp(scatter * normal(random)); };
        fleet.push_back({named("L1 latency", Quantity::level_latency, around(1)),
                         named("memory latency", Quantity::level_latency, around(100)),
                         named("bandwidth", Quantity::node_bandwidth, around(30)),
                         named("hit", Quantity::tlb_hit, around(2)),
                         {.part = "tlb",
                          .name = "L1 TLB entries",
                          .quantity = Quantity::tlb_entries,
                          .value = 64,
                          .range = FigureRange{64, 64}}});
    }
    return fleet;
}

std::set<std::size_t> machines_in(const OddFigures& odd) {
    std::set<std::size_t> machines;
    for (const OddFigure& one : odd.list)
        machines.insert(one.machine);
    return machines;
}

std::ptrdiff_t noisy_in(const OddFigures& odd) {
    return std::ranges::count_if(odd.figures, &JudgedFigure::is_too_noisy);
}

TEST(OddFigures, AreNotFoundInTwentyFleetsOfMachinesThatAreAlike) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 20; ++trial) {
        for (const std::size_t machines : {4U, 8U, 19U, 21U, 40U, 200U}) {
            for (const double scatter : {0.005, 0.02})
                EXPECT_TRUE(odd_figures(fleet_of(machines, scatter, random)).list.empty())
                    << trial << ' ' << machines << ' ' << scatter;
        }
    }
}

TEST(OddFigures, AreThoseOfTheMachinesWithSlowerMemory) {
    std::mt19937 random(2);
    for (const std::set<std::size_t>& slow : {std::set<std::size_t>{17}, {3, 50, 199}}) {
        auto fleet = fleet_of(200, 0.01, random);
        for (const std::size_t machine : slow)
            fleet[machine][1].value *= 1.1;
        const OddFigures odd = odd_figures(fleet);
        EXPECT_EQ(machines_in(odd), slow);
        for (const OddFigure& one : odd.list) {
            EXPECT_EQ(one.figure.name, "memory latency");
            EXPECT_EQ(one.figure.change.verdict, Verdict::slower);
            EXPECT_NEAR(one.figure.change.change_percent, 10, 4);
            EXPECT_NEAR(one.figure.change.base, 100, 1);
            EXPECT_GT(one.figure.change.noise_percent, 0);
        }
    }
}

TEST(OddFigures, AreFoundAmongFewMachinesAndNotAmongFewerThanFour) {
    std::mt19937 random(3);
    auto fleet = fleet_of(6, 0.001, random);
    fleet[5][1].value *= 1.5;
    EXPECT_EQ(machines_in(odd_figures(fleet)), std::set<std::size_t>{5});
    fleet.erase(fleet.begin(), fleet.begin() + 3);
    EXPECT_TRUE(odd_figures(fleet).list.empty());
    EXPECT_EQ(odd_figures(fleet).figures.size(), 0U);
}

TEST(OddFigures, AreWorseOrBetterByTheirQuantity) {
    std::mt19937 random(4);
    auto fleet = fleet_of(20, 0.001, random);
    fleet[1][1].value /= 1.5;
    fleet[2][2].value /= 1.5;
    const OddFigures odd = odd_figures(fleet);
    ASSERT_EQ(odd.list.size(), 2U);
    EXPECT_EQ(odd.list[0].machine, 1U);
    EXPECT_EQ(odd.list[0].figure.change.verdict, Verdict::faster) << "a shorter latency";
    EXPECT_EQ(odd.list[1].figure.change.verdict, Verdict::slower) << "less bandwidth";
    EXPECT_LT(odd.list[1].figure.change.change_percent, 0);
}

TEST(OddFigures, AreNotThoseOfAMachineWhoseOwnRunWasAsNoisy) {
    std::mt19937 random(8);
    auto fleet = fleet_of(200, 0.005, random);
    fleet[7][1].value *= 1.2;
    fleet[7][1].noise = 0.2;
    EXPECT_TRUE(odd_figures(fleet).list.empty());
    fleet[7][1].noise = 0;
    EXPECT_EQ(machines_in(odd_figures(fleet)), std::set<std::size_t>{7});
}

TEST(OddFigures, CountTheFiguresThatAreTooNoisy) {
    std::mt19937 random(10);
    EXPECT_EQ(noisy_in(odd_figures(fleet_of(40, 0.005, random))), 0);
    EXPECT_EQ(noisy_in(odd_figures(fleet_of(40, 0.1, random))), 4) << "all but the entries of the TLB";
}

TEST(OddFigures, AreNoSavingsAndNotErratic) {
    std::mt19937 random(9);
    for (const Quantity quantity : {Quantity::saving, Quantity::knee, Quantity::p99_9}) {
        auto fleet = fleet_of(20, 0.001, random);
        for (auto& figures : fleet)
            figures.push_back(named("it", quantity, 20));
        fleet[3].back().value = 40;
        EXPECT_TRUE(odd_figures(fleet).list.empty());
        EXPECT_EQ(odd_figures(fleet).figures.size(), 5U);
    }
}

TEST(OddFigures, LeaveOutWhatIsInDoubt) {
    std::mt19937 random(5);
    auto fleet = fleet_of(20, 0.001, random);
    fleet[7][1].value *= 2;
    fleet[7][1].doubt = Doubt::disturbed;
    EXPECT_TRUE(odd_figures(fleet).list.empty());
    EXPECT_EQ(odd_figures(fleet).figures.size(), 5U);
}

TEST(OddFigures, WithARangeLieOutsideOfTheRangesOfTheOthers) {
    std::mt19937 random(6);
    auto fleet = fleet_of(20, 0.001, random);
    const auto entries = [&](double low, double value, double high) {
        fleet[9].back().value = value;
        fleet[9].back().range = FigureRange{low, high};
        return machines_in(odd_figures(fleet));
    };
    EXPECT_TRUE(entries(48, 56, 64).empty()) << "its range includes the entries of the others";
    EXPECT_EQ(entries(48, 56, 60), std::set<std::size_t>{9});
    EXPECT_EQ(entries(70, 72, 72), std::set<std::size_t>{9});
}

TEST(OddFigures, AreNotFoundWhereManyMachinesAreALittleApart) {
    std::mt19937 random(7);
    auto fleet = fleet_of(40, 0.001, random);
    for (std::size_t machine = 0; machine < 14; ++machine) {
        fleet[machine][1].value *= 1.12;
        fleet[machine].back().value = 72;
        fleet[machine].back().range = FigureRange{72, 72};
    }
    EXPECT_TRUE(odd_figures(fleet).list.empty());
}

TEST(OddFigures, AreNotThoseThatOtherPartsOfTheMachineDoNotShow) {
    std::mt19937 random(11);
    auto fleet = fleet_of(20, 0.001, random);
    for (auto& figures : fleet) {
        figures[1].subject = "memory latency";
        figures.push_back(figures[1]);
        figures.back().part = "tail";
    }
    fleet[3].back().value *= 1.5;
    EXPECT_TRUE(odd_figures(fleet).list.empty());
    fleet[3][1].value *= 1.4;
    EXPECT_EQ(odd_figures(fleet).list.size(), 2U);
}

} // namespace
} // namespace memtest
