#include "memtest/insight/levels.hpp"
#include "support/level_rates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

namespace memtest {
namespace {

using test::Rates;
using test::Tally;

Rates rates_on(const test::CurveKind& kind, const LevelRules& rules = {}) {
    Tally tally;
    test::read_curves(kind, tally, rules);
    return tally.rates();
}

TEST(LevelRates, OnAThousandGeneratedCurvesReachWhatIsRequired) {
    const Rates rates = rates_on(test::drawn_hierarchies(1000));
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.998);
    EXPECT_GE(rates.capacities, 0.974);
    EXPECT_GE(rates.l1, 0.989);
    EXPECT_GE(rates.latencies, 0.977);
}

/// Every constant of the rules that moves a result, by name.
struct Constant {
    const char* name;
    double LevelRules::*value;
};

constexpr std::array<Constant, 31> constants = {{
    {"least_ratio", &LevelRules::least_ratio},
    {"least_foot_ratio", &LevelRules::least_foot_ratio},
    {"most_cache_ns", &LevelRules::most_cache_ns},
    {"least_ratio_beyond", &LevelRules::least_ratio_beyond},
    {"least_capacity_ratio", &LevelRules::least_capacity_ratio},
    {"least_slope", &LevelRules::least_slope},
    {"valley_share", &LevelRules::valley_share},
    {"knee_doublings", &LevelRules::knee_doublings},
    {"quiet_share", &LevelRules::quiet_share},
    {"doubtful_share", &LevelRules::doubtful_share},
    {"most_tlb_step", &LevelRules::most_tlb_step},
    {"tlb_reach_bytes", &LevelRules::tlb_reach_bytes},
    {"early_walks", &LevelRules::early_walks},
    {"outlier", &LevelRules::outlier},
    {"most_fall", &LevelRules::most_fall},
    {"points_per_doubling", &LevelRules::points_per_doubling},
    {"plain_error", &LevelRules::plain_error},
    {"least_error", &LevelRules::least_error},
    {"most_open", &LevelRules::most_open},
    {"spread_gain", &LevelRules::spread_gain},
    {"inside_from", &LevelRules::inside_from},
    {"memory_from", &LevelRules::memory_from},
    {"inside_to", &LevelRules::inside_to},
    {"least_room", &LevelRules::least_room},
    {"ample_room", &LevelRules::ample_room},
    {"ample_ratio", &LevelRules::ample_ratio},
    {"most_lift", &LevelRules::most_lift},
    {"memory_reach", &LevelRules::memory_reach},
    {"least_memory_ns", &LevelRules::least_memory_ns},
    {"flat_bytes", &LevelRules::flat_bytes},
    {"most_points_per_doubling", &LevelRules::most_points_per_doubling},
}};

class LevelSensitivity : public testing::TestWithParam<Constant> {};

TEST_P(LevelSensitivity, NoRateHangsOnTheExactValue) {
    // At one size per doubling a knee that is looked for too near splits caches that fill unevenly.
    for (const auto& [curves, most_fall] :
         {std::pair(test::drawn_hierarchies(50), 0.06), std::pair(test::plausible_machines_at(1, 2), 0.15)}) {
        const Rates usual = rates_on(curves);
        for (const double factor : {0.8, 1.2}) {
            LevelRules rules;
            rules.*GetParam().value *= factor;
            const Rates rates = rates_on(curves, rules);
            std::cout << GetParam().name << " * " << factor << ", " << curves.name << ": " << rates << '\n';
            EXPECT_GE(rates.levels, usual.levels - most_fall) << factor;
            EXPECT_GE(rates.capacities, usual.capacities - most_fall - 0.01) << factor;
            EXPECT_GE(rates.l1, usual.l1 - most_fall) << factor;
            EXPECT_GE(rates.latencies, usual.latencies - most_fall - 0.02) << factor;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryConstant, LevelSensitivity, testing::ValuesIn(constants),
                         [](const testing::TestParamInfo<Constant>& constant) {
                             return std::string(constant.param.name);
                         });

class PlausibleMachines : public testing::TestWithParam<int> {};

TEST_P(PlausibleMachines, AreReadRightAtAnyDensity) {
    const Rates rates = rates_on(test::plausible_machines_at(GetParam(), 1));
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.97);
    EXPECT_GE(rates.capacities, 0.91);
    EXPECT_GE(rates.l1, 0.97);
    EXPECT_GE(rates.latencies, 0.93);
}

INSTANTIATE_TEST_SUITE_P(SizesPerDoubling, PlausibleMachines, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

TEST(LevelRates, OfOneSizePerDoublingHardlyEverMissALevel) {
    EXPECT_GE(rates_on(test::plausible_machines_at(1, 10)).levels, 0.985);
}

TEST(LevelRates, DoNotHangOnWhichSizesASweepHappensToTake) {
    EXPECT_GE(rates_on(test::thinned_to(1)).levels, 0.95);
    EXPECT_GE(rates_on(test::thinned_to(2)).levels, 0.95);
}

/// The least share of a hard class whose levels are all found, at one and at two sizes per doubling.
struct HardRate {
    std::size_t hard_class;
    int sizes_per_doubling;
    double least;
};

class HardClasses : public testing::TestWithParam<HardRate> {};

TEST_P(HardClasses, AreReadRightAsOftenAsTheyShow) {
    const auto [hard_class, sizes_per_doubling, least] = GetParam();
    const test::CurveKind kind = test::hard_classes_at(sizes_per_doubling, 200).at(hard_class);
    const Rates rates = rates_on(kind);
    std::cout << kind.name << ": " << rates << '\n';
    EXPECT_GE(rates.levels, least);
}

INSTANTIATE_TEST_SUITE_P(EachAtTwoDensities, HardClasses,
                         testing::Values(HardRate{0, 1, 0.36}, HardRate{0, 2, 0.21}, HardRate{1, 1, 0.65},
                                         HardRate{1, 2, 0.83}, HardRate{2, 1, 0.95}, HardRate{2, 2, 0.95}));

void expect_calibrated(const Tally& tally) {
    const double high = tally.calibration(Confidence::high).share();
    const double fair = tally.calibration(Confidence::fair).share();
    EXPECT_GE(high, 0.98);
    EXPECT_GE(fair, 0.80);
    EXPECT_LE(fair, 0.95);
    EXPECT_LT(tally.calibration(Confidence::low).share(), 0.80);
}

TEST(LevelConfidence, MeansWhatItSays) {
    Tally tally;
    for (const test::CurveKind& kind : {test::drawn_hierarchies(300), test::plausible_machines_at(1, 4),
                                        test::plausible_machines_at(2, 4), test::thinned_to(1), test::thinned_to(2)})
        test::read_curves(kind, tally);
    expect_calibrated(tally);
}

TEST(LevelConfidence, MeansWhatItSaysWhereEachHardClassIsOneMachineMore) {
    constexpr std::uint64_t seeds = 4;
    Tally tally;
    for (const int sizes_per_doubling : {1, 2}) {
        test::read_curves(test::plausible_machines_at(sizes_per_doubling, seeds), tally);
        for (const test::CurveKind& kind : test::hard_classes_at(sizes_per_doubling, seeds))
            test::read_curves(kind, tally);
    }
    expect_calibrated(tally);
}

TEST(LevelConfidence, WhatTheLevelBelowStillServesMakesNoLevelDoubtful) {
    const test::CurveKind coloured = test::hard_classes_at(1, 500).at(2);
    Tally tally;
    test::read_curves(coloured, tally);
    EXPECT_GE(tally.calibration(Confidence::high).found, 0.82 * 2 * static_cast<double>(coloured.curves));
}

TEST(LevelConfidence, IsLowBelowARiseThatMayHideALevel) {
    Tally tally;
    for (const test::CurveKind& kind : test::hard_classes_at(1, 200))
        test::read_curves(kind, tally);
    EXPECT_GE(tally.calibration(Confidence::fair).share(), 0.80);
}

TEST(LevelRates, DisturbedSizesAddNoLevelAndLeaveNoneBesideThemSure) {
    int right = 0;
    int sweeps = 0;
    for (const test::DisturbedSweep& sweep : test::disturbed_sweeps()) {
        const Hierarchy found = infer_levels(sweep.curve.points, Order::random);
        ++sweeps;
        right += found.caches.size() == sweep.curve.truth.capacities_bytes.size() ? 1 : 0;
        for (const Level& level : found.caches) {
            const bool beside = level.capacity_low_bytes <= sweep.disturbed_bytes &&
                                sweep.disturbed_bytes <= level.capacity_high_bytes.value_or(sweep.disturbed_bytes);
            EXPECT_FALSE(beside && level.confidence == Confidence::high) << sweep.disturbed_bytes;
        }
    }
    EXPECT_GE(right, 0.97 * sweeps);
}

} // namespace
} // namespace memtest
