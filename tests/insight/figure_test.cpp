#include "memtest/insight/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace memtest {
namespace {

Figure figure(Quantity quantity, double value, Doubt doubt = Doubt::none) {
    return {.name = "it", .quantity = quantity, .value = value, .doubt = doubt};
}

Figure counted(double low, double value, double high) {
    return {.name = "it", .quantity = Quantity::tlb_entries, .value = value, .range = FigureRange{low, high}};
}

/// The change of one figure from these baselines.
FigureChange change(const std::vector<Figure>& baselines, const Figure& latest, double tolerance_percent = 5) {
    std::vector<std::vector<Figure>> runs;
    for (const Figure& base : baselines)
        runs.push_back({base});
    return compare_figures(runs, {&latest, 1}, tolerance_percent).at(0);
}

TEST(CompareFigures, FindsNoDifferenceBetweenEqualFigures) {
    const FigureChange same = change({figure(Quantity::level_latency, 100)}, figure(Quantity::level_latency, 100));
    EXPECT_EQ(same.change.verdict, Verdict::no_difference);
    EXPECT_DOUBLE_EQ(same.change.change_percent, 0);
    EXPECT_GT(same.change.noise_percent, 0) << "of a rise";
    EXPECT_DOUBLE_EQ(same.change.base, 100);
    EXPECT_DOUBLE_EQ(same.change.latest, 100);
}

TEST(CompareFigures, FindsTenPercentForTheWorseInEveryFigureThatRepeats) {
    for (const QuantityFacts& facts : quantities) {
        if (facts.repeatability_percent > 1.5)
            continue;
        const std::vector<Figure> baselines(3, figure(facts.quantity, 100));
        const double worse = facts.less_is_worse ? 1 / 1.1 : 1.1;
        SCOPED_TRACE(facts.unit);
        EXPECT_EQ(change(baselines, figure(facts.quantity, 100 * worse)).change.verdict, Verdict::slower);
        EXPECT_EQ(change(baselines, figure(facts.quantity, 100 / worse)).change.verdict, Verdict::faster);
    }
}

TEST(CompareFigures, CountsARiseOfABandwidthAsBetter) {
    const FigureChange risen = change({figure(Quantity::peak, 10)}, figure(Quantity::peak, 20));
    EXPECT_EQ(risen.change.verdict, Verdict::faster);
    EXPECT_NEAR(risen.change.change_percent, 100, 1e-9);
    const FigureChange fallen = change({figure(Quantity::peak, 20)}, figure(Quantity::peak, 10));
    EXPECT_EQ(fallen.change.verdict, Verdict::slower);
    EXPECT_NEAR(fallen.change.change_percent, -50, 1e-9);
}

TEST(CompareFigures, CannotTellARiseWithinTheNoiseNorWhatNoiseWouldHide) {
    EXPECT_EQ(change({figure(Quantity::peak, 100)}, figure(Quantity::peak, 92)).change.verdict, Verdict::cannot_tell);
    const FigureChange hidden = change({figure(Quantity::knee, 100)}, figure(Quantity::knee, 100));
    EXPECT_EQ(hidden.change.verdict, Verdict::cannot_tell);
    EXPECT_EQ(hidden.doubt, Doubt::none);
}

TEST(CompareFigures, TakesTheNoiseOfARunForItsOwnWhereThatIsLarger) {
    Figure noisy = figure(Quantity::level_latency, 110);
    const double quiet = change({figure(Quantity::level_latency, 100)}, noisy).change.noise_percent;
    noisy.noise = 0.001;
    EXPECT_DOUBLE_EQ(change({figure(Quantity::level_latency, 100)}, noisy).change.noise_percent, quiet);
    noisy.noise = 0.1;
    const FigureChange lost = change({figure(Quantity::level_latency, 100)}, noisy);
    EXPECT_GT(lost.change.noise_percent, 4 * quiet);
    EXPECT_EQ(lost.change.verdict, Verdict::cannot_tell);
}

TEST(CompareFigures, TakesScatterBetweenBaselinesForNoise) {
    const std::vector<Figure> apart{figure(Quantity::level_latency, 80), figure(Quantity::level_latency, 100),
                                    figure(Quantity::level_latency, 125)};
    EXPECT_EQ(change(apart, figure(Quantity::level_latency, 115)).change.verdict, Verdict::cannot_tell);
}

/// Twenty figures of one run: the first of this value, the others of 100 times the factor.
std::vector<Figure> twenty(double first, double factor) {
    std::vector<Figure> figures;
    for (int i = 0; i < 20; ++i) {
        figures.push_back(figure(Quantity::access_time, i == 0 ? first : 100 * factor));
        figures.back().name += std::to_string(i);
    }
    return figures;
}

/// The change of the first to this value, with three baselines in which the others scatter by the factor.
FigureChange change_among(double scatter, double latest) {
    const std::vector<std::vector<Figure>> baselines{twenty(100, 1 / scatter), twenty(100, 1), twenty(100, scatter)};
    return compare_figures(baselines, twenty(latest, 1)).at(0);
}

TEST(CompareFigures, TakesTheScatterOfAllFiguresForHowQuietTheMachineIs) {
    EXPECT_EQ(change_among(1.001, 110).change.verdict, Verdict::slower);
    EXPECT_EQ(change_among(1.05, 110).change.verdict, Verdict::cannot_tell) << "as noisy as others";
    EXPECT_EQ(change_among(1.2, 130).change.verdict, Verdict::cannot_tell) << "noisier, though the figure is not";
    EXPECT_GT(change_among(1.2, 110).change.noise_percent, 2 * change_among(1.05, 110).change.noise_percent);
    EXPECT_NEAR(change_among(9, 110).change.noise_percent, change_among(99, 110).change.noise_percent, 1e-9)
        << "a limit to what a few outliers can do";
}

TEST(CompareFigures, DoesNotTakeCountsCopiesAndNoisyRunsForHowQuietTheMachineIs) {
    const auto noise_of_first = [](const std::vector<Figure>& run, const std::vector<Figure>& other) {
        const std::vector<std::vector<Figure>> baselines{run, other, run};
        return compare_figures(baselines, run).at(0).change.noise_percent;
    };
    const std::vector<Figure> copies = twenty(100, 1);
    const double unscaled = noise_of_first(copies, copies);
    std::vector<Figure> calm = twenty(100, 1.001);
    EXPECT_LT(noise_of_first(copies, calm), 0.8 * unscaled) << "these do show it";
    std::vector<Figure> counts = copies;
    std::vector<Figure> other_counts = calm;
    std::vector<Figure> noisy = copies;
    std::vector<Figure> other_noisy = calm;
    for (std::size_t i = 1; i < copies.size(); ++i) {
        counts[i].range = other_counts[i].range = FigureRange{99, 101};
        noisy[i].noise = other_noisy[i].noise = 0.2;
    }
    EXPECT_DOUBLE_EQ(noise_of_first(counts, other_counts), unscaled);
    EXPECT_DOUBLE_EQ(noise_of_first(noisy, other_noisy), unscaled);
}

TEST(CompareFigures, SharesTheChanceOfAFalseAlarmAmongAllFigures) {
    std::vector<Figure> many;
    for (int i = 0; i < 100; ++i) {
        many.push_back(figure(Quantity::level_latency, 100));
        many.back().name += std::to_string(i);
    }
    const std::vector<std::vector<Figure>> baselines{many};
    EXPECT_GT(
        compare_figures(baselines, many).front().change.noise_percent,
        1.5 *
            change({figure(Quantity::level_latency, 100)}, figure(Quantity::level_latency, 100)).change.noise_percent);
}

TEST(CompareFigures, FindsACountChangedOnlyIfTheRangesDoNotOverlap) {
    EXPECT_EQ(change({counted(64, 64, 65)}, counted(58, 58, 59)).change.verdict, Verdict::slower);
    EXPECT_EQ(change({counted(58, 58, 59)}, counted(64, 64, 65)).change.verdict, Verdict::faster);
    EXPECT_EQ(change({counted(60, 64, 65)}, counted(56, 58, 61)).change.verdict, Verdict::cannot_tell);
    EXPECT_EQ(change({counted(64, 64, 65)}, counted(64, 64, 65)).change.verdict, Verdict::no_difference);
    EXPECT_EQ(
        change({counted(64, 64, 65), counted(56, 60, 65), counted(64, 64, 65)}, counted(58, 58, 59)).change.verdict,
        Verdict::cannot_tell)
        << "one of the baselines reached as far";
}

TEST(CompareFigures, TellsNothingOfWhatWasDisturbed) {
    const Figure sound = figure(Quantity::level_latency, 100);
    const Figure disturbed = figure(Quantity::level_latency, 200, Doubt::disturbed);
    for (const FigureChange& told :
         {change({sound}, disturbed), change({disturbed}, sound), change({sound, disturbed}, sound)}) {
        EXPECT_EQ(told.change.verdict, Verdict::cannot_tell);
        EXPECT_EQ(told.doubt, Doubt::disturbed);
    }
}

TEST(CompareFigures, LeavesOutADisturbedBaselineIfMostAreSound) {
    const Figure sound = figure(Quantity::level_latency, 100);
    const FigureChange told = change({sound, figure(Quantity::level_latency, 200, Doubt::disturbed), sound}, sound);
    EXPECT_EQ(told.change.verdict, Verdict::no_difference);
    EXPECT_DOUBLE_EQ(told.change.base, 100);
    EXPECT_EQ(told.doubt, Doubt::none);
}

TEST(CompareFigures, PairsByPartAndNameAndTellsWhichSideLacksOne) {
    std::vector<Figure> latest{figure(Quantity::level_latency, 100), figure(Quantity::level_latency, 50)};
    latest[0].name = "new";
    latest[1].part = "tail";
    std::vector<Figure> base{figure(Quantity::level_latency, 25), figure(Quantity::level_latency, 50)};
    base[0].part = "other";
    base[1].part = "tail";
    const std::vector<std::vector<Figure>> baselines{base};
    const std::vector<FigureChange> changes = compare_figures(baselines, latest);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].doubt, Doubt::not_in_base);
    EXPECT_EQ(changes[1].doubt, Doubt::none);
    EXPECT_EQ(changes[1].change.verdict, Verdict::no_difference);
    EXPECT_EQ(changes[2].doubt, Doubt::not_in_new);
    EXPECT_EQ(changes[2].part, "other");
    EXPECT_DOUBLE_EQ(changes[2].change.base, 25);
    for (const std::size_t lacking : {0U, 2U})
        EXPECT_EQ(changes[lacking].change.verdict, Verdict::cannot_tell);
}

