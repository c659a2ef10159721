#include "memtest/cli/manual.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/result/kind.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h> // join, which moved here with fmt 11

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

/// Escapes text for roff: no character is a command, and dashes and quotes can be copied.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else if (c == '\'')
            escaped += "\\(aq";
        else
            escaped += c;
    }
    return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

// Without and with empty lines between paragraphs.
constexpr const char* tight = ".PD 0\n";
constexpr const char* loose = ".PD\n";

/// "-m, --max-size MiB" in roff.
std::string names_of(const OptionText& option) {
    return fmt::format(
        "{}\\fB\\-\\-{}\\fR{}", option.short_name == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", option.short_name),
        roff(option.name), option.argument.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.argument)));
}

/// Whether the page of the sweep explains the option.
bool is_shared(const OptionText& option) {
    const std::vector<OptionText> of_sweep = options_of(probe_command);
    return std::ranges::any_of(of_sweep, [&](const OptionText& other) {
        return other.name == option.name && other.argument == option.argument && other.help == option.help;
    });
}

std::string described(const OptionText& option) {
    const std::string preset = option.preset.empty() ? "" : fmt::format(" Default: {}.", roff(option.preset));
    return fmt::format(".TP\n{}\n{}.{}\n", names_of(option), roff(option.help), preset);
}

std::string options_of_sweep() {
    std::string text = ".SH OPTIONS\n";
    std::string_view group;
    for (const OptionText& option : options_of(probe_command)) {
        if (option.group != group) {
            group = option.group;
            text += fmt::format(".SS {}\n", roff(group));
        }
        text += described(option);
    }
    return text;
}

/// The options of another command. Of those that it shares with the sweep only names and defaults.
std::string options_section(const Command& command) {
    std::string own;
    std::vector<std::string> shared;
    for (const OptionText& option : command.options()) {
        if (!is_shared(option))
            own += described(option);
        else
            shared.push_back(names_of(option) + (option.preset.empty() ? "" : fmt::format(" ({})", option.preset)));
    }
    const std::string as_in_sweep =
        fmt::format(".PP\nAs in memtest(1), with the default in parentheses:\n{}.\n", fmt::join(shared, ",\n"));
    return fmt::format(".SH OPTIONS\n{}{}", own, shared.empty() ? "" : as_in_sweep);
}

std::string keys_section() {
    std::string text = tight;
    for (const RunKey& key : run_keys())
        text += fmt::format(".TP\n.B {} ({})\n{}\n", key.key, key.member, roff(key.meaning));
    return text + loose;
}

/// The columns of a kind of result, with their names in JSON.
std::string columns_section(const Kind& kind) {
    std::string text = tight;
    for (const Column& column : kind.columns()) {
        if (!column.name.empty())
            text += fmt::format(".TP\n.B {}\n{}{}\n", roff(column.name), roff(column.meaning),
                                column.member.empty() ? "" : fmt::format(" ({} in JSON)", column.member));
    }
    return text + loose;
}

/// What is compared: each figure with its floor of noise, and whether it decides.
std::string figures_section() {
    std::string text = tight;
    for (const QuantityFacts& facts : quantities) {
        if (facts.quantity != Quantity::whole)
            text += fmt::format(".TP 25\n.B {}\n{:g} %, {}\n", roff(facts.meaning), facts.floor_percent,
                                facts.decides ? "decides" : "is only listed");
    }
    return text + loose;
}

/// The codes of warnings, remarks and findings, with the names of their values.
std::string codes_section() {
    std::string text;
    for (const auto& [word, values] : code_texts())
        text += fmt::format("{}.B {}\n{}", text.empty() ? "" : ".br\n", word,
                            values.empty() ? "" : fmt::format("({})\n", values));
    return text;
}

std::string upper_case(std::string_view text) {
    std::string upper;
    for (const char c : text)
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper;
}

/// @param name of the page
std::string title(std::string_view name, int section) {
    return fmt::format(".TH {} {} \"\" \"memtest {}\" \"{}\"\n.nh\n.ad l\n", roff(upper_case(name)), section, version,
                       section == 1 ? "User Commands" : "File Formats");
}

std::string usage_of(const Command& command) {
    return fmt::format(".B memtest{}{}\n{}\\fI{}\\fR\n", command.name.empty() ? "" : " ", command.name,
                       command.options().empty() ? "" : "[\\fIoptions\\fR] ", roff(command.operands));
}

std::string synopsis() {
    std::string text;
    for (const Command& command : commands())
        text += fmt::format("{}{}", text.empty() ? "" : ".br\n", usage_of(command));
    return text;
}

/// What the help of a command prints, as the beginning of its page.
std::string beginning(const Command& command) {
    std::string text = title(fmt::format("memtest-{}", command.name), 1);
    text += fmt::format(".SH NAME\nmemtest\\-{} \\- {}\n.SH SYNOPSIS\n{}.SH DESCRIPTION\n{}", command.name,
                        roff(command.summary), usage_of(command), roff(command.about));
    if (!command.closing.empty())
        text += fmt::format(".PP\n{}", roff(command.closing));
    text += ".SH EXAMPLES\n";
    for (const Example& example : command.examples)
        text += fmt::format(".TP\n.B {}\n{}\n", roff(example.line), roff(example.purpose));
    return text + options_section(command);
}

/// The commands that have a page, each with its summary.
std::string list_of_commands() {
    std::string text = tight;
    for (const Command& command : commands()) {
        if (!command.name.empty() && !command.options().empty())
            text += fmt::format(".TP 25\n.BR memtest\\-{} (1)\n{}\n", command.name, roff(command.summary));
    }
    return text + loose;
}

} // namespace

std::string man_page(std::string_view text) {
    std::map<std::string, std::function<std::string()>, std::less<>> fillings{
        {"PAGE memtest 1", [] { return title("memtest", 1); }},
        {"PAGE memtest-output 5", [] { return title("memtest-output", 5); }},
        {"SYNOPSIS", synopsis},
        {"COMMANDS", list_of_commands},
        {"OPTIONS", options_of_sweep},
        {"KEYS", keys_section},
        {"FIGURES", figures_section},
        {"CODES", codes_section}};
    for (const Command& command : commands())
        fillings[fmt::format("COMMAND {}", command.name)] = [&command] { return beginning(command); };
    for (const Kind* kind : all_kinds())
        fillings[fmt::format("COLUMNS{}{}", kind->facts.command.empty() ? "" : " ", kind->facts.command)] = [kind] {
            return columns_section(*kind);
        };

    std::string page;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('@')) {
            page += line + "\n";
            continue;
        }
        const auto found = fillings.find(line.substr(1, line.size() - 2));
        if (found == fillings.end())
            throw Error(fmt::format("{}: the tables have no such text", line));
        page += found->second();
    }
    return page;
}

} // namespace memtest
