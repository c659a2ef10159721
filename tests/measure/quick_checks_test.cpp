#include "memtest/measure/quick_checks.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_clock.hpp"
#include "support/test.hpp"

#include <atomic>

namespace memtest {
namespace {

// --- strides that the prefetcher follows

/// Rows of one thread: the sizes are powers of two from 1 on.
std::vector<Row> rows_of(const std::vector<double>& latencies_ns, int thread = 0) {
    std::vector<Row> rows;
    for (const double ns : latencies_ns) {
        Row row;
        row.thread = thread;
        row.size_bytes = std::size_t{1} << rows.size();
        row.latency_ns = ns;
        rows.push_back(row);
    }
    return rows;
}

TEST(FollowedStride, BeginsWhereTheStridedWalkTakesLessThanHalfOfTheRandomOne) {
    const auto followed = followed_stride(rows_of({1, 1, 5, 6, 7.5}), rows_of({1, 1, 10, 13, 226}));
    ASSERT_TRUE(followed.has_value());
    EXPECT_EQ(followed->from_bytes, 8U) << "at 4 it takes half, not less";
    EXPECT_EQ(followed->last_bytes, 16U);
    EXPECT_EQ(followed->strided_ns, 7.5);
    EXPECT_EQ(followed->random_ns, 226);
    EXPECT_EQ(followed_stride(rows_of({1, 2}), rows_of({5, 5})).value().from_bytes, 1U) << "at the first size, too";
}

TEST(FollowedStride, IsNoneWhereBothTakeAboutAsLong) {
    EXPECT_FALSE(followed_stride(rows_of({1, 4, 60, 80}), rows_of({1, 4, 80, 120})).has_value());
    EXPECT_FALSE(followed_stride({}, rows_of({1, 4})).has_value());
    EXPECT_FALSE(followed_stride(rows_of({1, 4}), {}).has_value());
}

TEST(FollowedStride, IsNotDecidedByOneSizeNotEvenByTheLast) {
    EXPECT_FALSE(followed_stride(rows_of({1, 1, 4, 60, 80}), rows_of({1, 90, 4, 80, 120})).has_value());
    EXPECT_FALSE(followed_stride(rows_of({1, 4, 10}), rows_of({1, 4, 150})).has_value());
    EXPECT_FALSE(followed_stride(rows_of({1}), rows_of({10})).has_value());
}

TEST(FollowedStride, IsNotDecidedByASizeThatWasVisitedOnce) {
    std::vector<Row> random = rows_of({1, 10, 100, 100});
    random[2].visits_made = 1;
    random[3].visits_made = 2;
    const std::vector<Row> strided = rows_of({1, 9, 10, 10});
    EXPECT_FALSE(followed_stride(strided, random).has_value());
    random[2].visits_made = 2;
    EXPECT_EQ(followed_stride(strided, random).value().from_bytes, 4U);
}

TEST(FollowedStride, IsOfTheFirstThreadsAndOfRowsWithALatency) {
    std::vector<Row> strided = rows_of({9, 9, 9, 9});
    const std::vector<Row> others = rows_of({1, 1, 1, 1}, 1);
    strided.insert(strided.end(), others.begin(), others.end());
    std::vector<Row> random = rows_of({9, 9, 9, 9});
    EXPECT_FALSE(followed_stride(strided, random).has_value());
    random = rows_of({9, 100, 100, 100});
    random[3].latency_ns = std::nullopt;
    EXPECT_EQ(followed_stride(strided, random).value().last_bytes, 4U);
    random = rows_of({9, 100, 100, 100});
    random[1].latency_ns = std::nullopt;
    EXPECT_EQ(followed_stride(strided, random).value().from_bytes, 4U);
}

TEST(FollowedStride, InterpolatesBetweenSizesAndComparesNoneBeyondThem) {
    std::vector<Row> strided = rows_of({4, 16});
    strided[0].size_bytes = 1024;
    strided[1].size_bytes = 4096;
    std::vector<Row> random = rows_of({100, 100, 17, 100});
    random[0].size_bytes = 512;
    random[1].size_bytes = 1024;
    random[2].size_bytes = 2048;
    random[3].size_bytes = 8192;
    const auto followed = followed_stride(strided, random);
    ASSERT_TRUE(followed.has_value());
    EXPECT_EQ(followed->from_bytes, 1024U);
    EXPECT_EQ(followed->last_bytes, 2048U);
    EXPECT_DOUBLE_EQ(followed->strided_ns, 8);
    random[2].latency_ns = 15;
    EXPECT_FALSE(followed_stride(strided, random).has_value());
}

// --- chains that the processor foresees

/// A processor whose laps of a cycle take so long, the first and later ones.
class FakeProcessor {
public:
    FakeProcessor(std::uint64_t first, std::uint64_t later) : first_ns(first), later_ns(later) {}

