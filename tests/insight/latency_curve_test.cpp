#include "memtest/insight/latency_curve.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

using RowsOfSweep = std::vector<Row>;

double noise_of(const Row& row, double clock_range = 0) {
    return curve_of(RowsOfSweep{row}, clock_range).begin()->second.noise;
}

TEST(LatencyCurve, PointsAreSortedByThreadAndSize) {
    const LatencyCurve curve = curve_of(RowsOfSweep{{.thread = 1, .size_bytes = 1024, .latency_ns = 3},
                                                    {.thread = 0, .size_bytes = 4096, .latency_ns = 2},
                                                    {.thread = 0, .size_bytes = 1024, .latency_ns = 1}});
    std::vector<double> latencies_ns;
    for (const auto& [key, point] : curve)
        latencies_ns.push_back(std::exp(point.log_latency));
    ASSERT_EQ(latencies_ns.size(), 3U);
    EXPECT_NEAR(latencies_ns[0], 1, 1e-12);
    EXPECT_NEAR(latencies_ns[1], 2, 1e-12);
    EXPECT_NEAR(latencies_ns[2], 3, 1e-12);
}

TEST(LatencyCurve, ASizeIsTheSameWhenItWasRoundedInAFile) {
    const RowsOfSweep measured{{.size_bytes = 512, .latency_ns = 1}};
    const RowsOfSweep stored{{.size_bytes = 514 /* 0.00049 MiB */, .latency_ns = 1}};
    const RowsOfSweep next{{.size_bytes = 576, .latency_ns = 1}};
    EXPECT_EQ(curve_of(measured).begin()->first, curve_of(stored).begin()->first);
    EXPECT_NE(curve_of(measured).begin()->first, curve_of(next).begin()->first);
}

TEST(LatencyCurve, ASizeIsContestedThatHasALowAndAHighFigure) {
    EXPECT_FALSE(curve_of(RowsOfSweep{{.latency_ns = 1, .low_ns = 1}}).begin()->second.contested);
    EXPECT_TRUE(curve_of(RowsOfSweep{{.latency_ns = 1, .low_ns = 1, .high_ns = 2}}).begin()->second.contested);
}

TEST(LatencyCurve, NoiseGrowsWithTheDispersionOfTheBatches) {
    const double quiet = noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1.01});
    EXPECT_NEAR(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1.02}), 2 * quiet, 1e-12);
    EXPECT_NEAR(noise_of({.latency_ns = 1, .spread_percent = 1 / 1.53}), quiet, 1e-12);
    EXPECT_EQ(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 0.9}), 0) << "never negative";
}

TEST(LatencyCurve, WhatTheVisitsDisagreeByIsTheNoiseWhateverTheirBatches) {
    const double noise = noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1, .visits_percent = 4});
    EXPECT_NEAR(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1, .visits_percent = 8}), 2 * noise, 1e-12);
    EXPECT_EQ(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 3, .visits_percent = 4}), noise);
    EXPECT_GT(noise_of({.latency_ns = 1, .visits_percent = 0}), 0) << "visits that agree do not make a run exact";
}

TEST(LatencyCurve, ARunThatSaysNothingIsNotTakenForQuiet) {
    EXPECT_GT(noise_of({.latency_ns = 1}), noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1.01}));
    EXPECT_EQ(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1, .batches = 1}), noise_of({.latency_ns = 1}))
        << "the median of a single batch is the smallest";
    EXPECT_EQ(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1, .batches = 5}), 0);
    EXPECT_DOUBLE_EQ(noise_of({.latency_ns = 1}), 0.02);
    EXPECT_DOUBLE_EQ(noise_of({.latency_ns = 1, .visits_percent = 4}), 0.02);
    EXPECT_DOUBLE_EQ(noise_of({.latency_ns = 1, .visits_percent = 0.1}), 0.003);
    EXPECT_DOUBLE_EQ(noise_of({.latency_ns = 1, .spread_percent = 10}), 0.3 * 0.153);
    EXPECT_EQ(noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1.5, .batches = 4}),
              noise_of({.latency_ns = 1, .min_ns = 1, .median_ns = 1.5}))
        << "few batches that disagree tell of noise, too";
}

TEST(LatencyCurve, AMovingCoreClockIsNoiseInCachesAndNotInMemory) {
    Row row{.latency_ns = 4, .visits_percent = 2};
    EXPECT_NEAR(noise_of(row, 0.08), std::hypot(noise_of(row), 0.04), 1e-12);
    row.latency_ns = 24.9;
    EXPECT_GT(noise_of(row, 0.08), 0.04);
    row.latency_ns = 25;
    EXPECT_DOUBLE_EQ(noise_of(row, 0.08), noise_of(row));
}

} // namespace
} // namespace memtest
