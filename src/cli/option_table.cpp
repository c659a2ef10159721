#include "memtest/cli/option_table.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace memtest {
namespace {

// Split by hand, since cxxopts would serve for little else here. Its values know neither units nor ranges,
// and its messages do not say what would be accepted. It cannot tell which option was meant, as it names the unknown
// one in a text alone. A flag that was given a value, and an option given twice, it takes. The man page and the
// completions need this table beside it.
class Splitter {
public:
    Splitter(const std::vector<OptionText>& table, const std::vector<std::string>& arguments, std::string_view command)
        : table_(table), arguments_(arguments), command_(command) {}

    CommandLine split() {
        while (next_ < arguments_.size()) {
            const std::string_view word = arguments_[next_++];
            if (word == "--")
                break;
            if (word.starts_with("--"))
                take_long(word.substr(2));
            else if (word.starts_with('-') && word != "-")
                take_short(word.substr(1));
            else
                line_.operands.emplace_back(word);
        }
        for (; next_ < arguments_.size(); ++next_)
            line_.operands.push_back(arguments_[next_]);
        return std::move(line_);
    }

private:
    /// `name` or `name=value`.
    void take_long(std::string_view text) {
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        const auto option = std::ranges::find(table_, name, &OptionText::name);
        if (option == table_.end())
            throw unknown(fmt::format("--{}", name), name);
        if (equals == std::string_view::npos)
            add(*option, option->argument.empty() ? "" : next_value(*option));
        else if (option->argument.empty())
            throw usage_error(fmt::format("--{}: this option takes no value", text));
        else
            add(*option, text.substr(equals + 1));
    }

    /// Letters of flags, or of flags and an option with its value behind it.
    void take_short(std::string_view letters) {
        while (!letters.empty()) {
            const auto option = std::ranges::find(table_, letters.front(), &OptionText::short_name);
            if (option == table_.end())
                throw unknown(fmt::format("-{}", letters.front()), "");
            letters.remove_prefix(1);
            if (option->argument.empty()) {
                add(*option, "");
                continue;
            }
            add(*option, letters.empty() ? next_value(*option) : letters);
            return;
        }
    }

    std::string_view next_value(const OptionText& option) {
        if (next_ == arguments_.size())
            throw usage_error(fmt::format("--{}: give its value, {}", option.name, option.argument));
        return arguments_[next_++];
    }

    void add(const OptionText& option, std::string_view value) {
        const auto place = static_cast<std::size_t>(&option - table_.data());
        if (std::ranges::count(line_.options, place, &GivenOption::place) > 0)
            throw usage_error(fmt::format("--{} is given twice; give it once", option.name));
        line_.options.push_back({.place = place, .value = std::string(value)});
    }

    [[nodiscard]] Error unknown(std::string_view option, std::string_view long_name) const {
        std::vector<std::string_view> names;
        for (const OptionText& known : table_)
            names.push_back(known.name);
        if (const auto meant = suggestion_for(long_name, names))
            return usage_error(fmt::format("{}: there is no such option; did you mean --{}?", option, *meant));
        return usage_error(fmt::format("{}: there is no such option; '{} --help' lists them", option, command_));
    }

    const std::vector<OptionText>& table_;
    const std::vector<std::string>& arguments_;
    std::string_view command_;
    std::size_t next_ = 0; // of the arguments
    CommandLine line_;
};

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
    return Splitter(table, arguments, command).split();
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
