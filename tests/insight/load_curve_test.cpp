#include "memtest/insight/load_curve.hpp"

#include "memtest/chain/random.hpp"
#include "memtest/measure/load_sweep.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

const LoadRow idle{.load_percent = 0, .bytes_per_ns = 0, .latency_ns = 100};

TEST(LoadCurve, TheKneeIsTheHighestBandwidthWithAtMostSixFifthsOfTheIdleLatency) {
    const std::vector<LoadRow> points{idle, {25, 5, 105}, {50, 10, 120}, {75, 15, 121}, {100, 19, 300}, {0, 0, 103}};
    const LoadCurve curve = read_load_curve(points);
    EXPECT_EQ(curve.idle_ns, 100);
    EXPECT_EQ(curve.idle_last_ns, 103);
    EXPECT_EQ(curve.peak->bytes_per_ns, 19);
    EXPECT_EQ(curve.knee->bytes_per_ns, 10);
    EXPECT_EQ(curve.knee->latency_ns, 120);
}

TEST(LoadCurve, TheKneeLiesBetweenTheLoadsWhoseQuartilesTellItsSide) {
    const auto point = [](double bytes_per_ns, double ns, double low_ns, double high_ns) {
        return LoadRow{.load_percent = 5 * bytes_per_ns,
                       .bytes_per_ns = bytes_per_ns,
                       .latency_ns = ns,
                       .latency_low_ns = low_ns,
                       .latency_high_ns = high_ns};
    };
    const LoadCurve curve = read_load_curve(std::vector{idle, point(5, 105, 100, 110), point(10, 118, 110, 130),
                                                        point(15, 122, 115, 140), point(20, 200, 180, 220)});
    EXPECT_EQ(curve.knee->bytes_per_ns, 10);
    EXPECT_EQ(curve.knee_low_bytes_per_ns, 5);
    EXPECT_EQ(curve.knee_high_bytes_per_ns, 20);
    EXPECT_TRUE(curve.exceeds_knee_times);
    const LoadCurve flat = read_load_curve(std::vector{idle, point(20, 110, 100, 119)});
    EXPECT_EQ(flat.knee_high_bytes_per_ns, std::nullopt);
    EXPECT_FALSE(flat.exceeds_knee_times);
    const LoadCurve noisy = read_load_curve(std::vector{idle, point(10, 110, 100, 119), point(20, 130, 110, 150)});
    EXPECT_EQ(noisy.knee_high_bytes_per_ns, std::nullopt);
    EXPECT_TRUE(noisy.exceeds_knee_times);
}

TEST(LoadCurve, TheKneeLiesWithinItsBoundsWhereALoadDisturbsTheOrder) {
    const LoadCurve curve = read_load_curve(
        std::vector<LoadRow>{idle, {25, 5, 105}, {50, 10, 140}, {75, 15, 110}, {90, 18, 150}, {100, 20, 300}});
    EXPECT_EQ(curve.knee_low_bytes_per_ns, 5);
    EXPECT_EQ(curve.knee->bytes_per_ns, 15);
    EXPECT_EQ(curve.knee_high_bytes_per_ns, 18);
}

TEST(LoadCurve, ThePeakDiffersFromEachRowWithoutLoadByThreeTimesTheNoiseOfBoth) {
    const auto with_peak = [](double peak_ns, double quartiles_ns, double last_idle_ns = 100,
                              std::vector<LoadNote> notes = {}, std::size_t visits = 0) {
        return read_load_curve(std::vector<LoadRow>{idle,
                                                    {.load_percent = 100,
                                                     .bytes_per_ns = 20,
                                                     .latency_ns = peak_ns,
                                                     .visits = visits,
                                                     .notes = std::move(notes),
                                                     .latency_low_ns = peak_ns - quartiles_ns / 2,
                                                     .latency_high_ns = peak_ns + quartiles_ns / 2},
                                                    {0, 0, last_idle_ns}});
    };
    const auto differs = [&](auto... of) { return with_peak(of...).peak_differs; };
    EXPECT_TRUE(differs(110, 0)) << "2 % are the least noise of either: 8.9 % is three times that of both";
    EXPECT_FALSE(differs(108, 0));
    EXPECT_FALSE(differs(110, 40));
    EXPECT_TRUE(differs(150, 40));
    EXPECT_FALSE(differs(110, 0, 105)) << "the machine drifted";
    EXPECT_TRUE(differs(85, 0));
    EXPECT_FALSE(differs(150, 0, 100, std::vector{LoadNote::few})) << "batches of one moment agree";
    EXPECT_TRUE(differs(150, 0, 100, std::vector{LoadNote::limit}, 2U));
    EXPECT_FALSE(differs(150, 0, 100, std::vector{LoadNote::limit}, 1U)) << "those of one visit as well";
    const auto beside = [](double bytes_per_ns, double ns) {
        return read_load_curve(std::vector<LoadRow>{idle, {90, bytes_per_ns, ns}, {100, 20, 150}});
    };
    EXPECT_TRUE(beside(18.9, 100).peak_differs);
    EXPECT_FALSE(beside(19, 100).peak_differs || beside(19, 80).peak_differs) << "the peak was an odd moment";
}

