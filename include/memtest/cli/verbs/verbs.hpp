#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// One thing that the program does, named by the first word of the command line.
struct Command {
    std::string_view name{};                              ///< empty for the probe, which needs no command
    std::string_view operands{};                          ///< as the usage line shows them
    std::string_view summary{};                           ///< one line
    std::string_view about{};                             ///< what its help says ahead of the options
    std::string_view closing{};                           ///< what its help says behind them
    std::vector<OptionText> (*options)() = nullptr;       ///< without --help, which all have
    ExitStatus (*run)(const CommandLine& line) = nullptr; ///< throws Error
};

// Each is defined beside its options.
extern const Command probe_command;
extern const Command report_command;
extern const Command tlb_command;
extern const Command loaded_command;
extern const Command tail_command;
extern const Command cores_command;
extern const Command nodes_command;
extern const Command levels_command;
extern const Command translation_command;
extern const Command compare_command;
extern const Command plot_command;

/// The probe, then the commands in the order in which help and manual show them.
[[nodiscard]] std::span<const Command> commands();

/// The names of all but the probe, in the same order.
[[nodiscard]] std::vector<std::string_view> command_names();

/// The options of the command, with --help.
[[nodiscard]] std::vector<OptionText> options_of(const Command& command);

/// What --help prints; for the probe, the commands come first.
[[nodiscard]] std::string help_of(const Command& command);

/// Splits the arguments behind the command. @throws Error (usage), for operands of a command that takes none, too
[[nodiscard]] CommandLine line_for(const Command& command, const std::vector<std::string>& arguments);

/// Runs the command with the arguments behind it. @throws Error
ExitStatus run_command(const Command& command, const std::vector<std::string>& arguments);

/// Runs a command line (without the program's name). @throws Error
ExitStatus run_command_line(const std::vector<std::string>& arguments);

} // namespace memtest
