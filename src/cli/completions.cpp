#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/manual.hpp"
#include "memtest/cli/option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace memtest {
namespace {

/// An option's long name and its short one, if it has one.
std::string names(const OptionText& option, std::string_view between) {
    return option.short_name == 0 ? fmt::format("--{}", option.name)
                                  : fmt::format("--{}{}-{}", option.name, between, option.short_name);
}

std::string bash_value(const OptionText& option) {
    if (option.argument == "FILE")
        return "files=yes ";
    if (option.words == nullptr)
        return "";
    return fmt::format("words=\"{}\" {}", fmt::join(option.words(), " "), option.argument == "LIST" ? "list=yes " : "");
}

/// A `case` on the previous word: an arm for each option with a value, and one for the rest.
std::string bash_case(const std::vector<OptionText>& table, std::string_view operands) {
    std::string arms;
    std::vector<std::string> options;
    for (const OptionText& option : table) {
        options.push_back(names(option, " "));
        if (!option.argument.empty())
            arms += fmt::format("        {}) {};;\n", names(option, " | "), bash_value(option));
    }
    return fmt::format("        case $before in\n{}        *) words=\"{}\" {};;\n        esac\n", arms,
                       fmt::join(options, " "), operands);
}

/// Escapes text for a description in single quotes.
std::string zsh_quoted(std::string_view text) {
    std::string quoted;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':')
            quoted += '\\';
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted;
}

std::string zsh_value(const OptionText& option) {
    if (option.argument == "FILE")
        return "_files";
    if (option.words == nullptr)
        return " "; // it cannot be completed
    const std::string words = fmt::format("{}", fmt::join(option.words(), " "));
    return option.argument == "LIST" ? fmt::format("_values -s , {} {}", option.argument, words)
                                     : fmt::format("({})", words);
}

/// The arguments of zsh's _arguments, such as '(-o --output)'{-o+,--output=}'[write there]:FILE:_files'.
std::string zsh_arguments(const std::vector<OptionText>& table) {
    std::string all;
    for (const OptionText& option : table) {
        const bool takes_value = !option.argument.empty();
        const std::string_view mark = option.repeats ? "*" : ""; // without it, an option is offered once
        const std::string excluded = option.repeats ? "" : fmt::format("({})", names(option, " "));
        const std::string long_name = fmt::format("--{}{}", option.name, takes_value ? "=" : "");
        const std::string both = option.short_name == 0
                                     ? fmt::format("'{}{}", mark, long_name)
                                     : fmt::format("'{}{}'{{-{}{},{}}}'", mark, excluded, option.short_name,
                                                   takes_value ? "+" : "", long_name);
        const std::string value = takes_value ? fmt::format(":{}:{}", option.argument, zsh_value(option)) : "";
        all += fmt::format("        {}[{}]{}' \\\n", both, zsh_quoted(option.help), value);
    }
    return all;
}

std::string names_of_commands() {
    return fmt::format("{}", fmt::join(command_names(), " "));
}

constexpr std::string_view command_operand = "[COMMAND]"; // other operands are files

std::string bash_arms() {
    std::string arms;
    for (const Command& command : commands().subspan(1)) {
        const std::string operands = command.operands.empty() ? ""
                                     : command.operands == command_operand
                                         ? fmt::format("words=\"$words {}\" ", names_of_commands())
                                         : "files=yes ";
        arms += fmt::format("    {})\n{}        ;;\n", command.name, bash_case(options_of(command), operands));
    }
    return arms;
}

std::string zsh_arms() {
    std::string arms;
    for (const Command& command : commands().subspan(1)) {
        const std::string operands = command.operands == command_operand
                                         ? fmt::format("        '1:command:({})'\n", names_of_commands())
                                         : "        '*:sweep:_files'\n";
        arms += fmt::format("{})\n    shift words\n    (( CURRENT-- ))\n    _arguments -s \\\n{}{}    ;;\n",
                            command.name, zsh_arguments(options_of(command)), command.operands.empty() ? "" : operands);
    }
    return arms;
}

} // namespace

std::string bash_completion() {
    return fmt::format(R"(# bash completion for memtest
_memtest() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command words list files listed given
    [ "$COMP_CWORD" -gt 1 ] && command=${{COMP_WORDS[1]}}
    # --name=value comes as three words.
    [ "$before" = = ] && before=${{COMP_WORDS[COMP_CWORD - 2]}}
    [ "$word" = = ] && word=
    case $command in
{}    *)
{}        ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="{} $words"
    if [[ $files && $word != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    if [ "$list" ]; then
        compopt -o nospace
        listed=${{word%"${{word##*,}}"}}
        words=" $words "
        for given in ${{listed//,/ }}; do words=${{words/ $given / }}; done
    fi
    mapfile -t COMPREPLY < <(compgen -P "$listed" -W "$words" -- "${{word#"$listed"}}")
}}
complete -F _memtest memtest
)",
                       bash_arms(), bash_case(options_of(commands().front()), ""), names_of_commands());
}

std::string zsh_completion() {
    return fmt::format(R"(#compdef memtest
local command names
if (( CURRENT > 2 )); then
    command=$words[2]
else
    names='1:command:({})'
fi
case $command in
{}*)
    _arguments -s \
{}        $names
    ;;
esac
)",
                       names_of_commands(), zsh_arms(), zsh_arguments(options_of(commands().front())));
}

} // namespace memtest
