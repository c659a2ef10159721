// Whatever the arguments are, one in a line, they are a run that can be planned or a usage error.

#include "memtest/base/error.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/cli/options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

using memtest::require;

namespace {

void check(const memtest::Options& options) {
    require(options.threads > 0 && options.shape.parallel > 0 && options.timing.visits > 0, "something is measured");
    const std::size_t largest = options.max_bytes.value_or(memtest::default_max_bytes);
    const auto sizes = memtest::sweep_sizes({.first_bytes = memtest::smallest_size_of(options),
                                             .last_bytes = largest,
                                             .line_bytes = options.shape.line_bytes,
                                             .points_per_doubling = options.points});
    require(!sizes.empty() && sizes.back() <= largest, "there are sizes, up to the largest");
    require(sizes.front() >= memtest::smallest_working_set(options.shape), "every chain has a node");
    require(std::ranges::is_sorted(sizes, std::less_equal<>()), "sizes ascend");
    require(std::ranges::all_of(sizes, [&](std::size_t size) { return size % options.shape.line_bytes == 0; }),
            "sizes are whole lines");
}

/// Of a command only what all commands do: most would read files or measure.
void parse(const std::vector<std::string>& arguments) {
    const auto named = arguments.empty()
                           ? memtest::commands().end()
                           : std::ranges::find(memtest::commands(), arguments.front(), &memtest::Command::name);
    if (named != memtest::commands().end() && !named->name.empty()) {
        const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
        static_cast<void>(memtest::line_for(*named, rest));
        return;
    }
    const memtest::CommandLine line = memtest::line_for(memtest::probe_command, arguments);
    if (line.given("help") == nullptr && line.given("version") == nullptr)
        check(memtest::options_of_probe(line));
}

} // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(data, data + size);
    std::erase(text, '\0'); // no argument holds it
    std::istringstream lines(text);
    std::vector<std::string> arguments;
    for (std::string line; std::getline(lines, line);)
        arguments.push_back(line);
    try {
        parse(arguments);
    } catch (const memtest::Error& error) {
        require(error.status() == memtest::ExitStatus::usage, "arguments that are refused are a usage error");
        require(*error.what() != '\0', "a refusal has a reason");
    }
    return 0;
}
