#include "memtest/measure/awake_cores.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/processors.hpp"
#include "support/until.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace memtest {
namespace {

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
    {
        const int processor = allowed_processors().back();
        const AwakeCores awake({processor, processor});
        EXPECT_EQ(threads_of_this_program(), before + 2);
        EXPECT_TRUE(until([&] { return seconds_of_others() > seconds_before + 0.05; })) << "they do not sleep";
    }
    EXPECT_TRUE(until([&] { return threads_of_this_program() == before; }));
}

TEST(AwakeCores, AreRefusedWhereAThreadCannotRunThere) {
    EXPECT_THROW(const AwakeCores awake({1'000'000}), Error);
}

TEST(AwakeCores, OfNoneTakeNoThread) {
    const std::size_t before = threads_of_this_program();
    const AwakeCores awake({});
    EXPECT_EQ(threads_of_this_program(), before);
}

} // namespace
} // namespace memtest