/// With a change of this verdict and doubt.
FigureChange told(Quantity quantity, Verdict verdict, Doubt doubt = Doubt::none) {
    return {.name = "it", .quantity = quantity, .change = {.verdict = verdict}, .doubt = doubt};
}

TEST(CompareFigures, JudgesTheWholeByWhatRepeats) {
    const FigureChange same = told(Quantity::level_latency, Verdict::no_difference);
    const auto verdict = [](const std::vector<FigureChange>& changes) { return verdict_of(changes); };
    EXPECT_EQ(verdict({same}), Verdict::no_difference);
    EXPECT_EQ(verdict({same, told(Quantity::level_latency, Verdict::faster)}), Verdict::faster);
    EXPECT_EQ(verdict({told(Quantity::level_latency, Verdict::faster), told(Quantity::tlb_hit, Verdict::cannot_tell)}),
              Verdict::cannot_tell);
    EXPECT_EQ(verdict({told(Quantity::level_latency, Verdict::cannot_tell), told(Quantity::knee, Verdict::slower)}),
              Verdict::slower);
    EXPECT_EQ(verdict({same, told(Quantity::knee, Verdict::cannot_tell)}), Verdict::no_difference)
        << "the knee repeats too badly to have a say";
    EXPECT_EQ(verdict({same, told(Quantity::knee, Verdict::cannot_tell, Doubt::disturbed)}), Verdict::cannot_tell);
    EXPECT_EQ(verdict({told(Quantity::knee, Verdict::cannot_tell)}), Verdict::cannot_tell);
    EXPECT_EQ(verdict({}), Verdict::cannot_tell);
}

