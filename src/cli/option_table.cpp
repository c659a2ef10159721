#include "memtest/cli/option_table.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <cxxopts.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h> // join, which moved here with fmt 11

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <utility>

namespace memtest {
namespace {

constexpr std::string_view of_decimals = "0123456789.";

/// A number without sign, exponent or a point at its end, which from_chars accepts; std::nullopt for anything else.
std::optional<double> decimal_in(std::string_view text) {
    const bool is_plain = text.find_first_not_of(of_decimals) == std::string_view::npos && !text.ends_with('.');
    return is_plain ? parse_number<double>(text) : std::nullopt;
}

// cxxopts only splits the command line: its values have no units, ranges or words to choose from, and the man page and
// the completions need this table anyway. It would accept --flag=no for the flag. So every value is text to it, and a
// flag without a value gets one that no argument can hold.
constexpr std::string_view no_value("\0", 1);

cxxopts::Options parser_for(const std::vector<OptionText>& table) {
    cxxopts::Options parser("memtest");
    parser.allow_unrecognised_options(); // it returns them, for a suggestion
    for (const OptionText& option : table) {
        const auto value = cxxopts::value<std::string>();
        if (option.argument.empty())
            value->implicit_value(std::string(no_value));
        const std::string names =
            option.short_name == 0 ? std::string(option.name) : fmt::format("{},{}", option.short_name, option.name);
        parser.add_options()(names, std::string(option.help), value);
    }
    return parser;
}

/// The min number of edits that turn one into the other: the optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    // least[i][j]: of the first i letters of a and the first j of b
    std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least[i][j] = i + j;
                continue;
            }
            least[i][j] = std::min(
                {least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
        }
    }
    return least[a.size()][b.size()];
}

/// The option with this name or letter, if it takes a value; else null.
const OptionText* taking_value(const std::vector<OptionText>& table, std::string_view name) {
    const auto found = std::ranges::find_if(table, [name](const OptionText& option) {
        return (name.size() == 1 ? name.front() == option.short_name : name == option.name) && !option.argument.empty();
    });
    return found == table.end() ? nullptr : &*found;
}

bool has_short_options(std::string_view argument) {
    return argument.size() > 1 && argument[0] == '-' && std::isalnum(static_cast<unsigned char>(argument[1])) != 0;
}

/// The long option that one dash in place of two was meant for: `-format=json` would write a file `rmat=json`.
const OptionText* meant_by_one_dash(const std::vector<OptionText>& table, std::string_view argument) {
    constexpr std::size_t telling_letters = 3; // two may be joined options, as in `-fo FILE`
    const std::string_view name = argument.substr(1, argument.find('=') - 1);
    for (const std::size_t letters : {name.size(), telling_letters}) {
        const auto meant = std::ranges::find_if(table, [start = name.substr(0, letters)](const OptionText& option) {
            return start.size() >= telling_letters && option.name.starts_with(start);
        });
        if (meant != table.end())
            return &*meant;
    }
    return nullptr;
}

/// The value joined to a short option. @throws Error (usage) for a name of a file that was hardly meant as one
void check_joined(const OptionText& option, std::string_view argument, std::size_t at) {
    const std::string_view value = argument.substr(at + 1);
    const bool follows_flags = at > 1 && std::isalpha(static_cast<unsigned char>(value.front())) != 0;
    const std::size_t equals = argument.find('=', at);
    const bool has_its_name =
        equals != std::string_view::npos && option.name.starts_with(argument.substr(at, equals - at));
    if (option.argument == "FILE" && (has_its_name || follows_flags))
        throw usage_error(fmt::format("'{0}': write -{1} {2} or --{3}={2}", argument, option.short_name,
                                      has_its_name ? argument.substr(equals + 1) : value, option.name));
}

/// Splits joined short options, `-fm1.5` into `-f -m 1.5`: without std::regex, cxxopts accepts joined values only of
/// letters and digits.
std::vector<std::string> with_short_options_apart(const std::vector<OptionText>& table,
                                                  std::span<const std::string> arguments) {
    std::vector<std::string> apart;
    bool value_follows = false;
    for (const std::string& argument : arguments) {
        if (value_follows || !has_short_options(argument)) {
            value_follows =
                !value_follows && argument.starts_with("--") && taking_value(table, argument.substr(2)) != nullptr;
            apart.push_back(argument);
            continue;
        }
        if (const OptionText* meant = meant_by_one_dash(table, argument))
            throw usage_error(fmt::format("'{}' has one dash; did you mean --{}?", argument, meant->name));
        for (std::size_t at = 1; at < argument.size(); ++at) {
            apart.push_back({'-', argument[at]});
            const OptionText* option = taking_value(table, argument.substr(at, 1));
            if (option == nullptr)
                continue;
            value_follows = at + 1 == argument.size();
            if (!value_follows) {
                check_joined(*option, argument, at);
                apart.push_back(argument.substr(at + 1));
            }
            break;
        }
    }
    return apart;
}