TEST(LoadCurve, ThePeakIsTheHighestBandwidthWhereverItIs) {
    const LoadCurve curve = read_load_curve(std::vector<LoadRow>{idle, {50, 12, 110}, {100, 11, 110}});
    EXPECT_EQ(curve.peak->bytes_per_ns, 12);
    EXPECT_EQ(curve.knee->bytes_per_ns, 12);
    EXPECT_FALSE(curve.idle_last_ns.has_value());
    EXPECT_TRUE(curve.reaches_full_load);
    EXPECT_EQ(read_load_curve(std::vector<LoadRow>{idle, {50, {}, 110}, {100, 11, {}}, {99, 10, 105}}).under_load, 1U);
    EXPECT_FALSE(read_load_curve(std::vector<LoadRow>{idle, {50, 12, 110}}).reaches_full_load);
}

TEST(LoadCurve, HasNoKneeWhereEveryLoadExceedsIt) {
    const LoadCurve curve = read_load_curve(std::vector<LoadRow>{idle, {50, 10, 130}, {100, 19, 300}, idle});
    EXPECT_TRUE(curve.peak.has_value());
    EXPECT_FALSE(curve.knee.has_value());
}

TEST(LoadCurve, CountsThePointsWhoseVisitsDisagree) {
    const LoadCurve curve = read_load_curve(
        std::vector<LoadRow>{{.bytes_per_ns = 0, .latency_ns = 100, .notes = {LoadNote::several}},
                             {.load_percent = 50, .bytes_per_ns = 10, .latency_ns = 110, .notes = {LoadNote::several}},
                             {.load_percent = 100, .bytes_per_ns = 20, .latency_ns = 210}});
    EXPECT_EQ(curve.under_load, 2U);
    EXPECT_EQ(curve.several, 1U) << "without load there is no curve";
}

TEST(LoadCurve, TheKneeIsMeasuredByTheAwakeRowWhereThereIsOne) {
    std::vector<LoadRow> points{idle,          {.bytes_per_ns = 0, .latency_ns = 80, .notes = {LoadNote::awake}},
                                {25, 5, 95},   {50, 10, 97},
                                {75, 15, 130}, idle};
    const LoadCurve curve = read_load_curve(points);
    EXPECT_EQ(curve.idle_ns, 100);
    EXPECT_EQ(curve.awake_ns, 80);
    EXPECT_EQ(curve.idle_last_ns, 100);
    EXPECT_EQ(curve.unloaded_ns(), 80);
    EXPECT_EQ(curve.knee->bytes_per_ns, 5) << "97 ns are 1.21 times 80 ns, and less than 1.2 times 100 ns";
    points.erase(points.begin() + 1);
    EXPECT_EQ(read_load_curve(points).unloaded_ns(), 100);
    EXPECT_EQ(read_load_curve(points).knee->bytes_per_ns, 10);
}

TEST(LoadCurve, AwakeDoesNotDifferByLessThanATwentiethHoweverWellTheVisitsAgree) {
    const auto differs = [](double awake_ns) {
        return read_load_curve(
                   std::vector<LoadRow>{
                       {.bytes_per_ns = 0, .latency_ns = 100, .visits_percent = 0.1},
                       {.bytes_per_ns = 0, .latency_ns = awake_ns, .visits_percent = 0.1, .notes = {LoadNote::awake}},
                       {50, 10, 110},
                       {.bytes_per_ns = 0, .latency_ns = 100, .visits_percent = 0.1}})
            .awake_differs;
    };
    EXPECT_FALSE(differs(99.7));
    EXPECT_FALSE(differs(104));
    EXPECT_TRUE(differs(95));
    EXPECT_TRUE(differs(105));
}

