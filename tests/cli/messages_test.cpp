#include "memtest/cli/messages.hpp"

#include <gtest/gtest.h>

namespace memtest {
namespace {

TEST(ProgressText, TellsTheSizesSettledTheRoundAndTheTimeLeft) {
    EXPECT_EQ(describe(Progress{.settled = 7, .sizes = 41, .round = 0}), "7 of 41 sizes settled, round 1");
    EXPECT_EQ(describe(Progress{.settled = 7, .sizes = 41, .round = 4, .seconds_left = 3.4}),
              "7 of 41 sizes settled, round 5, about 3 s left");
    EXPECT_TRUE(
        describe(Progress{.settled = 40, .sizes = 41, .round = 4, .seconds_left = 0}).ends_with("about 1 s left"))
        << "something is";
}

} // namespace
} // namespace memtest
