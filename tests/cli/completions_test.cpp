#include "memtest/cli/manual.hpp"

#include "memtest/cli/commands/commands.hpp"
#include "support/test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memtest {
namespace {

TEST(Completions, HaveEveryOptionOfEveryCommand) {
    for (const Command& command : commands()) {
        for (const OptionText& option : options_of(command)) {
            EXPECT_NE(bash_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
            EXPECT_NE(zsh_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
        }
    }
}

TEST(Completions, OfZshOfferTheCommandsToHelpAndFilesToThoseThatReadThem) {
    const std::string names = fmt::format("({})'", fmt::join(command_names(), " "));
    for (const std::string& arm : std::vector<std::string>{R"(
help)
    shift words
    (( CURRENT-- ))
    _arguments -s \
        '(--help -h)'{-h,--help}'[print this help and exit]' \
        '1:command:)" + names + R"(
    ;;
)",
                                                           R"(
        '(--help -h)'{-h,--help}'[print this help and exit]' \
        '*:sweep:_files'
    ;;
translation)
)",
                                                           R"(
        '(--help -h)'{-h,--help}'[print this help and exit]' \
    ;;
loaded)
)"})
        EXPECT_NE(zsh_completion().find(arm), std::string::npos) << arm;
}

TEST(Completions, OfferForZshAgainWhatMayBeGivenAgain) {
    EXPECT_NE(zsh_completion().find("'*--label=["), std::string::npos);
    EXPECT_EQ(zsh_completion().find("'*--title"), std::string::npos);
}

TEST(Completions, QuoteForZshWhatWouldEndADescription) {
    EXPECT_NE(zsh_completion().find("[exit status of '\\''cannot tell'\\''\\: 4, pass"), std::string::npos);
}

} // namespace
} // namespace memtest
