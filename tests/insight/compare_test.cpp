#include "memtest/insight/compare.hpp"

#include "memtest/base/units.hpp"
#include "memtest/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memtest {
namespace {

using Sweep = std::vector<SizeFigure>;

/// Sizes of 1, 2, 4 ... KiB on thread 0, whose batches were all but alike.
Sweep sweep(std::initializer_list<double> latencies_ns) {
    Sweep result;
    double size_bytes = kib;
    for (const double latency_ns : latencies_ns) {
        result.push_back({.size_bytes = size_bytes,
                          .latency_ns = latency_ns,
                          .min_ns = latency_ns,
                          .median_ns = 1.002 * latency_ns});
        size_bytes *= 2;
    }
    return result;
}

Sweep with_dispersion(Sweep figures, double median_over_min) {
    for (SizeFigure& figure : figures)
        figure.median_ns = median_over_min * *figure.min_ns;
    return figures;
}

Sweep without_statistics(Sweep figures) {
    for (SizeFigure& figure : figures)
        figure.min_ns = figure.median_ns = std::nullopt;
    return figures;
}

Sweep on_thread(int thread, Sweep figures) {
    for (SizeFigure& figure : figures)
        figure.thread = thread;
    return figures;
}

Sweep joined(Sweep first, const Sweep& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

const std::vector<SizeRange> two_levels{{"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 32 * kib}};
const Sweep steady = sweep({1, 1, 1, 4, 4, 4});

Comparison compare(const std::vector<Sweep>& baselines, const Sweep& latest,
                   const std::vector<SizeRange>& levels = two_levels, double tolerance_percent = 5) {
    return compare_sweeps(baselines, latest, levels, tolerance_percent);
}

TEST(Compare, ASweepDoesNotDifferFromItself) {
    const Comparison comparison = compare({steady}, steady);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
    ASSERT_EQ(comparison.sizes.size(), 6U);
    ASSERT_EQ(comparison.levels.size(), 2U);
    for (const SizeChange& size : comparison.sizes) {
        EXPECT_EQ(size.change.verdict, Verdict::no_difference);
        EXPECT_EQ(size.change.change_percent, 0);
        EXPECT_GT(size.change.noise_percent, 0);
    }
}

TEST(Compare, ASlowerLevelMakesTheWholeSlower) {
    const Comparison comparison = compare({steady, steady, steady}, sweep({1, 1, 1, 4.4, 4.4, 4.4}));
    EXPECT_EQ(comparison.verdict, Verdict::slower);
    EXPECT_EQ(comparison.levels[0].change.verdict, Verdict::no_difference);
    EXPECT_EQ(comparison.levels[1].name, "L2");
    EXPECT_EQ(comparison.levels[1].sizes, 3U);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::slower);
    EXPECT_NEAR(comparison.levels[1].change.change_percent, 10, 1e-9);
    EXPECT_NEAR(comparison.levels[1].change.base, 4, 1e-9);
    EXPECT_NEAR(comparison.levels[1].change.latest, 4.4, 1e-9);
}

TEST(Compare, AFasterLevelIsReported) {
    const Comparison comparison = compare({steady, steady, steady}, sweep({1, 1, 1, 3.6, 3.6, 3.6}));
    EXPECT_EQ(comparison.verdict, Verdict::faster);
    EXPECT_NEAR(comparison.levels[1].change.change_percent, -10, 1e-9);
}

TEST(Compare, SlowerOutweighsFaster) {
    EXPECT_EQ(compare({steady, steady, steady}, sweep({1.2, 1.2, 1.2, 3, 3, 3})).verdict, Verdict::slower);
}

TEST(Compare, TheToleranceDecidesWhatMatters) {
    const Sweep slower = sweep({1, 1, 1, 4.16, 4.16, 4.16}); // 4 %
    EXPECT_EQ(compare({steady, steady, steady}, slower, two_levels, 5).verdict, Verdict::no_difference);
    EXPECT_EQ(compare({steady, steady, steady}, slower, two_levels, 3).verdict, Verdict::slower);
}

TEST(Compare, OneOutlierIsNoChangeOfItsLevel) {
    EXPECT_EQ(compare({steady, steady, steady}, sweep({1, 1.5, 1, 4, 4, 4})).verdict, Verdict::no_difference);
    // Of two sizes, both must have changed.
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 2 * kib}};
    const Comparison comparison = compare({steady, steady, steady}, sweep({1, 1.5, 1, 4, 4, 4}), levels);
    EXPECT_EQ(comparison.levels[0].change.change_percent, 0);
    EXPECT_EQ(comparison.sizes[1].change.verdict, Verdict::slower);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell) << "one of two is too many";
}

// Both must have changed, so that noise in one of them alone changes nothing.
TEST(Compare, OfTwoSizesTheQuieterOneBoundsTheNoise) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 2 * kib}};
    Sweep latest = sweep({1.1, 1.1, 1, 4, 4, 4});
    latest[1].visits_percent = 40;
    EXPECT_EQ(compare({steady, steady, steady}, latest, levels).levels[0].change.verdict, Verdict::slower);
    latest[0].visits_percent = 40;
    EXPECT_EQ(compare({steady, steady, steady}, latest, levels).levels[0].change.verdict, Verdict::cannot_tell);
    Sweep base = steady;
    latest = sweep({1.1, 1.1, 1, 4, 4, 4});
    base[1].visits_percent = 40;
    EXPECT_EQ(compare({base, base, base}, latest, levels).levels[0].change.verdict, Verdict::slower);
    base[0].visits_percent = 40;
    EXPECT_EQ(compare({base, base, base}, latest, levels).levels[0].change.verdict, Verdict::cannot_tell);
}

