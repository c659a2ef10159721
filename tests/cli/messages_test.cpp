#include "memtest/cli/messages.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(ProgressText, ShowsProvisionalFiguresTheRoundAndTheTimeLeft) {
    Progress progress{.settled = 7, .sizes = 41, .round = 2, .seconds_left = 3.6};
    progress.figures = {{.size_bytes = 16384, .latency_ns = 1.083}, {.size_bytes = 67108864, .latency_ns = 154.4}};
    EXPECT_EQ(describe(progress), "16 KiB ~1.08 ns, 64 MiB ~154 ns; round 3; 4 s left");
    progress.seconds_left = 0;
    EXPECT_TRUE(describe(progress).ends_with("; 1 s left")) << "something is";
}

TEST(ProgressText, BeforeTheFirstVisitShowsTheNumberOfSizes) {
    EXPECT_EQ(describe(Progress{.sizes = 41}), "41 sizes; round 1");
}

} // namespace
} // namespace memtest
