#include "memtest/cli/completions.hpp"

#include "memtest/cli/verbs/verbs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memtest {
namespace {

TEST(Completions, HaveEveryOptionOfEveryVerb) {
    for (const Verb& verb : verbs()) {
        for (const OptionText& option : options_of(verb)) {
            EXPECT_NE(bash_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
            EXPECT_NE(zsh_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
        }
    }
}

} // namespace
} // namespace memtest
