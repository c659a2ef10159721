#include "memtest/insight/levels.hpp"
#include "support/plausible_machines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <string>

namespace memtest {
namespace {

/// Of many curves, the share of which each thing was read right. What depends on the number of levels counts as wrong
/// where that number is.
struct Rates {
    double levels = 0;
    double capacities = 0;
    double l1 = 0;
    double latencies = 0;
};

std::ostream& operator<<(std::ostream& out, const Rates& rates) {
    return out << "levels " << rates.levels << ", capacities " << rates.capacities << ", L1 " << rates.l1
               << ", other latencies " << rates.latencies;
}

class Tally {
public:
    void add(const test::Verdict& verdict) {
        ++curves_;
        levels_ += verdict.levels ? 1 : 0;
        l1_ += verdict.l1 ? 1 : 0;
        capacities_ += verdict.capacities;
        of_capacities_ += verdict.of_capacities;
        latencies_ += verdict.latencies;
        of_latencies_ += verdict.of_latencies;
    }

    [[nodiscard]] Rates rates() const {
        return {1.0 * levels_ / curves_, 1.0 * capacities_ / of_capacities_, 1.0 * l1_ / curves_,
                1.0 * latencies_ / of_latencies_};
    }

private:
    int curves_ = 0;
    int levels_ = 0;
    int l1_ = 0;
    int capacities_ = 0;
    int of_capacities_ = 0;
    int latencies_ = 0;
    int of_latencies_ = 0;
};

Rates rates_on_generated_curves(std::uint64_t curves, const LevelRules& rules) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= curves; ++seed) {
        const test::GeneratedCurve curve = test::generate_curve(seed);
        const Hierarchy found = infer_levels(curve.points, SweepOrder::random, rules);
        tally.add(test::judge(found, curve.truth, curve.points));
    }
    return tally.rates();
}

TEST(LevelRates, OnAThousandGeneratedCurvesReachWhatIsRequired) {
    const Rates rates = rates_on_generated_curves(1000, {});
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.97);
    EXPECT_GE(rates.capacities, 0.95);
    EXPECT_GE(rates.l1, 0.98);
    EXPECT_GE(rates.latencies, 0.90);
}

/// Every constant of the rules that moves a result, by name.
struct Constant {
    const char* name;
    double LevelRules::*value;
};

constexpr std::array<Constant, 20> constants = {{
    {"least_ratio", &LevelRules::least_ratio},
    {"least_foot_ratio", &LevelRules::least_foot_ratio},
    {"most_cache_ns", &LevelRules::most_cache_ns},
    {"least_ratio_beyond", &LevelRules::least_ratio_beyond},
    {"least_capacity_ratio", &LevelRules::least_capacity_ratio},
    {"least_slope", &LevelRules::least_slope},
    {"valley_share", &LevelRules::valley_share},
    {"second_edge_growth", &LevelRules::second_edge_growth},
    {"least_excess", &LevelRules::least_excess},
    {"outlier", &LevelRules::outlier},
    {"points_per_doubling", &LevelRules::points_per_doubling},
    {"plain_error", &LevelRules::plain_error},
    {"least_error", &LevelRules::least_error},
    {"spread_gain", &LevelRules::spread_gain},
    {"inside_from", &LevelRules::inside_from},
    {"memory_from", &LevelRules::memory_from},
    {"inside_to", &LevelRules::inside_to},
    {"most_lift", &LevelRules::most_lift},
    {"memory_reach", &LevelRules::memory_reach},
    {"least_memory_ns", &LevelRules::least_memory_ns},
}};

class LevelSensitivity : public testing::TestWithParam<Constant> {};

TEST_P(LevelSensitivity, NoRateHangsOnTheExactValue) {
    constexpr std::uint64_t curves = 50;
    const Rates usual = rates_on_generated_curves(curves, {});
    for (const double factor : {0.8, 1.2}) {
        LevelRules rules;
        rules.*GetParam().value *= factor;
        const Rates rates = rates_on_generated_curves(curves, rules);
        std::cout << GetParam().name << " * " << factor << ": " << rates << '\n';
        EXPECT_GE(rates.levels, usual.levels - 0.06) << factor;
        EXPECT_GE(rates.capacities, usual.capacities - 0.07) << factor;
        EXPECT_GE(rates.l1, usual.l1 - 0.06) << factor;
        EXPECT_GE(rates.latencies, usual.latencies - 0.08) << factor;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryConstant, LevelSensitivity, testing::ValuesIn(constants),
                         [](const testing::TestParamInfo<Constant>& constant) {
                             return std::string(constant.param.name);
                         });

class PlausibleMachines : public testing::TestWithParam<int> {};

TEST_P(PlausibleMachines, AreReadRightAtAnyDensity) {
    Tally tally;
    for (const test::MachineSpec& machine : test::plausible_machines()) {
        const test::GeneratedCurve curve = test::chase(machine, GetParam(), 1);
        const Hierarchy found = infer_levels(curve.points, SweepOrder::random);
        const test::Verdict verdict = test::judge(found, curve.truth, curve.points, 1.41);
        if (!verdict.levels)
            std::cout << machine.name << ": not all levels, or too many\n";
        tally.add(verdict);
    }
    const Rates rates = tally.rates();
    std::cout << rates << '\n';
    EXPECT_GE(rates.levels, 0.92);
    EXPECT_GE(rates.capacities, 0.87);
    EXPECT_GE(rates.l1, 0.92);
    EXPECT_GE(rates.latencies, 0.90);
}

INSTANTIATE_TEST_SUITE_P(SizesPerDoubling, PlausibleMachines, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

} // namespace
} // namespace memtest