void check_length(const std::string& argument) {
    constexpr std::size_t longest = 8192; // twice that of a path
    if (argument.size() > longest)
        throw usage_error(fmt::format("argument '{}...' has {} characters; the limit is {}", argument.substr(0, 20),
                                      argument.size(), longest));
}

Error unknown_option(const std::vector<OptionText>& table, std::string_view option, std::string_view command,
                     const std::function<std::string(std::string_view)>& advice) {
    if (option.starts_with("--"))
        option = option.substr(0, option.find('='));
    const std::string_view name = option.substr(option.starts_with("--") ? 2 : 1);
    std::string hint = advice ? advice(name) : "";
    if (option.starts_with("--")) {
        std::vector<std::string_view> names;
        for (const OptionText& known : table)
            names.push_back(known.name);
        if (const auto meant = suggestion_for(name, names); meant && hint.empty())
            hint = fmt::format("did you mean --{}?", *meant);
    }
    if (hint.empty())
        hint = fmt::format("'{} --help' lists the options", command);
    return usage_error(fmt::format("unknown option '{}'; {}", option, hint));
}

/// The error for a last argument (`--name`, or a dash and letters) that ends with an option without its value.
Error missing_value(const std::vector<OptionText>& table, std::string_view last, std::string_view command) {
    const auto is_meant = [last](const OptionText& option) {
        return last.starts_with("--") ? last.substr(2) == option.name : last.back() == option.short_name;
    };
    const auto option = std::ranges::find_if(table, is_meant);
    return usage_error(option == table.end()
                           ? fmt::format("invalid argument '{}'; '{} --help' lists the options", last, command)
                           : fmt::format("--{} requires a value ({})", option->name, option->argument));
}

} // namespace

Error refused(const GivenOption& argument, std::string_view accepted) {
    return usage_error(fmt::format("--{} {}: expected {}", argument.name, shown(argument.value), accepted));
}

std::size_t parse_size(const GivenOption& argument, std::size_t unit_bytes) {
    constexpr std::string_view accepted = "a size above 0, such as 64, 1.5K, 512KiB, 4M or 2G";
    const std::string_view value = argument.value;
    const std::string_view number = value.substr(0, value.find_first_not_of(of_decimals));
    const std::string_view suffix = value.substr(number.size());
    const auto unit = suffix.empty() ? std::optional<std::uint64_t>(unit_bytes) : bytes_in_unit(suffix);
    const auto decimal = decimal_in(number);
    if (!decimal || !unit)
        throw refused(argument, accepted);

    constexpr std::uint64_t largest = std::numeric_limits<std::size_t>::max();
    const std::string at_most = fmt::format("at most {} MiB", largest / mib);
    std::uint64_t bytes = 0;
    if (number.find('.') == std::string_view::npos) {
        const auto count = parse_number<std::uint64_t>(number);
        if (!count || *count > largest / *unit)
            throw refused(argument, at_most);
        bytes = *count * *unit;
    } else {
        const double exact = *decimal * static_cast<double>(*unit);
        if (exact >= static_cast<double>(largest))
            throw refused(argument, at_most);
        if (*unit == 1 && exact != std::floor(exact))
            throw refused(argument, "a whole number of bytes");
        bytes = static_cast<std::uint64_t>(exact);
    }
    if (bytes == 0)
        throw refused(argument, accepted);
    return static_cast<std::size_t>(bytes);
}

std::uint64_t parse_count(const GivenOption& argument, std::uint64_t smallest, std::uint64_t largest) {
    const auto count = parse_number<std::uint64_t>(argument.value);
    if (!count || *count < smallest || *count > largest)
        throw refused(argument, fmt::format("a whole number from {} to {}", smallest, largest));
    return *count;
}

double parse_above_0(const GivenOption& argument, double largest, std::string_view what) {
    const auto number = decimal_in(argument.value);
    if (!number || *number <= 0 || *number > largest)
        throw refused(argument, fmt::format("{} above 0 and at most {:g}", what, largest));
    return *number;
}

double parse_percent(const GivenOption& argument, double largest) {
    return parse_above_0(argument, largest, "a percentage");
}

