#include "memtest/machine/counters.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/pages.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/system_limit.hpp"
#include "support/test.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace memtest {
namespace {

TEST(ScaledCount, IsTheCountWhereTheCounterRanAllTheTime) {
    EXPECT_EQ(scaled_count({.count = 1000, .enabled_ns = 50, .running_ns = 50}), 1000.0);
    EXPECT_EQ(scaled_count({.count = 0, .enabled_ns = 50, .running_ns = 50}), 0.0);
}

TEST(ScaledCount, IsExtrapolatedWhereCountersTookTurns) {
    EXPECT_EQ(scaled_count({.count = 1000, .enabled_ns = 100, .running_ns = 25}), 4000.0);
}

TEST(ScaledCount, IsNotKnownWhereTheCounterNeverRan) {
    EXPECT_EQ(scaled_count({.count = 0, .enabled_ns = 100, .running_ns = 0}), std::nullopt);
    EXPECT_EQ(scaled_count({}), std::nullopt);
}

TEST(Counters, HaveAWordAndAColumnEach) {
    std::set<std::string_view> words;
    std::set<std::string_view> columns;
    for (const Counter counter : all_values<Counter>()) {
        words.insert(word_of(counter));
        columns.insert(column_of(counter));
        EXPECT_TRUE(column_of(counter).ends_with(" per access")) << column_of(counter);
    }
    EXPECT_EQ(words.size(), all_values<Counter>().size());
    EXPECT_EQ(columns.size(), all_values<Counter>().size());
}

// --- refusals

/// A kernel that answers with an error to some counters.
class CountersOnAFakeKernel : public testing::Test {
protected:
    std::string refusal(const std::vector<Counter>& asked) {
        return refusal_of([&] {
            check_counters(asked, system.files(), [this](Counter c) { return is_software(c) ? software : hardware; });
        });
    }

    static bool is_software(Counter c) { return c == Counter::page_faults || c == Counter::context_switches; }

    FakeSystem system;
    int hardware = 0;
    int software = 0;
};

TEST_F(CountersOnAFakeKernel, ThatGivesThemAllAreNotRefused) {
    EXPECT_EQ(refusal(all_values<Counter>()), "");
}

TEST_F(CountersOnAFakeKernel, WithoutAProcessorsCountersAreRefusedWithThoseThatWork) {
    for (const int error : {ENOENT, EINVAL}) {
        hardware = error;
        EXPECT_EQ(refusal({Counter::page_faults}), "");
        EXPECT_TRUE(mentions(refusal({Counter::page_faults, Counter::cycles, Counter::llc_misses}),
                             {"--counters cycles, llc-misses: ", ": page-faults, context-switches"}));
    }
}

TEST_F(CountersOnAFakeKernel, WithoutPermissionAreRefusedWithTheSettingAndItsValue) {
    system.add("/proc/sys/kernel/perf_event_paranoid", "4\n");
    hardware = software = EACCES;
    EXPECT_TRUE(mentions(refusal({Counter::cycles}), {"--counters cycles: ", "perf_event_paranoid is 4; 2 or less",
                                                      "CAP_PERFMON", "seccomp", ": none"}));
    EXPECT_TRUE(mentions(refusal({Counter::context_switches}), {"is 4; 1 or less"}))
        << "the kernel's own events need more";
}

TEST_F(CountersOnAFakeKernel, EachReasonIsGiven) {
    hardware = ENOENT;
    software = EPERM;
    EXPECT_TRUE(mentions(refusal({Counter::cycles, Counter::page_faults}),
                         {"--counters cycles: not supported", "page-faults: not permitted", "perf_event_paranoid"}));
}

TEST_F(CountersOnAFakeKernel, WithoutPerformanceEventsAreRefused) {
    hardware = software = ENOSYS;
    EXPECT_TRUE(mentions(refusal({Counter::page_faults}), {"--counters page-faults: ", "kernel", ": none"}));
}

// --- on the real kernel, whose own events need no processor's counters

class RealCounters : public testing::TestWithParam<Counter> {
protected:
    void SetUp() override {
        if (try_counter(GetParam()) != 0)
            GTEST_SKIP() << "this system does not give " << word_of(GetParam());
    }

    template<class Action>
    static CounterReading read_over(const Action& action) {
        ThreadCounters counters({GetParam()});
        counters.start();
        action();
        counters.stop();
        return counters.read().at(0);
    }

