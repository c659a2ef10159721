#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// A command line and what it is for.
struct Example {
    std::string_view line{};
    std::string_view purpose{};
};

/// A command of the program, named by the first word of the command line.
struct Command {
    std::string_view name{};                              ///< empty for the sweep, which has none
    std::string_view operands{};                          ///< as the usage line shows them
    std::string_view summary{};                           ///< one line
    std::array<Example, 2> examples{};                    ///< for help and manual; empty for the help command
    std::string_view about{};                             ///< what its help prints before the options
    std::string_view closing{};                           ///< and after them
    std::vector<OptionText> (*options)() = nullptr;       ///< without --help, which all have
    ExitStatus (*run)(const CommandLine& line) = nullptr; ///< throws Error
};

// Each is defined next to its options.
extern const Command sweep_command;
extern const Command report_command;
extern const Command tlb_command;
extern const Command loaded_command;
extern const Command tail_command;
extern const Command cores_command;
extern const Command nodes_command;
extern const Command prefetch_command;
extern const Command levels_command;
extern const Command translation_command;
extern const Command compare_command;
extern const Command fleet_command;
extern const Command plot_command;

/// The sweep, then the others in the order of help and manual.
[[nodiscard]] std::span<const Command> commands();

/// The names of all but the sweep, in the same order.
[[nodiscard]] std::vector<std::string_view> command_names();

/// The options of the command, with --help.
[[nodiscard]] std::vector<OptionText> options_of(const Command& command);

/// The usage, examples and all options of a command.
[[nodiscard]] std::string help_of(const Command& command);

/// What `memtest --help` prints: all commands, and the options of the sweep that most people need.
[[nodiscard]] std::string overview();

/// Splits the arguments after the command. @throws Error (usage), also for operands of a command
/// that takes none, and like check_combinations
[[nodiscard]] CommandLine line_for(const Command& command, const std::vector<std::string>& arguments);

/// Runs the command with the arguments after it. @throws Error
ExitStatus run_command(const Command& command, const std::vector<std::string>& arguments);

/// Runs a command line (without the program's name). @throws Error
ExitStatus run_command_line(const std::vector<std::string>& arguments);

} // namespace memtest