TEST(Compare, OfTwoSizesTheSteadierOneBoundsTheNoiseBetweenBaselines) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 2 * kib}};
    const Sweep latest = sweep({1.1, 1.1, 1, 4, 4, 4});
    const auto l1_after = [&](const Sweep& second, const Sweep& third) {
        return compare({steady, second, third}, latest, levels).levels[0].change.verdict;
    };
    EXPECT_EQ(l1_after(sweep({1, 0.8, 1, 4, 4, 4}), sweep({1, 1.3, 1, 4, 4, 4})), Verdict::slower);
    EXPECT_EQ(l1_after(sweep({0.8, 0.8, 1, 4, 4, 4}), sweep({1.3, 1.3, 1, 4, 4, 4})), Verdict::cannot_tell);
}

TEST(Compare, TheEdgeOfALevelDoesNotCountWhereTwoOtherSizesDo) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 8 * kib}};
    Sweep flat = sweep({1, 1, 1, 1, 1, 1});
    Sweep latest = sweep({1, 1, 1.5, 1.6, 1, 1});
    const auto l1 = [&] { return compare({flat, flat, flat}, latest, levels).levels[0]; };
    EXPECT_EQ(l1().change.verdict, Verdict::cannot_tell) << "two sizes say this, and two say that";
    latest[2].visits_percent = latest[3].visits_percent = 11;
    EXPECT_EQ(l1().change.verdict, Verdict::no_difference);
    EXPECT_EQ(l1().sizes, 2U);
    EXPECT_EQ(l1().largest_bytes, 8 * kib);
    latest[2].visits_percent = 9;
    EXPECT_EQ(l1().sizes, 3U);
    latest[1].visits_percent = latest[2].visits_percent = 11;
    EXPECT_EQ(l1().sizes, 4U) << "one size alone is no level";
    latest[1].visits_percent = latest[2].visits_percent = latest[3].visits_percent = std::nullopt;
    flat[2].visits_percent = flat[3].visits_percent = 11;
    EXPECT_EQ(l1().sizes, 2U) << "it is the edge in the baselines";
}

TEST(Compare, AMovingCoreClockMakesNoSizeAnEdgeAndHidesNone) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 8 * kib}};
    const Sweep flat = sweep({1, 1, 1, 1, 1, 1});
    Sweep latest = sweep({1, 1, 1.5, 1.6, 1, 1});
    latest[2].visits_percent = latest[3].visits_percent = 11;
    const auto sizes_with_clock = [&](double clock_range) {
        for (SizeFigure& figure : latest)
            figure.clock_range = clock_range;
        return compare({flat, flat, flat}, latest, levels).levels[0].sizes;
    };
    EXPECT_EQ(sizes_with_clock(0.2), 2U) << "the edge is that of the visits";
    latest[2].visits_percent = 9;
    EXPECT_EQ(sizes_with_clock(0.09), 3U) << "visits and clock together are no edge";
}

TEST(Compare, WhatCountsForALevelIsHalfOfItsSizesAtLeast) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 32 * kib}};
    const Sweep flat = sweep({1, 1, 1, 1, 1, 1});
    Sweep latest = sweep({1, 1, 1.2, 1.2, 1.2, 1.2});
    for (std::size_t i = 2; i < latest.size(); ++i)
        latest[i].visits_percent = 11;
    const Comparison comparison = compare({flat, flat, flat}, latest, levels);
    EXPECT_EQ(comparison.levels[0].sizes, 6U);
    EXPECT_EQ(comparison.verdict, Verdict::slower) << "four of six are";
}

TEST(Compare, ALevelOfOneSizeThatIsSlowerCannotBeTold) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 8 * kib}};
    const Comparison comparison = compare({steady, steady, steady}, sweep({1, 1, 1, 12, 4, 4}), levels);
    EXPECT_EQ(comparison.levels[1].sizes, 1U);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::cannot_tell);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(compare({steady, steady, steady}, steady, levels).verdict, Verdict::no_difference);
}

TEST(Compare, NeighboursAreOfOneThread) {
    const auto verdict = [](const Sweep& first, const Sweep& second) {
        const Sweep base = joined(steady, on_thread(1, steady));
        return compare({base, base, base}, joined(first, on_thread(1, second)), {}).verdict;
    };
    const Sweep end = sweep({1, 1, 1, 4, 8, 8});
    EXPECT_NE(verdict(end, sweep({2, 2, 1, 4, 4, 4})), Verdict::slower);
    EXPECT_NE(verdict(steady, sweep({2, 2, 2, 4, 4, 4})), Verdict::slower);
    EXPECT_EQ(verdict(steady, sweep({2, 2, 2, 8, 4, 4})), Verdict::slower);
}

TEST(Compare, ABaselineThatIsAnOutlierDoesNotMoveTheOthers) {
    const Comparison comparison = compare({steady, steady, sweep({2, 2, 2, 8, 8, 8})}, steady);
    EXPECT_NEAR(comparison.levels[0].change.base, 1, 1e-9);
    EXPECT_EQ(comparison.levels[0].change.change_percent, 0);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell) << "but who knows which of them the outlier is";
}

