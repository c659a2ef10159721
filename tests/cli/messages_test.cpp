#include "memtest/cli/messages.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace memtest {
namespace {

TEST(Messages, AreALineEachWhateverTheyHold) {
    testing::internal::CaptureStderr();
    warn("a name: ", "new\n# verdict: none\x1b[2J\x9b");
    print_error("b\nmemtest: c");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "memtest: warning: a name: new\\n# verdict: none\\x1b[2J\\x9b\nmemtest: b\\nmemtest: c\n");
}

TEST(Messages, AreCompleteHoweverLongTheyAre) {
    const std::string sentence(10'001, 'a');
    testing::internal::CaptureStderr();
    warn(sentence);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "memtest: warning: " + sentence + "\n");
}

TEST(Messages, NameAPartialFileOrSayThatItIsLost) {
    testing::internal::CaptureStderr();
    warn_of_partial(std::nullopt);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    warn_of_partial("a.csv.partial.1");
    EXPECT_NE(testing::internal::GetCapturedStderr().find(" a.csv.partial.1\n"), std::string::npos);
    testing::internal::CaptureStderr();
    warn_of_partial("");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("lost"), std::string::npos);
}

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