Error not_one_of(const GivenOption& argument, const std::vector<std::string_view>& accepted) {
    const auto meant = suggestion_for(argument.value, accepted);
    return refused(argument, fmt::format("one of {}{}", fmt::join(accepted, ", "),
                                         meant ? fmt::format("; did you mean {}?", *meant) : ""));
}

std::vector<std::string_view> parse_words(const GivenOption& argument, const std::vector<std::string_view>& accepted) {
    std::vector<std::string_view> words;
    for (const std::string_view field : split_fields(argument.value)) {
        const auto word = std::ranges::find(accepted, field);
        if (word == accepted.end())
            throw refused(argument, fmt::format("one or more of {}", fmt::join(accepted, ", ")));
        words.push_back(*word);
    }
    return words;
}

std::optional<std::string_view> suggestion_for(std::string_view written, std::span<const std::string_view> words) {
    constexpr std::size_t telling_letters = 2;
    constexpr std::size_t longest = 64; // time and memory grow with both lengths
    if (written.size() < telling_letters || written.size() > longest)
        return std::nullopt;
    const std::string lower = lower_case(written);
    const auto begins_so = std::ranges::find_if(words, [&](std::string_view word) { return word.starts_with(lower); });
    if (begins_so != words.end())
        return *begins_so;
    const auto nearest =
        std::ranges::min_element(words, {}, [&](std::string_view word) { return distance(lower, word); });
    if (nearest == words.end() || distance(lower, *nearest) > lower.size() / 3)
        return std::nullopt;
    return *nearest;
}

const GivenOption* CommandLine::given(std::string_view name) const {
    const auto found = std::ranges::find(options, name, &GivenOption::name);
    return found == options.end() ? nullptr : &*found;
}

CommandLine line_with(std::vector<GivenOption> options) {
    CommandLine line{.options = std::move(options)};
    for (const auto& [name, value] : line.options) {
        line.arguments.push_back("--" + name);
        if (!value.empty())
            line.arguments.push_back(value);
    }
    return line;
}

CommandLine split_command_line(const std::vector<OptionText>& table, const std::vector<std::string>& arguments,
                               std::string_view command, const std::function<std::string(std::string_view)>& advice) {
    std::ranges::for_each(arguments, check_length);
    const auto end = std::ranges::find(arguments, "--"); // after it there are no options
    const auto before_end = with_short_options_apart(table, {arguments.begin(), end});
    std::vector<const char*> argv{"memtest"};
    for (const std::string& argument : before_end)
        argv.push_back(argument.c_str());
    CommandLine line{.arguments = arguments};
    try {
        const cxxopts::ParseResult result = parser_for(table).parse(static_cast<int>(argv.size()), argv.data());
        for (const auto& given : result.arguments())
            line.options.push_back({.name = given.key(), .value = given.value()});
        line.operands = result.unmatched();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) { // the library's own; their names and texts differ between versions
        throw missing_value(table, argv.back(), command);
    }
    for (const std::string& operand : line.operands) {
        if (operand.starts_with('-') && operand != "-")
            throw unknown_option(table, operand, command, advice);
    }
    if (end != arguments.end())
        line.operands.insert(line.operands.end(), end + 1, arguments.end());
    for (GivenOption& given : line.options) {
        const OptionText& option = *std::ranges::find(table, given.name, &OptionText::name);
        if (!option.repeats && std::ranges::count(line.options, given.name, &GivenOption::name) > 1)
            throw usage_error(fmt::format("--{} is given twice", option.name));
        if (option.argument == "FILE" && given.value.size() > 1 && given.value.starts_with('-'))
            throw usage_error(fmt::format("--{0} {1}: expected a file before the next option; write --{0} ./{1} for a "
                                          "file of this name",
                                          option.name, given.value));
        if (!option.argument.empty())
            continue;
        if (given.value != no_value)
            throw usage_error(fmt::format("--{0} takes no value ('--{0}={1}')", option.name, given.value));
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
        std::string names =
            fmt::format("  {} --{}{}{}", option.short_name == 0 ? "   " : fmt::format("-{},", option.short_name),
                        option.name, option.argument.empty() ? "" : " ", option.argument);
        const std::string help = option.preset.empty() ? std::string(option.help)
                                                       : fmt::format("{} (default: {})", option.help, option.preset);
        if (names.size() + 1 > column)
            text += std::exchange(names, "") + "\n";
        const std::string lines = wrapped(std::string(column, '-') + help, width, std::string(column, ' '));
        text += fmt::format("{:<{}}{}\n", names, column, lines.substr(column));
    }
    return text;
}

} // namespace memtest