TEST(LoadCurve, AwakeDiffersWhereItIsApartFromBothAsleepByMoreThanAllTheirVisits) {
    const auto differs = [](double first_ns, double awake_ns, double last_ns, std::optional<double> percent = 2) {
        const std::vector<LoadRow> points{
            {.bytes_per_ns = 0, .latency_ns = first_ns, .visits_percent = percent},
            {.bytes_per_ns = 0, .latency_ns = awake_ns, .visits_percent = 3, .notes = {LoadNote::awake}},
            {50, 10, 110},
            {.bytes_per_ns = 0, .latency_ns = last_ns, .visits_percent = percent}};
        return read_load_curve(points).awake_differs;
    };
    EXPECT_TRUE(differs(100, 94, 100)) << "by 6 ns, and the visits by 2 and 2.8 ns";
    EXPECT_FALSE(differs(100, 96, 100));
    EXPECT_FALSE(differs(100, 94, 100, 4)) << "more than 4 and 2.8 ns, but less than both together";
    EXPECT_TRUE(differs(100, 106, 100));
    EXPECT_FALSE(differs(100, 104, 100));
    EXPECT_FALSE(differs(100, 94, 98)) << "the machine drifts";
    EXPECT_FALSE(differs(100, 94, 88)) << "as far as that";
    EXPECT_FALSE(differs(100, 50, 100, std::nullopt)) << "how far the visits disagree is not known";
    EXPECT_FALSE(
        read_load_curve(std::vector<LoadRow>{
                            {.bytes_per_ns = 0, .latency_ns = 50, .visits_percent = 1, .notes = {LoadNote::awake}}})
            .awake_differs)
        << "there is nothing to differ from";
}

TEST(LoadCurve, HasItsKneeUnderTheLeastOfLoadsToo) {
    EXPECT_EQ(read_load_curve(std::vector<LoadRow>{{0, 0, 100}, {1, 2, 110}, {100, 10, 500}}).knee->bytes_per_ns, 2);
    EXPECT_FALSE(read_load_curve(std::vector<LoadRow>{{0, 0, 100}, {1, 2, 130}, {100, 10, 500}}).knee);
}

TEST(LoadCurve, OfNothingTellsNothing) {
    const LoadCurve curve = read_load_curve({});
    EXPECT_FALSE(curve.idle_ns || curve.idle_last_ns || curve.peak || curve.knee);
    EXPECT_FALSE(read_load_curve(std::vector<LoadRow>{{50, 10, 90}}).knee) << "without idle there is no measure";
}

TEST(WantedLoads, AreEvenWithoutAKneeAndElseAThirdOfThemNearIt) {
    const std::vector<LoadPair> known{{.lines_per_ns = 1, .latency_ns = 300},
                                      {.lines_per_ns = 0.6, .latency_ns = 120},
                                      {.lines_per_ns = 0.2, .latency_ns = 101},
                                      {.lines_per_ns = 0.7, .latency_ns = 121}};
    for (const auto& idle_ns : {std::optional<double>(), std::optional(80.0)})
        EXPECT_EQ(wanted_loads(4, known, idle_ns), (std::vector{0.25, 0.5, 0.75, 1.0}));
    const auto wanted = wanted_loads(12, known, 100);
    ASSERT_EQ(wanted.size(), 12U);
    EXPECT_DOUBLE_EQ(wanted.back(), 1);
    EXPECT_NEAR(wanted.front(), 1.0 / 8, 1e-9);
    const auto near_knee = std::ranges::count_if(wanted, [](double w) { return w > 0.48 && w < 0.72; });
    EXPECT_GE(near_knee, 5);
    EXPECT_LE(near_knee, 6) << "the even ones go on there";
    for (std::size_t i = 1; i < wanted.size(); ++i) {
        EXPECT_GT(wanted[i], wanted[i - 1]);
        EXPECT_LT(wanted[i] - wanted[i - 1], 1.0 / 8 + 1e-9);
    }
    EXPECT_DOUBLE_EQ(wanted_loads(1, known, 100).front(), 1);
    EXPECT_DOUBLE_EQ(wanted_loads(12, known, 1000).back(), 1) << "a knee at the peak";
    EXPECT_GT(wanted_loads(12, known, 1000)[6], 0.8);
}

/// A machine whose hypervisor moves its processors between two placements with other bandwidths and latencies. Two load
/// threads; the walk takes 1.2 times as long where they draw 80 % of what the placement gives.
class MovingMachine : public LoadProbe {
public:
    struct Placement {
        double most_lines_per_ns;
        double idle_ns;

