#include "memtest/cli/manual.hpp"

#include "memtest/cli/commands/commands.hpp"
#include "support/test.hpp"

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

TEST(Completions, OfferSeveralWordsWhereAnOptionTakesAList) {
    EXPECT_NE(bash_completion().find("--counters) words=\"cycles instructions"), std::string::npos);
    EXPECT_NE(bash_completion().find(" all\" list=yes ;;"), std::string::npos);
    EXPECT_NE(bash_completion().find("--estimate) words=\"min median mean\" ;;"), std::string::npos);
}

TEST(Completions, OfferTheCommandsToHelpAndFilesToThoseThatReadThem) {
    for (const char* arm : {R"(    help)
        case $before in
        *) words="--help -h" words="$words report tlb loaded tail cores nodes prefetch levels translation compare fleet plot help" ;;
        esac
        ;;
)",
                            R"(    levels)
        case $before in
        --format) words="csv json table" ;;
        --part) ;;
        --columns) ;;
        *) words="--format --part --columns --help -h" files=yes ;;
        esac
        ;;
)",
                            R"(
        *) words="--max-size -m --seed --cpu --pages --max-time --format --output -o --quiet -q --help -h" ;;
        esac
        ;;
    loaded)
)"})
        EXPECT_NE(bash_completion().find(arm), std::string::npos) << arm;
    for (const char* arm : {R"(
help)
    shift words
    (( CURRENT-- ))
    _arguments -s \
        '(--help -h)'{-h,--help}'[print this help and exit]' \
        '1:command:(report tlb loaded tail cores nodes prefetch levels translation compare fleet plot help)'
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
