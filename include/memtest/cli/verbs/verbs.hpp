#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// One thing that the program does, named by the first word of the command line.
struct Verb {
    std::string_view name{};                              ///< empty for the probe, which needs no verb
    std::string_view operands{};                          ///< as the usage line shows them
    std::string_view summary{};                           ///< one line
    std::string_view about{};                             ///< what its help says ahead of the options
    std::string_view closing{};                           ///< what its help says behind them
    std::vector<OptionText> (*options)() = nullptr;       ///< without --help, which all have
    ExitStatus (*run)(const CommandLine& line) = nullptr; ///< throws Error
};

// Each is defined beside its options.
extern const Verb probe_verb;
extern const Verb report_verb;
extern const Verb tlb_verb;
extern const Verb loaded_verb;
extern const Verb tail_verb;
extern const Verb cores_verb;
extern const Verb nodes_verb;
extern const Verb levels_verb;
extern const Verb translation_verb;
extern const Verb compare_verb;
extern const Verb plot_verb;

/// The probe, then the verbs in the order in which help and manual show them.
[[nodiscard]] std::span<const Verb> verbs();

/// The names of all but the probe, in the same order.
[[nodiscard]] std::vector<std::string_view> verb_names();

/// The options of the verb, with --help.
[[nodiscard]] std::vector<OptionText> options_of(const Verb& verb);

/// What --help prints; for the probe, the verbs come first.
[[nodiscard]] std::string help_of(const Verb& verb);

/// Splits the arguments behind the verb. @throws Error (usage), for operands of a verb that takes none, too
[[nodiscard]] CommandLine line_for(const Verb& verb, const std::vector<std::string>& arguments);

/// Runs the verb with the arguments behind it. @throws Error
ExitStatus run_verb(const Verb& verb, const std::vector<std::string>& arguments);

/// Runs a command line (without the program's name). @throws Error
ExitStatus run_command_line(const std::vector<std::string>& arguments);

} // namespace memtest
