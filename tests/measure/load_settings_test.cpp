#include "memtest/measure/load_settings.hpp"

#include "memtest/base/error.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

/// Load threads of a machine whose memory gives a line in so many ns, and whose pauses take as long as they say.
struct FakeLoadThreads {
    double memory_ns = 3;
    double ns_per_pause = 0.004; ///< for each line
    double step_ns = 0;          ///< more for each line where the pause is longer than 6000
    std::function<double(std::size_t asked)> disturbance = [](std::size_t) { return 1.0; }; ///< longer by so much
    std::vector<std::size_t> asked{};

    [[nodiscard]] double rate(std::size_t pause) const {
        return 1 / std::max(memory_ns, 1 + ns_per_pause * static_cast<double>(pause) + (pause > 6000 ? step_ns : 0));
    }

    /// The loads of the settings, as shares of the peak. @param shares wanted
    std::vector<double> found(const std::vector<double>& shares, double slack = 0.1) {
        LoadSettings settings(
            [&](std::span<const LoadPair> known) {
                double peak = 0;
                for (const LoadPair& pair : known)
                    peak = std::max(peak, pair.lines_per_ns);
                std::vector<double> wanted;
                for (const double share : shares)
                    wanted.push_back(share * peak);
                return wanted;
            },
            [this](std::size_t pause) {
                asked.push_back(pause);
                return std::vector<LoadBatch>{
                    {.ns_per_access = 100, .lines_per_ns = rate(pause) / disturbance(asked.size())}};
            },
            slack);
        EXPECT_TRUE(settings.start({}));
        EXPECT_TRUE(settings.fill_gaps(40));
        EXPECT_EQ(settings.visits(), asked.size());
        std::vector<double> loads;
        for (const LoadSetting* setting : settings.chosen())
            loads.push_back(rate(*setting->pause) / rate(0));
        return loads;
    }
};

std::vector<double> even_shares(std::size_t steps) {
    std::vector<double> shares;
    for (std::size_t step = 1; step <= steps; ++step)
        shares.push_back(static_cast<double>(step) / static_cast<double>(steps));
    return shares;
}

TEST(LoadSettings, DrawTheWantedBandwidthsOnMemoriesOfAnySpeed) {
    for (const double memory_ns : {0.5, 3.0, 40.0}) {
        FakeLoadThreads machine{.memory_ns = memory_ns};
        const auto loads = machine.found(even_shares(12));
        ASSERT_EQ(loads.size(), 12U);
        for (std::size_t i = 0; i < loads.size(); ++i)
            EXPECT_NEAR(loads[i], static_cast<double>(i + 1) / 12, 0.1 / 12 + 1e-9) << memory_ns;
        EXPECT_LT(machine.asked.size(), 40U);
    }
}

TEST(LoadSettings, WhereNoPauseDrawsAWantedBandwidthTakeTheNearestAndEnd) {
    FakeLoadThreads machine{.step_ns = 18};
    const auto loads = machine.found(even_shares(12));
    ASSERT_EQ(loads.size(), 12U);
    EXPECT_TRUE(std::ranges::is_sorted(loads));
    EXPECT_LE(machine.asked.size(), 41U);
}

TEST(LoadSettings, EndWhereNoPauseSlowsTheLoadThreadsDown) {
    FakeLoadThreads machine{.ns_per_pause = 0};
    EXPECT_EQ(machine.found(even_shares(12)).size(), 12U);
    EXPECT_LE(machine.asked.size(), 41U);
}

TEST(LoadSettings, WhatDisturbsAFewVisitsMovesNoOtherSetting) {
    FakeLoadThreads machine{.disturbance = [](std::size_t asked) { return asked == 4 || asked == 9 ? 3.0 : 1.0; }};
    auto loads = machine.found(even_shares(12));
    ASSERT_EQ(loads.size(), 12U);
    std::size_t off = 0;
    for (std::size_t i = 0; i < loads.size(); ++i)
        off += std::abs(loads[i] - static_cast<double>(i + 1) / 12) > 0.1 / 12 + 1e-9 ? 1U : 0U;
    EXPECT_LE(off, 2U);
}

TEST(LoadSettings, OfOneAreThePeakAlone) {
    FakeLoadThreads machine;
    EXPECT_EQ(machine.found({1}), std::vector{1.0});
    EXPECT_EQ(machine.asked, std::vector<std::size_t>{0});
}

TEST(LoadSettings, OfSharesNextToThePeakAreAsMany) {
    FakeLoadThreads machine;
    EXPECT_EQ(machine.found({0.98, 0.99, 1}).size(), 3U);
}

TEST(LoadSettings, StopWhenInterrupted) {
    for (const std::size_t last : {0U, 1U, 5U}) {
        std::size_t asked = 0;
        LoadSettings settings([](auto) { return even_shares(12); },
                              [&](std::size_t) {
                                  return asked++ < last ? std::vector<LoadBatch>{{.lines_per_ns = 0.5}}
                                                        : std::vector<LoadBatch>{};
                              },
                              0.5);
        EXPECT_FALSE(settings.start({}) && settings.fill_gaps(40));
        EXPECT_EQ(asked, last + 1);
        EXPECT_EQ(settings.chosen().size(), last);
    }
}

TEST(LoadSettings, NameTheLoadThreadThatDidNotRunAtLast) {
    std::size_t asked = 0;
    LoadSettings settings([](auto) { return even_shares(12); },
                          [&](std::size_t) {
                              ++asked;
                              return std::vector<LoadBatch>(2, {.lines_per_ns = 1, .absent = {asked < 3 ? 0U : 1U}});
                          },
                          0.5);
    try {
        static_cast<void>(settings.start({40, 50}));
        ADD_FAILURE() << "it started";
    } catch (const MachineBusy& busy) {
        EXPECT_NE(std::string(busy.what()).find("processor 50 "), std::string::npos) << busy.what();
    }
    EXPECT_EQ(asked, 10U);
}

} // namespace
} // namespace memtest
