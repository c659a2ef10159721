#include "memtest/measure/learned_laps.hpp"

#include "memtest/chain/line_flush.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memtest {
namespace {

/// A processor whose laps of a cycle take so long, the first and later ones.
class FakeProcessor {
public:
    FakeProcessor(std::uint64_t first_ns, std::uint64_t later_ns) : first_ns_(first_ns), later_ns_(later_ns) {}

    [[nodiscard]] FreshCycle cycle() {
        return {.lap = 1000,
                .link = [this](std::uint64_t /*seed*/) { laps_ = 0; },
                .walk =
                    [this](std::size_t accesses) {
                        EXPECT_TRUE(is_flushed_) << "a lap that finds lines in caches tells nothing";
                        is_flushed_ = false;
                        clock.advance(accesses * (laps_++ == 0 ? first_ns_ : later_ns_) + disturbance_ns());
                        return accesses;
                    },
                .flush = [this] { return is_flushed_ = can_flush; }};
    }

    FakeClock clock;
    bool can_flush = true;

private:
    /// Now and then something takes the processor away.
    std::uint64_t disturbance_ns() { return walks_++ % 4 == 1 ? 1'000'000 : 0; }

    std::uint64_t first_ns_;
    std::uint64_t later_ns_;
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