        [[nodiscard]] double knee() const { return 0.8 * most_lines_per_ns * 64; } // in GB/s
        [[nodiscard]] double peak() const { return 0.97 * most_lines_per_ns * 64; }
    };

    explicit MovingMachine(std::function<bool(std::size_t visit)> is_second) : is_second_(std::move(is_second)) {}

    std::vector<LoadBatch> visit(std::optional<std::size_t> pause, unsigned /*round*/) override {
        const Placement& now = is_second_(visits_++) ? second : first;
        const bool loads = pause.value_or(endless_pause) != endless_pause;
        const double wanted = loads ? 2 / (0.5 + 0.004 * static_cast<double>(*pause)) : 0;
        const double drawn = std::min(wanted, 0.97 * now.most_lines_per_ns);
        const double share = drawn / now.most_lines_per_ns;
        return std::vector<LoadBatch>(
            16, {.ns_per_access = now.idle_ns * (1 + 0.05 * share / (1 - share)), .lines_per_ns = drawn});
    }

    static constexpr Placement first{.most_lines_per_ns = 1.4, .idle_ns = 100};
    static constexpr Placement second{.most_lines_per_ns = 0.5, .idle_ns = 100};

private:
    std::function<bool(std::size_t)> is_second_;
    std::size_t visits_ = 0;
};

struct MeasuredCurve {
    LoadCurve curve;
    std::size_t rows = 0;
};

MeasuredCurve measured_on(MovingMachine machine) {
    const LoadSweep sweep{.timing = {.visits = 16, .estimate = Estimate::median, .precision_percent = 2},
                          .load_processors = {1, 2},
                          .want = wanted_loads};
    std::vector<LoadRow> points;
    run_load_sweep(
        sweep, machine,
        [&](const LoadRow& row) {
            EXPECT_TRUE(row.latency_ns.has_value()) << row.load_percent;
            points.push_back(row);
        },
        [](const std::string&) {});
    return {read_load_curve(points), points.size()};
}

constexpr std::size_t all_rows = 15;

TEST(MovingMachines, ThatStandStillHaveOneCurveWithItsKneeWithinAStepOfTheTrueOne) {
    for (const bool is_second : {false, true}) {
        const auto [curve, rows] = measured_on(MovingMachine([=](std::size_t) { return is_second; }));
        const auto& placement = is_second ? MovingMachine::second : MovingMachine::first;
        EXPECT_EQ(rows, all_rows);
        EXPECT_EQ(curve.several, 0U);
        EXPECT_NEAR(*curve.peak->bytes_per_ns, placement.peak(), 0.01 * placement.peak());
        ASSERT_TRUE(curve.knee.has_value());
        EXPECT_LE(curve.knee->bytes_per_ns, placement.knee() * 1.0001);
        EXPECT_GT(curve.knee->bytes_per_ns, placement.knee() - placement.peak() / 12);
    }
}

TEST(MovingMachines, ThatMoveOnceLoseNoRowAndHaveAKneeWithinAStepOfTheTrueOne) {
    const double step = MovingMachine::first.peak() / 12;
    for (std::size_t at = 12; at < 160; at += 7) { // while pauses are chosen, and in each round
        const auto [curve, rows] = measured_on(MovingMachine([=](std::size_t visit) { return visit >= at; }));
        EXPECT_EQ(rows, all_rows) << at;
        ASSERT_TRUE(curve.knee.has_value()) << at;
        EXPECT_GT(curve.knee->bytes_per_ns, MovingMachine::second.knee() - step) << at;
        EXPECT_LT(curve.knee->bytes_per_ns, MovingMachine::first.knee() + step) << at;
    }
}

TEST(MovingMachines, ThatMoveAtRandomLoseNoRowAndAreSaidToHaveSeveralCurves) {
    const double step = MovingMachine::first.peak() / 12;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SplitMix64 random(seed);
        const auto [curve, rows] = measured_on(MovingMachine([&](std::size_t) { return random.below(2) == 0; }));
        EXPECT_EQ(rows, all_rows) << seed;
        EXPECT_GT(curve.several, 0U) << seed;
        ASSERT_TRUE(curve.knee.has_value()) << seed;
        EXPECT_GT(curve.knee->bytes_per_ns, MovingMachine::second.knee() - step) << seed;
        EXPECT_LT(curve.knee->bytes_per_ns, MovingMachine::first.knee() + step) << seed;
    }
}

} // namespace
} // namespace memtest
