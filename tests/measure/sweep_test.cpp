#include "memtest/measure/sweep.hpp"

#include "memtest/base/error.hpp"

#include "support/fake_clock.hpp"
#include "support/test.hpp"

#include <map>

namespace memtest {
namespace {

using Threads = std::vector<Measurement>;

/// A probe that answers from a function, takes no time, and remembers what it was asked.
class FakeProbe : public Probe {
public:
    using Answer = std::function<Threads(const VisitPlan& visit)>;
    explicit FakeProbe(Answer answer) : answer_(std::move(answer)) {}

    Threads visit(const VisitPlan& visit) override {
        asked.push_back(visit);
        return answer_(visit);
    }

    std::vector<VisitPlan> asked;

private:
    Answer answer_;
};

/// Five batches of that latency.
Measurement measured_ns(double ns) {
    Measurement m;
    m.timing.batch_ns.assign(5, ns);
    m.timing.accesses = 1000;
    m.ghz_before = 2;
    m.ghz_after = 3;
    return m;
}

struct Recorded {
    std::vector<Row> rows;
    std::vector<std::string> phrases;
    std::vector<VisitPlan> asked;
    std::vector<std::size_t> rows_when_asked; ///< how many were there before each visit

    [[nodiscard]] std::vector<std::size_t> sizes_of_round(unsigned round) const {
        std::vector<std::size_t> sizes;
        for (const VisitPlan& visit : asked) {
            if (visit.round == round)
                sizes.push_back(visit.bytes);
        }
        return sizes;
    }
};

/// What a sweep gave until it ended, or until the probe threw an Error.
Recorded record(const Sweep& sweep, const FakeProbe::Answer& answer) {
    Recorded recorded;
    FakeClock clock;
    FakeProbe probe([&](const VisitPlan& visit) {
        recorded.rows_when_asked.push_back(recorded.rows.size());
        return answer(visit);
    });
    try {
        run_sweep(
            sweep, probe, clock, [&](const Row& row) { recorded.rows.push_back(row); },
            [&](const std::string& phrase) { recorded.phrases.push_back(phrase); });
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "broken");
    }
    recorded.asked = probe.asked;
    return recorded;
}

TimingPlan to_precision(double percent, Estimate estimate = Estimate::min) {
    return {.accesses = any_number_of_accesses, .visits = 16, .estimate = estimate, .precision_percent = percent};
}

/// Takes as many accesses as its share is.
Threads exactly(const VisitPlan& visit, std::uint64_t shortest_batch = 1) {
    Measurement m = measured_ns(1);
    m.timing.accesses = share_of_visit(visit.left, shortest_batch).accesses;
    return {m};
}

bool has(const Row& row, Note note) {
    return std::ranges::count(row.notes, note) > 0;
}

using Sizes = std::vector<std::size_t>;

// --- which sizes are visited

TEST(Sweep, VisitsEverySizeInTheFirstRoundsAndNoSettledOneAgain) {
    const Recorded recorded = record({.sizes = {1, 2, 3}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        const bool is_late = visit.bytes == 2 && visit.round < 2;
        return Threads{measured_ns(is_late ? 10.0 - visit.round : 5)};
    });
    for (unsigned round = 0; round < 3; ++round)
        EXPECT_EQ(recorded.sizes_of_round(round), (Sizes{1, 2, 3})) << round;
    EXPECT_EQ(recorded.sizes_of_round(3), (Sizes{2}));
    EXPECT_EQ(recorded.sizes_of_round(4), (Sizes{2})) << "the third visit at 5 ns";
    EXPECT_EQ(recorded.sizes_of_round(5), (Sizes{}));
}

TEST(Sweep, VisitsEverySizeOnceHoweverLongThatTakesAndNoneAgainAfterItsTime) {
    const auto visits_made = [](double seconds_of_visit) {
        FakeClock clock;
        FakeProbe probe([&](const VisitPlan& visit) {
            clock.advance(static_cast<std::uint64_t>(seconds_of_visit * 1e9));
            return Threads{measured_ns(visit.round + 1)}; // never settles
        });
        std::size_t rows = 0;
        run_sweep(
            {.sizes = {1, 2, 3}, .timing = to_precision(2)}, probe, clock,
            [&](const Row& row) { rows += has(row, Note::limit); }, [](const std::string&) {},
            [&](std::size_t left) { return left == 3 && clock.now_ns() > 3'000'000'000; });
        EXPECT_EQ(rows, 3U);
        return probe.asked.size();
    };
    EXPECT_EQ(visits_made(1.6), 3U);
    EXPECT_EQ(visits_made(0.9), 4U);
}

TEST(Sweep, ADisturbanceThatLastsThreeVisitsIsOutlived) {
    const Recorded recorded = record({.sizes = {1}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return Threads{measured_ns(visit.round < 3 ? 9.0 + 2 * visit.round : 5)};
    });
    EXPECT_EQ(recorded.asked.size(), 6U);
    ASSERT_EQ(recorded.rows.size(), 1U);
    EXPECT_DOUBLE_EQ(recorded.rows[0].latency_ns.value(), 5);
    EXPECT_FALSE(has(recorded.rows[0], Note::limit));
}

TEST(Sweep, ADisturbanceThatLastsForAllVisitsEndsInLimit) {
    const Recorded recorded = record({.sizes = {1}, .timing = to_precision(2)},
                                     [](const VisitPlan& visit) { return Threads{measured_ns(5 + visit.round)}; });
    EXPECT_EQ(recorded.asked.size(), 16U);
    EXPECT_TRUE(has(recorded.rows.at(0), Note::limit));
    EXPECT_FALSE(recorded.rows[0].is_settled);
}

TEST(Sweep, ASizeThatTheCachesDoNotHoldIsGivenUpAfterHalfOfItsVisits) {
    const auto visits_made = [](unsigned held_of_three) {
        const auto answer = [=](const VisitPlan& visit) {
            Measurement m = measured_ns(1 + visit.round);
            m.is_held = visit.round % 3 < held_of_three;
            return Threads{measured_ns(1 + visit.round), m};
        };
        const Recorded recorded = record({.sizes = {64}, .timing = to_precision(2)}, answer);
        EXPECT_EQ(recorded.rows.back().notes, std::vector{Note::limit});
        EXPECT_EQ(recorded.rows.back().is_settled, held_of_three < 2) << "what no cache holds never does";
        return recorded.asked.size();
    };
    EXPECT_EQ(visits_made(0), 8U);
    EXPECT_EQ(visits_made(1), 8U) << "most visits";
    EXPECT_EQ(visits_made(2), 16U) << "a third of the visits";
    EXPECT_EQ(visits_made(3), 16U);
}

TEST(Sweep, HalfOfAnOddNumberOfVisitsIsRoundedUpAndNoLessThanCanAgree) {
    const auto visits_made = [](unsigned visits, Estimate estimate = Estimate::min) {
        TimingPlan timing = to_precision(2, estimate);
        timing.visits = visits;
        return record({.sizes = {64}, .timing = timing},
                      [](const VisitPlan& visit) {
                          Measurement m = measured_ns(std::pow(2.0, visit.round));
                          m.is_held = false;
                          return Threads{m};
                      })
            .asked.size();
    };
    EXPECT_EQ(visits_made(5), 3U);
    EXPECT_EQ(visits_made(9), 5U);
    EXPECT_EQ(visits_made(4), 3U) << "two cannot agree";
    EXPECT_EQ(visits_made(8, Estimate::median), 6U);
}

TEST(Sweep, ASizeIsSettledWhenAllItsThreadsAre) {
    for (const std::size_t unsettled : {0U, 1U}) {
        const Recorded recorded = record({.sizes = {1}, .timing = to_precision(2)}, [&](const VisitPlan& visit) {
            Threads threads{measured_ns(1), measured_ns(1)};
            threads[unsettled] = measured_ns(visit.round < 4 ? 9.0 - visit.round : 2);
            return threads;
        });
        EXPECT_EQ(recorded.asked.size(), 7U);
    }
}

TEST(Sweep, ASizeIsSettledOnTheEstimateAskedFor) {
    // Every visit has one batch of 1 ns, on which the min agrees, and a median that goes on falling.
    const auto answer = [](const VisitPlan& visit) {
        Measurement m = measured_ns(100 - 5.0 * visit.round);
        m.timing.batch_ns.front() = 1;
        return Threads{m};
    };
    EXPECT_EQ(record({.sizes = {1}, .timing = to_precision(2)}, answer).asked.size(), 3U);
    for (const Estimate estimate : {Estimate::median, Estimate::mean})
        EXPECT_EQ(record({.sizes = {1}, .timing = to_precision(2, estimate)}, answer).asked.size(), 16U);
}

TEST(Sweep, AMedianTakesSixVisitsAndAMeanThree) {
    const auto answer = [](const VisitPlan&) { return Threads{measured_ns(1)}; };
    EXPECT_EQ(record({.sizes = {1}, .timing = to_precision(2, Estimate::median)}, answer).asked.size(), 6U);
    EXPECT_EQ(record({.sizes = {1}, .timing = to_precision(2, Estimate::mean)}, answer).asked.size(), 3U);
}

TEST(Sweep, EachVisitIsToldWhatIsLeftOfTheVisitsAndAccesses) {
    const Recorded recorded = record({.sizes = {1}, .timing = {.accesses = 4000, .visits = 4}},
                                     [](const VisitPlan&) { return Threads{measured_ns(1)}; });
    ASSERT_EQ(recorded.asked.size(), 4U);
    for (unsigned round = 0; round < 4; ++round) {
        EXPECT_EQ(recorded.asked[round].left.accesses, 4000 - 1000 * round);
        EXPECT_EQ(recorded.asked[round].left.batches, 32 - 5 * round);
        EXPECT_EQ(recorded.asked[round].left.visits, 4 - round);
    }
}

TEST(Sweep, WithoutAPrecisionMakesExactlyTheAccessesAskedFor) {
    for (const std::uint64_t accesses : {1U, 999U, 100'000U, 1'000'003U}) {
        for (const std::uint64_t shortest_batch : {1U, 300U, 40'000U}) {
            std::map<std::size_t, std::uint64_t> made;
            const Sweep sweep{.sizes = {1, 2}, .timing = {.accesses = accesses, .visits = 4}};
            const Recorded recorded = record(sweep, [&](const VisitPlan& visit) {
                const Threads threads = exactly(visit, shortest_batch);
                made[visit.bytes] += threads.front().timing.accesses;
                return threads;
            });
            EXPECT_EQ(made, (std::map<std::size_t, std::uint64_t>{{1, accesses}, {2, accesses}}));
            EXPECT_EQ(recorded.rows.at(0).visits.size(), std::clamp<std::uint64_t>(accesses / shortest_batch, 1, 4));
        }
    }
}

TEST(Sweep, WithAPrecisionTheAccessesAreTheLimitOfAllVisits) {
    TimingPlan timing = to_precision(2);
    timing.accesses = 3500;
    const Recorded recorded = record({.sizes = {1}, .timing = timing},
                                     [](const VisitPlan& visit) { return Threads{measured_ns(5 + visit.round)}; });
    EXPECT_EQ(recorded.asked.size(), 4U) << "of 1000 accesses each";
    EXPECT_TRUE(has(recorded.rows.at(0), Note::limit));
    EXPECT_FALSE(recorded.rows[0].is_settled);
}

TEST(Sweep, WhatTheThreadThatMadeMostMadeIsTakenOffWhatIsLeft) {
    for (const bool is_first : {true, false}) {
        const Recorded recorded =
            record({.sizes = {1}, .timing = {.accesses = 4000, .visits = 4}}, [&](const VisitPlan&) {
                Threads threads{measured_ns(1), measured_ns(1)};
                threads[is_first ? 0 : 1].timing.accesses = 2000;
                threads[is_first ? 0 : 1].timing.batch_ns.resize(7, 1);
                return threads;
            });
        ASSERT_EQ(recorded.asked.size(), 2U);
        EXPECT_EQ(recorded.asked[1].left.accesses, 2000U);
        EXPECT_EQ(recorded.asked[1].left.batches, 32 - 7);
    }
}

// --- when rows come

TEST(Sweep, GivesARowPerSizeAndThreadInOrder) {
    const Recorded recorded = record({.sizes = {512, 1024}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return Threads{measured_ns(static_cast<double>(visit.bytes)), measured_ns(1.0)};
    });
    ASSERT_EQ(recorded.rows.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(recorded.rows[i].thread, static_cast<int>(i % 2));
        EXPECT_EQ(recorded.rows[i].size_bytes, i < 2 ? 512U : 1024U);
        EXPECT_DOUBLE_EQ(recorded.rows[i].latency_ns.value(),
                         i % 2 == 1 ? 1.0 : static_cast<double>(recorded.rows[i].size_bytes));
    }
}

TEST(Sweep, GivesRowsInOrderOfSizeAsSoonAsAllSmallerOnesAreKnown) {
    const Recorded recorded = record({.sizes = {1, 2, 3}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return Threads{measured_ns(visit.bytes == 2 && visit.round < 2 ? 10.0 - visit.round : 5)};
    });
    // Three visits each in rounds 0 to 2; the second size alone in rounds 3 and 4.
    EXPECT_EQ(recorded.rows_when_asked, (Sizes{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
    ASSERT_EQ(recorded.rows.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(recorded.rows[i].size_bytes, i + 1);
}

TEST(Sweep, WithOneVisitGivesEachRowBeforeTheNextSizeIsVisited) {
    const Recorded recorded = record({.sizes = {1, 2, 3}, .timing = {.accesses = 1000, .visits = 1}},
                                     [](const VisitPlan&) { return Threads{measured_ns(1)}; });
    EXPECT_EQ(recorded.rows_when_asked, (Sizes{0, 1, 2}));
}

TEST(Sweep, InterruptedInTheFirstRoundKeepsWhatWasVisited) {
    const Recorded recorded = record({.sizes = {1, 2, 3}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return visit.bytes == 3 ? Threads{} : Threads{measured_ns(1)};
    });
    ASSERT_EQ(recorded.rows.size(), 2U);
    EXPECT_EQ(recorded.rows[1].size_bytes, 2U);
    EXPECT_TRUE(has(recorded.rows[1], Note::limit)) << "one visit does not agree with any other";
    EXPECT_TRUE(recorded.rows[1].is_settled) << "it was cut short";
}

// --- figures that scatter

/// The row of a size whose visits are these, the last one again and again.
Row row_of_visits(const std::vector<double>& visits) {
    TimingPlan timing = to_precision(2);
    timing.visits = 16;
    const Recorded recorded = record({.sizes = {1}, .timing = timing}, [&](const VisitPlan& visit) {
        return Threads{measured_ns(visits[std::min<std::size_t>(visit.round, visits.size() - 1)])};
    });
    return recorded.rows.at(0);
}

TEST(Sweep, ASizeThatIsLowOnceIsVisitedUntilItIsOneOfEight) {
    const Row row = row_of_visits({10, 7, 10.1, 10});
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 10);
    EXPECT_EQ(row.visits.size(), 8U);
    EXPECT_TRUE(row.notes.empty());
}

TEST(Sweep, ASizeThatIsLowForEverIsLow) {
    const Row row = row_of_visits({10, 7});
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 7);
    EXPECT_EQ(row.visits.size(), 4U);
}

TEST(Sweep, ASizeThatIsHighForAWhileIsWhatItIsAfterwards) {
    const Row row = row_of_visits({14, 19, 16, 12, 10});
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 10);
    EXPECT_EQ(row.visits.size(), 7U);
}

TEST(Sweep, ASizeThatScattersToBothSidesIsNotTheLowestOfSixteen) {
    const Row row = row_of_visits({10, 9, 11, 8, 12, 10.5, 9.5, 7, 13, 8.5, 11.5, 9.25, 10.75, 7.5, 12.5, 10.25});
    EXPECT_DOUBLE_EQ(row.latency_ns.value(), 7.5);
    EXPECT_TRUE(has(row, Note::limit));
}

/// A sweep in which the visit to the second size in round 3 ends otherwise, and nothing settles before.
Recorded ended_in_round_3(const std::function<Threads()>& ending) {
    return record({.sizes = {1, 2, 3}, .timing = to_precision(2)}, [&](const VisitPlan& visit) {
        return visit.round == 3 && visit.bytes == 2 ? ending() : Threads{measured_ns(10 - visit.round)};
    });
}

TEST(Sweep, AnInterruptionInRoundThreeLosesNothing) {
    const Recorded recorded = ended_in_round_3([] { return Threads{}; });
    ASSERT_EQ(recorded.rows.size(), 3U);
    EXPECT_EQ(recorded.rows[0].visits.size(), 4U);
    EXPECT_EQ(recorded.rows[1].visits.size(), 3U);
    EXPECT_EQ(recorded.rows[2].visits.size(), 3U);
    EXPECT_DOUBLE_EQ(recorded.rows[2].latency_ns.value(), 9) << "the second smallest of 10, 9 and 8";
    EXPECT_EQ(recorded.asked.size(), 11U) << "nothing is visited after it";
}

TEST(Sweep, AnExceptionInRoundThreeLosesNothingAndGoesOn) {
    bool threw = false;
    const Recorded recorded = ended_in_round_3([&]() -> Threads {
        threw = true;
        throw Error("broken");
    });
    EXPECT_TRUE(threw);
    ASSERT_EQ(recorded.rows.size(), 3U);
    EXPECT_EQ(recorded.rows[0].visits.size(), 4U);
    EXPECT_EQ(recorded.rows[1].visits.size(), 3U);
    EXPECT_EQ(recorded.asked.size(), 11U);
    FakeProbe broken([](const VisitPlan&) -> Threads { throw Error("broken"); });
    FakeClock clock;
    EXPECT_THROW(
        run_sweep(
            {.sizes = {1}, .timing = to_precision(2)}, broken, clock, [](const Row&) {}, [](const std::string&) {}),
        Error);
}

TEST(Sweep, ARowThatCannotBeWrittenEndsItAndIsNotWrittenAgain) {
    int written = 0;
    FakeProbe probe([](const VisitPlan&) { return Threads{measured_ns(1)}; });
    FakeClock clock;
    EXPECT_THROW(run_sweep(
                     {.sizes = {1, 2}, .timing = {.visits = 1}}, probe, clock,
                     [&](const Row&) {
                         ++written;
                         throw Error("disk full");
                     },
                     [](const std::string&) {}),
                 Error);
    EXPECT_EQ(written, 1);
}

// --- what rows hold

TEST(Sweep, ARowHasItsVisitsWithTimePlaceClockAndBatches) {
    FakeClock clock; // its first reading is when the sweep begins
    const std::uint64_t began_ns = FakeClock().now_ns();
    FakeProbe probe([&](const VisitPlan& visit) {
        Measurement m = measured_ns(5 - visit.round);
        m.start_ns = began_ns + 100 + 1000 * visit.round;
        m.place_bytes = 4096 * visit.round;
        return Threads{m};
    });
    std::vector<Row> rows;
    run_sweep(
        {.sizes = {1}, .timing = {.accesses = 2000, .visits = 2}}, probe, clock,
        [&](const Row& row) { rows.push_back(row); }, [](const std::string&) {});
    ASSERT_EQ(rows.at(0).visits.size(), 2U);
    const Visit& second = rows[0].visits[1];
    EXPECT_EQ(second.start_ns, 1100U);
    EXPECT_EQ(second.place_bytes, 4096U);
    EXPECT_EQ(second.core_ghz, 3);
    EXPECT_EQ(second.batch_ns, std::vector<double>(5, 4.0));
    EXPECT_EQ(rows[0].batches, 10U);
}

// --- progress

TEST(Progress, ShowsThreeOfTheVisitedSizesFromTheFirstVisitOn) {
    const Sizes sizes{4096, 16384, 131072, 262144, 67108864, 1073741824};
    const Recorded recorded = record({.sizes = sizes, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return Threads{measured_ns(static_cast<double>(visit.bytes) / 4096), measured_ns(1)};
    });
    EXPECT_EQ(recorded.phrases.at(0), "6 sizes; round 1");
    EXPECT_EQ(recorded.phrases.at(1), "4 KiB ~1 ns; round 1") << "of the first thread";
    EXPECT_EQ(recorded.phrases.at(2), "16 KiB ~4 ns; round 1");
    EXPECT_EQ(recorded.phrases.at(3), "16 KiB ~4 ns, 128 KiB ~32 ns; round 1");
    EXPECT_EQ(recorded.phrases.at(4), "16 KiB ~4 ns, 256 KiB ~64 ns; round 1");
    EXPECT_EQ(recorded.phrases.at(6), "16 KiB ~4 ns, 256 KiB ~64 ns, 64 MiB ~16384 ns; round 2");
    EXPECT_EQ(recorded.phrases.back(), "16 KiB ~4 ns, 256 KiB ~64 ns, 64 MiB ~16384 ns; round 3") << "with their rows";
}

TEST(Progress, ShowsTheBestFigureSoFarAndNoneThatIsNotKnown) {
    const Recorded recorded = record({.sizes = {16384}, .timing = to_precision(2)}, [](const VisitPlan& visit) {
        return Threads{visit.round == 0 ? Measurement{} : measured_ns(10 - 0.5 * visit.round)};
    });
    EXPECT_EQ(recorded.phrases.at(1), "1 size; round 2");
    EXPECT_EQ(recorded.phrases.at(2), "16 KiB ~9.5 ns; round 3");
    EXPECT_EQ(recorded.phrases.at(3), "16 KiB ~9 ns; round 4");
}

} // namespace
} // namespace memtest
