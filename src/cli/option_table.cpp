#include "memtest/cli/option_table.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/cli/suggestion.hpp"

#include <cxxopts.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>

namespace memtest {
namespace {

// cxxopts splits the command line, and does no more: its values know neither units nor ranges nor the words to choose
// from, and the man page and the completions need this table beside it anyhow. It would take --flag=no for the flag:
// so each value is a text to it, and that of a flag without one cannot be typed.
constexpr const char* no_value = "\x01";

cxxopts::Options parser_for(const std::vector<OptionText>& table) {
    cxxopts::Options parser("memtest");
    for (const OptionText& option : table) {
        const auto value = cxxopts::value<std::string>();
        if (option.argument.empty())
            value->implicit_value(no_value);
        const std::string names =
            option.short_name == 0 ? std::string(option.name) : fmt::format("{},{}", option.short_name, option.name);
        parser.add_options()(names, std::string(option.help), value);
    }
    return parser;
}

std::size_t place_of(const std::vector<OptionText>& table, const std::string& name) {
    const auto found = std::ranges::find(table, std::string_view(name), &OptionText::name);
    require(found != table.end(), "what the parser found is in the table");
    return static_cast<std::size_t>(found - table.begin());
}

Error unknown_option(const std::vector<OptionText>& table, std::string_view option, std::string_view command) {
    std::vector<std::string_view> names;
    for (const OptionText& known : table)
        names.push_back(known.name);
    const auto meant = option.starts_with("--") ? suggestion_for(option.substr(2), names) : std::nullopt;
    return usage_error(meant ? fmt::format("{}: there is no such option; did you mean --{}?", shown(option), *meant)
                             : fmt::format("{}: there is no such option; '{} --help' lists them", shown(option), command));
}

/// Why cxxopts refused the arguments. Its own words differ between its versions, and name no other option.
Error refusal(const std::vector<OptionText>& table, const std::vector<std::string>& arguments,
              std::string_view command) {
    const auto called = [&](const std::string& argument) {
        const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
        return std::ranges::find_if(table, [&](const OptionText& option) {
            return name.starts_with("--") ? name.substr(2) == option.name : name[1] == option.short_name;
        });
    };
    for (const std::string& argument : arguments) {
        if (argument.size() > 1 && argument.front() == '-' && argument != "--" && called(argument) == table.end())
            return unknown_option(table, std::string_view(argument).substr(0, argument.find('=')), command);
    }
    const std::string& last = arguments.back();
    if (const auto option = last.size() > 1 && last.front() == '-' ? called(last) : table.end(); option != table.end())
        return usage_error(fmt::format("--{}: give its value, {}", option->name, option->argument));
    return usage_error(fmt::format("{}: this is not understood; '{} --help' lists the options", shown(last), command));
}

/// Breaks a text into lines of at most `width`, at blanks.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
            lines.emplace_back();
        if (!lines.back().empty())
            lines.back() += ' ';
        lines.back() += word;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace

CommandLine split_command_line(const std::vector<OptionText>& table, const std::vector<std::string>& arguments,
                               std::string_view command) {
    std::vector<const char*> argv{"memtest"};
    for (const std::string& argument : arguments)
        argv.push_back(argument.c_str());
    CommandLine line;
    try {
        const cxxopts::ParseResult result = parser_for(table).parse(static_cast<int>(argv.size()), argv.data());
        for (const auto& given : result.arguments())
            line.options.push_back({.place = place_of(table, given.key()), .value = given.value()});
        line.operands = result.unmatched();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) { // the library's own, whose names differ between its versions
        throw refusal(table, arguments, command);
    }
    for (GivenOption& given : line.options) {
        const OptionText& option = table[given.place];
        if (!option.repeats && std::ranges::count(line.options, given.place, &GivenOption::place) > 1)
            throw usage_error(fmt::format("--{} is given twice; give it once", option.name));
        if (!option.argument.empty())
            continue;
        if (given.value != no_value)
            throw usage_error(fmt::format("--{}={}: this option takes no value", option.name, shown(given.value)));
        given.value.clear();
    }
    return line;
}

std::string help_text(const std::vector<OptionText>& table) {
    constexpr std::size_t column = 26;
    constexpr std::size_t width = 80;
    std::string text;
    std::string_view group;
    for (const OptionText& option : table) {
        if (option.group != group) {
            group = option.group;
            text += fmt::format("\n{}:\n", group);
        }
        const std::string names =
            fmt::format("  {} --{}{}{}", option.short_name == 0 ? "   " : fmt::format("-{},", option.short_name),
                        option.name, option.argument.empty() ? "" : " ", option.argument);
        const std::string help = option.preset.empty() ? std::string(option.help)
                                                       : fmt::format("{} (default: {})", option.help, option.preset);
        bool first = true;
        if (names.size() + 1 > column) {
            text += names + "\n";
            first = false;
        }
        for (const std::string& line : wrapped(help, width - column)) {
            text += fmt::format("{:<{}}{}\n", first ? names : "", column, line);
            first = false;
        }
    }
    return text;
}

} // namespace memtest
