#include "memtest/cli/compare_command.hpp"
#include "memtest/cli/levels_command.hpp"
#include "memtest/cli/probe_command.hpp"
#include "memtest/cli/probe_options.hpp"
#include "memtest/error.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using memtest::ExitStatus;

ExitStatus run(const std::vector<std::string>& arguments) {
    const std::string first = arguments.empty() ? "" : arguments.front();
    if (first == "levels")
        return memtest::run_levels({arguments.begin() + 1, arguments.end()});
    if (first == "compare")
        return memtest::run_compare({arguments.begin() + 1, arguments.end()});
    const memtest::Options options = memtest::parse_probe_options(arguments);
    if (options.help)
        fmt::print("{}", memtest::probe_help());
    else if (options.version)
        fmt::print("memtest {}\n", memtest::version);
    else
        memtest::run_probe(options);
    return ExitStatus::success;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return static_cast<int>(run({argv + 1, argv + argc}));
    } catch (const memtest::Error& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(ExitStatus::failure);
    }
}
