// Prints a text made from the option tables, for the build to install.
#include "memtest/cli/manual.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

int print_man_page(const std::string& name) {
    std::ifstream file(name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file || text.empty()) {
        fmt::print(stderr, "memtest_manual: {}: cannot be read; give a text of src/cli/manual\n", name);
        return 1;
    }
    fmt::print("{}", memtest::man_page(text));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "man")
        return print_man_page(arguments[1]);
    if (arguments.size() == 1 && arguments[0] == "bash")
        fmt::print("{}", memtest::bash_completion());
    else if (arguments.size() == 1 && arguments[0] == "zsh")
        fmt::print("{}", memtest::zsh_completion());
    else {
        fmt::print(stderr, "usage: memtest_manual man FILE|bash|zsh\n");
        return 2;
    }
    return 0;
}
