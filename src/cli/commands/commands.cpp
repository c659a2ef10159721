#include "memtest/cli/commands/commands.hpp"

#include "memtest/base/text.hpp"
#include "memtest/cli/options.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

std::string name_of(const Command& command) {
    return command.name.empty() ? "memtest" : fmt::format("memtest {}", command.name);
}

/// "memtest levels FILE", with "[options]" between if the command has any.
std::string usage_of(const Command& command, bool with_options) {
    return fmt::format("{}{}{}{}", name_of(command), with_options && !command.options().empty() ? " [options]" : "",
                       command.operands.empty() ? "" : " ", command.operands);
}

/// The sweep's name where one is needed: 'memtest help sweep'.
constexpr std::string_view sweep_name = "sweep";

/// The usage of every command, each with its summary.
std::string usage_of_all() {
    std::size_t width = 0;
    for (const Command& command : commands())
        width = std::max(width, usage_of(command, command.name.empty()).size());
    std::string text;
    for (const Command& command : commands())
        text += fmt::format("{:<7}{:<{}}  {}\n", text.empty() ? "Usage:" : "", usage_of(command, command.name.empty()),
                            width, command.summary);
    return text + fmt::format("       {:<{}}  list all options of the sweep\n",
                              fmt::format("memtest help {}", sweep_name), width);
}

/// The options of the sweep that most people need.
constexpr std::array<std::string_view, 11> usual_options{"random", "max-size", "pages",  "cpu",    "threads", "cycles",
                                                         "stats",  "levels",   "format", "output", "help"};

std::string examples_of(const Command& command) {
    const auto& [first, second] = command.examples;
    const std::size_t width = std::max(first.line.size(), second.line.size());
    return width == 0 ? ""
                      : fmt::format("\nExamples:\n  {:<{}}  {}\n  {:<{}}  {}\n", first.line, width, first.purpose,
                                    second.line, width, second.purpose);
}

/// A name known from other tools, and what does the same here.
struct KnownElsewhere {
    std::string_view name;
    std::string_view here;    ///< an option, or a phrase
    std::string_view of = {}; ///< the only command that this is for; empty: any
};

constexpr std::string_view to_file = "'> FILE': it prints to standard output";

// If a name occurs twice, the first that the command has counts.
constexpr std::array options_elsewhere{KnownElsewhere{"huge-pages", "--pages thp"},
                                       KnownElsewhere{"hugepages", "--pages thp"},
                                       KnownElsewhere{"json", "--format json"},
                                       KnownElsewhere{"json", "--output FILE.json", "report"},
                                       KnownElsewhere{"csv", "--format csv"},
                                       KnownElsewhere{"numa", "--node"},
                                       KnownElsewhere{"numa", "'memtest nodes'"},
                                       KnownElsewhere{"size", "--max-size"},
                                       KnownElsewhere{"max", "--max-size"},
                                       KnownElsewhere{"max", "--size"},
                                       KnownElsewhere{"max-size", "--size"},
                                       KnownElsewhere{"accesses", "--samples"},
                                       KnownElsewhere{"points", "--loads"},
                                       KnownElsewhere{"all", "--all-pairs"},
                                       KnownElsewhere{"quiet", "--status"},
                                       KnownElsewhere{"format", "--output FILE.json", "report"},
                                       KnownElsewhere{"pages", "'memtest --pages' for one kind of pages", "report"},
                                       KnownElsewhere{"output", to_file, "levels"},
                                       KnownElsewhere{"output", to_file, "translation"},
                                       KnownElsewhere{"output", to_file, "fleet"}};

constexpr std::array commands_elsewhere{
    KnownElsewhere{"bandwidth", "'memtest loaded', which measures latency against bandwidth"},
    KnownElsewhere{"c2c", "'memtest cores'"},
    KnownElsewhere{"caches", "'memtest --random --levels'"},
    KnownElsewhere{"latency", "'memtest --random'"},
    KnownElsewhere{"numa", "'memtest nodes'"},
    KnownElsewhere{"random", "'memtest --random'"},
    KnownElsewhere{sweep_name, "'memtest --random'"},
    KnownElsewhere{"version", "'memtest --version'"}};

bool has_option(const Command& command, std::string_view name) {
    return std::ranges::count(options_of(command), name, &OptionText::name) > 0;
}

/// "max-size" of "--max-size 64"; empty for what is no option.
std::string_view option_in(std::string_view here) {
    return here.starts_with("--") ? here.substr(2, here.find_first_of(" ,") - 2) : "";
}

/// The long name of an option that some command has; else what is given.
std::string_view long_name(std::string_view given) {
    for (const Command& command : commands()) {
        for (const OptionText& option : options_of(command)) {
            if (given.size() == 1 && given.front() == option.short_name)
                return option.name;
        }
    }
    return given;
}

/// What to use in place of an option that this command lacks; empty if nothing is known to do the same.
/// @param given long, or a letter
std::string advice_on_option(const Command& command, std::string_view given) {
    const std::string_view name = long_name(given);
    std::vector<std::pair<std::string, std::string_view>> same; // what does the same, and the option in it
    for (const KnownElsewhere& known : options_elsewhere) {
        if (known.name == name && (known.of.empty() || known.of == command.name))
            same.emplace_back(known.here, option_in(known.here));
    }
    for (const auto& [here, option] : same) {
        if (here != fmt::format("'{}'", name_of(command)) && (option.empty() || has_option(command, option)))
            return fmt::format("use {}", here);
    }
    same.emplace(same.begin(), fmt::format("--{}", name), name);
    for (const auto& [here, option] : same) {
        for (const Command& other : commands()) {
            if (has_option(other, option))
                return fmt::format("that is an option of {}: {} {}",
                                   other.name.empty() ? "the sweep" : "another command", name_of(other), here);
        }
    }
    return "";
}