TEST(CompareFigures, RaisesFewFalseAlarmsWhereFiguresScatterAsStated) {
    std::mt19937_64 engine(1);
    int alarms = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<std::vector<Figure>> runs(4);
        for (std::vector<Figure>& run : runs) {
            for (const QuantityFacts& facts : quantities) {
                if (facts.repeatability_percent <= 0)
                    continue;
                std::normal_distribution<double> scatter(0, facts.repeatability_percent / 100);
                run.push_back(figure(facts.quantity, 100 * std::exp(scatter(engine))));
                run.back().name = facts.unit;
                run.back().name += std::to_string(run.size());
            }
        }
        const auto changes = compare_figures(std::span(runs).first(3), runs.back());
        alarms += verdict_of(changes) == Verdict::slower ? 1 : 0;
    }
    EXPECT_LE(alarms, 4);
}

/// A figure of a subject in a part that rose by a ratio.
FigureChange rise(const std::string& part, double ratio, Verdict verdict = Verdict::no_difference) {
    return {.part = part,
            .name = "it",
            .quantity = Quantity::p50,
            .subject = "memory",
            .change = {.base = 100, .latest = 100 * ratio, .verdict = verdict}};
}

/// What becomes of a figure that rose by half, if other parts measure the same.
FigureChange beside(std::vector<FigureChange> others) {
    others.insert(others.begin(), rise("tail", 1.5, Verdict::slower));
    withdraw_unconfirmed(others);
    return others.front();
}

