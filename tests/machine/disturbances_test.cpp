#include "memtest/machine/disturbances.hpp"

#include "memtest/machine/arena.hpp"
#include "memtest/machine/processors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

namespace memtest {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

/// Touches so much memory that it takes a fault for every base page.
void fault(std::size_t bytes) {
    const std::atomic<bool> unfilled{true};
    const Arena arena(bytes, PageKind::base, SystemFiles(), std::nullopt, unfilled);
    for (std::size_t at = 0; at < bytes; at += base_page_bytes())
        arena.memory()[at] = std::byte{1};
}

TEST(Disturbances, CountTheFaultsOfTheirOwnThread) {
    const std::uint64_t pages = 8 * mib / base_page_bytes();
    const std::uint64_t before = read_disturbances().faults;
    std::thread(fault, 8 * mib).join();
    const std::uint64_t between = read_disturbances().faults;
    EXPECT_LT(between - before, pages) << "those of another thread";
    fault(8 * mib);
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

} // namespace
} // namespace memtest
