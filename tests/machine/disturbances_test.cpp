#include "memtest/machine/disturbances.hpp"

#include "memtest/base/units.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <limits>
#include <thread>

namespace memtest {
namespace {

/// Touches so much memory that it takes a fault for every base page.
void fault_in(std::size_t bytes) {
    const std::atomic<bool> unfilled{true};
    const Arena arena(bytes, PageKind::base, SystemFiles(), std::nullopt, unfilled);
    for (std::size_t at = 0; at < bytes; at += base_page_bytes())
        arena.memory()[at] = std::byte{1};
}

TEST(Disturbances, CountTheFaultsOfTheirOwnThread) {
    const std::uint64_t pages = 8 * mib / base_page_bytes();
    const std::uint64_t before = read_disturbances().faults;
    std::thread(fault_in, 8 * mib).join();
    const std::uint64_t between = read_disturbances().faults;
    EXPECT_LT(between - before, pages) << "those of another thread";
    fault_in(8 * mib);
    EXPECT_GE(read_disturbances().faults - between, pages);
}

TEST(Disturbances, CountNoSleepAsPreemption) {
    constexpr int sleeps = 100;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (int time = 0; time < 10; ++time) { // of which one is hardly disturbed
        const std::uint64_t before = read_disturbances().preemptions;
        for (int i = 0; i < sleeps; ++i)
            std::this_thread::sleep_for(std::chrono::microseconds(10));
        fewest = std::min(fewest, read_disturbances().preemptions - before);
    }
    EXPECT_LT(fewest, sleeps / 2);
}

TEST(Disturbances, AWaitIsAnInterruptionOfWhatNeverWaits) { // as of a thread that is stopped
    const Disturbances before = read_disturbances();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const Disturbances after = read_disturbances();
    EXPECT_GT(after.waits, before.waits);
    EXPECT_TRUE(was_stopped(before, after));
    EXPECT_FALSE(was_stopped(before, before));
    EXPECT_TRUE(was_stopped({.preemptions = 1}, {.preemptions = 2}));
}

TEST(Disturbances, CountAsPreemptionThatAnotherThreadGetsTheProcessor) {
    const int processor = allowed_processors().front();
    std::atomic<bool> done{false};
    std::thread rival([&] {
        pin_to(processor);
        while (!done) {
        }
    });
    std::uint64_t preemptions = 0;
    std::thread([&] {
        pin_to(processor);
        const std::uint64_t before = read_disturbances().preemptions;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (preemptions == 0 && std::chrono::steady_clock::now() < end)
            preemptions = read_disturbances().preemptions - before;
    }).join();
    done = true;
    rival.join();
    EXPECT_GT(preemptions, 0U);
}

TEST(Disturbances, NameTheProcessor) {
    for (const int processor : allowed_processors()) {
        std::thread([processor] {
            pin_to(processor);
            EXPECT_EQ(read_disturbances().processor, processor);
        }).join();
    }
}

/// A system of four processors with these lines in /proc.
bool is_busy(const std::string& pressure, const std::string& load, const std::string& own_schedule = "") {
    const FakeSystem system;
    system.add("/sys/devices/system/cpu/online", "0-3\n");
    if (!pressure.empty())
        system.add("/proc/pressure/cpu", pressure + " avg60=0.00 avg300=0.00 total=1\nfull avg10=99.00\n");
    if (!load.empty())
        system.add("/proc/loadavg", load);
    if (!own_schedule.empty())
        system.add("/proc/thread-self/schedstat", own_schedule);
    return is_machine_busy(system.files());
}

TEST(BusyMachine, IsOneWhereOthersWaitForTheProcessors) {
    EXPECT_TRUE(is_busy("some avg10=34.50", "3.10 2.00 1.00 3/412 12345\n"));
    EXPECT_TRUE(is_busy("some avg10=10.00", "3.10 2.00 1.00 2/412 12345\n"));
    EXPECT_FALSE(is_busy("some avg10=9.90", "3.10 2.00 1.00 3/412 12345\n"));
}

TEST(BusyMachine, IsOneWhereOthersHoldThemAll) {
    EXPECT_TRUE(is_busy("some avg10=0.00", "4.00 2.00 1.00 5/412 12345\n"));
    EXPECT_TRUE(is_busy("", "9.25 2.00 1.00 9/412 12345\n")) << "a kernel without pressure";
    EXPECT_FALSE(is_busy("", "3.90 9.00 9.00 4/412 12345\n")) << "a processor is left";
}

TEST(BusyMachine, IsNoneOnceTheOthersHaveEnded) {
    EXPECT_FALSE(is_busy("some avg10=90.00", "7.50 2.00 1.00 1/412 12345\n")) << "as right after a build";
}

TEST(BusyMachine, IsOneThatKeepsTheProgramWaiting) {
    EXPECT_TRUE(is_busy("", "", "40000000 30000000 9\n"));
    EXPECT_TRUE(is_busy("", "", "75000000 25000000 9\n"));
    EXPECT_TRUE(is_busy("", "", "1000 11000000 9\n"));
    EXPECT_FALSE(is_busy("", "", "40000000 9000000 9\n")) << "9 ms come by chance";
    EXPECT_FALSE(is_busy("", "", "90000000 11000000 9\n")) << "of a second, a tenth does";
}

TEST(BusyMachine, SlowsWorkDownByWhatRunsThere) {
    FakeSystem system;
    system.add("/sys/devices/system/cpu/online", "0-3\n");
    system.add("/proc/loadavg", "9.00 2.00 1.00 9/412 12345\n");
    EXPECT_EQ(slowdown_by_others(system.files()), 3.25);
    system.add("/proc/loadavg", "3.00 2.00 1.00 5/412 12345\n");
    EXPECT_EQ(slowdown_by_others(system.files()), 1) << "others hold not all";
    system.add("/proc/pressure/cpu", "some avg10=34.50\n");
    EXPECT_EQ(slowdown_by_others(system.files()), 2);
}

TEST(BusyMachine, IsNoneThatSaysNothing) {
    EXPECT_FALSE(is_machine_busy(FakeSystem().files()));
    EXPECT_FALSE(is_busy("nonsense", "nonsense", "nonsense"));
    EXPECT_FALSE(is_busy("", "0.00 0.00 0.00 0/0 0\n"));
}

/// What /proc/stat says after so many ticks of processor 2 on each kind of work. Others work all the time.
std::string stat(int user, int system, int idle, int waiting = 0, int stolen = 0) {
    return "cpu  9999999 0 0 0 0 0 0 0 0 0\ncpu1 9999999 0 0 0 0 0 0 0 0 0\ncpu2 " + std::to_string(user) + " 0 " +
           std::to_string(system) + " " + std::to_string(idle) + " " + std::to_string(waiting) + " 0 0 " +
           std::to_string(stolen) + " 0 0\nintr 5\n";
}

TEST(UseByOthers, IsTheShareOfTheProcessorsThatWorkedMeanwhile) {
    const FakeSystem system;
    system.add("/proc/stat", stat(50'000, 10'000, 900'000));
    UseByOthers others(system.files(), {2});
    system.add("/proc/stat", stat(52'000, 11'000, 904'000, 2'000, 1'000));
    EXPECT_NEAR(others.percent_since().value(), 40, 1) << "2000, 1000 and 1000 of 10000 ticks";
    system.add("/proc/stat", stat(52'000, 11'000, 914'000, 2'000, 1'000));
    EXPECT_NEAR(others.percent_since().value(), 0, 1) << "since the last call";
}

TEST(UseByOthers, IsOfAllItsProcessorsTogether) {
    const FakeSystem system;
    UseByOthers others(system.files(), {0, 12});
    system.add("/proc/stat",
               "cpu 1 0 0 0 0 0 0 0\ncpu0 6000 0 0 0 0 0 0 0\ncpu1 9 0 0 0 0 0 0 0\ncpu12 0 0 0 4000 0 0 0 0\n");
    EXPECT_NEAR(others.percent_since().value(), 60, 1);
}

TEST(UseByOthers, IsWithoutWhatThisProcessUses) {
    const FakeSystem system;
    system.add("/proc/stat", stat(0, 0, 0));
    UseByOthers others(system.files(), {2});
    const auto work = [] {
        const std::clock_t begin = std::clock();
        while (std::clock() - begin < CLOCKS_PER_SEC / 5) {
        }
    };
    work();
    system.add("/proc/stat", stat(20, 0, 80));
    EXPECT_LT(others.percent_since().value(), 5);
    work();
    system.add("/proc/stat", stat(20 + 70, 0, 80 + 30));
    EXPECT_NEAR(others.percent_since().value(), 50, 10) << "and no less";
}

TEST(UseByOthers, IsNotKnownWhereTheKernelDoesNotTellOrTooSoon) {
    const FakeSystem system;
    UseByOthers others(system.files(), {2});
    EXPECT_EQ(others.percent_since(), std::nullopt);
    system.add("/proc/stat", stat(49, 0, 0));
    EXPECT_EQ(others.percent_since(), std::nullopt);
    system.add("/proc/stat", stat(49, 0, 51));
    EXPECT_NEAR(others.percent_since().value(), 49, 5) << "since it was made";
}

} // namespace
} // namespace memtest
