#include "memtest/measure/time_left.hpp"

#include "memtest/measure/sweep.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace memtest {
namespace {

/// What was said to be left, and what was, before each visit.
struct Said {
    double at_s;
    std::optional<double> left_s;
    unsigned round = 0;
    double really_left_s = 0;
};

/// A sweep whose visits take the time that `seconds` tells, and find the latency that `figure` tells.
std::vector<Said> swept(const TimingPlan& timing, const std::function<double(double bytes)>& seconds,
                        const std::function<double(double bytes)>& figure) {
    class Timed : public Probe {
    public:
        std::vector<Measurement> visit(const VisitPlan& visit) override {
            const auto bytes = static_cast<double>(visit.bytes);
            clock->advance(static_cast<std::uint64_t>((*seconds)(bytes)*1e9));
            Measurement m;
            m.timing.accesses = share_of_visit(visit.left, 1).accesses;
            m.timing.batch_ns.assign(5, (*figure)(bytes));
            return {m};
        }
        FakeClock* clock = nullptr;
        const std::function<double(double)>* seconds = nullptr;
        const std::function<double(double)>* figure = nullptr;
    };
    FakeClock clock;
    const auto now_s = [&clock] { return static_cast<double>(clock.now_ns()) * 1e-9; };
    const double began_s = now_s();
    Timed probe;
    probe.clock = &clock;
    probe.seconds = &seconds;
    probe.figure = &figure;
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 1024; bytes <= 1024 * 1024; bytes *= 2)
        sizes.push_back(bytes);
    std::vector<Said> said;
    run_sweep(
        {.sizes = sizes, .timing = timing}, probe, clock, [](const Row&) {},
        [&](const Progress& progress) {
            said.push_back({now_s() - began_s, progress.seconds_left, progress.round});
        });
    const double end_s = now_s() - began_s;
    for (Said& s : said)
        s.really_left_s = end_s - s.at_s;
    return said;
}

void expect_right_within_a_third(const std::vector<Said>& said) {
    for (const Said& s : said) {
        if (s.at_s < 1) {
            EXPECT_FALSE(s.left_s.has_value()) << "at " << s.at_s;
            continue;
        }
        ASSERT_TRUE(s.left_s.has_value()) << "at " << s.at_s;
        EXPECT_NEAR(*s.left_s, s.really_left_s, s.really_left_s / 3) << "at " << s.at_s;
    }
}

const TimingPlan to_precision{.accesses = any_number_of_accesses, .visits = 16, .precision_percent = 2};

double the_same(double /*bytes*/) {
    return 10;
}

TEST(TimeLeft, IsRightFromTheSecondSecondOnWhereSizesCostTheSame) {
    expect_right_within_a_third(swept(
        to_precision, [](double) { return 0.15; }, the_same));
}

TEST(TimeLeft, IsRightFromTheSecondSecondOnWhereTheyDifferAThousandfold) {
    expect_right_within_a_third(swept(
        to_precision, [](double bytes) { return 0.01 * bytes / 1024; }, the_same));
}

TEST(TimeLeft, IsRightWhereEachSizeCostsSomethingAndLargeOnesMore) {
    expect_right_within_a_third(swept(
        to_precision, [](double bytes) { return 0.1 + 0.001 * bytes / 1024; }, the_same));
}

TEST(TimeLeft, IsRightWithoutAPrecisionWhereTheVisitsAreKnown) {
    expect_right_within_a_third(swept(
        {.accesses = 1'000'000, .visits = 7}, [](double bytes) { return 0.02 * bytes / 1024; }, the_same));
}

TEST(TimeLeft, IsMostlyRightFromTheSecondRoundOnWhereManySizesDoNotSettle) {
    // As on a busy machine: visits take up to half as long again, small sizes agree, large ones scatter.
    std::minstd_rand random(1);
    const auto drawn = [&random] { return std::generate_canonical<double, 32>(random); };
    const auto said = swept(
        to_precision, [](double bytes) { return 0.05 + 1e-6 * bytes; },
        [&](double bytes) { return bytes < 65536 ? 1 + 0.03 * drawn() : 10 / (0.2 + drawn()); });
    std::size_t right = 0;
    std::size_t all = 0;
    for (const Said& s : said) {
        if (s.round == 0)
            continue;
        EXPECT_GT(s.left_s.value(), 0);
        ++all;
        right += std::abs(*s.left_s - s.really_left_s) <= s.really_left_s / 3 ? 1U : 0U;
    }
    EXPECT_GE(static_cast<double>(right), 0.8 * static_cast<double>(all)) << right << " of " << all;
}

TEST(TimeLeft, ExpectsAsManyVisitsAsTheScatterOfThoseBeforeTells) {
    TimeLeft left({1024, 1024}, to_precision);
    left.note_visit(0, 1, 16);
    left.note_visit(1, 1, 16);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 2 + 2) << "the fewest that agree";
    left.note_visit(0, 1, 16, 8);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 6 + 7) << "the other size, too, until it shows how it scatters";
    left.note_visit(1, 1, 16, 3);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 6 + 1.2);
    left.note_visit(1, 1, 3, 3);
    left.note_visit(0, 1, 16, 99);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 16 - 3) << "no more than it may have";
    left.note_visit(0, 1, 8, 99);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 8 - 4) << "which may turn out to be less";
}

TEST(TimeLeft, ExpectsOfTheNextSizeAllVisitsWhereTheOneBeforeTookThemAll) {
    TimeLeft left({1024, 1024}, to_precision);
    for (int visit = 1; visit <= 8; ++visit)
        left.note_visit(0, 1, 8);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 8);
}

TEST(TimeLeft, ExpectsSomeMoreWhereASizeHasHadAllThatItNeeded) {
    TimeLeft left({1024}, to_precision);
    for (int visit = 1; visit <= 5; ++visit)
        left.note_visit(0, 1, 16, 3);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 3);
}

} // namespace
} // namespace memtest