TEST(Compare, ABaselinesSpreadIsNoise) {
    const Sweep latest = sweep({1, 1, 1, 4.4, 4.4, 4.4});
    const std::vector<Sweep> restless{sweep({1, 1, 1, 3.7, 3.7, 3.7}), steady, sweep({1, 1, 1, 4.3, 4.3, 4.3})};
    const Comparison comparison = compare(restless, latest);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::cannot_tell);
    EXPECT_GT(comparison.levels[1].change.noise_percent, 10);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

TEST(Compare, AFallWithinTheNoiseIsNoDifference) {
    const Comparison comparison = compare({with_dispersion(steady, 1.1)}, sweep({1, 1, 1, 3.7, 3.7, 3.7}));
    EXPECT_LT(comparison.levels[1].change.change_percent, -5);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
}

TEST(Compare, ARunsOwnDispersionIsNoise) {
    const Sweep latest = sweep({1, 1, 1, 4.4, 4.4, 4.4});
    const auto noise = [&](const Sweep& baseline, const Sweep& now) {
        return compare({baseline, baseline, baseline}, now).levels[1].change.noise_percent;
    };
    EXPECT_GT(noise(with_dispersion(steady, 1.2), latest), noise(steady, latest));
    EXPECT_GT(noise(steady, with_dispersion(latest, 1.2)), noise(with_dispersion(steady, 1.2), latest))
        << "three baselines are quieter than one run";
    EXPECT_EQ(compare({steady}, with_dispersion(latest, 1.2)).verdict, Verdict::cannot_tell);
}

TEST(Compare, TheSpreadStandsInForTheMedian) {
    Sweep latest = without_statistics(sweep({1, 1, 1, 4.4, 4.4, 4.4}));
    for (SizeFigure& figure : latest)
        figure.spread_percent = 20 / 1.53; // as much as a median 20 % above the smallest batch
    EXPECT_NEAR(compare({steady}, latest).levels[1].change.noise_percent,
                compare({steady}, with_dispersion(sweep({1, 1, 1, 4.4, 4.4, 4.4}), 1.2)).levels[1].change.noise_percent,
                1e-9);
}

TEST(Compare, WhatTheVisitsDisagreeByIsNoise) {
    Sweep latest = sweep({1, 1, 1, 4.4, 4.4, 4.4});
    for (SizeFigure& figure : latest)
        figure.visits_percent = 20;
    EXPECT_EQ(compare({steady}, latest).levels[1].change.verdict, Verdict::cannot_tell);
}

TEST(Compare, WithoutStatisticsOnlyLargeChangesCount) {
    const Sweep plain = without_statistics(steady);
    EXPECT_EQ(compare({plain}, plain).verdict, Verdict::no_difference);
    EXPECT_EQ(compare({plain}, without_statistics(sweep({1, 1, 1, 4.3, 4.3, 4.3}))).verdict, Verdict::cannot_tell);
    EXPECT_EQ(compare({plain}, without_statistics(sweep({1, 1, 1, 4.6, 4.6, 4.6}))).verdict, Verdict::slower);
}

TEST(Compare, MoreBaselinesThatAgreeLowerTheNoise) {
    const Sweep plain = without_statistics(steady);
    double before = compare({plain}, plain).levels[0].change.noise_percent;
    for (std::size_t baselines = 2; baselines <= 6; ++baselines) {
        const double now = compare(std::vector<Sweep>(baselines, plain), plain).levels[0].change.noise_percent;
        EXPECT_LT(now, before);
        before = now;
    }
}

TEST(Compare, MoreLevelsRaiseTheBarForEach) {
    const std::vector<SizeRange> one{two_levels.front()};
    EXPECT_GT(compare({steady}, steady, two_levels).levels[0].change.noise_percent,
              compare({steady}, steady, one).levels[0].change.noise_percent);
}

