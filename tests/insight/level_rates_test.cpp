#include "memtest/insight/levels.hpp"
#include "support/level_rates.hpp"
#include "support/test.hpp"

#include <iostream>
#include <map>
#include <ostream>
#include <tuple>

namespace memtest {
namespace {

using test::Rates;
using test::Tally;

Rates rates_on(const test::CurveKind& kind, const LevelRules& rules = {}) {
    Tally tally;
    test::read_curves(kind, tally, rules);
    return tally.rates();
}

/// The least share of ranges that hold the true capacity.
constexpr double least_ranges = 0.97;

/// So many curves, and how much lower rates may be on so few.
struct Sample {
    int curves = 0;
    double slack = 0;
};

class GeneratedCurves : public testing::TestWithParam<Sample> {};

TEST_P(GeneratedCurves, AreReadRightAsOftenAsIsRequired) {
    const auto [curves, slack] = GetParam();
    const Rates rates = rates_on(test::drawn_hierarchies(static_cast<std::uint64_t>(curves)));
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.998 - slack);
    EXPECT_GE(rates.capacities, 0.97 - slack);
    EXPECT_GE(rates.l1, 0.989 - slack);
    EXPECT_GE(rates.latencies, 0.977 - slack);
    EXPECT_GE(rates.ranges, least_ranges);
}

std::string number_of_curves(const testing::TestParamInfo<Sample>& info) {
    return std::to_string(info.param.curves);
}

INSTANTIATE_TEST_SUITE_P(Slow, GeneratedCurves, testing::Values(Sample{1000, 0}), number_of_curves);
INSTANTIATE_TEST_SUITE_P(Quick, GeneratedCurves, testing::Values(Sample{200, 0.02}), number_of_curves);

class CapacitiesOffTheGrid : public testing::TestWithParam<test::Replacement> {};

TEST_P(CapacitiesOffTheGrid, LieInTheirRanges) {
    const Rates rates = rates_on(test::off_grid(GetParam(), 100));
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.99);
    EXPECT_GE(rates.capacities, 0.96);
    EXPECT_GE(rates.ranges, least_ranges);
}