/// For an argument of a command that takes options alone: the option whose value it looks like.
std::string advice_on_operand(const Command& command, std::string_view given) {
    constexpr std::array endings{".csv", ".json", ".html", ".md"};
    const bool is_list =
        given.find_first_of("0123456789") == 0 && given.find_first_not_of("0123456789,-") == std::string_view::npos;
    std::error_code unknown; // whether it is there: then it is no output, but was to be read
    const bool is_new_file = !std::filesystem::exists(given, unknown) &&
                             std::ranges::any_of(endings, [&](const char* end) { return given.ends_with(end); });
    const std::string_view option = is_list ? "cpu" : is_new_file ? "output" : "";
    return has_option(command, option) ? fmt::format("did you mean --{} {}?", option, given)
                                       : fmt::format("'{} --help' lists the options", name_of(command));
}

std::string help_with(const Command& command, const std::string& usage, const std::vector<OptionText>& options) {
    return fmt::format("{}{}\n{}{}{}{}", usage, examples_of(command), command.about, help_text(options),
                       command.closing.empty() ? "" : "\n", command.closing);
}

/// The command of that name. @throws Error (usage) that names the one that was probably meant
const Command& command_called(std::string_view name) {
    const auto found = std::ranges::find(commands().subspan(1), name, &Command::name);
    if (found != commands().end())
        return *found;
    const auto* const elsewhere = std::ranges::find(commands_elsewhere, lower_case(name), &KnownElsewhere::name);
    const auto names = command_names();
    std::string hint = "'memtest --help' lists the commands";
    if (elsewhere != commands_elsewhere.end())
        hint = fmt::format("use {}", elsewhere->here);
    else if (const auto meant = suggestion_for(name, names))
        hint = fmt::format("did you mean {}?", *meant);
    throw usage_error(fmt::format("unknown command '{}'; {}", name, hint));
}

ExitStatus print(std::string_view text) {
    OutputFile(std::nullopt).write(text);
    return ExitStatus::success;
}

/// @param names of commands: none for the overview, or one. @throws Error (usage)
std::string help_on(const std::vector<std::string>& names) {
    if (names.size() > 1)
        throw usage_error(fmt::format("memtest help takes one command, not {}", names.size()));
    if (names.empty())
        return overview();
    return help_of(names.front() == sweep_name ? commands().front() : command_called(names.front()));
}

const Command help_command{.name = "help",
                           .operands = "[COMMAND]",
                           .summary = "explain a command",
                           .about = "Prints the help of a command; without COMMAND the same as memtest --help.\n"
                                    "'memtest help sweep' lists all options of the sweep, which has no name.\n",
                           .options = [] { return std::vector<OptionText>(); },
                           .run = [](const CommandLine& line) { return print(help_on(line.operands)); }};

} // namespace

std::span<const Command> commands() {
    static const std::array all{sweep_command,   report_command, tlb_command,      loaded_command, tail_command,
                                cores_command,   nodes_command,  prefetch_command, levels_command, translation_command,
                                compare_command, fleet_command,  plot_command,     help_command};
    return all;
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    for (const Command& command : commands().subspan(1))
        names.push_back(command.name);
    return names;
}

std::vector<OptionText> options_of(const Command& command) {
    std::vector<OptionText> options = command.options();
    options.push_back({.group = options.empty() ? "Options" : options.back().group,
                       .short_name = 'h',
                       .name = "help",
                       .help = "print this help and exit"});
    return options;
}

std::string help_of(const Command& command) {
    return help_with(command, fmt::format("Usage: {}\n", usage_of(command, true)), options_of(command));
}

std::string overview() {
    std::vector<OptionText> usual = options_of(commands().front());
    std::erase_if(usual, [](const OptionText& option) { return std::ranges::count(usual_options, option.name) == 0; });
    for (OptionText& option : usual)
        option.group = "Options ('memtest help sweep' lists all)";
    return help_with(commands().front(), usage_of_all(), usual);
}

CommandLine line_for(const Command& command, const std::vector<std::string>& arguments) {
    const std::vector<OptionText> table = options_of(command);
    CommandLine line = split_command_line(table, arguments, name_of(command),
                                          [&](std::string_view name) { return advice_on_option(command, name); });
    if (line.given("help") != nullptr || line.given("version") != nullptr)
        return line;
    check_combinations(line, table);
    if (command.operands.empty() && !line.operands.empty())
        throw usage_error(fmt::format("unexpected argument '{}'; {}", line.operands.front(),
                                      advice_on_operand(command, line.operands.front())));
    return line;
}

ExitStatus run_command(const Command& command, const std::vector<std::string>& arguments) {
    const CommandLine line = line_for(command, arguments);
    if (line.given("help") != nullptr)
        return print(command.name.empty() ? help_on(line.operands) : help_of(command));
    if (line.given("version") != nullptr)
        return print(fmt::format("memtest {}\n", version));
    return command.run(line);
}

ExitStatus run_command_line(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front().starts_with('-'))
        return run_command(commands().front(), arguments);
    return run_command(command_called(arguments.front()), {arguments.begin() + 1, arguments.end()});
}

} // namespace memtest