    static void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
};

std::string name_of(const testing::TestParamInfo<Counter>& test) {
    std::string name(word_of(test.param));
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Each, RealCounters, testing::ValuesIn(all_values<Counter>()), name_of);

TEST_P(RealCounters, TellHowLongTheyHaveRun) {
    const CounterReading reading = read_over(sleep);
    EXPECT_GT(reading.enabled_ns, 0U);
    EXPECT_LE(reading.running_ns, reading.enabled_ns);
}

using PageFaults = RealCounters;
INSTANTIATE_TEST_SUITE_P(Real, PageFaults, testing::Values(Counter::page_faults), name_of);

/// Touches pages that nobody has touched before.
void fault(std::size_t pages) {
    const std::size_t page = base_page_bytes();
    void* fresh = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(fresh, MAP_FAILED);
    madvise(fresh, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i)
        static_cast<volatile std::byte*>(fresh)[i * page] = std::byte{1};
    munmap(fresh, pages * page);
}

TEST_P(PageFaults, AreCountedBetweenStartAndStopAndNotOutside) {
    constexpr std::size_t pages = 1000;
    constexpr std::uint64_t others = 100; // the program's own code and stack
    ThreadCounters counters({GetParam()});
    for (int round = 0; round < 2; ++round) {
        fault(pages);
        counters.start();
        fault(pages);
        counters.stop();
        EXPECT_GE(counters.read().at(0).count, pages);
        fault(pages);
        counters.start();
        counters.stop();
        const CounterReading reading = counters.read().at(0);
        EXPECT_LT(reading.count, others);
        EXPECT_LE(reading.running_ns, reading.enabled_ns);
    }
}

TEST_P(PageFaults, AreThoseOfAllStretchesBetweenStartAndStopSinceTheLastReading) {
    constexpr std::size_t pages = 100;
    constexpr std::size_t outside = 100 * pages; // far more than what a sanitizer touches beside the pages
    ThreadCounters counters({GetParam()});
    for (int stretch = 0; stretch < 2; ++stretch) {
        counters.start();
        fault(pages);
        counters.stop();
        fault(outside);
    }
    const std::uint64_t counted = counters.read().at(0).count;
    EXPECT_GE(counted, 2 * pages);
    EXPECT_LT(counted, outside);
}

TEST_P(PageFaults, AreNotKnownOverASpanWhoseStartOrEndCannotBeRead) {
    const int unreadable = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int descriptor = dup(unreadable);
    close(descriptor); // the lowest that is free, so that the counter's descriptor gets its number
    ThreadCounters counters({GetParam()});
    const int counter = dup(descriptor);
    const auto count = [&] {
        counters.start();
        counters.stop();
        return scaled_count(counters.read().at(0));
    };
    EXPECT_TRUE(count());
    dup2(unreadable, descriptor);
    EXPECT_FALSE(count());
    dup2(counter, descriptor);
    EXPECT_FALSE(count()) << "it began where nothing could be read";
    EXPECT_TRUE(count());
    close(counter);
    close(unreadable);
}

using ContextSwitches = RealCounters;
INSTANTIATE_TEST_SUITE_P(Real, ContextSwitches, testing::Values(Counter::context_switches), name_of);

TEST_P(ContextSwitches, AreCountedAlthoughTheyHappenInTheKernel) {
    EXPECT_GE(read_over(sleep).count, 1U);
}

TEST(RealCountersTogether, FailWhereOneCannotBeOpened) {
    const SystemLimit none(RLIMIT_NOFILE, 0);
    EXPECT_THROW(const ThreadCounters counters({Counter::page_faults}), Error);
}

TEST(RealCountersTogether, KeepTheirOrder) {
    if (try_counter(Counter::page_faults) != 0 || try_counter(Counter::context_switches) != 0)
        GTEST_SKIP() << "this system does not give them";
    ThreadCounters counters({Counter::context_switches, Counter::page_faults});
    counters.start();
    fault(1000);
    counters.stop();
    const auto readings = counters.read();
    ASSERT_EQ(readings.size(), 2U);
    EXPECT_LT(readings[0].count, 1000U);
    EXPECT_GE(readings[1].count, 1000U);
}

} // namespace
} // namespace memtest
