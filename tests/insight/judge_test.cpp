#include "memtest/insight/judge.hpp"

#include "support/test.hpp"

namespace memtest {
namespace {

using Figures = std::vector<Figure>;

Figure latency(double ns, double noise = 0) {
    return {.name = "L2 latency", .quantity = Quantity::level_latency, .value = ns, .noise = noise};
}

/// The change from three equal baselines.
FigureChange change(const Figure& base, const Figure& latest, double tolerance_percent = 5) {
    const std::vector<Figures> baselines(3, Figures{base});
    return compare_figures(baselines, Figures{latest}, tolerance_percent).front();
}

TEST(Judge, CallsWorseWhatExceedsToleranceAndNoise) {
    EXPECT_EQ(change(latency(4), latency(4.4)).verdict, Verdict::worse);
    EXPECT_EQ(change(latency(4), latency(3.6)).verdict, Verdict::better);
    EXPECT_EQ(change(latency(4), latency(4.18)).verdict, Verdict::no_difference) << "4.5 % are tolerated";
    EXPECT_EQ(change(latency(4), latency(4.4), 11).verdict, Verdict::no_difference);
    EXPECT_EQ(change(latency(4), latency(4.4, 0.04)).verdict, Verdict::no_difference) << "noise of the latest run";
    EXPECT_EQ(change(latency(4), latency(4.4, 0.04)).why, Why::within_noise);
    EXPECT_EQ(change(latency(4), latency(4.1, 0.04)).why, Why::none) << "within the tolerance";
    EXPECT_EQ(change(latency(4, 0.06), latency(4.4)).verdict, Verdict::no_difference) << "noise of the baselines";
    const Figure capacity{.name = "L2 capacity", .quantity = Quantity::capacity, .value = 1024};
    const Figure half{.name = "L2 capacity", .quantity = Quantity::capacity, .value = 512};
    EXPECT_EQ(change(capacity, half).verdict, Verdict::worse) << "less is worse";
    EXPECT_EQ(change(half, capacity).verdict, Verdict::better);
}

TEST(Judge, StatesWhatWasMeasured) {
    const FigureChange risen = change(latency(4), latency(5));
    EXPECT_EQ(risen.base, 4);
    EXPECT_EQ(risen.latest, 5);
    EXPECT_NEAR(risen.change_percent, 25, 1e-9);
    // The floor of 1 % for the latest run, and a third of its variance for three baselines; three deviations of that.
    EXPECT_NEAR(risen.noise_percent, 3.2, 0.5);
}

TEST(Judge, ComparesNoFigureOfWhichNoiseHidesFourTimesTheTolerance) {
    EXPECT_EQ(change(latency(4), latency(6, 0.07)).why, Why::noise);
    EXPECT_EQ(change(latency(4), latency(6, 0.05)).verdict, Verdict::worse);
    EXPECT_EQ(change(latency(4), latency(6, 0.07), 10).why, Why::noise) << "of a level, 20 %";
    EXPECT_EQ(change(latency(4), latency(5, 0.07), 10).why, Why::noise) << "a gate of 10 % does not pass 25 %";
    EXPECT_EQ(change(latency(4), latency(6, 0.07), 15).verdict, Verdict::worse) << "or twice the tolerance";
    EXPECT_EQ(change(latency(4), latency(6.5, 0.07)).verdict, Verdict::worse) << "a level, by twice the noise";
    const Figure p50{.name = "L2 latency", .quantity = Quantity::p50, .value = 6.5, .noise = 0.07};
    EXPECT_EQ(change(latency(4), p50).why, Why::noise) << "no level";
    const auto stride = [](double percent) {
        return Figure{.name = "forward", .quantity = Quantity::pattern, .value = percent, .noise = 0.08};
    };
    EXPECT_EQ(change(stride(5), stride(6.2)).why, Why::noise);
    EXPECT_EQ(change(stride(5), stride(30)).verdict, Verdict::worse) << "a prefetcher that is off";
    EXPECT_EQ(change(latency(4), p50, 10).verdict, Verdict::worse) << "four times 10 % are more";
}

TEST(Judge, CannotTellWhereAStepDividesTheReadingsOfMemory) {
    const auto memory = [](const std::vector<double>& values) {
        Figure figure{.name = "", .quantity = Quantity::memory_latency, .value = 100};
        for (std::size_t i = 0; i < values.size(); ++i)
            figure.readings.push_back({std::to_string(i), values[i]});
        return figure;
    };
    const auto from_level = [&](const std::vector<double>& latest) {
        return change(memory(std::vector<double>(latest.size(), 100)), memory(latest));
    };
    EXPECT_EQ(from_level({100, 100, 100, 160, 160}).why, Why::noise);
    EXPECT_EQ(from_level({100, 100, 160, 160, 160}).why, Why::noise);
    EXPECT_EQ(from_level({100, 100, 100, 100, 160}).verdict, Verdict::no_difference) << "one is odd";
    EXPECT_EQ(from_level({100, 100, 100, 100, 100, 100, 160, 160, 160}).why, Why::noise) << "a quarter";
    EXPECT_EQ(from_level({100, 100, 100, 100, 100, 100, 100, 160, 160}).verdict, Verdict::no_difference) << "fewer";
    const FigureChange apart = from_level({80, 92, 94, 97, 100, 103, 106, 108, 125});
    EXPECT_EQ(apart.verdict, Verdict::no_difference) << "their middle is less uncertain than each of them";
    EXPECT_LT(apart.noise_percent, 15);
    EXPECT_EQ(from_level({130, 130, 130, 130, 130, 130, 150, 150, 150}).verdict, Verdict::worse) << "all rose";
}

TEST(Judge, LearnsNoiseFromTheScatterBetweenBaselines) {
    const std::vector<Figures> apart{{latency(4)}, {latency(4.6)}, {latency(3.5)}};
    const std::vector<Figures> alike{{latency(4)}, {latency(4)}, {latency(4)}};
    const Figures latest{latency(4.4)};
    EXPECT_EQ(compare_figures(alike, latest, 5).front().verdict, Verdict::worse);
    EXPECT_NE(compare_figures(apart, latest, 5).front().verdict, Verdict::worse);
    std::vector<Figures> fleet(30, Figures{latency(4)});
    fleet[7] = fleet[19] = {latency(12)};
    EXPECT_EQ(compare_figures(fleet, latest, 5).front().verdict, Verdict::worse) << "two odd ones hide no third";
}

TEST(Judge, TakesTheMiddleOfSeveralReadings) {
    const auto readings = [](double a, double b, double c) {
        Figure figure{.name = "memory latency", .quantity = Quantity::memory_latency, .value = a};
        figure.readings = {{"huge", a}, {"loaded", b}, {"prefetch", c}};
        return figure;
    };
    EXPECT_EQ(change(readings(100, 110, 120), readings(150, 110, 120)).verdict, Verdict::no_difference)
        << "one part was disturbed";
    EXPECT_EQ(change(readings(100, 110, 120), readings(120, 132, 120)).verdict, Verdict::worse) << "two of three";
    EXPECT_EQ(change(readings(100, 110, 120), readings(90, 132, 180)).why, Why::noise) << "they disagree";
    Figure two = readings(100, 150, 0);
    two.readings.pop_back();
    EXPECT_EQ(change(readings(100, 110, 120), two).why, Why::noise) << "of two, both must have changed";
    two = readings(100, 114, 0);
    two.readings.pop_back();
    EXPECT_EQ(change(readings(100, 110, 120), two).verdict, Verdict::no_difference) << "they nearly agree";
}

TEST(Judge, NeedsMoreThanAStepOfTheCounter) {
    const auto stepped = [](double ns) {
        Figure p50{.name = "p50", .quantity = Quantity::p50, .value = ns};
        p50.range = FigureRange{ns - 5, ns + 5};
        return p50;
    };
    EXPECT_EQ(change(stepped(110), stepped(120)).verdict, Verdict::no_difference);
    EXPECT_EQ(change(stepped(110), stepped(120)).why, Why::within_step);
    EXPECT_GT(change(stepped(110), stepped(120)).noise_percent, 9) << "the steps explain the change";
    EXPECT_EQ(change(stepped(45), stepped(55)).verdict, Verdict::cannot_tell) << "four times the tolerance";
    EXPECT_EQ(change(stepped(55), stepped(45)).verdict, Verdict::cannot_tell) << "either way";
    EXPECT_EQ(change(stepped(110), stepped(130)).verdict, Verdict::worse);
}

TEST(Judge, CallsACacheGoneThatTakesAsLongAsWhatLiesBehindIt) {
    const auto cache = [](double ns, double behind) {
        Figure figure = latency(ns);
        figure.behind = behind;
        return figure;
    };
    const FigureChange gone = change(cache(14, 100), cache(98, 100));
    EXPECT_EQ(gone.verdict, Verdict::worse);
    EXPECT_EQ(gone.why, Why::gone);
    Figure partly = cache(98, 100);
    partly.has_contested_sizes = true;
    EXPECT_EQ(change(cache(14, 100), partly).why, Why::contested);
    EXPECT_EQ(change(partly, cache(98, 100)).why, Why::none);
    EXPECT_EQ(change(cache(14, 100), cache(35, 100)).why, Why::none) << "2.5 times slower";
    EXPECT_EQ(change(cache(14, 20), cache(19.8, 20)).why, Why::none) << "too near each other to tell";
}

TEST(Judge, CannotTellWhatOneSideLacksOrDoubts) {
    const std::vector<Figures> baselines{{latency(5)}, {latency(3.9)}, {latency(4)}};
    const auto lost = compare_figures(baselines, {}, 5);
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_EQ(lost.front().why, Why::not_in_new);
    EXPECT_EQ(lost.front().base, 4) << "the median";
    EXPECT_EQ(verdict_of(lost), Verdict::cannot_tell);
    Figure found = latency(9);
    found.name = "L3 latency";
    const auto both = compare_figures(baselines, Figures{latency(4), found}, 5);
    EXPECT_EQ(both.back().why, Why::not_in_base);
    EXPECT_EQ(verdict_of(both), Verdict::cannot_tell);
    Figure contested = latency(9);
    contested.doubt = Why::contested;
    EXPECT_EQ(change(latency(4), contested).why, Why::contested);
    EXPECT_EQ(change(contested, latency(4)).why, Why::contested);
    Figure no_value = latency(0);
    no_value.doubt = Why::disturbed;
    const std::vector<Figures> lost_twice{{no_value}, {latency(4)}, {no_value}};
    EXPECT_EQ(compare_figures(lost_twice, Figures{latency(4)}, 5).front().why, Why::disturbed);
    EXPECT_EQ(compare_figures(lost_twice, Figures{latency(4)}, 5).front().base, 4) << "of those that have it";
    EXPECT_EQ(compare_figures(lost_twice, Figures{}, 5).front().why, Why::disturbed) << "which hid what New lacks";
    EXPECT_EQ(compare_figures(std::vector<Figures>(1), Figures{no_value}, 5).front().why, Why::disturbed);
    std::vector<Figures> one_doubtful(3, Figures{latency(4)});
    one_doubtful[1] = {contested};
    EXPECT_EQ(compare_figures(one_doubtful, Figures{latency(9)}, 5).front().verdict, Verdict::worse)
        << "two sound baselines are enough";
}

TEST(Judge, FollowsTheSweepAtTheSameSize) {
    const auto figures = [](double size_ns, double p50_ns) {
        Figure size{.name = "64 MiB", .quantity = Quantity::size_latency, .value = size_ns, .at_bytes = 64e6};
        Figure p50{.name = "p50", .quantity = Quantity::p50, .value = p50_ns, .at_bytes = 66e6};
        return Figures{size, p50};
    };
    const auto p50 = [&](const Figures& latest) {
        return compare_figures(std::vector<Figures>(3, figures(100, 120)), latest, 5).back();
    };
    EXPECT_EQ(p50(figures(120, 144)).why, Why::follows);
    EXPECT_EQ(p50(figures(120, 144)).verdict, Verdict::no_difference);
    EXPECT_EQ(p50(figures(120, 200)).verdict, Verdict::worse) << "by far more than the sweep";
    EXPECT_EQ(p50(figures(110, 156)).verdict, Verdict::worse) << "by 30 % where the sweep rose by 10";
    EXPECT_EQ(p50(figures(100, 144)).verdict, Verdict::worse);
    EXPECT_EQ(p50(figures(80, 144)).verdict, Verdict::worse);
}

TEST(Judge, ExplainsALatencyByTheCapacityBeforeItOfTheSamePart) {
    const auto figures = [](const std::string& part_of_cause, double kib, double ns) {
        return Figures{{.part = part_of_cause, .name = "L1 capacity", .quantity = Quantity::capacity, .value = kib},
                       {.part = "huge",
                        .name = "L2 latency",
                        .quantity = Quantity::level_latency,
                        .value = ns,
                        .cause = "L1 capacity"}};
    };
    const auto why = [&](const std::string& part_of_cause, double ns) {
        return compare_figures(std::vector<Figures>(3, figures(part_of_cause, 32, 4)), figures(part_of_cause, 16, ns),
                               5)
            .back()
            .why;
    };
    EXPECT_EQ(why("huge", 4.8), Why::follows);
    EXPECT_EQ(why("sweep", 4.8), Why::none) << "of another part";
    EXPECT_EQ(why("huge", 5.2), Why::none) << "more than the cause explains";
}

TEST(Judge, ExplainsNothingByAChangeThatAnotherExplains) {
    const auto figures = [](double kib, double ns) {
        const Quantity latency = Quantity::level_latency;
        return Figures{{.name = "L1 capacity", .quantity = Quantity::capacity, .value = kib},
                       {.name = "L2 latency", .quantity = latency, .value = ns, .cause = "L1 capacity"},
                       {.name = "L3 latency", .quantity = latency, .value = ns, .cause = "L2 latency"}};
    };
    const auto changes = compare_figures(std::vector<Figures>(3, figures(32, 4)), figures(16, 4.8), 5);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[1].why, Why::follows);
    EXPECT_EQ(changes[2].verdict, Verdict::worse);
    EXPECT_EQ(changes[2].why, Why::none);
}

TEST(Judge, LetsOnlyFiguresThatDecideMakeTheVerdict) {
    const auto row = [](Quantity quantity, Verdict verdict, Why why = Why::none) {
        return FigureChange{.name = "x", .quantity = quantity, .verdict = verdict, .why = why};
    };
    const FigureChange same = row(Quantity::level_latency, Verdict::no_difference);
    const FigureChange noisy = row(Quantity::level_latency, Verdict::cannot_tell, Why::noise);
    using Rows = std::vector<FigureChange>;
    EXPECT_EQ(verdict_of(Rows{same, row(Quantity::p99, Verdict::worse)}), Verdict::no_difference);
    EXPECT_EQ(verdict_of(Rows{same, noisy}), Verdict::no_difference);
    Rows with_memory{same, row(Quantity::memory_latency, Verdict::cannot_tell, Why::noise)};
    EXPECT_EQ(verdict_of(with_memory), Verdict::cannot_tell);
    with_memory.push_back(row(Quantity::memory_latency, Verdict::no_difference));
    EXPECT_EQ(verdict_of(with_memory), Verdict::no_difference) << "in other pages";
    EXPECT_EQ(verdict_of(Rows{noisy, row(Quantity::p99, Verdict::no_difference)}), Verdict::cannot_tell);
    EXPECT_EQ(verdict_of(Rows{same, row(Quantity::whole, Verdict::cannot_tell, Why::not_in_new)}),
              Verdict::cannot_tell);
    EXPECT_EQ(verdict_of(Rows{same, row(Quantity::p99, Verdict::cannot_tell, Why::not_in_new)}),
              Verdict::no_difference);
    EXPECT_EQ(verdict_of(Rows{row(Quantity::whole, Verdict::cannot_tell, Why::not_in_new),
                              row(Quantity::capacity, Verdict::worse)}),
              Verdict::worse);
    EXPECT_EQ(verdict_of(Rows{same, row(Quantity::peak, Verdict::better)}), Verdict::better);
    for (const Why why : {Why::not_in_base, Why::not_in_new})
        EXPECT_EQ(verdict_of(Rows{same, row(Quantity::page_walk, Verdict::cannot_tell, why)}), Verdict::no_difference)
            << "noise may hide the end of a TLB";
    EXPECT_EQ(verdict_of(Rows{same, row(Quantity::page_walk, Verdict::cannot_tell, Why::incomplete)}),
              Verdict::cannot_tell);
    EXPECT_EQ(verdict_of({}), Verdict::cannot_tell);
    EXPECT_EQ(verdict_of(Rows{noisy, row(Quantity::capacity, Verdict::no_difference)}), Verdict::cannot_tell)
        << "a capacity does not tell of speed";
}

TEST(Judge, CannotTellIfTheLatencyOfALevelTooNoisyToCompareRoseByMoreThanItsNoise) {
    const auto verdict = [](Quantity quantity, double change_percent) {
        FigureChange noisy{.name = "noisy", .quantity = quantity, .change_percent = change_percent};
        noisy.noise_percent = 23.6;
        noisy.verdict = Verdict::cannot_tell;
        noisy.why = Why::noise;
        return verdict_of(std::vector<FigureChange>{{.name = "same", .quantity = Quantity::level_latency}, noisy});
    };
    EXPECT_EQ(verdict(Quantity::memory_latency, 44), Verdict::cannot_tell);
    EXPECT_EQ(verdict(Quantity::level_latency, 23), Verdict::no_difference);
    EXPECT_EQ(verdict(Quantity::level_latency, -44), Verdict::no_difference) << "it is better";
    EXPECT_EQ(verdict(Quantity::level_latency, 44), Verdict::cannot_tell);
    EXPECT_EQ(verdict(Quantity::p50, 44), Verdict::no_difference) << "its noise has outliers";
}

} // namespace
} // namespace memtest
