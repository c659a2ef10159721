#include "memtest/cli/completions.hpp"

#include "memtest/cli/compare_command.hpp"
#include "memtest/cli/levels_command.hpp"
#include "memtest/cli/probe_options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memtest {
namespace {

TEST(Completions, HaveEveryOptionOfEveryVerb) {
    for (const auto& table : {texts_of(probe_options()), levels_option_texts(), compare_option_texts()}) {
        for (const OptionText& option : table) {
            EXPECT_NE(bash_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
            EXPECT_NE(zsh_completion().find("--" + std::string(option.name)), std::string::npos) << option.name;
        }
    }
}

} // namespace
} // namespace memtest
