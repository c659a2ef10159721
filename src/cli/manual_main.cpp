// Prints a text made from the option tables, for the build to install. A man page comes from a text of src/cli/manual
// on standard input.
#include "memtest/cli/manual.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

namespace {

int print_man_page() {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    if (text.empty()) {
        fmt::print(stderr, "memtest_manual: standard input is empty; give a text of src/cli/manual\n");
        return 1;
    }
    fmt::print("{}", memtest::man_page(text));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string what = argc == 2 ? argv[1] : "";
    if (what == "man")
        return print_man_page();
    if (what == "bash")
        fmt::print("{}", memtest::bash_completion());
    else if (what == "zsh")
        fmt::print("{}", memtest::zsh_completion());
    else {
        fmt::print(stderr, "usage: memtest_manual man|bash|zsh\n");
        return 2;
    }
    return 0;
}
