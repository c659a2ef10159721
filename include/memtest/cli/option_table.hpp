#pragma once

#include "memtest/cli/values.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// An option's names and texts, for parsing, help text, man page and shell completions.
struct OptionText {
    std::string_view group{};    ///< heading under which the help lists it
    char short_name = 0;         ///< 0 for none
    std::string_view name{};     ///< long, without dashes
    std::string_view argument{}; ///< the name of its value, FILE for a file; empty for a flag
    std::string_view help{};
    std::string_view preset{}; ///< the default, as text; empty for none

    /// The words to choose the value from, or those of a LIST; null for other values.
    std::vector<std::string_view> (*words)() = nullptr;

    bool repeats = false; ///< may be given several times; the order counts
};

/// One option of a command.
template<class Target>
struct Option : OptionText {
    std::function<void(Target&, const Argument&)> set; ///< checks the value and stores it; throws Error (usage)

    /// The same option of a command whose options derive from these.
    template<class Derived>
    operator Option<Derived>() const { // NOLINT(google-explicit-constructor): tables list both kinds
        return {*this, set};
    }
};

/// Those of a table: a container of `Option`.
template<class Table>
[[nodiscard]] std::vector<OptionText> texts_of(const Table& table) {
    return {table.begin(), table.end()};
}

/// An option that was given, and its value.
struct GivenOption {
    std::string name{}; ///< long, without dashes
    std::string value{};
};

struct CommandLine {
    std::vector<std::string> arguments; ///< all of it, as given
    std::vector<GivenOption> options;   ///< in the order given; twice only those that repeat
    std::vector<std::string> operands;

    /// The option of this name; null where it was not given.
    [[nodiscard]] const GivenOption* given(std::string_view name) const;
};

/// Splits arguments (without the program's name) into options and operands. Understands `--name value`,
/// `--name=value`, `-n value`, `-nvalue` and joined flags. Long names match exactly. @throws Error (usage) for an
/// unknown option, one given twice that does not repeat, a missing value, or a value for a flag
/// @param command whose --help lists the options, for messages
[[nodiscard]] CommandLine split_command_line(const std::vector<OptionText>& table,
                                             const std::vector<std::string>& arguments, std::string_view command);

/// The target, with the given options set. @param line split by this table @throws Error (usage) for a value that an
/// option does not take
template<class Target, class Table>
[[nodiscard]] Target with_options(Target target, const Table& table, const CommandLine& line) {
    for (const auto& [name, value] : line.options)
        std::ranges::find(table, name, &OptionText::name)->set(target, {.name = name, .value = value});
    return target;
}

/// The word that was probably meant: one that begins so, or else the nearest one. Nothing where that takes more edits
/// (letters added, dropped, replaced or exchanged with their neighbour) than a third of the written letters.
[[nodiscard]] std::optional<std::string_view> suggestion_for(std::string_view written,
                                                             std::span<const std::string_view> words);

/// The options under their groups, wrapped to a terminal's usual width.
[[nodiscard]] std::string help_text(const std::vector<OptionText>& table);

} // namespace memtest
