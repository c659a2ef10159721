#include "memtest/measure/quick_checks.hpp"

#include "memtest/chain/chains.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace memtest {
namespace {

TeamPlan backward_plan(std::size_t bytes) {
    TeamPlan plan;
    plan.largest_bytes = bytes;
    plan.processors = {allowed_processors().front()};
    return plan;
}

TEST(RandomCheck, WalksASampleOfTheLinesOfTheWholeSizeInRandomOrderAndWarm) {
    TeamPlan plan = backward_plan(std::size_t{1} << 30U);
    plan.area_bytes = 2 * plan.largest_bytes;
    plan.warmup_laps = 0;
    plan.counters = {Counter::cycles};
    const TeamPlan check = random_check_plan(plan);
    EXPECT_EQ(check.shape.order, Order::random);
    EXPECT_EQ(check.shape.line_bytes, 1024U) << "a million lines";
    EXPECT_EQ(check.area_bytes, plan.largest_bytes);
    EXPECT_EQ(check.warmup_laps, std::nullopt);
    EXPECT_TRUE(check.counters.empty());
    EXPECT_EQ(check.processors, plan.processors);
    EXPECT_EQ(random_check_plan(backward_plan(100'032)).shape.line_bytes, 64U);
}

TEST(RandomCheck, MeasuresAreasOfAnySize) {
    const std::atomic<bool> interrupted{false};
    for (const std::size_t bytes : {std::size_t{512}, std::size_t{100'032}, (std::size_t{64} << 20U) + 64}) {
        const auto ns = quick_random_latency_ns(backward_plan(bytes), SystemFiles(), interrupted);
        ASSERT_TRUE(ns.has_value());
        EXPECT_GT(*ns, 0);
    }
}

TEST(RandomCheck, GivesNothingWhenInterrupted) {
    const std::atomic<bool> interrupted{true};
    EXPECT_FALSE(quick_random_latency_ns(backward_plan(4096), SystemFiles(), interrupted).has_value());
}

/// A processor whose laps of a cycle take so long, the first and later ones.
class FakeProcessor {
public:
    FakeProcessor(std::uint64_t first, std::uint64_t later) : first_ns(first), later_ns(later) {}

    [[nodiscard]] FreshCycle cycle() {
        return {.lap = 1000,
                .link = [this](std::uint64_t /*seed*/) { laps_ = 0; },
                .walk =
                    [this](std::size_t accesses) {
                        EXPECT_TRUE(is_flushed_) << "a lap that finds lines in caches tells nothing";
                        is_flushed_ = false;
                        clock.advance(accesses * (laps_++ == 0 ? first_ns : later_ns) + disturbance_ns());
                        return accesses;
                    },
                .flush = [this] { return is_flushed_ = can_flush; }};
    }

    FakeClock clock;
    bool can_flush = true;
    std::uint64_t first_ns;
    std::uint64_t later_ns;

private:
    /// Now and then something takes the processor away.
    std::uint64_t disturbance_ns() { return walks_++ % 4 == 1 ? 1'000'000 : 0; }

    std::uint64_t laps_ = 0;
    std::uint64_t walks_ = 0;
    bool is_flushed_ = false;
};

const std::atomic<bool> not_interrupted{false};

TEST(LearnedLaps, AreThoseOfAProcessorWhoseLaterLapsAreFaster) {
    FakeProcessor learning(100, 60);
    const auto laps = time_laps(learning.cycle(), learning.clock, not_interrupted);
    EXPECT_DOUBLE_EQ(laps.value().first_ns, 100);
    EXPECT_DOUBLE_EQ(laps.value().later_ns, 60);
    EXPECT_TRUE(are_learned(*laps));
}

TEST(LearnedLaps, AreNoneWhereAllLapsTakeAboutAsLong) {
    FakeProcessor steady(100, 90);
    EXPECT_FALSE(are_learned(time_laps(steady.cycle(), steady.clock, not_interrupted).value()));
}

TEST(LearnedLaps, AreNoneWhereOneOfTheCyclesIsFastByChance) {
    for (const std::uint64_t fast : {1U, 2U, 3U}) {
        FakeProcessor processor(100, 60);
        FreshCycle cycle = processor.cycle();
        cycle.link = [link = cycle.link, &processor, fast](std::uint64_t seed) {
            link(seed);
            processor.later_ns = seed == fast ? 60 : 100;
        };
        EXPECT_FALSE(are_learned(time_laps(cycle, processor.clock, not_interrupted).value())) << fast;
    }
}

TEST(LearnedLaps, AreHeldAgainstTheQuickestFirstLapOfAllCycles) {
    FakeProcessor processor(100, 120);
    FreshCycle cycle = processor.cycle();
    cycle.link = [link = cycle.link, &processor](std::uint64_t seed) {
        link(seed);
        processor.first_ns = seed == 1 ? 100 : 130;
    };
    const LapTimes laps = time_laps(cycle, processor.clock, not_interrupted).value();
    EXPECT_DOUBLE_EQ(laps.first_ns, 100);
    EXPECT_DOUBLE_EQ(laps.later_ns, 120);
    FakeProcessor steady(100, 120);
    EXPECT_DOUBLE_EQ(time_laps(steady.cycle(), steady.clock, not_interrupted).value().later_ns, 120)
        << "a first lap is none of the later ones";
}

TEST(LearnedLaps, AreNotKnownWithoutFlushesOrWhenInterrupted) {
    FakeProcessor processor(100, 60);
    EXPECT_FALSE(time_laps(processor.cycle(), processor.clock, std::atomic<bool>{true}).has_value());
    processor.can_flush = false;
    EXPECT_FALSE(time_laps(processor.cycle(), processor.clock, not_interrupted).has_value());
}

TEST(LearnedLaps, AreTimedOnThisMachineWhereItCanFlush) {
    TeamPlan plan;
    plan.largest_bytes = std::size_t{1} << 20U;
    plan.processors = {current_processor()};
    const auto laps = quick_lap_times(plan, SystemFiles(), not_interrupted);
    EXPECT_EQ(laps.has_value(), can_flush_lines());
    EXPECT_GT(laps.value_or(LapTimes{.first_ns = 1}).first_ns, 0);
    EXPECT_GT(laps.value_or(LapTimes{.later_ns = 1}).later_ns, 0);
}

} // namespace
} // namespace memtest