TEST(UnconfirmedChanges, AreThoseThatFewerThanThreeQuartersOfTheOtherPartsShow) {
    const double least = std::pow(1.5, 2.0 / 3);
    const FigureChange withdrawn = beside({rise("sweep", 1), rise("huge", 1.01), rise("loaded", 0.99)});
    EXPECT_EQ(withdrawn.change.verdict, Verdict::cannot_tell);
    EXPECT_EQ(withdrawn.doubt, Doubt::unconfirmed);
    EXPECT_EQ(beside({rise("a", 1.5), rise("b", 1.5), rise("c", 1), rise("d", 1)}).doubt, Doubt::unconfirmed);
    EXPECT_EQ(beside({rise("a", 1.5), rise("b", 1.5), rise("c", 1.5), rise("d", 1)}).doubt, Doubt::none);
    EXPECT_EQ(beside({rise("a", least * 1.001)}).change.verdict, Verdict::slower) << "two thirds";
    EXPECT_EQ(beside({rise("a", least * 0.999)}).doubt, Doubt::unconfirmed);
    const double most = std::pow(1.5, 1.5);
    EXPECT_EQ(beside({rise("a", most * 0.999)}).doubt, Doubt::none);
    EXPECT_EQ(beside({rise("a", most * 1.001)}).doubt, Doubt::unconfirmed) << "something else disturbed that part";
    EXPECT_EQ(beside({rise("a", 1 / 1.5)}).doubt, Doubt::unconfirmed) << "in the other direction";
}

TEST(UnconfirmedChanges, NeedAnotherPartThatMeasuresTheSameWithoutADoubt) {
    EXPECT_EQ(beside({}).change.verdict, Verdict::slower);
    EXPECT_EQ(beside({rise("tail", 1)}).change.verdict, Verdict::slower) << "of the same moments";
    FigureChange other = rise("sweep", 1);
    other.doubt = Doubt::contested;
    EXPECT_EQ(beside({other}).change.verdict, Verdict::slower);
    other = rise("sweep", 1);
    other.subject = "L3";
    EXPECT_EQ(beside({other}).change.verdict, Verdict::slower);
    other = rise("sweep", 1);
    other.change.base = 0;
    EXPECT_EQ(beside({other}).change.verdict, Verdict::slower) << "no baseline has it";
    std::vector<FigureChange> without_subject{rise("tail", 1.5, Verdict::slower), rise("sweep", 1)};
    for (FigureChange& change : without_subject)
        change.subject.clear();
    withdraw_unconfirmed(without_subject);
    EXPECT_EQ(without_subject.front().change.verdict, Verdict::slower);
}

TEST(UnconfirmedChanges, AreFoundByOneVoteOfEachPart) {
    EXPECT_EQ(beside({rise("a", 1), rise("b", 1.5), rise("b", 1.5), rise("b", 1.5)}).doubt, Doubt::unconfirmed);
    EXPECT_EQ(beside({rise("a", 1.5), rise("a", 1), rise("a", 1)}).doubt, Doubt::none)
        << "one of its figures is enough";
}

TEST(UnconfirmedChanges, MayBeForTheBetterAndOfABandwidth) {
    std::vector<FigureChange> changes{rise("tail", 0.5, Verdict::faster), rise("sweep", 1)};
    withdraw_unconfirmed(changes);
    EXPECT_EQ(changes.front().doubt, Doubt::unconfirmed);
    changes = {rise("loaded", 0.8, Verdict::slower), rise("chains", 1.25, Verdict::slower)};
    changes.front().quantity = Quantity::peak;
    withdraw_unconfirmed(changes);
    EXPECT_EQ(changes[0].change.verdict, Verdict::slower) << "less bandwidth, as the time says, too";
    EXPECT_EQ(changes[1].change.verdict, Verdict::slower);
}

TEST(UnconfirmedChanges, CountOnlyWhereTheFigureRepeats) {
    const FigureChange same = told(Quantity::level_latency, Verdict::no_difference);
    const auto verdict = [&](Quantity quantity) {
        const std::vector<FigureChange> changes{same, told(quantity, Verdict::cannot_tell, Doubt::unconfirmed)};
        return verdict_of(changes);
    };
    EXPECT_EQ(verdict(Quantity::knee), Verdict::no_difference);
    EXPECT_EQ(verdict(Quantity::level_latency), Verdict::cannot_tell);
}

} // namespace
} // namespace memtest
