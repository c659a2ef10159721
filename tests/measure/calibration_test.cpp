#include "memtest/measure/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace memtest {
namespace {

std::vector<LoadBatch> at_rates(const std::vector<double>& lines_per_ns) {
    return {{.lines_per_ns = lines_per_ns}};
}

/// Load threads of a machine whose memory gives each a line in so many ns, and whose pauses take as long as they say.
struct FakeLoadThreads {
    double memory_ns = 3;
    double ns_per_pause = 0.004; ///< for each line
    std::size_t threads = 2;
    double step_ns = 0; ///< more for each line where the pause is longer than 6000
    std::function<double(std::size_t asked)> disturbance = [](std::size_t) { return 1.0; }; ///< longer by so much
    std::vector<std::size_t> asked{};

    [[nodiscard]] double rate(std::size_t pause) const {
        return 1 / std::max(memory_ns, 1 + ns_per_pause * static_cast<double>(pause) + (pause > 6000 ? step_ns : 0));
    }

    std::vector<LoadStep> calibrated(std::size_t steps) {
        const auto visit = [this](std::size_t pause) {
            asked.push_back(pause);
            return at_rates(std::vector<double>(threads, rate(pause) / disturbance(asked.size())));
        };
        return calibrate(even_shares(steps), visit, {});
    }
};

TEST(Calibration, PausesAreMonotoneAndEvenlySpacedInBandwidth) {
    for (const double memory_ns : {0.5, 3.0, 40.0}) {
        FakeLoadThreads machine{.memory_ns = memory_ns};
        const std::vector<LoadStep> steps = machine.calibrated(12);
        ASSERT_EQ(steps.size(), 12U);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const double share = static_cast<double>(i + 1) / 12;
            EXPECT_NEAR(steps[i].load_percent, 100 * share, 1e-9);
            EXPECT_NEAR(machine.rate(*steps[i].pause) / machine.rate(0), share, 0.02) << memory_ns;
            if (i > 0) {
                EXPECT_LT(*steps[i].pause, *steps[i - 1].pause);
            }
        }
        EXPECT_EQ(steps.back().pause, 0U);
    }
}

TEST(Calibration, EachLoadThreadHasItsOwnRateAtEachStep) {
    const auto visit = [](std::size_t pause) {
        const double ns = 2 + 0.01 * static_cast<double>(pause);
        return at_rates({1 / ns, 0.5 / ns});
    };
    const std::vector<LoadStep> steps = calibrate(even_shares(4), visit, {});
    for (const LoadStep& step : steps) {
        ASSERT_EQ(step.lines_per_ns.size(), 2U);
        EXPECT_NEAR(step.lines_per_ns[0], 2 * step.lines_per_ns[1], 1e-9);
        EXPECT_NEAR(step.lines_per_ns[0], step.load_percent / 100 / 2, 0.01);
    }
}

TEST(Calibration, ALongPauseStaysBelowHalfOfThePeak) {
    FakeLoadThreads machine;
    for (const LoadStep& step : machine.calibrated(20)) {
        if (step.load_percent < 50) {
            EXPECT_LT(machine.rate(*step.pause), 0.5 * machine.rate(0)) << step.load_percent;
        }
    }
}

TEST(Calibration, TheRateOfAStepIsTheOneThatItsPauseGivesAlsoWhereTimeIsNotLinear) {
    FakeLoadThreads machine{.step_ns = 18};
    const auto steps = machine.calibrated(12);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_DOUBLE_EQ(steps[i].lines_per_ns.front(), machine.rate(*steps[i].pause));
        EXPECT_NEAR(machine.rate(*steps[i].pause) / machine.rate(0), steps[i].load_percent / 100, 0.05) << i;
    }
}

TEST(Calibration, WhatDisturbsAFewMeasurementsDoesNotMoveThePauses) {
    FakeLoadThreads quiet;
    FakeLoadThreads disturbed{.disturbance = [](std::size_t asked) { return asked == 1 || asked == 6 ? 3.0 : 1.0; }};
    const auto expected = quiet.calibrated(12);
    const auto found = disturbed.calibrated(12);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(disturbed.rate(*found[i].pause) / quiet.rate(0), expected[i].load_percent / 100, 0.03) << i;
}

TEST(Calibration, WhatIsSlowerThanWithALongerPauseIsLeftOutInWhateverOrderItComes) {
    Calibration calibration;
    calibration.add(0, {1.0});
    calibration.add(100, {0.5});
    calibration.add(50, {0.4});
    EXPECT_EQ(calibration.nearest_step(0.4).pause, 100U);
    EXPECT_EQ(calibration.pause_for(0.75), 33U);
    calibration.add(50, {0.7});
    calibration.add(60, {0.8});
    EXPECT_EQ(calibration.nearest_step(0.7).pause, 60U);
}

TEST(Calibration, APauseLiesWithinThoseThatWereMeasured) {
    Calibration calibration;
    calibration.add(0, {1.0});
    calibration.add(100, {0.5});
    EXPECT_EQ(calibration.pause_for(0.3), 100U);
    EXPECT_EQ(calibration.pause_for(1.5), 0U);
}

TEST(Calibration, WithoutAPauseTheLoadThreadsAreAsFastAsTheFastest) {
    Calibration calibration;
    calibration.add(0, {0.5, 0.1});
    calibration.add(64, {0.9, 0.1});
    const LoadStep peak = calibration.nearest_step(1);
    EXPECT_EQ(peak.pause, 0U);
    EXPECT_EQ(peak.lines_per_ns, (std::vector{0.9, 0.1}));
}

TEST(Calibration, EndsWhereNoPauseSlowsTheLoadThreadsDown) {
    std::set<std::size_t> asked;
    const auto visit = [&](std::size_t pause) {
        asked.insert(pause);
        return at_rates({0.5});
    };
    const auto steps = calibrate(even_shares(12), visit, {});
    EXPECT_EQ(steps.size(), 12U);
    EXPECT_LT(asked.size(), 40U);
}

TEST(Calibration, OneStepIsThePeakAlone) {
    FakeLoadThreads machine;
    const auto steps = machine.calibrated(1);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps.front().pause, 0U);
    EXPECT_EQ(machine.asked, std::vector<std::size_t>{0});
}

TEST(Calibration, GivesNoStepsWhenInterrupted) {
    for (const std::size_t last : {0U, 1U, 5U, 12U}) {
        std::size_t asked = 0;
        const FakeLoadThreads machine;
        const auto visit = [&](std::size_t pause) {
            return asked++ < last ? at_rates({machine.rate(pause)}) : std::vector<LoadBatch>{};
        };
        EXPECT_TRUE(calibrate(even_shares(12), visit, {}).empty());
    }
}

} // namespace
} // namespace memtest
