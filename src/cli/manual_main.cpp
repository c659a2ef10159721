// Prints one of the texts that are made from the option tables, for the build to install.
#include "memtest/cli/completions.hpp"
#include "memtest/cli/manual.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
    const std::string_view text = argc == 2 ? argv[1] : "";
    if (text == "man")
        fmt::print("{}", memtest::man_page());
    else if (text == "bash")
        fmt::print("{}", memtest::bash_completion());
    else if (text == "zsh")
        fmt::print("{}", memtest::zsh_completion());
    else {
        fmt::print(stderr, "usage: memtest_manual man|bash|zsh\n");
        return 2;
    }
    return 0;
}