    [[nodiscard]] FreshCycle cycle() {
        return {.lap = 1000,
                .link =
                    [this](std::uint64_t /*seed*/, Link link) {
                        laps_ = 0;
                        link_ = link;
                    },
                .walk =
                    [this](std::size_t accesses) {
                        EXPECT_TRUE(is_flushed_) << "a lap that finds lines in caches tells nothing";
                        is_flushed_ = false;
                        clock.advance(accesses * (laps_++ > 0              ? later_ns
                                                  : link_ == Link::pointer ? first_ns
                                                                           : index_ns) +
                                      disturbance_ns());
                        return accesses;
                    },
                .flush = [this] { return is_flushed_ = can_flush; }};
    }

    FakeClock clock;
    bool can_flush = true;
    std::uint64_t first_ns;
    std::uint64_t later_ns;
    std::uint64_t index_ns = first_ns;

private:
    /// Now and then something takes the processor away.
    std::uint64_t disturbance_ns() { return walks_++ % 4 == 1 ? 1'000'000 : 0; }

    std::uint64_t laps_ = 0;
    Link link_ = Link::pointer;
    std::uint64_t walks_ = 0;
    bool is_flushed_ = false;
};

const std::atomic<bool> not_interrupted{false};

TEST(LearnedLaps, LaterOnesAreTheFourthToTheSixth) {
    for (const auto& [fast, later_ns] : {std::pair(2, 100), {3, 60}, {5, 60}}) {
        FakeClock clock;
        int laps = 0;
        const FreshCycle cycle{.lap = 1000,
                               .link = [&](std::uint64_t, Link) { laps = 0; },
                               .walk =
                                   [&, fast = fast](std::size_t accesses) {
                                       clock.advance(accesses * (laps++ == fast ? 60U : 100U));
                                       return accesses;
                                   },
                               .flush = [] { return true; }};
        EXPECT_NEAR(time_laps(cycle, clock, not_interrupted).value().foreseen_ns, later_ns, 0.5) << fast;
    }
}

TEST(LearnedLaps, AreThoseOfAProcessorWhoseLaterLapsAreFaster) {
    FakeProcessor learning(100, 60);
    const auto laps = time_laps(learning.cycle(), learning.clock, not_interrupted);
    EXPECT_DOUBLE_EQ(laps.value().unforeseen_ns, 100);
    EXPECT_DOUBLE_EQ(laps.value().foreseen_ns, 60);
    EXPECT_TRUE(are_foreseen(*laps));
}

TEST(LearnedLaps, AreNoneWhereAllLapsTakeAboutAsLong) {
    FakeProcessor steady(100, 90);
    EXPECT_FALSE(are_foreseen(time_laps(steady.cycle(), steady.clock, not_interrupted).value()));
}

TEST(LearnedLaps, AreNoneWhereOneOfTheCyclesIsFastByChance) {
    for (const std::uint64_t fast : {1U, 2U, 3U}) {
        FakeProcessor processor(100, 60);
        FreshCycle cycle = processor.cycle();
        cycle.link = [link = cycle.link, &processor, fast](std::uint64_t seed, Link by) {
            link(seed, by);
            processor.later_ns = seed == fast ? 60 : 100;
        };
        EXPECT_FALSE(are_foreseen(time_laps(cycle, processor.clock, not_interrupted).value())) << fast;
    }
}

TEST(LearnedLaps, AreHeldAgainstTheQuickestFirstLapOfAllCycles) {
    FakeProcessor processor(100, 120);
    FreshCycle cycle = processor.cycle();
    cycle.link = [link = cycle.link, &processor](std::uint64_t seed, Link by) {
        link(seed, by);
        processor.first_ns = seed == 1 ? 100 : 130;
    };
    const ChainTimes laps = time_laps(cycle, processor.clock, not_interrupted).value();
    EXPECT_DOUBLE_EQ(laps.unforeseen_ns, 100);
    EXPECT_DOUBLE_EQ(laps.foreseen_ns, 120);
    FakeProcessor steady(100, 120);
    EXPECT_DOUBLE_EQ(time_laps(steady.cycle(), steady.clock, not_interrupted).value().foreseen_ns, 120)
        << "a first lap is none of the later ones";
}

TEST(FollowedAddresses, AreThoseOfAProcessorWhosePointersAreFasterThanItsIndices) {
    FakeProcessor processor(70, 70);
    processor.index_ns = 100;
    const ChainTimes links = time_links(processor.cycle(), processor.clock, not_interrupted).value();
    EXPECT_EQ(links, (ChainTimes{.foreseen_ns = 70, .unforeseen_ns = 100})) << "the disturbed laps do not count";
    EXPECT_TRUE(are_foreseen(links));
    processor.index_ns = 80;
    EXPECT_FALSE(are_foreseen(time_links(processor.cycle(), processor.clock, not_interrupted).value()));
}

TEST(ForeseenChains, AreNotKnownWithoutFlushesOrWhenInterrupted) {
    for (const auto time : {time_laps, time_links}) {
        FakeProcessor processor(100, 60);
        EXPECT_FALSE(time(processor.cycle(), processor.clock, std::atomic<bool>{true}).has_value());
        processor.can_flush = false;
        EXPECT_FALSE(time(processor.cycle(), processor.clock, not_interrupted).has_value());
    }
}

TEST(ForeseenChains, AreClaimedOnlyIfTheyAreFoundAtThreeMoments) {
    const ChainTimes fast{.foreseen_ns = 60, .unforeseen_ns = 100};
    const ChainTimes last{.foreseen_ns = 50, .unforeseen_ns = 90};
    const ChainTimes alike{.foreseen_ns = 95, .unforeseen_ns = 100};
    using Moments = std::vector<std::optional<ChainTimes>>;
    const auto claimed = [&](const Moments& moments) {
        std::size_t measured = 0;
        std::size_t waits = 0;
        const auto found = foreseen_at_three_moments([&] { return moments.at(measured++); }, [&] { ++waits; });
        EXPECT_EQ(measured, moments.size()) << "no further ones";
        EXPECT_EQ(waits, measured - 1) << "one between two";
        return found;
    };
    EXPECT_EQ(claimed({fast, fast, last}), last);
    for (const Moments& moments :
         {Moments{fast, alike}, Moments{fast, fast, alike}, Moments{alike}, Moments{std::nullopt}})
        EXPECT_FALSE(claimed(moments).has_value()) << "one disturbed lap decides nothing";
}

TEST(ForeseenChains, GiveWayToOnesThatAreNot) {
    const ChainShape shape{.order = Order::random};
    EXPECT_EQ(unforeseen(shape, {}), shape);
    EXPECT_EQ(unforeseen(shape, {.learned = ChainTimes{}}).orders, 7U);
    EXPECT_EQ(unforeseen(shape, {.learned = ChainTimes{}}).link, Link::pointer);
    EXPECT_EQ(unforeseen(shape, {.followed = ChainTimes{}}).link, Link::index);
    EXPECT_EQ(unforeseen(shape, {.followed = ChainTimes{}}).orders, 1U);
    EXPECT_EQ(unforeseen({.order = Order::random, .line_bytes = 16}, {.learned = ChainTimes{}}).orders, 2U);
    EXPECT_EQ(unforeseen({.order = Order::random, .orders = 8}, {.learned = ChainTimes{}}).orders, 8U)
        << "as asked for";
}

TEST(ForeseenChains, AreTimedOnThisMachineWithoutAFailure) {
    TeamPlan plan;
    plan.largest_bytes = std::size_t{1} << 20U;
    plan.processors = {current_processor()};
    const ForeseenChains foreseen = quick_foreseen_chains(plan, SystemFiles(), not_interrupted);
    EXPECT_TRUE(can_flush_lines() || (!foreseen.learned && !foreseen.followed));
    plan.largest_bytes = std::size_t{1} << 62U; // lines of which do not fit
    plan.shape.line_bytes = std::size_t{1} << 50U;
    EXPECT_FALSE(quick_foreseen_chains(plan, SystemFiles(), not_interrupted).learned.has_value());
}

} // namespace
} // namespace memtest