std::string name_of_replacement(const testing::TestParamInfo<test::Replacement>& info) {
    constexpr std::array names{"LeastRecentlyUsed", "Random", "InProportion"};
    return names.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(EveryReplacement, CapacitiesOffTheGrid,
                         testing::Values(test::Replacement::least_recently_used, test::Replacement::random,
                                         test::Replacement::in_proportion),
                         name_of_replacement);

/// Every constant of the rules that moves a result, by name.
struct Constant {
    const char* name;
    double LevelRules::*value;
};

constexpr std::array<Constant, 39> constants = {{
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
    {"least_repeated", &LevelRules::least_repeated},
    {"least_repeated_between", &LevelRules::least_repeated_between},
    {"least_flat", &LevelRules::least_flat},
    {"range_errors", &LevelRules::range_errors},
    {"open_errors", &LevelRules::open_errors},
    {"most_open", &LevelRules::most_open},
    {"uneven_gain", &LevelRules::uneven_gain},
    {"uneven_errors", &LevelRules::uneven_errors},
    {"few_ways", &LevelRules::few_ways},
    {"dense_points_per_doubling", &LevelRules::dense_points_per_doubling},
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

/// How many curves a constant is tried on.
struct Trial {
    std::uint64_t drawn = 0;
    std::uint64_t seeds = 0; ///< of each plausible machine
};

/// Curves with their rates by the rules as they are, and how much lower these may be by others.
struct Usual {
    test::CurveKind curves;
    Rates rates;
    double most_fall;
};

/// Read once for all constants.
const std::vector<Usual>& usual_of(const Trial& trial) {
    static std::map<std::uint64_t, std::vector<Usual>> known; // by the number of drawn curves
    std::vector<Usual>& usual = known[trial.drawn];
    if (usual.empty()) {
        // At one size per doubling a knee that is looked for too near splits caches that fill unevenly.
        for (const auto& [curves, most_fall] : {std::pair(test::drawn_hierarchies(trial.drawn), 0.06),
                                                std::pair(test::plausible_machines_at(1, trial.seeds), 0.15)})
            usual.push_back({curves, rates_on(curves), most_fall});
    }
    return usual;
}

class LevelSensitivity : public testing::TestWithParam<std::tuple<Trial, Constant>> {};

TEST_P(LevelSensitivity, NoRateHangsOnTheExactValue) {
    const auto& [trial, constant] = GetParam();
    for (const auto& [curves, usual, most_fall] : usual_of(trial)) {
        for (const double factor : {0.8, 1.2}) {
            LevelRules rules;
            rules.*constant.value *= factor;
            const Rates rates = rates_on(curves, rules);
            std::cout << constant.name << " * " << factor << ", " << curves.name << ": " << rates << '\n';
            EXPECT_GE(rates.levels, usual.levels - most_fall) << factor;
            EXPECT_GE(rates.capacities, usual.capacities - most_fall - 0.01) << factor;
            EXPECT_GE(rates.l1, usual.l1 - most_fall) << factor;
            EXPECT_GE(rates.latencies, usual.latencies - most_fall - 0.02) << factor;
        }
    }
}

std::string name_of(const testing::TestParamInfo<std::tuple<Trial, Constant>>& info) {
    return std::get<Constant>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Slow, LevelSensitivity,
                         testing::Combine(testing::Values(Trial{50, 2}), testing::ValuesIn(constants)), name_of);
INSTANTIATE_TEST_SUITE_P(Quick, LevelSensitivity,
                         testing::Combine(testing::Values(Trial{20, 1}),
                                          testing::ValuesIn(std::span(constants).subspan(0, 4))),
                         name_of);

class PlausibleMachines : public testing::TestWithParam<int> {};

TEST_P(PlausibleMachines, AreReadRightAtAnyDensity) {
    const Rates rates = rates_on(test::plausible_machines_at(GetParam(), 1));
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.97);
    EXPECT_GE(rates.capacities, 0.91);
    EXPECT_GE(rates.l1, 0.97);
    EXPECT_GE(rates.latencies, 0.93);
    EXPECT_GE(rates.ranges, least_ranges);
}

INSTANTIATE_TEST_SUITE_P(SizesPerDoubling, PlausibleMachines, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

TEST(LevelRates, OfOneSizePerDoublingHardlyEverMissALevel) {
    EXPECT_GE(rates_on(test::plausible_machines_at(1, 10)).levels, 0.985);
}

TEST(LevelRates, DoNotHangOnWhichSizesASweepHappensToTake) {
    for (const int sizes_per_doubling : {1, 2}) {
        const Rates rates = rates_on(test::thinned_to(sizes_per_doubling));
        EXPECT_GE(rates.levels, 0.95);
        EXPECT_GE(rates.ranges, least_ranges);
    }
}

/// The least share of a hard class whose levels are all found, at one and at two sizes per doubling.
struct HardRate {
    std::size_t hard_class;
    int sizes_per_doubling;
    double least;

    friend void PrintTo(const HardRate& rate, std::ostream* out) {
        *out << "class " << rate.hard_class << " at " << rate.sizes_per_doubling;
    }
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

class UnevenCaches : public testing::TestWithParam<std::size_t> {};

TEST_P(UnevenCaches, AreReadRightAsOftenAsIsRequired) {
    const test::CurveKind kind = test::uneven_classes_at(4, 60).at(GetParam());
    const Rates rates = rates_on(kind);
    std::cout << kind.name << ": " << rates << '\n';
    EXPECT_GE(rates.levels, 0.96);
    EXPECT_GE(rates.capacities, 0.95);
    EXPECT_GE(rates.latencies, 0.93);
    EXPECT_GE(rates.ranges, least_ranges);
}

INSTANTIATE_TEST_SUITE_P(Slow, UnevenCaches, testing::Range(std::size_t{0}, std::size_t{6}));
INSTANTIATE_TEST_SUITE_P(Quick, UnevenCaches, testing::Values(0, 3)); // four ways, hashed slices

TEST(LevelRates, OfSweepsWithSmallPagesAreRightOnceTranslationIsSubtracted) {
    Tally tally;
    test::read_curves(test::translated_sweeps(30).back(), tally, without_translation());
    const Rates subtracted = tally.rates();
    std::cout << subtracted << '\n';
    EXPECT_GE(subtracted.levels, 0.97);
    EXPECT_GE(subtracted.capacities, 0.97);
    EXPECT_GE(subtracted.latencies, 0.97);
}

void expect_calibrated(const Tally& tally) {
    const double high = tally.calibration(Confidence::high).share();
    const double fair = tally.calibration(Confidence::fair).share();
    EXPECT_GE(high, 0.98);
    EXPECT_GE(fair, 0.85);
    EXPECT_LT(fair, high);
    EXPECT_LT(tally.calibration(Confidence::low).share(), 0.80);
}

TEST(LevelConfidence, MeansWhatItSays) {
    Tally tally;
    for (const test::CurveKind& kind : {test::drawn_hierarchies(100), test::plausible_machines_at(1, 4),
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
    EXPECT_LE(tally.calibration(Confidence::low).found, 0.08 * 2 * static_cast<double>(coloured.curves));
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
        const Hierarchy found = infer_levels(sweep.curve.points, {.order = Order::random});
        ++sweeps;
        right += found.caches.size() == sweep.curve.truth.capacities_bytes.size() ? 1 : 0;
        for (const Level& level : found.caches) {
            const bool beside = level.capacity_low_bytes <= sweep.disturbed_bytes &&
                                sweep.disturbed_bytes <= level.capacity_high_bytes.value_or(sweep.disturbed_bytes);
            EXPECT_FALSE(beside && level.capacity_confidence == Confidence::high) << sweep.disturbed_bytes;
        }
    }
    EXPECT_GE(right, 0.97 * sweeps);
}

} // namespace
} // namespace memtest
