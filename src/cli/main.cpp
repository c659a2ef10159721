#include "memtest/base/error.hpp"
#include "memtest/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL); // a closed pipe ends it quietly, like any filter, even where a parent ignores it
    try {
        return static_cast<int>(memtest::run_command_line({argv + 1, argv + argc}));
    } catch (const memtest::Error& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(memtest::ExitStatus::failure);
    }
}