TEST(Compare, NoiseThatWouldHideAnythingIsSaid) {
    const Sweep noisy = with_dispersion(steady, 1.5);
    const Comparison comparison = compare({noisy}, noisy);
    EXPECT_GT(comparison.levels[0].change.noise_percent, 25);
    EXPECT_EQ(comparison.levels[0].change.verdict, Verdict::cannot_tell);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

TEST(Compare, FourNeighbouringSizesCountWithoutLevels) {
    const std::vector<Sweep> base(3, steady);
    EXPECT_EQ(compare(base, sweep({1, 1.5, 1.5, 6, 6, 4}), {}).verdict, Verdict::slower);
    EXPECT_EQ(compare(base, sweep({1, 1, 1.5, 6, 6, 4}), {}).verdict, Verdict::no_difference);
    EXPECT_EQ(compare(base, sweep({1.5, 1, 1.5, 6, 6, 4}), {}).verdict, Verdict::no_difference);
    EXPECT_EQ(compare(base, sweep({1, 0.5, 0.5, 2, 2, 4}), {}).verdict, Verdict::faster);
}

// Others on the machine take capacity, which comes back; they leave the latency of what is left alone.
TEST(Compare, NeighboursThatAreSlowerWhereNoLevelIsCannotBeTold) {
    const Sweep base = sweep({1, 1, 1, 4, 4, 4, 5, 6, 8, 40, 40, 40});
    const std::vector<SizeRange> levels{
        {"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 32 * kib}, {"memory", 512 * kib, 2048 * kib}};
    const auto against_base = [&](const Sweep& latest) { return compare({base, base, base}, latest, levels); };
    const Comparison shrunk = against_base(sweep({1, 1, 1, 4, 4, 4, 5, 12, 16, 40, 40, 40}));
    EXPECT_TRUE(shrunk.capacity_shrunk);
    EXPECT_EQ(shrunk.verdict, Verdict::cannot_tell);
    EXPECT_FALSE(shrunk.only_noisy());
    EXPECT_EQ(against_base(sweep({1, 1, 1, 4, 4, 4, 5, 6, 16, 40, 40, 40})).verdict, Verdict::no_difference)
        << "one size is a disturbance";
    EXPECT_EQ(against_base(sweep({1, 1, 1, 4, 4, 4, 5, 3, 4, 40, 40, 40})).verdict, Verdict::no_difference)
        << "two sizes that are faster are no level that is";
    EXPECT_EQ(against_base(sweep({1, 1, 1, 4, 4, 4, 2.5, 3, 4, 20, 40, 40})).verdict, Verdict::faster);
    const Comparison slower = against_base(sweep({1, 1, 1, 5, 5, 5, 5, 12, 16, 40, 40, 40}));
    EXPECT_FALSE(slower.capacity_shrunk);
    EXPECT_EQ(slower.verdict, Verdict::slower) << "a level that is slower is, whatever else is";
}

class LostLevel : public testing::Test {
protected:
    const std::vector<SizeRange> with_memory{
        {"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 32 * kib}, {"memory", 64 * kib, 128 * kib}};

    static Sweep sweep_with_l2(double ns) { return sweep({1, 1, 1, ns, ns, ns, 100, 100}); }
    static Comparison l2_from_4_ns_to(double ns, const std::vector<SizeRange>& levels) {
        return compare(std::vector<Sweep>(3, sweep_with_l2(4)), sweep_with_l2(ns), levels);
    }
};

TEST_F(LostLevel, IsNotSlowerButCannotBeTold) {
    for (const auto& levels : {with_memory, two_levels}) { // without a next level the largest size stands for it
        const Comparison comparison = l2_from_4_ns_to(80, levels);
        EXPECT_TRUE(comparison.levels[1].lost);
        EXPECT_FALSE(comparison.levels[0].lost);
        EXPECT_FALSE(comparison.capacity_shrunk) << "its three neighbouring sizes are explained";
        EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    }
}

TEST_F(LostLevel, HasComeHalfTheWayToTheNext) { // 20 ns, as logarithms go
    EXPECT_EQ(l2_from_4_ns_to(19, with_memory).verdict, Verdict::slower);
    EXPECT_FALSE(l2_from_4_ns_to(19, with_memory).levels[1].lost);
    EXPECT_TRUE(l2_from_4_ns_to(21, with_memory).levels[1].lost);
}

TEST_F(LostLevel, IsToldForEachThread) {
    const Sweep base = joined(on_thread(0, sweep_with_l2(4)), on_thread(1, sweep_with_l2(4)));
    const Sweep latest = joined(on_thread(0, sweep_with_l2(80)), on_thread(1, sweep_with_l2(4)));
    const Comparison first = compare({base, base, base}, latest, two_levels);
    ASSERT_EQ(first.levels.size(), 4U);
    EXPECT_TRUE(first.levels[1].lost);
    EXPECT_FALSE(first.levels[3].lost);
    const Sweep other = joined(on_thread(0, sweep_with_l2(4)), on_thread(1, sweep_with_l2(80)));
    EXPECT_TRUE(compare({base, base, base}, other, two_levels).levels[3].lost);
}

TEST_F(LostLevel, IsNotAnyThatIsSlowerWithItsWholeMachine) {
    const Comparison comparison = compare({steady, steady, steady}, sweep({10, 10, 10, 40, 40, 40}));
    EXPECT_FALSE(comparison.levels[0].lost);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
}

TEST_F(LostLevel, IsNotAnyBehindWhichANextOneBecameFaster) {
    const std::vector<Sweep> base(3, sweep_with_l2(4));
    const Comparison comparison = compare(base, sweep({1, 1, 1, 4.6, 4.6, 4.6, 6, 6}), with_memory);
    EXPECT_FALSE(comparison.levels[1].lost);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
}

TEST_F(LostLevel, IsNotAnyThatIsNearTheNextAnyhow) {
    const std::vector<Sweep> base(3, sweep({1, 1, 1, 4, 4, 4, 5, 5}));
    EXPECT_EQ(compare(base, sweep({1, 1, 1, 4.7, 4.7, 4.7, 5, 5}), with_memory).verdict, Verdict::slower);
}

TEST_F(LostLevel, IsNeverTheLast) {
    const std::vector<Sweep> base(3, sweep({1, 1, 1, 4, 4, 9}));
    const Comparison comparison = compare(base, sweep({1, 1, 1, 8, 8, 9}));
    EXPECT_FALSE(comparison.levels[1].lost);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::slower);
}

TEST(Compare, WhatTheSizesOfALevelDisagreeByIsNoise) {
    const std::vector<SizeRange> one{{"L1", 1 * kib, 32 * kib}};
    const Sweep flat = sweep({1, 1, 1, 1, 1, 1});
    const Comparison together = compare({flat, flat, flat}, sweep({1.3, 1.3, 1.3, 1.3, 1.3, 1.3}), one);
    const Comparison apart = compare({flat, flat, flat}, sweep({1, 1.1, 1.3, 1.3, 1.5, 1.6}), one);
    EXPECT_GT(apart.levels[0].change.noise_percent, 2 * together.levels[0].change.noise_percent);
    EXPECT_EQ(together.levels[0].change.verdict, Verdict::slower);
    EXPECT_EQ(apart.levels[0].change.verdict, Verdict::cannot_tell);
}

TEST(Compare, SizesOfTwoThreadsAreNoNeighbours) {
    const Sweep base = joined(on_thread(0, steady), on_thread(1, steady));
    const Sweep latest = joined(on_thread(0, sweep({1, 1, 1, 4, 6, 6})), on_thread(1, sweep({1.5, 1.5, 1, 4, 4, 4})));
    EXPECT_EQ(compare({base, base, base}, latest, {}).verdict, Verdict::no_difference);
}

TEST(Compare, ThreadsAreJudgedApart) {
    const Sweep base = joined(on_thread(0, steady), on_thread(1, steady));
    const Sweep latest = joined(on_thread(1, sweep({1, 1, 1, 5, 5, 5})), on_thread(0, steady));
    const Comparison comparison = compare({base, base, base}, latest);
    ASSERT_EQ(comparison.levels.size(), 4U);
    EXPECT_EQ(comparison.levels[1].thread, 0);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::no_difference);
    EXPECT_EQ(comparison.levels[3].thread, 1);
    EXPECT_EQ(comparison.levels[3].change.verdict, Verdict::slower);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
}

TEST(Compare, TooLittleInCommonCannotBeJudged) {
    Sweep other = sweep({1, 1, 1, 8, 8, 8});
    for (std::size_t i = 0; i < 4; ++i)
        other[i].size_bytes += 512;
    const Comparison comparison = compare({steady}, other);
    EXPECT_EQ(comparison.sizes.size(), 2U);
    EXPECT_EQ(comparison.sizes_in_all, 10U);
    EXPECT_FALSE(comparison.enough_in_common);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(compare({sweep({1, 1})}, sweep({2, 2})).verdict, Verdict::cannot_tell);
    EXPECT_EQ(compare({steady}, {}).verdict, Verdict::cannot_tell);
}

TEST(Compare, OneSizeOfMoreThanTenThatABaselineLacksIsLeftOut) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 1024 * kib}};
    const Sweep ten = sweep({1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    const Sweep eleven = sweep({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    const Comparison comparison = compare({eleven, ten}, eleven, levels);
    EXPECT_EQ(comparison.sizes.size(), 10U);
    EXPECT_EQ(comparison.sizes_in_all, 11U);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
    ASSERT_EQ(comparison.missing.size(), 1U);
    EXPECT_TRUE(comparison.missing[0].of_baseline);
    EXPECT_EQ(comparison.missing[0].sizes, 1U);
    EXPECT_TRUE(comparison.missing[0].levels.empty());
    const Sweep nine(ten.begin(), ten.end() - 1);
    EXPECT_EQ(compare({ten, nine}, ten, levels).verdict, Verdict::cannot_tell) << "a tenth is too much";
}

TEST(Compare, ALevelThatABaselineLacksCannotBeTold) {
    // L1 is three times slower, and so is the end of the sweep: neither can be told against a baseline without it.
    const std::vector<double> usual = {1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 90};
    Sweep whole;
    for (std::size_t i = 0; i < usual.size(); ++i)
        whole.push_back({.size_bytes = kib * std::exp2(i), .latency_ns = usual[i]});
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 4 * kib},
                                        {"L2", 8 * kib, whole[20].size_bytes},
                                        {"memory", whole[21].size_bytes, whole[21].size_bytes}};
    const auto lacks = [&](const Sweep& baseline, const Sweep& latest) {
        const Comparison comparison = compare({whole, baseline}, latest, levels);
        EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
        return comparison.missing.at(0).levels;
    };
    Sweep slow_l1 = whole;
    for (std::size_t i = 0; i < 3; ++i)
        slow_l1[i].latency_ns *= 3;
    Sweep slow_end = whole;
    slow_end.back().latency_ns *= 3;
    EXPECT_EQ(lacks({whole.begin() + 3, whole.end()}, slow_l1), std::vector<std::string>{"L1"});
    EXPECT_EQ(lacks({whole.begin(), whole.end() - 1}, slow_end), std::vector<std::string>{"memory"});
}

TEST(Compare, MostSizesOfTheLatestSweepThatNoBaselineHasCannotBeTold) {
    const Comparison comparison = compare({{steady.begin() + 2, steady.end()}}, sweep({3, 3, 1, 4, 4, 4}), {});
    EXPECT_EQ(comparison.sizes.size(), 4U);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

TEST(Compare, WhatEitherSideLacksIsSaidApart) {
    const Comparison comparison = compare({{steady.begin() + 1, steady.end()}}, {steady.begin(), steady.end() - 1});
    ASSERT_EQ(comparison.missing.size(), 2U);
    EXPECT_FALSE(comparison.missing[0].of_baseline);
    EXPECT_EQ(comparison.missing[0].from_bytes, 32 * kib);
    EXPECT_TRUE(comparison.missing[1].of_baseline);
    EXPECT_EQ(comparison.missing[1].from_bytes, 1 * kib);
}

TEST(Compare, WhatTheBaselinesHaveAndTheLatestSweepHasNotCannotBeTold) {
    const Comparison cut = compare({steady, steady, steady}, sweep({1, 1, 1, 4}));
    EXPECT_TRUE(cut.enough_in_common);
    EXPECT_EQ(cut.verdict, Verdict::cannot_tell);
    ASSERT_EQ(cut.missing.size(), 1U);
    EXPECT_EQ(cut.missing[0].sizes, 2U);
    EXPECT_EQ(cut.missing[0].from_bytes, 16 * kib);
    EXPECT_EQ(cut.missing[0].to_bytes, 32 * kib);
    EXPECT_TRUE(cut.missing[0].levels.empty()) << "L2 has a size left";
    const std::vector<SizeRange> three{{"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 8 * kib}, {"L3", 16 * kib, 32 * kib}};
    EXPECT_EQ(compare({steady}, sweep({1, 1, 1, 4}), three).missing.at(0).levels, std::vector<std::string>{"L3"});
    EXPECT_EQ(compare({steady, steady, steady}, sweep({2, 2, 2, 4})).verdict, Verdict::slower)
        << "what is slower is, whatever is missing";
}

TEST(Compare, ASweepThatIsIncompleteCannotBeToldEvenWhereItIsSlower) {
    const std::vector<Sweep> baselines(3, steady);
    const Comparison comparison = compare_sweeps(baselines, sweep({2, 2, 2, 8, 8, 8}), two_levels, 5, {"it is cut"});
    EXPECT_EQ(comparison.levels.at(0).change.verdict, Verdict::slower);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(comparison.incomplete, std::vector<std::string>{"it is cut"});
}

TEST(Compare, WhatIsMissingIsCountedByThread) {
    const Sweep base = joined(on_thread(0, steady), on_thread(1, steady));
    const Sweep latest = joined(on_thread(0, sweep({1, 1, 1, 4, 4})), on_thread(1, sweep({1, 1, 1, 4})));
    const Comparison comparison = compare({base}, latest);
    ASSERT_EQ(comparison.missing.size(), 2U);
    EXPECT_EQ(comparison.missing[0].thread, 0);
    EXPECT_EQ(comparison.missing[0].sizes, 1U);
    EXPECT_EQ(comparison.missing[1].thread, 1);
    EXPECT_EQ(comparison.missing[1].sizes, 2U);
}

TEST(Compare, LessThanHalfOfTheSizesInCommonCannotBeJudged) {
    const Comparison comparison = compare({sweep({1, 1, 1, 4})}, sweep({1, 1, 1, 4, 4, 4, 20, 20, 20}));
    EXPECT_EQ(comparison.sizes.size(), 4U);
    EXPECT_FALSE(comparison.enough_in_common);
    EXPECT_TRUE(compare({sweep({1, 1, 1, 4})}, sweep({1, 1, 1, 4, 4, 4, 20, 20})).enough_in_common);
}

TEST(Compare, TheNoiseIsStudentsTimesTheModeratedDeviation) {
    // Two baselines 10 % apart, six sizes, no statistics: each run's deviation is taken to be 2 %.
    const Comparison comparison = compare(
        {without_statistics(sweep({1, 1, 1, 1, 1, 1})), without_statistics(sweep({1.1, 1.1, 1.1, 1.1, 1.1, 1.1}))},
        without_statistics(sweep({1, 1, 1, 1, 1, 1})), {});
    const double told = 0.02 * 0.02 * (1 + 1.0 / 2);
    const double seen = std::log(1.1) * std::log(1.1) / 2 * (1 + 1.0 / 2);
    const double variance = (6 * told + 1 * seen) / (6 + 1);
    const double t = student_t_quantile(0.02 / 6, 6 + 1);
    EXPECT_NEAR(comparison.sizes.at(0).change.noise_percent, 100 * std::expm1(t * std::sqrt(variance)), 1e-6);
}

TEST(Compare, AThreadThatIsMissingIsNamed) {
    const Sweep two_threads = joined(on_thread(0, steady), on_thread(1, steady));
    const Comparison comparison = compare({two_threads}, steady);
    ASSERT_EQ(comparison.missing.size(), 1U);
    EXPECT_EQ(comparison.missing[0].thread, 1);
    EXPECT_EQ(comparison.missing[0].levels, (std::vector<std::string>{"L1", "L2"}));
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

TEST(Compare, ALevelWithoutCommonSizesIsLeftOut) {
    const std::vector<SizeRange> levels{two_levels[0], {"L3", 1024 * kib, 4096 * kib}};
    const Comparison comparison = compare({steady}, steady, levels);
    ASSERT_EQ(comparison.levels.size(), 1U);
    EXPECT_EQ(comparison.levels[0].name, "L1");
}

TEST(Compare, WhatIsSlowerIsSoWhateverABaselineLacks) {
    const Sweep shorter(steady.begin() + 1, steady.end());
    const Comparison comparison = compare({steady, shorter, shorter}, sweep({1, 1, 1, 5, 5, 5}));
    EXPECT_EQ(comparison.sizes.size(), 5U);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
}

TEST(Compare, WithoutLevelsMostSizesMustBeToldToTell) {
    // The noise of one size alone hides anything; of six, three may be so.
    Sweep latest = steady;
    for (std::size_t i = 0; i < 3; ++i)
        latest[2 * i].visits_percent = 90;
    EXPECT_EQ(compare({steady, steady, steady}, latest, {}).verdict, Verdict::no_difference);
    latest[1].visits_percent = 90;
    EXPECT_EQ(compare({steady, steady, steady}, latest, {}).verdict, Verdict::cannot_tell);
}

TEST(Compare, OrderDoesNotMatterAndARepeatedSizeCountsWithItsMedian) {
    Sweep shuffled = joined(sweep({1, 1, 1, 4, 4, 4}), sweep({9, 1, 1, 4, 4, 4}));
    shuffled = joined(shuffled, steady);
    std::reverse(shuffled.begin(), shuffled.end());
    const Comparison comparison = compare({steady}, shuffled);
    ASSERT_EQ(comparison.sizes.size(), 6U);
    EXPECT_EQ(comparison.sizes[0].size_bytes, 1 * kib);
    EXPECT_EQ(comparison.sizes[0].change.change_percent, 0);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
}

TEST(Compare, SizesThatWereRoundedInAFileAreTheSame) {
    Sweep stored = steady;
    stored[0].size_bytes = 0.00098 * kib * kib; // 1027.6 bytes
    EXPECT_EQ(compare({steady}, stored).sizes.size(), 6U);
    const auto l1 = [](double to_bytes) {
        return compare({steady}, steady, {{"L1", 3 * kib, to_bytes}}).levels.size();
    };
    EXPECT_EQ(l1(4 * kib - size_resolution_bytes / 2), 1U) << "4 KiB is on it";
    EXPECT_EQ(l1(4 * kib - size_resolution_bytes), 0U);
}

TEST(SizesInDoubt, AreThoseOfLevelsThatAreSlowerOrCannotBeTold) {
    using Sizes = std::set<double>;
    const std::vector<Sweep> base{steady, steady, steady};
    EXPECT_EQ(sizes_in_doubt(compare(base, steady)), Sizes{});
    EXPECT_EQ(sizes_in_doubt(compare(base, sweep({1, 1, 1, 4.4, 4.4, 4.4}))), (Sizes{8 * kib, 16 * kib, 32 * kib}));
    Sweep noisy = steady;
    noisy[0].visits_percent = noisy[2].visits_percent = 90;
    EXPECT_EQ(sizes_in_doubt(compare(base, noisy)), (Sizes{1 * kib, 2 * kib, 4 * kib}));
}

TEST(SizesInDoubt, AreSingleSizesThatAreSlower) {
    using Sizes = std::set<double>;
    const std::vector<Sweep> base{steady, steady, steady};
    EXPECT_EQ(sizes_in_doubt(compare(base, sweep({1, 1, 1.5, 4, 4, 4}))), Sizes{4 * kib});
    EXPECT_EQ(sizes_in_doubt(compare(base, sweep({1, 1, 0.5, 4, 4, 4}))), Sizes{}) << "faster";
    Sweep noisy = steady;
    noisy[2].visits_percent = 90;
    EXPECT_EQ(sizes_in_doubt(compare(base, noisy)), Sizes{}) << "its level can be told";
    EXPECT_EQ(sizes_in_doubt(compare(base, noisy, {})), Sizes{4 * kib}) << "there are no levels";
}

TEST(SizesInDoubt, AreNoneWhereRowsAreMissing) {
    EXPECT_EQ(sizes_in_doubt(compare({steady, steady, steady}, sweep({1, 1, 1, 4.4, 4.4}))), std::set<double>{});
}

TEST(Comparison, HasNoiseAsTheOnlyReasonWhereNothingIsMissingAndNoLevelIsLost) {
    const std::vector<Sweep> base{steady, steady, steady};
    Sweep noisy = steady;
    noisy[0].visits_percent = noisy[2].visits_percent = 90;
    EXPECT_EQ(compare(base, noisy).verdict, Verdict::cannot_tell);
    EXPECT_TRUE(compare(base, noisy).only_noisy());
    noisy.pop_back();
    EXPECT_FALSE(compare(base, noisy).only_noisy()) << "a size is missing";
    EXPECT_FALSE(compare(base, sweep({4, 4, 4, 4, 4, 4})).only_noisy()) << "L1 is lost";
    EXPECT_FALSE(compare_sweeps(base, steady, two_levels, 5, {"base is cut"}).only_noisy());
}

const std::vector<Sweep> three_steady{steady, steady, steady};

TEST(DisturbedSweeps, ALatestOneIsSlowerForReasonsOfOthers) {
    Comparison comparison = compare(three_steady, sweep({2, 2, 2, 8, 8, 8}));
    ASSERT_EQ(comparison.verdict, Verdict::slower);
    take_back_disturbed(comparison, "", {}, 3);
    EXPECT_EQ(comparison.verdict, Verdict::slower);
    take_back_disturbed(comparison, "it was busy", {}, 3);
    EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    EXPECT_EQ(comparison.disturbance, "it was busy");
    EXPECT_FALSE(comparison.only_noisy()) << "both levels are far slower than noise makes them";
    EXPECT_EQ(sizes_in_doubt(comparison).size(), 6U) << "as measured again they may tell";
}

TEST(DisturbedSweeps, LostALevelByNoiseOnlyUpToThreeTimesIt) {
    Comparison lost = compare(three_steady, sweep({3.8, 3.8, 3.8, 4, 4, 4}));
    ASSERT_TRUE(lost.levels[0].lost);
    take_back_disturbed(lost, "it was busy", {}, 3);
    EXPECT_FALSE(lost.only_noisy()) << "noise does not nearly explain it";
    const Sweep noisy = with_dispersion(steady, 1.5);
    lost = compare({noisy, noisy, noisy}, with_dispersion(sweep({2.2, 2.2, 2.2, 4, 4, 4}), 1.5));
    ASSERT_TRUE(lost.levels[0].lost);
    EXPECT_FALSE(lost.only_noisy()) << "nobody is known to have taken it";
    take_back_disturbed(lost, "it was busy", {}, 3);
    EXPECT_TRUE(lost.only_noisy());
}

TEST(DisturbedSweeps, AreOnlyNoisyWhereNoLevelIsSlowerByMoreThanThreeTimesItsNoise) {
    const Change probe = compare(three_steady, steady).levels[1].change;
    const auto slower_by = [&](double times_its_noise) {
        const double ns = 4 * (1 + times_its_noise * probe.noise_percent / 100);
        Comparison comparison = compare(three_steady, sweep({1, 1, 1, ns, ns, ns}), two_levels, 0.1);
        EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::slower);
        take_back_disturbed(comparison, "it was busy", {}, 3);
        EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
        EXPECT_EQ(comparison.levels[1].far_slower, !comparison.only_noisy());
        return comparison.levels[1].far_slower;
    };
    EXPECT_FALSE(slower_by(2.8));
    EXPECT_TRUE(slower_by(3.2));
}

TEST(DisturbedSweeps, ALevelIsFarSlowerThatIsSoInEveryMeasurement) {
    const Comparison l2 = compare(three_steady, sweep({1, 1, 1, 8, 8, 8}));
    Comparison both = compare(three_steady, sweep({2, 2, 2, 8, 8, 8}));
    keep_far_slower(both, l2);
    EXPECT_FALSE(both.levels[0].far_slower);
    EXPECT_TRUE(both.levels[1].far_slower);
    keep_far_slower(both, compare(three_steady, steady));
    EXPECT_FALSE(both.levels[1].far_slower);
    EXPECT_TRUE(both.only_noisy());
}

/// The sweep with these of its sizes contested.
Sweep contested_at(std::initializer_list<std::size_t> places, Sweep figures) {
    for (const std::size_t place : places)
        figures[place].contested = true;
    return figures;
}

TEST(ContestedSizes, CannotBeTold) {
    const Sweep slow = sweep({1, 1, 1, 8, 8, 8});
    for (const bool in_baseline : {true, false}) {
        const Sweep base = in_baseline ? contested_at({4, 5}, steady) : steady;
        const Sweep latest = in_baseline ? slow : contested_at({4, 5}, slow);
        const Comparison comparison = compare({base, base, base}, latest);
        EXPECT_EQ(comparison.sizes[3].change.verdict, Verdict::slower);
        EXPECT_EQ(comparison.sizes[4].change.verdict, Verdict::cannot_tell);
        EXPECT_TRUE(comparison.levels[1].contested);
        EXPECT_FALSE(comparison.levels[1].far_slower);
        EXPECT_FALSE(comparison.levels[0].contested);
        EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
    }
}

TEST(ContestedSizes, CountNotForALevelThatHasTwoOthers) {
    const Comparison comparison = compare(three_steady, contested_at({5}, sweep({1, 1, 1, 4, 4, 12})));
    EXPECT_FALSE(comparison.levels[1].contested);
    EXPECT_EQ(comparison.levels[1].sizes, 2U);
    EXPECT_EQ(comparison.verdict, Verdict::no_difference);
}

TEST(ContestedSizes, AreNotPutBackWhereTheOthersAreNoPlateau) {
    const std::vector<SizeRange> levels{{"L1", 1 * kib, 4 * kib}, {"L2", 8 * kib, 16 * kib}};
    Sweep latest = contested_at({2, 4}, sweep({1, 1, 3, 4, 12, 4}));
    latest[1].visits_percent = 11;
    const Comparison comparison = compare(three_steady, latest, levels);
    EXPECT_EQ(comparison.levels[0].sizes, 2U);
    EXPECT_EQ(comparison.levels[0].change.verdict, Verdict::no_difference);
    EXPECT_TRUE(comparison.levels[1].contested) << "one other size is no level";
    EXPECT_EQ(comparison.levels[1].sizes, 1U);
    EXPECT_EQ(comparison.levels[1].change.verdict, Verdict::cannot_tell);
}

TEST(DisturbedSweeps, ALatestOneThatIsNoSlowerAllTheSameIsNone) {
    for (const Sweep& latest : {steady, sweep({0.5, 0.5, 0.5, 2, 2, 2})}) {
        Comparison comparison = compare(three_steady, latest);
        const Verdict before = comparison.verdict;
        take_back_disturbed(comparison, "it was busy", {}, 3);
        EXPECT_EQ(comparison.verdict, before);
    }
}

TEST(DisturbedSweeps, BaselinesMayHideARiseWhereTheyAreHalfOfThemOrMore) {
    const auto verdict = [](const Sweep& latest, const std::vector<std::string>& disturbed) {
        Comparison comparison = compare(three_steady, latest);
        take_back_disturbed(comparison, "", disturbed, 3);
        return comparison.verdict;
    };
    const Sweep faster = sweep({0.5, 0.5, 0.5, 2, 2, 2});
    EXPECT_EQ(verdict(steady, {"a", "b"}), Verdict::cannot_tell);
    EXPECT_EQ(verdict(faster, {"a", "b"}), Verdict::cannot_tell);
    EXPECT_EQ(verdict(steady, {"a"}), Verdict::no_difference) << "the middle one is not";
    EXPECT_EQ(verdict(faster, {"a"}), Verdict::faster);
    EXPECT_EQ(verdict(sweep({2, 2, 2, 8, 8, 8}), {"a", "b", "c"}), Verdict::slower) << "slower than slow";
    Comparison pair = compare({steady, steady}, steady);
    take_back_disturbed(pair, "", {"a"}, 2);
    EXPECT_EQ(pair.verdict, Verdict::cannot_tell) << "one of two moves their middle";
    EXPECT_FALSE(pair.only_noisy()) << "what they may hide is no noise";
}

} // namespace
} // namespace memtest
