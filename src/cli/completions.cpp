#include "memtest/cli/completions.hpp"

#include "memtest/cli/compare_command.hpp"
#include "memtest/cli/levels_command.hpp"
#include "memtest/cli/probe_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace memtest {
namespace {

bool is_file(const OptionText& option) {
    return option.argument == "FILE";
}

bool is_list(const OptionText& option) {
    return option.argument == "LIST";
}

/// An option's long name and its short one, if it has one.
std::string names(const OptionText& option, std::string_view between) {
    return option.short_name == 0 ? fmt::format("--{}", option.name)
                                  : fmt::format("--{}{}-{}", option.name, between, option.short_name);
}

std::string bash_value(const OptionText& option) {
    if (is_file(option))
        return "files=yes ";
    if (option.words.empty())
        return "";
    return fmt::format("words=\"{}\" {}", fmt::join(option.words, " "), is_list(option) ? "list=yes " : "");
}

/// A `case` on the word ahead of the one to complete: an arm for each option that takes a value, and one for the rest.
std::string bash_case(const std::vector<OptionText>& table, std::string_view operands) {
    std::string arms;
    std::string options;
    for (const OptionText& option : table) {
        options += fmt::format("{}{}", options.empty() ? "" : " ", names(option, " "));
        if (!option.argument.empty())
            arms += fmt::format("        {}) {};;\n", names(option, " | "), bash_value(option));
    }
    return fmt::format("        case $before in\n{}        *) words=\"{}\" {};;\n        esac\n", arms, options,
                       operands);
}

/// Text inside a description in single quotes.
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
    if (is_file(option))
        return "_files";
    if (option.words.empty())
        return " "; // something that cannot be completed
    const std::string words = fmt::format("{}", fmt::join(option.words, " "));
    return is_list(option) ? fmt::format("_values -s , {} {}", option.argument, words) : fmt::format("({})", words);
}

/// What zsh's _arguments takes for each option: '(-o --output)'{-o+,--output=}'[write there]:FILE:_files'.
std::string zsh_arguments(const std::vector<OptionText>& table) {
    std::string all;
    for (const OptionText& option : table) {
        const bool takes_value = !option.argument.empty();
        const std::string long_name = fmt::format("--{}{}", option.name, takes_value ? "=" : "");
        const std::string both = option.short_name == 0
                                     ? fmt::format("'{}", long_name)
                                     : fmt::format("'({})'{{-{}{},{}}}'", names(option, " "), option.short_name,
                                                   takes_value ? "+" : "", long_name);
        const std::string value = takes_value ? fmt::format(":{}:{}", option.argument, zsh_value(option)) : "";
        all += fmt::format("        {}[{}]{}' \\\n", both, zsh_quoted(option.help), value);
    }
    return all;
}

} // namespace

std::string bash_completion() {
    return fmt::format(R"(# bash completion for memtest
_memtest() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local verb words list files listed given
    [ "$COMP_CWORD" -gt 1 ] && verb=${{COMP_WORDS[1]}}
    # --name=value comes as three words.
    [ "$before" = = ] && before=${{COMP_WORDS[COMP_CWORD - 2]}}
    [ "$word" = = ] && word=
    case $verb in
    levels)
{})"
                       R"(        ;;
    compare)
{})"
                       R"(        ;;
    *)
{})"
                       R"(        ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="levels compare $words"
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
                       bash_case(levels_option_texts(), "files=yes "), bash_case(compare_option_texts(), "files=yes "),
                       bash_case(texts_of(probe_options()), ""));
}

std::string zsh_completion() {
    return fmt::format(R"(#compdef memtest
local verb verbs
if (( CURRENT > 2 )); then
    verb=$words[2]
else
    verbs='1:verb:(levels compare)'
fi
case $verb in
levels)
    shift words
    (( CURRENT-- ))
    _arguments -s \
{}        '*:sweep:_files'
    ;;
compare)
    shift words
    (( CURRENT-- ))
    _arguments -s \
{}        '*:sweep:_files'
    ;;
*)
    _arguments -s \
{}        $verbs
    ;;
esac
)",
                       zsh_arguments(levels_option_texts()), zsh_arguments(compare_option_texts()),
                       zsh_arguments(texts_of(probe_options())));
}

} // namespace memtest
