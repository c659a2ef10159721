#include "memtest/cli/compare_command.hpp"
#include "memtest/cli/levels_command.hpp"
#include "memtest/cli/output_file.hpp"
#include "memtest/cli/probe_command.hpp"
#include "memtest/cli/probe_options.hpp"
#include "memtest/cli/tlb_command.hpp"
#include "memtest/error.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
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
    if (first == "tlb")
        return memtest::run_tlb({arguments.begin() + 1, arguments.end()});
    const memtest::Options options = memtest::parse_probe_options(arguments);
    if (options.help)
        memtest::OutputFile(std::nullopt).write(memtest::probe_help());
    else if (options.version)
        memtest::OutputFile(std::nullopt).write(fmt::format("memtest {}\n", memtest::version));
    else
        memtest::run_probe(options);
    return ExitStatus::success;
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
        return static_cast<int>(ExitStatus::failure);
    }
}
