#include "memtest/machine/clock.hpp"

#include "support/fake_clock.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

#include <ctime>

namespace memtest {
namespace {

TEST(Clock, TheMonotonicOneNeverGoesBack) {
    MonotonicClock clock;
    std::uint64_t before = clock.now_ns();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = clock.now_ns();
        EXPECT_GE(now, before);
        before = now;
    }
}

TEST(Clock, TheMonotonicOneTellsTheSystemsTime) {
    const auto system_ns = [] {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    };
    MonotonicClock clock;
    const std::uint64_t before = system_ns();
    const std::uint64_t now = clock.now_ns();
    EXPECT_GE(now, before);
    EXPECT_LE(now, system_ns());
}

TEST(Clock, OfAFineOneTheCostIsTheSmallestStep) {
    FakeClock clock(25);
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.cost_ns, 25);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 25);
}

TEST(Clock, OfACoarseOneTheResolutionIsATickAndTheCostFarBelow) {
    FakeClock clock(100, 10'000'000);
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 10'000'000);
    EXPECT_NEAR(quality.cost_ns, 100, 10);
}

TEST(Clock, ThatStandsStillIsRefusedWhereverItHasToMove) {
    FakeClock clock;
    EXPECT_NE(refusal_of([&] { static_cast<void>(measure_clock(clock)); }).find("clock"), std::string::npos);
    if (addition_takes_one_cycle) {
        EXPECT_THROW(static_cast<void>(measure_core_clock_ghz(clock, {.cost_ns = 25, .resolution_ns = 25})), Error);
    }
}

/// A clock whose readings lie apart as it is told, over and over.
class IrregularClock : public Clock {
public:
    explicit IrregularClock(std::vector<std::uint64_t> steps_ns) : steps_ns_(std::move(steps_ns)) {}

    [[nodiscard]] std::uint64_t now_ns() override { return now_ns_ += steps_ns_[reading_++ % steps_ns_.size()]; }

private:
    std::vector<std::uint64_t> steps_ns_;
    std::size_t reading_ = 0;
    std::uint64_t now_ns_ = 1'000'000;
};

TEST(Clock, OfAnIrregularFineOneTheSmallestStepIsBoth) {
    IrregularClock clock({26, 40, 23, 31, 9000, 27, 24});
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.cost_ns, 23);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 23);
}

TEST(Clock, OfAnIrregularCoarseOneTheCostIsTheMeanOfItsReadings) {
    IrregularClock clock({0, 0, 0, 1000, 0, 0, 3000, 0, 0, 1000}); // that misses ticks at times
    const ClockQuality quality = measure_clock(clock);
    EXPECT_DOUBLE_EQ(quality.cost_ns, 500);
    EXPECT_DOUBLE_EQ(quality.resolution_ns, 1000);
}

TEST(CoreClock, IsAPlausibleFrequencyOrNotKnown) {
    MonotonicClock clock;
    const auto ghz = measure_core_clock_ghz(clock, measure_clock(clock));
    ASSERT_EQ(ghz.has_value(), addition_takes_one_cycle);
    if (!ghz)
        return;
    EXPECT_GT(*ghz, 0.01); // an emulator
    EXPECT_LT(*ghz, 10.0); // no chain of additions is faster than any core's clock: it was not timed if this fails
}

constexpr double additions = 131072; // of the first trial

TEST(CoreClock, IsThatOfTheMedianTrialWithoutWhatReadingTheClockCosts) {
    if (!addition_takes_one_cycle)
        GTEST_SKIP() << "this core's clock is not known";
    // Once interrupted, once while the clock leaped.
    IrregularClock clock({100, 40'026, 100, 90'025, 100, 40'024, 100, 33'025, 100, 40'025});
    EXPECT_NEAR(measure_core_clock_ghz(clock, {.cost_ns = 25, .resolution_ns = 25}).value(), additions / 40'000, 1e-6);
}

TEST(CoreClock, IsTimedLongEnoughForTheClock) {
    if (!addition_takes_one_cycle)
        GTEST_SKIP() << "this core's clock is not known";
    // Half of a per cent of a clock that steps by 200 ns are 100 us: the first three trials are too short.
    IrregularClock clock({0, 0, 0, 20'000, 0, 80'000, 0, 160'000, 0, 161'000, 0, 162'000, 0, 159'000, 0, 158'000});
    EXPECT_NEAR(measure_core_clock_ghz(clock, {.cost_ns = 0, .resolution_ns = 200}).value(), 8 * additions / 160'000,
                1e-6);
}

TEST(UncoreClocks, AreThoseOfEachPackageWhoseRangeTheKernelTells) {
    const FakeSystem system;
    const auto add = [&](const std::string& package, const std::string& which, const std::string& khz) {
        system.add("/sys/devices/system/cpu/intel_uncore_frequency/" + package + "/" + which + "_freq_khz", khz + "\n");
    };
    add("package_01_die_00", "min", "900000");
    add("package_01_die_00", "max", "2200000");
    add("package_00_die_00", "min", "800000");
    add("package_00_die_00", "max", "2400000");
    add("package_00_die_00", "current", "1600000");
    add("package_02_die_00", "max", "2400000");
    const std::vector<ScaledClock> expected{{0.8, 2.4, 1.6}, {0.9, 2.2, std::nullopt}};
    EXPECT_EQ(read_uncore_clocks(system.files()), expected);
    EXPECT_TRUE(read_uncore_clocks(FakeSystem().files()).empty());
}

TEST(MemoryClocks, AreThoseOfMemoryControllersInEitherUnit) {
    const FakeSystem system;
    const auto add = [&](const std::string& device, const std::string& file, const std::string& text) {
        system.add("/sys/class/devfreq/" + device + "/" + file, text + "\n");
    };
    add("dmc", "cur_freq", "2112000000");
    add("dmc", "min_freq", "528000000");
    add("dmc", "max_freq", "2112000000");
    add("dmc", "governor", "dmc_ondemand");
    add("17000010.devfreq_mif", "cur_freq", "1539000");
    add("devfreq0", "name", "3d400000.memory-controller");
    add("devfreq0", "cur_freq", "25000000");
    add("fb000000.gpu", "cur_freq", "300000000");
    add("soc:dram-unknown", "governor", "userspace");
    add("emc", "cur_freq", "10000000"); // the lowest in Hz
    add("ddr", "min_freq", "800000000");
    add("ddr", "max_freq", "3200000000");
    add("mbus", "min_freq", "400000000"); // half of a range
    EXPECT_EQ(read_memory_clocks(system.files()), (std::vector<ScaledClock>{{1.539, 1.539, 1.539, ""},
                                                                            {0.8, 3.2, std::nullopt, ""},
                                                                            {0.025, 0.025, 0.025, ""},
                                                                            {0.528, 2.112, 2.112, "dmc_ondemand"},
                                                                            {0.01, 0.01, 0.01, ""}}));
    EXPECT_TRUE(read_memory_clocks(FakeSystem().files()).empty());
}

} // namespace
} // namespace memtest
