#include "memtest/measure/load_generator.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/processors.hpp"
#include "support/area.hpp"
#include "support/fake_clock.hpp"
#include "support/test.hpp"
#include "support/until.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <numeric>

namespace memtest {
namespace {

constexpr std::size_t area_bytes = 4 * mib;

/// How many times a lap or more changed the first word of each line.
std::vector<std::uintptr_t> changes_by_line(Area& area, std::size_t line_bytes) {
    std::vector<std::uintptr_t> changes;
    for (std::size_t at = 0; at + line_bytes <= area.memory().size(); at += line_bytes) {
        std::uintptr_t word = 0;
        std::uintptr_t filling = 0;
        std::memcpy(&word, area.memory().data() + at, sizeof(word));
        std::memset(&filling, 0xa5, sizeof(filling));
        changes.push_back(word - filling);
    }
    return changes;
}

TEST(LoadGenerator, CountsTheLinesThatItReadsAndThoseThatItWritesBackToo) {
    for (const unsigned writes : {0U, 33U, 50U, 100U}) {
        Area area(area_bytes);
        const LoadPattern pattern{.line_bytes = 64, .write_percent = writes};
        LoadGenerator generator(area.memory(), pattern);
        constexpr std::uint64_t lap = area_bytes / 64;
        while (generator.lines() < lap)
            generator.load_portion(0);
        EXPECT_EQ(generator.lines(), lap);
        std::uint64_t changed = 0;
        for (const std::uintptr_t changes : changes_by_line(area, 64)) {
            ASSERT_LE(changes, 1U) << "a line was met twice in a lap";
            changed += changes;
        }
        EXPECT_EQ(changed, lap * writes / 100);
        EXPECT_NEAR(bytes_moved(static_cast<double>(lap), pattern), static_cast<double>((lap + changed) * 64), 64);
    }
}

TEST(LoadGenerator, BytesAreLinesTimesTheirSizeTimesOnePlusTheShareThatIsChanged) {
    EXPECT_DOUBLE_EQ(bytes_moved(65536, {.line_bytes = 64, .write_percent = 0}), 4.0 * mib);
    EXPECT_DOUBLE_EQ(bytes_moved(65536, {.line_bytes = 64, .write_percent = 33}), 4.0 * mib * 1.33);
    EXPECT_DOUBLE_EQ(bytes_moved(65536, {.line_bytes = 64, .write_percent = 50}), 4.0 * mib * 1.5);
    EXPECT_DOUBLE_EQ(bytes_moved(65536, {.line_bytes = 64, .write_percent = 100}), 4.0 * mib * 2);
    EXPECT_DOUBLE_EQ(bytes_moved(1, {.line_bytes = 128, .write_percent = 0}), 128);
}

TEST(LoadGenerator, BeginsAnewAtTheEndAndLeavesABrokenLineAlone) {
    constexpr std::size_t line = 128;
    Area area(3 * line + 64);
    LoadGenerator generator(area.memory(), {.line_bytes = line, .write_percent = 100});
    generator.load_portion(5);
    EXPECT_EQ(changes_by_line(area, line), (std::vector<std::uintptr_t>{22, 21, 21}));
    for (std::size_t at = 3 * line; at < area.memory().size(); ++at)
        EXPECT_EQ(area.memory()[at], std::byte{0xa5});
}

TEST(LoadGenerator, ChangesAnotherShareOfItsLinesFromTheNextPortionOn) {
    Area area(area_bytes);
    LoadGenerator generator(area.memory(), {.line_bytes = 64, .write_percent = 0});
    for (const unsigned percent : {0U, 100U, 50U}) {
        generator.set_write_percent(percent);
        generator.load_portion(0);
    }
    constexpr std::size_t portion = LoadGenerator::lines_in_portion;
    const auto changes = changes_by_line(area, 64);
    const auto in_portion = [&](std::size_t number) {
        const auto begin = changes.begin() + static_cast<std::ptrdiff_t>(number * portion);
        return std::accumulate(begin, begin + portion, std::uintptr_t{0});
    };
    EXPECT_EQ(in_portion(0), 0U);
    EXPECT_EQ(in_portion(1), portion);
    EXPECT_EQ(in_portion(2), portion / 2);
}

TEST(LoadGenerator, APauseChangesNothingButTheTime) {
    for (const std::size_t pause : {1U, 63U, 64U, 1000U}) {
        Area area(area_bytes);
        LoadGenerator generator(area.memory(), {.line_bytes = 64, .write_percent = 100});
        generator.load_portion(pause);
        EXPECT_EQ(generator.lines(), LoadGenerator::lines_in_portion);
        const auto changes = changes_by_line(area, 64);
        for (std::size_t i = 0; i < changes.size(); ++i)
            ASSERT_EQ(changes[i], i < LoadGenerator::lines_in_portion ? 1U : 0U) << i;
    }
}

TEST(LoadGenerator, MovesOnInShortPortionsWhereThePauseIsLong) {
    Area area(area_bytes);
    LoadGenerator generator(area.memory(), {});
    generator.load_portion(std::size_t{1} << 16U);
    EXPECT_EQ(generator.lines(), LoadGenerator::lines_in_portion);
    generator.load_portion(std::size_t{1} << 17U);
    EXPECT_EQ(generator.lines(), LoadGenerator::lines_in_portion + 4);
}

/// A board of three load threads, and a clock that each look moves on.
class LoadThreads : public testing::Test {
protected:
    LoadBoard board{3, {}};
    FakeClock clock;
};

TEST_F(LoadThreads, AreLookedAtTogether) {
    const LoadLook before = look_at(board, clock);
    board.published[0].lines = 30;
    board.published[2].lines = 20;
    clock.advance(100);
    EXPECT_DOUBLE_EQ(lines_per_ns(before, {.at_ns = before.at_ns + 100, .lines = look_at(board, clock).lines}), 0.5);
}

TEST_F(LoadThreads, AreAllThereOnceEachHasMadeProgress) {
    board.pause = 0;
    int walks = 0;
    const auto absent = absent_threads(board, clock, [&](std::size_t accesses) {
        board.published.at(static_cast<std::size_t>(walks % 3)).lines += 1;
        ++walks;
        clock.advance(10'000);
        return accesses;
    });
    EXPECT_TRUE(absent.empty());
    EXPECT_EQ(walks, 3) << "it waits no longer";
}

TEST_F(LoadThreads, AreAbsentWithoutProgressForAFifthOfAMillisecond) {
    board.pause = 1000;
    const std::uint64_t start_ns = clock.now_ns();
    const auto absent = absent_threads(board, clock, [&](std::size_t accesses) {
        board.published[1].lines += 1;
        clock.advance(10'000);
        return accesses;
    });
    EXPECT_EQ(absent, (std::vector<std::size_t>{0, 2}));
    EXPECT_GE(clock.now_ns() - start_ns, 200'000U);
    EXPECT_LE(clock.now_ns() - start_ns, 250'000U);
}

TEST_F(LoadThreads, ThatShouldNotLoadAreNotAbsent) {
    const auto never = [](std::size_t accesses) {
        ADD_FAILURE() << "there is nothing to wait for";
        return accesses;
    };
    EXPECT_TRUE(absent_threads(board, clock, never).empty());
    board.pause = endless_pause;
    EXPECT_TRUE(absent_threads(board, clock, never).empty());
}

std::size_t threads_of_this_program() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// The time that the other threads of this program have spent in it, ended ones, too.
double seconds_of_others() {
    const auto seconds = [](int who) {
        rusage usage{};
        getrusage(who, &usage);
        return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
    };
    return seconds(RUSAGE_SELF) - seconds(RUSAGE_THREAD);
}

TEST(AwakeCores, AreBusyWithAThreadEachUntilTheEnd) {
    if (refusal_to_pin())
        GTEST_SKIP() << "threads cannot be bound here";
    const std::size_t before = threads_of_this_program();
    const double seconds_before = seconds_of_others();
    std::size_t meanwhile = 0;
    {
        const int processor = allowed_processors().back();
        const AwakeCores awake({processor, processor});
        meanwhile = threads_of_this_program();
        EXPECT_GE(meanwhile, before + 2) << "a sanitizer may start one of its own";
        EXPECT_TRUE(until([&] { return seconds_of_others() > seconds_before + 0.05; })) << "they do not sleep";
    }
    EXPECT_TRUE(until([&] { return threads_of_this_program() == meanwhile - 2; }));
}

TEST(AwakeCores, AreRefusedWhereAThreadCannotRunThere) {
    EXPECT_THROW(const AwakeCores awake({1'000'000}), Error);
}

TEST(AwakeCores, OfNoneTakeNoThread) {
    const std::size_t before = threads_of_this_program();
    const AwakeCores awake({});
    EXPECT_EQ(threads_of_this_program(), before);
}

std::set<int> threads_by_id() {
    std::set<int> ids;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        ids.insert(std::stoi(task.path().filename()));
    return ids;
}

TEST(AwakeCores, AreAbandonedWhereTheSystemRunsTheirThreadsElsewhere) {
    const std::vector<int> allowed = allowed_processors();
    if (refusal_to_pin() || allowed.size() < 2)
        GTEST_SKIP() << "threads cannot be moved here";
    const std::set<int> before = threads_by_id();
    const AwakeCores awake({allowed.back(), allowed.back()});
    EXPECT_TRUE(awake.abandoned().empty());
    cpu_set_t other{};
    CPU_SET(static_cast<std::size_t>(allowed.front()), &other);
    for (const int id : threads_by_id()) {
        if (!before.contains(id)) {
            EXPECT_EQ(sched_setaffinity(id, sizeof(other), &other), 0);
        }
    }
    EXPECT_TRUE(until([&] { return awake.abandoned() == std::vector(2, allowed.back()); }));
}

} // namespace
} // namespace memtest
