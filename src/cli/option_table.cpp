#include "memtest/cli/option_table.hpp"

#include "memtest/base/error.hpp"

#include <cxxopts.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>

namespace memtest {
namespace {

// What a flag's value is when none is given: cannot be typed in a shell, so that `--flag=value` shows.
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
    } catch (const std::exception& error) { // the library's exceptions, whose names differ between its versions
        throw usage_error(fmt::format("{}; '{} --help' lists the options", error.what(), command));
    }
    for (GivenOption& given : line.options) {
        const OptionText& option = table[given.place];
        if (!option.repeats && std::ranges::count(line.options, given.place, &GivenOption::place) > 1)
            throw usage_error(fmt::format("--{} is given twice; give it once", option.name));
        if (!option.argument.empty())
            continue;
        if (given.value != no_value)
            throw usage_error(fmt::format("--{}={}: this option takes no value", option.name, given.value));
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
