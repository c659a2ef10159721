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
