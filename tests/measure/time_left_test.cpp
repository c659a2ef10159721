#include "memtest/measure/time_left.hpp"

#include "memtest/measure/sweep.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {
namespace {

/// What was said to be left, and what was, before each visit.
struct Said {
    double at_s;
    std::optional<double> left_s;
    double really_left_s = 0;
};

/// A sweep whose visits take the time that `seconds` tells, and settle at the visit that `visits` tells.
std::vector<Said> swept(const TimingPlan& timing, const std::function<double(double bytes)>& seconds,
                        const std::function<unsigned(double bytes)>& visits) {
    class Timed : public Probe {
    public:
        std::vector<Measurement> visit(const VisitPlan& visit) override {
            const auto bytes = static_cast<double>(visit.bytes);
            clock->advance(static_cast<std::uint64_t>((*seconds)(bytes)*1e9));
            Measurement m;
            m.timing.accesses = share_of_visit(visit.left, 1).accesses;
            // Each visit is slower than the one before, until from the third last one on all agree.
            m.timing.batch_ns.assign(5, visit.round + 3 < (*visits)(bytes) ? 100.0 - visit.round : 10.0);
            return {m};
        }
        FakeClock* clock = nullptr;
        const std::function<double(double)>* seconds = nullptr;
        const std::function<unsigned(double)>* visits = nullptr;
    };
    FakeClock clock;
    const auto now_s = [&clock] { return static_cast<double>(clock.now_ns()) * 1e-9; };
    const double began_s = now_s();
    Timed probe;
    probe.clock = &clock;
    probe.seconds = &seconds;
    probe.visits = &visits;
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 1024; bytes <= 1024 * 1024; bytes *= 2)
        sizes.push_back(bytes);
    std::vector<Said> said;
    run_sweep(
        {.sizes = sizes, .timing = timing}, probe, clock, [](const Row&) {},
        [&](const Progress& progress) {
            said.push_back({now_s() - began_s, progress.seconds_left});
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

unsigned three(double /*bytes*/) {
    return 3;
}

TEST(TimeLeft, IsRightFromTheSecondSecondOnWhereSizesCostTheSame) {
    expect_right_within_a_third(swept(
        to_precision, [](double) { return 0.15; }, three));
}

TEST(TimeLeft, IsRightFromTheSecondSecondOnWhereTheyDifferAThousandfold) {
    expect_right_within_a_third(swept(
        to_precision, [](double bytes) { return 0.01 * bytes / 1024; }, three));
}

TEST(TimeLeft, IsRightWhereEachSizeCostsSomethingAndLargeOnesMore) {
    expect_right_within_a_third(swept(
        to_precision, [](double bytes) { return 0.1 + 0.001 * bytes / 1024; }, three));
}

TEST(TimeLeft, IsRightWithoutAPrecisionWhereTheVisitsAreKnown) {
    expect_right_within_a_third(swept(
        {.accesses = 1'000'000, .visits = 7}, [](double bytes) { return 0.02 * bytes / 1024; }, three));
}

TEST(TimeLeft, ExpectsOfASizeThatDoesNotSettleAsManyVisitsAgain) {
    const auto said = swept(
        to_precision, [](double) { return 1.0; }, [](double bytes) { return bytes == 1024 * 1024 ? 8U : 3U; });
    ASSERT_EQ(said.size(), 33U + 5);
    EXPECT_DOUBLE_EQ(said[33].left_s.value(), 3) << "after three visits";
    EXPECT_DOUBLE_EQ(said[36].left_s.value(), 6) << "after six";
}

TEST(TimeLeft, ExpectsNoMoreVisitsThanThereMayBe) {
    TimeLeft left({1024}, to_precision);
    for (int visit = 1; visit <= 15; ++visit)
        left.note_visit(0, 1, false);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 1) << "of sixteen";
}

TEST(TimeLeft, ExpectsAsManyVisitsAsTheSizesThatAreDoneHaveTaken) {
    TimeLeft left({1024, 1024}, to_precision);
    for (int visit = 1; visit <= 9; ++visit)
        left.note_visit(0, 1, visit == 9);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 9);
    left.note_visit(1, 1, false);
    EXPECT_DOUBLE_EQ(left.seconds().value(), 8);
}

} // namespace
} // namespace memtest
