#include "memtest/cli/suggestion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace memtest {
namespace {

constexpr std::array<std::string_view, 5> words{"random", "max-size", "min-size", "tlb", "levels"};

TEST(Suggestion, IsAWordThatIsNearlyWhatWasWritten) {
    EXPECT_EQ(suggestion_for("randon", words), "random") << "replaced";
    EXPECT_EQ(suggestion_for("rndom", words), "random") << "dropped";
    EXPECT_EQ(suggestion_for("randomm", words), "random") << "added";
    EXPECT_EQ(suggestion_for("tbl", words), "tlb") << "exchanged";
    EXPECT_EQ(suggestion_for("maxsize", words), "max-size");
    EXPECT_EQ(suggestion_for("minsize", words), "min-size") << "the nearest, not the first";
}

TEST(Suggestion, IsAWordThatBeginsWithWhatWasWritten) {
    EXPECT_EQ(suggestion_for("lev", words), "levels");
    EXPECT_EQ(suggestion_for("m", words), std::nullopt) << "one letter tells nothing";
}

TEST(Suggestion, IsNoneWhereNothingIsNear) {
    EXPECT_EQ(suggestion_for("frobnicate", words), std::nullopt);
    EXPECT_EQ(suggestion_for("xyb", words), std::nullopt);
    EXPECT_EQ(suggestion_for("", words), std::nullopt);
    EXPECT_EQ(suggestion_for("random", {}), std::nullopt);
    EXPECT_EQ(suggestion_for(std::string(100'000, 'x'), words), std::nullopt);
}

} // namespace
} // namespace memtest
