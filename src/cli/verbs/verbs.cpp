#include "memtest/cli/verbs/verbs.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/output_file.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace memtest {
namespace {

std::string name_of(const Command& command) {
    return command.name.empty() ? "memtest" : fmt::format("memtest {}", command.name);
}

/// "memtest levels FILE", with "[options]" between where the command has any.
std::string usage_of(const Command& command, bool with_options) {
    return fmt::format("{}{}{}{}", name_of(command), with_options && !command.options().empty() ? " [options]" : "",
                       command.operands.empty() ? "" : " ", command.operands);
}

/// The usage of every command, each with its summary.
std::string usage_of_all() {
    std::size_t width = 0;
    for (const Command& command : commands())
        width = std::max(width, usage_of(command, command.name.empty()).size());
    std::string text;
    for (const Command& command : commands())
        text += fmt::format("{:<7}{:<{}}  {}\n", text.empty() ? "Usage:" : "", usage_of(command, command.name.empty()),
                            width, command.summary);
    return text;
}

/// The command of that name; nothing where there is none. @throws Error (usage) where one was nearly named
const Command* command_called(std::string_view name) {
    const auto named = std::ranges::find(commands().subspan(1), name, &Command::name);
    if (named != commands().end())
        return &*named;
    const auto names = command_names();
    if (const auto meant = name.starts_with('-') ? std::nullopt : suggestion_for(name, names))
        throw usage_error(fmt::format("{}: there is no such command; did you mean {}?", shown(name), *meant));
    return nullptr;
}

ExitStatus print(std::string_view text) {
    OutputFile(std::nullopt).write(text);
    return ExitStatus::success;
}

ExitStatus run_help(const CommandLine& line) {
    if (line.operands.size() > 1)
        throw usage_error(fmt::format("memtest help takes one command, not {}", line.operands.size()));
    if (line.operands.empty())
        return print(help_of(commands().front()));
    const Command* command = command_called(line.operands.front());
    if (command == nullptr)
        throw usage_error(
            fmt::format("{}: there is no such command; 'memtest --help' lists them", shown(line.operands.front())));
    return print(help_of(*command));
}

const Command help_command{.name = "help",
                           .operands = "[COMMAND]",
                           .summary = "say how a command is used",
                           .about =
                               "Prints the help of a command. Without COMMAND it prints what memtest --help prints.\n",
                           .options = [] { return std::vector<OptionText>(); },
                           .run = run_help};

} // namespace

std::span<const Command> commands() {
    static const std::array all{probe_command,       report_command,  tlb_command,   loaded_command,
                                tail_command,        cores_command,   nodes_command, levels_command,
                                translation_command, compare_command, plot_command,  help_command};
    return all;
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    for (const Command& command : commands().subspan(1))
        names.push_back(command.name);
    return names;
}

std::vector<OptionText> options_of(const Command& command) {
    std::vector<OptionText> options = command.options();
    options.push_back({.group = options.empty() ? "Options" : options.back().group,
                       .short_name = 'h',
                       .name = "help",
                       .help = "print this and exit"});
    return options;
}

std::string help_of(const Command& command) {
    const std::string usage =
        command.name.empty() ? usage_of_all() : fmt::format("Usage: {}\n", usage_of(command, true));
    return fmt::format("{}\n{}{}{}{}", usage, command.about, help_text(options_of(command)),
                       command.closing.empty() ? "" : "\n", command.closing);
}

CommandLine line_for(const Command& command, const std::vector<std::string>& arguments) {
    CommandLine line = split_command_line(options_of(command), arguments, name_of(command));
    const bool asks = line.given("help") != nullptr || line.given("version") != nullptr;
    if (!asks && command.operands.empty() && !line.operands.empty())
        throw usage_error(fmt::format("unexpected argument '{}'; '{} --help' lists {} options", line.operands.front(),
                                      name_of(command), command.name.empty() ? "commands and" : "the"));
    return line;
}

ExitStatus run_command(const Command& command, const std::vector<std::string>& arguments) {
    const CommandLine line = line_for(command, arguments);
    if (line.given("help") != nullptr)
        return print(help_of(command));
    if (line.given("version") != nullptr)
        return print(fmt::format("memtest {}\n", version));
    return command.run(line);
}

ExitStatus run_command_line(const std::vector<std::string>& arguments) {
    const Command* named = arguments.empty() ? nullptr : command_called(arguments.front());
    if (named == nullptr)
        return run_command(commands().front(), arguments);
    return run_command(*named, {arguments.begin() + 1, arguments.end()});
}

} // namespace memtest
