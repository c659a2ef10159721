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

void run(const std::vector<std::string>& arguments) {
    const memtest::Options options = memtest::parse_probe_options(arguments);
    if (options.help)
        fmt::print("{}", memtest::probe_help());
    else if (options.version)
        fmt::print("memtest {}\n", memtest::version);
    else
        memtest::run_probe(options);
}

} // namespace

int main(int argc, char** argv) {
    try {
        run({argv + 1, argv + argc});
        return static_cast<int>(memtest::ExitStatus::success);
    } catch (const memtest::Error& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "memtest: {}\n", error.what());
        return static_cast<int>(memtest::ExitStatus::failure);
    }
}
