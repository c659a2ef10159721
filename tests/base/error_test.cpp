#include "memtest/base/error.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(Error, IsAFailureUnlessItIsAUsageError) {
    EXPECT_EQ(Error("out of memory").status(), ExitStatus::failure);
    EXPECT_EQ(usage_error("unknown option").status(), ExitStatus::usage);
}

TEST(Error, IsOneLineWhateverItNames) {
    EXPECT_STREQ(Error("cannot read a\nb\x1b[2J").what(), "cannot read a\\nb\\x1b[2J");
}

TEST(ErrorDeathTest, ABrokenInvariantEndsTheProgramAndIsNamed) {
    require(true, "nothing happens here");
    EXPECT_DEATH(require(false, "the chain is one cycle"), "the chain is one cycle");
}

} // namespace
} // namespace memtest
