#include "memtest/cli/messages.hpp"

#include "support/failing_allocation.hpp"
#include "support/terminal.hpp"
#include "support/test.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>

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

/// Standard error on a terminal.
class MessagesOnATerminal : public testing::Test {
protected:
    void SetUp() override {
        if (terminal.path().empty())
            GTEST_SKIP() << "no terminal can be made here";
        setenv("TERM", "vt100", 1);
        setenv("NO_COLOR", "1", 1);
    }
    ~MessagesOnATerminal() override { unsetenv("NO_COLOR"); }

    const Terminal terminal;
    const Redirected standard_error{STDERR_FILENO, terminal.descriptor()};
};

TEST_F(MessagesOnATerminal, AreCompleteHoweverLongTheyAre) {
    std::string sentence = "0";
    for (int word = 1; word < 1200; ++word)
        sentence += " " + std::to_string(word);
    warn(sentence);
    std::string text = terminal.text();
    EXPECT_GT(text.size(), std::size_t{PIPE_BUF});
    for (std::size_t at = 0; (at = text.find("\n    ")) != std::string::npos;)
        text.replace(at, 5, " ");
    EXPECT_EQ(text, "memtest: warning: " + sentence + "\n");
}

TEST_F(MessagesOnATerminal, AreWrittenWithoutMemoryToo) {
    {
        const FailingAllocation none(0);
        warn("out of memory; its result so far is in a long-named ", "a.partial");
        EXPECT_TRUE(FailingAllocation::has_failed());
    }
    EXPECT_EQ(terminal.text(), "memtest: warning: out of memory; its result so far is in a long-named a.partial\n");
    warn_of_partial(std::nullopt);
    EXPECT_EQ(terminal.text(), "");
    warn_of_partial("");
    EXPECT_NE(terminal.text().find("lost"), std::string::npos);
}

TEST_F(MessagesOnATerminal, AProgressLineIsShorterThanTheTerminal) {
    ProgressLine line(true);
    line.show(std::string(79, 'a'));
    EXPECT_EQ(terminal.text(), "\r\033[K" + std::string(79, 'a'));
    line.show(std::string(80, 'b'));
    EXPECT_EQ(terminal.text(), "\r\033[K" + std::string(76, 'b') + "...");
    line.clear();
}

} // namespace
} // namespace memtest
