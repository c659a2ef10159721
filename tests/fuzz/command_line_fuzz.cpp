// Whatever the arguments are, one in a line, they are a run that can be planned or a usage error. Data that begins with
// a byte from 0x80 on chooses a measuring command, and options and values that it may know. Prints each one's share.

#include "memtest/base/error.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/cli/options.hpp"
#include "support/measuring_commands.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
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

/// How often each measuring command was given, and taken. Prints the shares at the end.
class Shares {
public:
    ~Shares() {
        for (const auto& [name, given] : given_)
            std::fprintf(stderr, "memtest %s: took %zu of %zu\n", name.c_str(), taken_[name], given);
    }

    void give(std::string_view name) { ++given_[std::string(name)]; }
    void take(std::string_view name) { ++taken_[std::string(name)]; }

private:
    std::map<std::string, std::size_t> given_{};
    std::map<std::string, std::size_t> taken_{};
};

const auto measuring_commands = memtest::measuring_commands();

std::string_view name_of(const memtest::MeasuringCommand& measuring) {
    return measuring.command.name;
}

Shares shares; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Of the other commands only what all do: they would read files.
void parse(const std::vector<std::string>& arguments) {
    const auto called = [&](std::string_view name) {
        return !arguments.empty() && !name.empty() && arguments.front() == name;
    };
    const auto named = std::ranges::find_if(memtest::commands(), called, &memtest::Command::name);
    const memtest::Command& command = named == memtest::commands().end() ? memtest::sweep_command : *named;
    const std::vector<std::string> rest(arguments.begin() + (named == memtest::commands().end() ? 0 : 1),
                                        arguments.end());
    const auto measuring = std::ranges::find(measuring_commands, command.name, name_of);
    if (measuring != measuring_commands.end())
        shares.give(command.name);
    const memtest::CommandLine line = memtest::line_for(command, rest);
    if (measuring == measuring_commands.end() || line.given("help") != nullptr || line.given("version") != nullptr)
        return;
    if (command.name.empty())
        check(memtest::options_of_sweep(line));
    else
        measuring->read(line);
    shares.take(command.name);
}

/// A command, and a pair of an option and its value for each two bytes.
std::vector<std::string> chosen_by(std::span<const std::uint8_t> data) {
    constexpr std::array values{"1", "2",  "3",     "0",     "64",  "4K",   "1M",        "16",        "100", "0-1",
                                "0", "5%", "0.001", "50,10", "thp", "json", "min",       "median",    "4k",  "1g",
                                "",  "x",  "-1",    "1e9",   "csv", "all",  "tlb,cores", "file.json", "2G",  "cycles"};
    const memtest::Command& command = measuring_commands.at(data[0] % measuring_commands.size()).command;
    const auto options = options_of(command);
    std::vector<std::string> arguments;
    if (!command.name.empty())
        arguments.emplace_back(command.name);
    for (std::size_t i = 1; i + 1 < data.size(); i += 2) {
        const memtest::OptionText& option = options[data[i] % options.size()];
        arguments.push_back("--" + std::string(option.name));
        if (option.argument.empty())
            continue;
        const auto words = option.words == nullptr ? std::vector<std::string_view>{} : option.words();
        const std::size_t place = data[i + 1] % (values.size() + words.size());
        arguments.back() += "=" + std::string(place < words.size() ? words[place] : values.at(place - words.size()));
    }
    return arguments;
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
    if (size > 0 && data[0] >= 0x80)
        arguments = chosen_by({data, size});
    try {
        parse(arguments);
    } catch (const memtest::Error& error) {
        require(error.status() == memtest::ExitStatus::usage, "arguments that are refused are a usage error");
        require(*error.what() != '\0', "a refusal has a reason");
    }
    return 0;
}
