#include "memtest/base/error.hpp"
#include "memtest/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace {

memtest::ExitStatus run(const std::vector<std::string>& arguments) {
    const auto verbs = memtest::verbs();
    const std::string_view first = arguments.empty() ? "" : arguments.front();
    const auto named = std::ranges::find(verbs.subspan(1), first, &memtest::Verb::name);
    if (named == verbs.end())
        return verbs.front().run(arguments);
    return named->run({arguments.begin() + 1, arguments.end()});
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL); // a closed pipe ends it quietly, like any filter, even where a parent ignores it
    try {
        return static_cast<int>(run({argv + 1, argv + argc}));
    } catch (const memtest::Error& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(memtest::ExitStatus::failure);
    }
}
