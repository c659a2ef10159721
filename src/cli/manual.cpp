#include "memtest/cli/manual.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/insight/figure.hpp"
#include "memtest/result/code_entry.hpp"
#include "memtest/result/kind.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h> // join, which moved here with fmt 11

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

namespace memtest {
namespace {

/// A character of text for roff: dashes and quotes can be copied.
std::string roff_character(char c) {
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '"': // which .B takes for a mark around its argument
        return "\\(dq";
    default:
        return {c};
    }
}

/// Escapes text for roff: no character is a command.
std::string roff(std::string_view text) {
    std::string all;
    for (const char c : text)
        all += roff_character(c);
    return all.starts_with('.') ? "\\&" + all : all;
}

/// A paragraph with a heading of its own. @param heading in roff
std::string item(std::string_view heading, std::string_view text) {
    return fmt::format(".TP\n.B {}\n{}\n", heading, roff(text));
}

/// Items without empty lines between them.
template<class Things, class ItemOf>
std::string items(const Things& things, const ItemOf& item_of) {
    return fmt::format(".PD 0\n{}.PD\n", joined(things, "", item_of));
}

/// A line in the markup of src/cli/manual, which is roff but for `bold`, *italic*, and the beginnings of items:
/// "* `heading`: text" and "1. text".
std::string in_roff(std::string_view line) {
    constexpr std::string_view before_heading = "* `";
    constexpr std::string_view after_heading = "`: ";
    constexpr std::string_view after_number = ". ";
    if (const std::size_t end = line.find(after_heading); line.starts_with(before_heading) && end != line.npos)
        return fmt::format(".TP\n.B {}\n{}", roff(line.substr(before_heading.size(), end - before_heading.size())),
                           in_roff(line.substr(end + after_heading.size())));
    if (!line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0 &&
        line.substr(1).starts_with(after_number))
        return fmt::format(".IP {}. 4\n{}", line.front(), in_roff(line.substr(1 + after_number.size())));
    std::string text;
    bool is_bold = false;
    bool is_italic = false;
    for (const char c : line) {
        if (c == '`')
            text += (is_bold = !is_bold) ? "\\fB" : "\\fR";
        else if (c == '*' && !is_bold)
            text += (is_italic = !is_italic) ? "\\fI" : "\\fR";
        else
            text += is_bold ? roff_character(c) : std::string(1, c);
    }
    if (is_bold || is_italic)
        throw Error(fmt::format("{}: its markup does not end", line));
    return text + "\n";
}

/// "-m, --max-size MiB" in roff.
std::string names_of(const OptionText& option) {
    return fmt::format(
        "{}\\fB\\-\\-{}\\fR{}", option.short_name == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", option.short_name),
        roff(option.name), option.argument.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.argument)));
}

/// Whether the page of the sweep explains the option.
bool is_shared(const OptionText& option) {
    const std::vector<OptionText> of_sweep = options_of(sweep_command);
    return std::ranges::any_of(of_sweep, [&](const OptionText& other) {
        return other.name == option.name && other.argument == option.argument && other.help == option.help;
    });
}

std::string described(const OptionText& option) {
    const std::string preset = option.preset.empty() ? "" : fmt::format(" Default: {}.", roff(option.preset));
    return fmt::format(".TP\n{}\n{}.{}\n", names_of(option), roff(option.help), preset);
}

std::string sweep_options_text() {
    std::string text = ".SH OPTIONS\n";
    std::string_view group;
    for (const OptionText& option : options_of(sweep_command)) {
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
    return items(run_keys(),
                 [](const RunKey& key) { return item(fmt::format("{} ({})", key.key, key.member), key.meaning); });
}

/// The columns of a kind of result, with their names in JSON.
std::string columns_section(const Kind& kind) {
    const auto item_of = [](const Column& column) {
        const std::string member = column.member.empty() ? "" : fmt::format(" ({} in JSON)", column.member);
        return column.name.empty() ? "" : item(roff(column.name), std::string(column.meaning) + member);
    };
    return fmt::format(".SS memtest{}{}\n{}", kind.facts.command.empty() ? "" : " ", kind.facts.command,
                       items(kind.columns(), item_of));
}

/// What is compared: each figure with its floor of noise, and whether it decides.
std::string figures_section() {
    return items(quantities, [](const QuantityFacts& facts) {
        return facts.quantity == Quantity::whole
                   ? ""
                   : fmt::format(".TP 25\n.B {}\n{:g} %, {}\n", roff(facts.meaning), facts.floor_percent,
                                 facts.decides ? "decides" : "is only listed");
    });
}

/// The codes of warnings, remarks and findings, with the names of their values.
std::string codes_section() {
    return joined(code_entries(), ".br\n", [](const CodeEntry& code) {
        return fmt::format(".B {}\n{}", code.word, code.values.empty() ? "" : fmt::format("({})\n", code.values));
    });
}

/// @param name of the page
std::string title(std::string name, int section) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return fmt::format(".TH {} {} \"\" \"memtest {}\" \"{}\"\n.nh\n.ad l\n", roff(name), section, version,
                       section == 1 ? "User Commands" : "File Formats");
}

std::string synopsis_of(const Command& command) {
    return fmt::format(".B memtest{}{}\n{}\\fI{}\\fR\n", command.name.empty() ? "" : " ", command.name,
                       command.options().empty() ? "" : "[\\fIoptions\\fR] ", roff(command.operands));
}

/// What the help of a command prints, as the beginning of its page.
std::string beginning(const Command& command) {
    std::string text = title(fmt::format("memtest-{}", command.name), 1);
    text += fmt::format(".SH NAME\nmemtest\\-{} \\- {}\n.SH SYNOPSIS\n{}.SH DESCRIPTION\n{}", command.name,
                        roff(command.summary), synopsis_of(command), roff(command.about));
    if (!command.closing.empty())
        text += fmt::format(".PP\n{}", roff(command.closing));
    text += ".SH EXAMPLES\n";
    for (const Example& example : command.examples)
        text += item(roff(example.line), example.purpose);
    return text + options_section(command);
}

/// The commands that have a page, each with its summary.
std::string list_of_commands() {
    return items(commands(), [](const Command& command) {
        return command.name.empty() || command.options().empty()
                   ? ""
                   : fmt::format(".TP 25\n.BR memtest\\-{} (1)\n{}\n", command.name, roff(command.summary));
    });
}

} // namespace

std::string man_page(std::string_view text) {
    constexpr std::string_view literal = "    "; // begins a line that is shown as it is
    std::map<std::string, std::function<std::string()>, std::less<>> fillings{
        {"PAGE memtest 1", [] { return title("memtest", 1); }},
        {"PAGE memtest-output 5", [] { return title("memtest-output", 5); }},
        {"SYNOPSIS", [] { return joined(commands(), ".br\n", synopsis_of); }},
        {"COMMANDS", list_of_commands},
        {"OPTIONS", sweep_options_text},
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
    bool is_literal = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(literal) != is_literal) {
            is_literal = !is_literal;
            page += is_literal ? ".PP\n.nf\n" : ".fi\n";
        }
        if (!line.starts_with('@')) {
            page += is_literal ? roff(line.substr(literal.size())) + "\n" : in_roff(line);
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
